# TLS: certificates, pieces, processes.
use 5.030;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use POSIX ();
use Test::More;

BEGIN {
    plan skip_all => 'there is no IO::Socket::SSL'
        if !eval { require IO::Socket::SSL; require IO::Socket::SSL::Utils; 1 };
}

use FakeServer;
use File::Temp ();
use HandlerSocket2;

my ( $ca, $ca_key )
    = IO::Socket::SSL::Utils::CERT_create( CA => 1, subject => { commonName => 'ca' } );
my ($foreign)
    = IO::Socket::SSL::Utils::CERT_create( CA => 1, subject => { commonName => 'foreign' } );
my ( $certificate, $key ) = IO::Socket::SSL::Utils::CERT_create(
    subject         => { commonName => 'db.example' },
    subjectAltNames => [ [ DNS => 'db.example' ] ],
    issuer_cert     => $ca,
    issuer_key      => $ca_key,
);
my ( $authority, $other ) = map {
    my $file = File::Temp->new;
    print {$file} IO::Socket::SSL::Utils::PEM_cert2string($_);
    close $file or die "$file: $!";
    $file;
} $ca, $foreign;

# The process that answers, and a large reply for a large request.
my $server = FakeServer->start(
    sub {
        my ($line) = @_;
        return $line =~ /\AP/
            ? "0\t1\n"
            : "0\t1\t" . ( length $line > 1000 ? 'x' x 2000 : $$ ) . "\n";
    },
    SSL_cert => $certificate,
    SSL_key  => $key,
);

sub table {
    my ($options) = @_;
    my $db = HandlerSocket2->connect( $server->url("&retries=0&$options") );
    return $db->table( 't', columns => ['a'], raw => 1 );
}

my $verify = "tls=verify&tls_ca=$authority&tls_name=db.example";

subtest 'the certificate is looked at' => sub {
    ok table($verify)->get(1),       'the right one';
    ok table('tls=require')->get(1), 'any one, if it is not to be looked at';
    for my $wrong (
        "tls=verify&tls_ca=$other&tls_name=db.example",
        "tls=verify&tls_ca=$authority&tls_name=other.example",
        "tls=verify&tls_ca=$authority",
        'tls=off&timeout=1',
        )
    {
        eval { table($wrong)->get(1) };
        isa_ok $@, 'HandlerSocket2::ConnectionError', $wrong =~ s/=\/[^&]*//r;
        ok !$@->sent, 'nothing was sent';
    }
};

subtest 'a server without TLS is told' => sub {
    my $listener = IO::Socket::IP->new( LocalHost => '127.0.0.1', LocalPort => 0, Listen => 1 )
        or die "listen: $@";
    my $place = '127.0.0.1:' . $listener->sockport;
    my $child = fork // die "fork: $!";
    if ( !$child ) {
        my $connection = $listener->accept;
        syswrite $connection, "J\0\0\0\n11.4.2-MariaDB\0";
        1 while sysread $connection, my $ignored, 4096;
        POSIX::_exit(0);
    }
    eval { HandlerSocket2->connect("hs://$place?tls=require&retries=0")->ping };
    isa_ok $@, 'HandlerSocket2::ConnectionError';
    like $@->message, qr/\Ano TLS with $place: /, 'its address';
    waitpid $child, 0;
};

subtest 'a large pipeline and large replies do not block each other' => sub {
    my $rows = table($verify)->get_many( [ map { $_ . 'y' x 2000 } 1 .. 5000 ] );
    is scalar( grep { $_->{a} eq 'x' x 2000 } @$rows ), 5000, 'all are answered';
};

subtest 'a process has connections of its own' => sub {
    my $table  = table($verify);
    my $parent = $table->get(1)->{a};
    for ( 1 .. 2 ) {
        my $child = fork // die "fork: $!";
        POSIX::_exit( $table->get(1)->{a} == $parent ) if !$child;
        waitpid $child, 0;
        is $?, 0, 'a further one';
    }
    is $table->get(1)->{a}, $parent, 'that of the parent is still open';
};

done_testing;

# Options from arguments, the environment and the option file.
use 5.030;
use warnings;
use utf8;

use File::Temp ();
use Test::More;

use HandlerSocket2;

delete @ENV{qw(HS_URL HS_PASSWORD HS_SECRET)};
my $file = File::Temp->new;
$ENV{HS_OPTION_FILE} = "$file";

sub options { return HandlerSocket2::Options::make_options(@_) }

sub refused {
    my ( $name, @given ) = @_;
    eval { HandlerSocket2->connect(@given) };
    isa_ok $@, 'HandlerSocket2::ConfigurationError', $name;
    return;
}

sub write_file {
    my ($text) = @_;
    open my $out, '>:encoding(UTF-8)', "$file" or die "$file: $!";
    print {$out} $text;
    close $out or die "$file: $!";
    return;
}

subtest 'arguments and the URL go together but not twice' => sub {
    my %given = ( timeout => 2, read_your_writes => 1, replicas => ['a:1'] );
    my $made  = options( 'hs://db', %given );
    is_deeply [ @$made{qw(host timeout read_your_writes)} ], [ 'db', 2, 1 ], 'both are taken';
    is_deeply $made->{replicas},                             ['a:1'],        'a list is a list';
    my @wrong
        = ( [ host => 'x' ], [ nosuch => 1 ], [ port => 0 ], [ tls => 1 ], [ timeout => -1 ] );
    refused( "@$_",                 'hs://db', @$_ ) for @wrong;
    refused( 'a hook that is none', on_request => 1 );
    refused( 'a host that is none', host       => { a => 1 } );
};

subtest 'the environment and the file give what is missing' => sub {
    write_file("[other]\nuser = no\n[hs]\n# who\nuser = é\ntimeout = 3\npassword = file\n");
    local $ENV{HS_PASSWORD} = "vari\xc3\xa9";
    my $made = options('hs://db?timeout=1');
    is_deeply [ @$made{qw(user timeout password)} ], [ 'é', 1, 'varié' ], 'in their order';
    local $ENV{HS_URL} = 'hs://other';
    is options(undef)->{host}, 'other', 'HS_URL is the whole URL';
    for my $text ( "[hs]\nnosuch = 1\n", "[hs]\nuser = a\nuser = b\n", "[hs]\nport = x\n" ) {
        write_file($text);
        refused( 'an option file that is wrong', 'hs://db' );
    }
    write_file(q{});
};

subtest 'an option file that is named must be there' => sub {
    local $ENV{HS_OPTION_FILE} = '/nosuch/hs.cnf';
    refused( 'a file that is not there', 'hs://db' );
};

subtest 'files of TLS that are not there are a ConfigurationError' => sub {
    plan skip_all => 'there is no IO::Socket::SSL' if !eval { require IO::Socket::SSL; 1 };
    refused( 'tls_ca',   'hs://db?tls=verify&tls_ca=/nosuch.pem' );
    refused( 'tls_cert', 'hs://db?tls=require&tls_cert=/nosuch.pem' );
};

subtest 'TLS without its module is unsupported' => sub {
    my $code
        = 'use HandlerSocket2; eval { HandlerSocket2->connect(q{hs://db?tls=verify}) }; print ref $@';
    my @no = (
        '-e',
        q[BEGIN { unshift @INC, sub { die "not here" if $_[1] eq 'IO/Socket/SSL.pm'; undef } }]
    );
    open my $run, '-|', $^X, ( map {"-I$_"} @INC ), '-e', "$no[1] $code" or die "perl: $!";
    is scalar readline $run, 'HandlerSocket2::UnsupportedError', 'and says so';
};

subtest 'changes over a Unix socket need the other socket' => sub {
    my $db    = HandlerSocket2->connect('hs+unix:///nosuch.sock');
    my $table = $db->table( 'test.t', columns => ['a'], raw => 1 );
    eval { $table->insert( { a => 1 } ) };
    isa_ok $@, 'HandlerSocket2::ConfigurationError', 'a change';
};

subtest 'a path of which the system would take the beginning is refused' => sub {
    my $db = HandlerSocket2->connect( 'hs+unix:///' . 'x' x 200 );
    eval { $db->ping };
    isa_ok $@, 'HandlerSocket2::ConfigurationError', 'a long path';
};

done_testing;

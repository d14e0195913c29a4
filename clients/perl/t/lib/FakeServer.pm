package FakeServer;

# A server of the test's own: a process for each connection, which answers each line by a function.
use 5.030;
use warnings;

use IO::Socket::IP ();
use POSIX          ();
use Socket         qw(IPPROTO_TCP TCP_NODELAY);

my $FEATURES = 'count,describe,upsert,returning,transaction,gtid,all,descending';

# The function gets a line without its LF, and the number of lines before it on its connection. It gives a reply, an
# empty one for none, or undef to close the connection. Options are those of IO::Socket::SSL; with them it has TLS.
sub start {
    my ( $class, $answer, %tls ) = @_;
    my $listener = IO::Socket::IP->new( LocalHost => '127.0.0.1', LocalPort => 0, Listen => 100 )
        or die "listen: $@";
    my $self = bless { port => $listener->sockport, owner => $$ }, $class;
    $self->{process} = fork // die "fork: $!";
    return $self if $self->{process};
    local $SIG{CHLD} = 'IGNORE';
    setpgrp;
    while ( my $connection = $listener->accept ) {
        my $child = fork // die "fork: $!";
        next if $child;
        _serve( $connection, $answer, %tls );
        POSIX::_exit(0);
    }
    POSIX::_exit(0);
}

sub _serve {
    my ( $connection, $answer, %tls ) = @_;
    my $number = 0;
    return if %tls && !IO::Socket::SSL->start_SSL( $connection, SSL_server => 1, %tls );
    $connection->setsockopt( IPPROTO_TCP, TCP_NODELAY, 1 );
    while ( my $line = readline $connection ) {
        chomp $line;
        my $reply
            = $line =~ /\AH\t/
            ? "0\t6\t2\tfake\t1\t10.11\t$FEATURES\t1\n"
            : $answer->( $line, $number++, $connection );
        return if !defined $reply;
        syswrite $connection, $reply;
    }
    return;
}

sub url {
    my ( $self, $options ) = @_;
    return "hs://127.0.0.1:$self->{port}/test?write_port=$self->{port}" . ( $options // q{} );
}

sub DESTROY {
    my ($self) = @_;
    return if $self->{owner} != $$;
    kill 'KILL', -$self->{process}, $self->{process};
    local ( $?, $@ );
    waitpid $self->{process}, 0;
    return;
}

1;

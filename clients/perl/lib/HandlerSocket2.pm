package HandlerSocket2;

use 5.030;
use warnings;

use HandlerSocket2::Core        ();
use HandlerSocket2::Error       ();
use HandlerSocket2::Lines       ();
use HandlerSocket2::Options     ();
use HandlerSocket2::Pipeline    ();
use HandlerSocket2::Protocol    ();
use HandlerSocket2::Table       ();
use HandlerSocket2::Transaction ();

our $VERSION = '2.000';

sub connect {
    my ( $class, @given ) = @_;
    my $url     = @given % 2 ? shift @given : undef;
    my %options = @given;
    my $hook    = delete $options{on_request};
    if ( defined $hook && ref $hook ne 'CODE' ) {
        HandlerSocket2::ConfigurationError->throw('on_request is a function');
    }
    my $made = HandlerSocket2::Options::make_options( $url, %options );
    return bless { core => HandlerSocket2::Core->new( $made, $hook ) }, $class;
}

sub table {
    my ( $self, $name, @options ) = @_;
    return HandlerSocket2::Table->new( $self->{core}, $name, @options );
}

sub pipeline {
    my ( $self, $work ) = @_;
    return HandlerSocket2::Pipeline->of( $self->{core}, $work );
}

sub transaction {
    my ( $self, @given ) = @_;
    my $work = ref $given[0] eq 'CODE' ? shift @given : undef;
    my $made = HandlerSocket2::Transaction->new( $self->{core}, @given );
    return $made if !$work;
    $made->begin;
    my @results;
    if ( !eval { @results = $work->($made); 1 } ) {
        my $error = $@;
        $made->rollback;
        die $error;
    }
    $made->commit;
    return wantarray ? @results : $results[-1];
}

sub ping {
    my ($self) = @_;
    my $line   = HandlerSocket2::Protocol::hello( 2, $self->{core}->options->{name} );
    my $call   = HandlerSocket2::Lines::hello($line);
    return if eval { $self->{core}->one($call); 1 };
    my $error = $@;
    my $text  = HandlerSocket2::Core::is_error($error) ? $error->text // q{} : q{};
    die $error if $text ne 'cmd';    # so a server of the original's kind answers
    return;
}

sub features {
    my ($self) = @_;
    return $self->{core}->features;
}

sub last_gtid {
    my ($self) = @_;
    return $self->{core}->last_gtid;
}

sub wait_for_gtid {
    my ( $self, $gtid, $seconds ) = @_;
    return $self->{core}->one( HandlerSocket2::Lines::wait_for( $gtid, $seconds ) );
}

sub describe {
    my ( $self, $name ) = @_;
    my @names = defined $name ? HandlerSocket2::Protocol::split_name($name) : ();
    return $self->{core}->one( HandlerSocket2::Lines::describe(@names) );
}

sub indexes {
    my ( $self, $name ) = @_;
    my @names = HandlerSocket2::Protocol::split_table( $name, $self->{core}->options->{database} );
    return $self->{core}->one( HandlerSocket2::Lines::describe( @names, 1 ) );
}

sub raw {
    my ( $self, $port, $tokens ) = @_;
    if ( ( $port // q{} ) !~ /\A(?:read|write)\z/ ) {
        HandlerSocket2::ValueError->throw('the port is read or write');
    }
    return $self->{core}->one( HandlerSocket2::Lines::raw( $tokens, $port eq 'write' ) );
}

sub close {
    my ($self) = @_;
    $self->{core}->close;
    return;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2 - reads and writes rows of MariaDB through HandlerSocket 2

=head1 SYNOPSIS

    use HandlerSocket2;

    my $db   = HandlerSocket2->connect('hs://127.0.0.1:9998?write_port=9999');
    my $user = $db->table('test.user', columns => ['user_id', 'user_name']);
    $user->upsert({ user_id => 101, user_name => 'Yukari Takeba' });
    say $user->get(101)->{user_name};

=head1 DESCRIPTION

Reads and writes rows by their keys, without SQL. Reads go to the read port, changes to the write port.
The connections of a client belong to a process: after a C<fork> the new process opens its own. So a
client object may be made before a C<fork> and used behind it.

=head1 METHODS

=head2 connect

    my $db = HandlerSocket2->connect($url, %options);

A client. Nothing is opened before it is needed. Options stand in the URL or behind it, but not in both.

=head2 table

    my $table = $db->table('test.user', columns => \@names, index => 'PRIMARY', raw => 0);

A L<HandlerSocket2::Table>. Without columns it has all of the table; with C<raw> values are bytes.

=head2 pipeline

A L<HandlerSocket2::Pipeline>, whose calls are sent in one piece. With a function, which is given the
pipeline, the results of its calls.

=head2 transaction

    $db->transaction(sub { my ($transaction) = @_; ... }, isolation => 'RC', read_only => 0);

Calls the function in a L<HandlerSocket2::Transaction>, commits, and gives what the function gives. When
it fails the transaction is rolled back and the error raised again. Isolation is C<RU>, C<RC>, C<RR> or
C<SR>. Without a function it gives the transaction, which has not begun.

=head2 ping

Connects, if need be, and asks the server for its version.

=head2 features

The names of what the server can do; none for a server of the original's kind.

=head2 last_gtid, wait_for_gtid

    my $gtid = $db->last_gtid;
    my $is_applied = $replica->wait_for_gtid($gtid, $seconds);

The GTID of the client's last change, empty without one; whether it is applied, at most so many seconds later.

=head2 describe, indexes

    $db->describe; $db->describe('test'); $db->describe('test.user'); $db->indexes('test.user');

Databases, tables, columns; the columns of the indexes. A reference to a list of hashes.

=head2 raw

    my ($code, $columns, @values) = @{ $db->raw('read', ['D', 'test']) };

One line as it is, to the port C<read> or C<write>. An error reply is raised.

=head2 close

Closes all connections.

=head1 OPTIONS

    hs://user:password@host:9998/database?write_port=9999&tls=verify
    hs+unix:///run/mysqld/handlersocket.sock?write_socket=/run/mysqld/handlersocket_wr.sock

User, password, host and database are percent-encoded.

    host, port            127.0.0.1 and 9998: the read port
    write_port            9999: the write port, on the same host
    socket, write_socket  Unix sockets in the place of host and ports
    database              that of tables that are named without one
    user, password        the account; with neither there is no login
    secret, write_secret  for ports with a secret
    tls                   off, require (without looking at the certificate) or verify
    tls_ca, tls_cert, tls_key   files in PEM
    tls_name              the name that the certificate must have; the host
    connect_timeout       5 seconds, for connection, TLS and login together
    timeout               30 seconds for a request or a whole pipeline; 0: none
    pool_size             16 connections to each place, at most
    max_idle              60 seconds, after which a connection that is not used is closed; 0: never
    name                  what operators see
    replicas              host:port,host:port: read ports that take the reads in turns
    read_your_writes      on: a read on a replica waits for the client's own last change
    gtid_timeout          1 second for that; then the primary is asked
    retries               2: how often what is safe to repeat is sent again
    on_request            a function, see below; not in a URL

Where an option is not given: C<HS_URL> (when C<connect> has no argument), C<HS_PASSWORD> and C<HS_SECRET>, then
the group C<[hs]> of the file that C<HS_OPTION_FILE> names, or F<~/.hs.cnf>.

TLS needs the module L<IO::Socket::SSL>. Without it C<connect> raises a C<HandlerSocket2::UnsupportedError>.

=head1 VALUES

Integers come as numbers, decimals, dates and times as text, as SQL writes them. Text is characters, decoded from
UTF-8. C<BINARY>, C<BLOB>, C<BIT> and C<GEOMETRY> are strings of bytes. NULL is C<undef>.

A string that is sent is text, and is encoded as UTF-8; where the column is one of bytes it is bytes. A reference to
a string (C<\$bytes>) is bytes everywhere. Floating point numbers are sent with all of their digits. Objects of
C<DateTime> without time zone, C<Time::Piece>, C<Math::BigInt>, C<Math::BigFloat> and others with a text can be sent.

Kinds of columns are asked for once for each client. After an C<ALTER TABLE> that changes one, make a new client.

=head1 ERRORS

All are objects of L<HandlerSocket2::Error>.

=head1 HOOKS

C<< on_request => sub { my ($kind, $table, $seconds, $error) = @_; ... } >> is called behind each request.
A hook that dies changes nothing of the call: it is a warning.

=head1 LICENSE

BSD 3-Clause. See the file LICENSE.

=cut

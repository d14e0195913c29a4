package HandlerSocket2::Error;

use 5.030;
use warnings;

use Carp ();
use overload q{""} => sub { $_[0]->message . $_[0]->where }, bool => sub {1}, fallback => 1;

our $VERSION = '2.000';

# The place that an error tells is that of the program's call, and not one within the client.
$Carp::Internal{"HandlerSocket2$_"} = 1 for q{},
    map {"::$_"} qw(Calls Connection Core Error Lines Options Pipeline Pool Protocol Range
    Reader Socket Table Transaction Values);

# The classes, each behind the one that it is a kind of.
BEGIN {
    my %parent = (
        ConfigurationError => 'Error',
        ValueError         => 'Error',
        UnsupportedError   => 'Error',
        ConnectionError    => 'Error',
        TimeoutError       => 'ConnectionError',
        ProtocolError      => 'ConnectionError',
        ServerError        => 'Error',
        map { ( "${_}Error" => 'ServerError' ) }
            qw(DuplicateKey LockTimeout Deadlock TransactionLost ForeignKey Constraint NotFound
            ReadOnly Authentication AccessDenied Overloaded Unavailable),
    );
    while ( my ( $class, $base ) = each %parent ) {
        no strict 'refs';    ## no critic (ProhibitNoStrict)
        @{"HandlerSocket2::${class}::ISA"} = ("HandlerSocket2::$base");
    }
}

my %BY_WORD = (
    121                => 'DuplicateKey',
    146                => 'LockTimeout',
    lock_tables        => 'LockTimeout',
    149                => 'Deadlock',
    transaction_lost   => 'TransactionLost',
    123                => 'TransactionLost',
    151                => 'ForeignKey',
    152                => 'ForeignKey',
    open_table         => 'NotFound',
    idxnum             => 'NotFound',
    fld                => 'NotFound',
    readonly           => 'ReadOnly',
    unauth             => 'Authentication',
    authtype           => 'Authentication',
    insecure_transport => 'Authentication',
    access_denied      => 'AccessDenied',
    max_memory         => 'Overloaded',
    shutdown           => 'Unavailable',
    map { ( "sql_$_" => 'Constraint' ) } 1048,
    1264, 1265, 1292, 1364, 1366, 1406, 4025,
);

# What is said behind the server's word, which is short.
my %HINT = (
    121              => 'a row with this key is there already',
    123              => 'another session has changed the row meanwhile; try again',
    146              => 'another session held the row for too long; try again',
    149              => 'a deadlock; try again',
    151              => 'the row that a foreign key refers to is not there',
    152              => 'another row refers to this one by a foreign key',
    lock_tables      => 'another session held the table for too long, or the server is read-only',
    transaction_lost => 'the server has rolled the transaction back; begin it again',
    open_table       => 'there is no such table, or it cannot be served',
    idxnum           => 'the table has no such index, or it cannot be searched',
    fld              => 'the table has no such column',
    readonly         =>
        'changes are not taken here, but on the write port, and in transactions that may write',
    unauth => 'the port asks for an account or a secret, or the one that was given is refused; '
        . 'accounts of MySQL need tls=verify or a Unix socket',
    authtype             => 'the port does not take this kind of login',
    insecure_transport   => 'the server takes connections with TLS only',
    access_denied        => 'the account has no privilege for this',
    'access_denied 1226' =>
        'the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later',
    max_memory           => 'the server has reached handlersocket_max_memory; try again later',
    shutdown             => 'the server is shutting down',
    too_many_indexes     => 'the connection has as many open indexes as it may have',
    too_many_connections => 'the server has reached handlersocket_max_connections',
    too_many_rows        => 'one request may not change or give so many rows; use a smaller limit',
    too_many_keys        => 'the list is longer than handlersocket_max_in_keys',
    too_many_columns     => 'the list is longer than handlersocket_max_columns',
    too_many_logins      => 'as many logins wait as the server lets wait; try again later',
    too_many_waits       =>
        'as many connections wait for a GTID as the server lets wait; try again later',
    too_many_transactions =>
        'the server has reached handlersocket_max_transactions; try again later',
    cmd        => 'the server does not know this request: it is no HandlerSocket 2, or an old one',
    op         => 'the index does not take this operator',
    kpnum      => 'the key has more values than the index has columns',
    fldnum     => 'there are more values than columns',
    filterblob => 'TEXT and BLOB columns can only be compared with NULL',
    notimpl    => 'this server does not serve this request',
    number     => 'an amount, a limit or an offset is no integer, or out of its range',
    request_too_long => 'the request is longer than handlersocket_max_request_size',
    reply_too_long   => 'the reply is longer than handlersocket_max_reply_size; ask for fewer rows',
    unsupported_table => 'the table has a feature that is not served on this port; use SQL',
    interrupted       => 'the request was killed, and nothing of it was done',
    gtid              => 'this is no list of GTIDs',
    no_binary_log     => 'the server writes no binary log, so changes have no GTID',
    in_transaction    => 'this is not taken within a transaction',
    no_transaction    => 'the connection is in no transaction',
    not_a_number      => 'the value of the column is no number that can be counted',
);

sub new {
    my ( $class, $message, %members ) = @_;
    return bless { message => $message, where => Carp::shortmess(q{}), %members }, $class;
}

sub throw {
    my ( $class, @arguments ) = @_;
    die $class->new(@arguments);
}

sub message { return $_[0]{message} }
sub where   { return $_[0]{where} }
sub code    { return $_[0]{code} }
sub text    { return $_[0]{text} }
sub number  { return $_[0]{number} }
sub sent    { return $_[0]{sent} }

sub ends_connection {
    my ($self) = @_;
    return ( $self->{text} // q{} )
        =~ /\A(?:insecure_transport|max_memory|request_too_long|shutdown|too_many_connections)\z/;
}

sub of_server {
    my ( undef, $code, $text ) = @_;
    my ( $word, $rest ) = split / /, $text, 2;
    $word //= q{};
    my $kind
        = $word =~ /\Atoo_many_/ ? 'OverloadedError'
        : $BY_WORD{$word}        ? "$BY_WORD{$word}Error"
        :                          'ServerError';
    my $digits  = $word =~ /\Asql_(.*)\z/ ? $1 : $word eq 'access_denied' ? $rest : undef;
    my $number  = defined $digits && $digits =~ /\A[0-9]{1,9}\z/ ? 0 + $digits : undef;
    my $hint    = $HINT{$text} // $HINT{$word};
    my $message = "$text (code $code)" . ( $hint ? ": $hint" : q{} );
    return
        "HandlerSocket2::$kind"
        ->new( $message, code => 0 + $code, text => $text, number => $number );
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Error - the errors of HandlerSocket2

=head1 SYNOPSIS

    use HandlerSocket2;

    if (!eval { $user->insert($row); 1 }) {
        my $error = $@;
        die $error if !ref $error || !$error->isa('HandlerSocket2::DuplicateKeyError');
    }

=head1 DESCRIPTION

Every error that the client raises is an object of one of these classes. As text it is its message
and the place of the call.

    HandlerSocket2::Error
        ConfigurationError          an option is wrong
        ValueError                  a value, a name or a number cannot be sent; nothing was sent
        UnsupportedError            the server, or this machine, has not what is needed
        ConnectionError             no connection, or it broke; see sent
            TimeoutError            it took too long; the connection is closed
            ProtocolError           what came is no reply; the connection is closed
        ServerError                 the server's answer is an error
            DuplicateKeyError LockTimeoutError DeadlockError TransactionLostError ForeignKeyError
            ConstraintError NotFoundError ReadOnlyError AuthenticationError AccessDeniedError
            OverloadedError UnavailableError

All are in the name space C<HandlerSocket2>, such as C<HandlerSocket2::TimeoutError>.

=head1 METHODS

=head2 message

What is wrong, in words.

=head2 where

The place of the call, as C<Carp> tells it.

=head2 code

A C<ServerError>'s code: 1, 2 or 3.

=head2 text

A C<ServerError>'s text, as it came.

=head2 number

The number of SQL's error in the text of a C<ServerError>, or C<undef>.

=head2 sent

Of a C<ConnectionError>: true when the request may have been carried out.

=head2 new, throw

    HandlerSocket2::ValueError->throw('what is wrong');

Make an error, and raise it.

=head2 ends_connection

Whether the server ends the connection behind this error, or may. For the client's own use.

=head2 of_server

    HandlerSocket2::Error->of_server($code, $text)

The error of an error reply, of the class that its text has.

=cut

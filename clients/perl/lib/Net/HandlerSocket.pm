package Net::HandlerSocket;

use 5.030;
use warnings;

use HandlerSocket2::Error    ();
use HandlerSocket2::Protocol ();
use HandlerSocket2::Reader   ();
use HandlerSocket2::Socket   ();
use Scalar::Util             qw(blessed);

our $VERSION = '2.000';

use constant TIMEOUT => 600;

sub new {
    my ( $class, $given ) = @_;
    my $self = bless { arguments => { %{ $given // {} } }, code => 0, text => q{} }, $class;
    $self->reconnect;
    return $self;
}

sub get_error      { return $_[0]{text} }
sub get_error_code { return $_[0]{code} }

sub _set {
    my ( $self, $code, $text ) = @_;
    @$self{qw(code text)} = ( $code, $text );
    return $code;
}

sub close {
    my ($self) = @_;
    my $socket = delete $self->{socket};
    $socket->close if $socket;
    return;
}

sub reconnect {
    my ($self) = @_;
    $self->close;
    my %given   = %{ $self->{arguments} };
    my $seconds = $given{timeout} // TIMEOUT;
    my $host    = $given{host}    // 'localhost';
    my @place
        = $host eq q{/}
        ? ( path => $given{port} )
        : ( host => $host, port => $given{port} // 9998 );
    $self->{reader} = HandlerSocket2::Reader->new;
    $self->{socket} = eval { HandlerSocket2::Socket->connect_to( @place, seconds => $seconds ) };
    return $self->_set( 0, q{} ) if $self->{socket};
    return $self->_broken( 'connect', $@ );
}

# The connection is of no use any more.
sub _broken {
    my ( $self, $what, $error ) = @_;
    die $error if blessed $error && !$error->isa('HandlerSocket2::ConnectionError');
    $self->close;
    return $self->_set( -1, "$what: " . ( blessed $error ? $error->message : $error ) );
}

sub stable_point { return $_[0]{socket} ? 1 : 0 }

# Sends lines, and gives a reply for each: [code, values].
sub _exchange {
    my ( $self, @lines ) = @_;
    my @answers;
    if ( !$self->{socket} ) {
        $self->_set( -1, 'write: closed' );
    }
    else {
        my ( $reader, $socket ) = @$self{qw(reader socket)};
        my $fine = eval {
            $socket->limit( $self->{arguments}{timeout} // TIMEOUT );
            $socket->send_all( join( q{}, @lines ), sub { push @answers, $reader->feed( $_[0] ) } );
            while ( @answers < @lines ) {
                my $came = $socket->receive;
                HandlerSocket2::ConnectionError->throw('eof') if $came eq q{};
                push @answers, $reader->feed($came);
            }
            1;
        };
        if ($fine) { $self->_set( 0, q{} ) }
        else       { $self->_broken( 'read', $@ ) }
    }
    my @failed = $self->{code} ? ( [ $self->{code}, $self->{text} ] ) x ( @lines - @answers ) : ();
    return ( map { $self->_result($_) } @answers ), @failed;
}

sub _result {
    my ( $self, $answer ) = @_;
    return [ 0, @{ $answer->[1] } ] if !blessed $answer;
    my $text = $answer->text eq q{} ? 'unknown_error' : $answer->text;
    $self->_set( $answer->code, $text ) if $self->{code} >= 0;
    return [ $answer->code, $text ];
}

# The bytes of a value: text that Perl has as characters goes as UTF-8.
sub _bytes {
    my ($value) = @_;
    utf8::encode($value) if defined $value && utf8::is_utf8($value);
    return HandlerSocket2::Protocol::encode_value($value);
}

sub _token {
    my ($text) = @_;
    return _bytes( $text // q{} );
}

sub _line { return join( "\t", @_ ) . "\n" }

sub auth {
    my ( $self, $secret, $type ) = @_;
    my ($result) = $self->_exchange( _line( 'A', _token( $type // '1' ), _token($secret) ) );
    return $result->[0];
}

sub open_index {
    my ( $self, $id, $database, $table, $index, $columns, $filter_columns ) = @_;
    my @more  = defined $filter_columns && $filter_columns ne q{} ? _token($filter_columns) : ();
    my @names = map { _token($_) } $database, $table, $index, $columns;
    my ($result)
        = $self->_exchange( _line( 'P', HandlerSocket2::Protocol::number($id), @names, @more ) );
    return $result->[0];
}

sub _number { return HandlerSocket2::Protocol::number( $_[0] || 0 ) }

sub _request {
    my ( $id, $op, $keys, $limit, $skip, $change, $new, $filters, $in_part, $in_values ) = @_;
    my @tokens = ( _number($id), _token($op), scalar @$keys, map { _bytes($_) } @$keys );
    return _line(@tokens) if $op =~ /\A[+]/;    # an insert; the limit means nothing there
    my @more;
    push @more, q{@}, _number($in_part), scalar @$in_values, map { _bytes($_) } @$in_values
        if defined $in_part && $in_part >= 0 && $in_values;
    for my $one ( @{ $filters // [] } ) {
        my ( $type, $compare, $column, $value ) = @$one;
        push @more, _token($type), _token($compare), _number($column), _bytes($value);
    }
    push @more,   _token($change), map { _bytes($_) } @{ $new // [] } if defined $change;
    push @tokens, _number($limit), _number($skip)                     if $limit || $skip || @more;
    return _line( @tokens, @more );
}

sub execute_single {
    my ( $self, @request ) = @_;
    my ($result) = $self->_exchange( _request(@request) );
    return $result;
}

sub execute_find {
    my ( $self, @request ) = @_;
    return $self->execute_single(@request);
}

sub execute_multi {
    my ( $self, @given ) = @_;
    my @requests = @given == 1 && ( !@{ $given[0] } || ref $given[0][0] ) ? @{ $given[0] } : @given;
    my @results  = @requests ? $self->_exchange( map { _request(@$_) } @requests )         : ();
    return \@results;
}

sub execute_insert {
    my ( $self, $id, $values ) = @_;
    return $self->execute_single( $id, q{+}, $values, 0, 0 );
}

sub execute_update {
    my ( $self, $id, $op, $keys, $limit, $skip, $new, @more ) = @_;
    return $self->execute_single( $id, $op, $keys, $limit, $skip, 'U', $new, @more );
}

sub execute_delete {
    my ( $self, $id, $op, $keys, $limit, $skip, @more ) = @_;
    return $self->execute_single( $id, $op, $keys, $limit, $skip, 'D', undef, @more );
}

1;
__END__

=encoding utf8

=head1 NAME

Net::HandlerSocket - the API of the original Perl client, in pure Perl

=head1 SYNOPSIS

    use Net::HandlerSocket;

    my $hs = Net::HandlerSocket->new({ host => 'localhost', port => 9998 });
    $hs->open_index(1, 'test', 'user', 'PRIMARY', 'user_name,user_email,created') == 0
        or die $hs->get_error;
    my $result = $hs->execute_single(1, '=', ['101'], 1, 0);
    die $hs->get_error if $result->[0] != 0;
    my ($code, @values) = @$result;

=head1 DESCRIPTION

For programs that were written for the module of this name that came with the original plugin. It knows no
types, no pool and no TLS; new programs use L<HandlerSocket2>. Written from the published documentation of that
module. Its C<Net::HandlerSocket::HSPool> is not here.

Values are bytes, NULL is C<undef>. A string that Perl has as characters is sent as UTF-8; what comes is not decoded.

A result is a reference to a list: the code, which is 0 when there was no error, and then all values of the first row,
all of the second, and so on. With an error its text stands behind the code. A code below 0 says that the connection
is of no use any more; C<reconnect> makes a new one.

=head1 METHODS

=head2 new

    Net::HandlerSocket->new({ host => 'localhost', port => 9998, timeout => 600 })

Connects. When that fails, C<get_error_code> is below 0. With the host C</> the port is the path of a Unix socket.

=head2 auth

    $hs->auth($secret)

The code of the answer.

=head2 open_index

    $hs->open_index($id, $database, $table, $index, 'column,column', 'filter_column')

The code of the answer.

=head2 execute_single, execute_find

    $hs->execute_single($id, $operator, \@key, $limit, $offset);
    $hs->execute_single($id, '+', \@values);
    $hs->execute_single($id, $operator, \@key, $limit, $offset, $change, \@values, \@filters, $key_part, \@in_values);

One request. C<$change> is C<U>, C<D>, C<+>, C<-> or one of these with C<?>. A filter is
C<< ['F', $operator, $number_of_filter_column, $value] >>, or with C<W>.

=head2 execute_multi

    $hs->execute_multi([ [1, '=', ['101'], 1, 0], [1, '=', ['102'], 1, 0] ])

Sends all requests in one piece. A reference to a list of results.

=head2 execute_insert, execute_update, execute_delete

    $hs->execute_insert($id, \@values);
    $hs->execute_update($id, $operator, \@key, $limit, $offset, \@values, \@filters, $key_part, \@in_values);
    $hs->execute_delete($id, $operator, \@key, $limit, $offset, \@filters, $key_part, \@in_values);

Short forms. The second element of the result is the number of rows.

=head2 get_error, get_error_code

Text and code of the last error; empty and 0 when the last call had none.

=head2 stable_point

Whether a request can be sent.

=head2 close, reconnect

Close the connection, and make a new one, on which no index is open. C<reconnect> gives the code.

=head2 TIMEOUT

The seconds for a request where no C<timeout> is given.

=cut

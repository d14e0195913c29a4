package HandlerSocket2::Socket;

use 5.030;
use warnings;

use Errno                 qw(EAGAIN EINTR EWOULDBLOCK);
use HandlerSocket2::Error ();
use IO::Socket::IP        ();
use IO::Socket::UNIX      ();
use SelectSaver           ();
use Socket      qw(IPPROTO_TCP SOCK_STREAM SOL_SOCKET SO_KEEPALIVE SO_RCVTIMEO TCP_NODELAY);
use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime);

our $VERSION = '2.000';

use constant PIECE => 262_144;

# The system would take the beginning of a longer one.
use constant LONGEST_PATH => 107;

# With it a write to a closed socket raises no signal, so that none has to be ignored.
use constant NO_SIGNAL => eval { Socket::MSG_NOSIGNAL() } // 0;

# What a plain socket does not wait for. Where it is known, such a socket blocks: the kernel keeps its
# timeout, so that a request is one call to write and one to read. (A timeval is two longs there.)
use constant NO_WAIT => $^O eq 'linux' ? eval { Socket::MSG_DONTWAIT() } // 0 : 0;

use constant MONOTONIC => CLOCK_MONOTONIC;

sub now { return clock_gettime(MONOTONIC) }

sub _lost {
    my ( $what, $sent ) = @_;
    return HandlerSocket2::ConnectionError->throw( $what, sent => $sent );
}

sub _late { return HandlerSocket2::TimeoutError->throw( $_[0], sent => $_[1] ) }

# What TLS needs for every connection of a client, or nothing without TLS.
sub tls_context {
    my ($options) = @_;
    return if $options->{tls} eq 'off';
    if ( !eval { require IO::Socket::SSL; 1 } ) {
        HandlerSocket2::UnsupportedError->throw('TLS needs the module IO::Socket::SSL');
    }
    my %files = ( tls_ca => 'SSL_ca_file', tls_cert => 'SSL_cert_file', tls_key => 'SSL_key_file' );
    my %named
        = map { ( $files{$_} => $options->{$_} ) } grep { defined $options->{$_} } keys %files;
    my $verify  = $options->{tls} eq 'verify';
    my $context = eval {
        IO::Socket::SSL::SSL_Context->new(
            %named,
            SSL_verify_mode => $verify
            ? IO::Socket::SSL::SSL_VERIFY_PEER()
            : IO::Socket::SSL::SSL_VERIFY_NONE(),
            SSL_verifycn_scheme => $verify ? 'http' : 'none',
        );
    };
    return $context if $context;
    my $why = $@ || $IO::Socket::SSL::SSL_ERROR // $!;
    return HandlerSocket2::ConfigurationError->throw(
        "tls_ca, tls_cert or tls_key cannot be used: $why");
}

# What a message calls a place.
sub place_name {
    my (%place) = @_;
    return $place{path} // "$place{host}:$place{port}";
}

# The parameters: host and port, or path; tls (of tls_context) and tls_name; seconds, 0 for no bound.
sub connect_to {
    my ( $class, %place ) = @_;
    my $where = place_name(%place);
    if ( length( $place{path} // q{} ) > LONGEST_PATH || $where =~ /\0/ ) {
        HandlerSocket2::ConfigurationError->throw("$where cannot be the place of a server");
    }
    my $seconds = $place{seconds};
    my $self    = bless { timeout => 0 }, $class;
    $self->limit($seconds);
    my @timeout = $seconds ? ( Timeout => $seconds ) : ();
    my $printed = SelectSaver->new; # IO::Socket selects its own for a moment; an alarm may end that
    my $socket;
    if ( defined $place{path} ) {
        utf8::encode( my $path = $place{path} );
        $socket = IO::Socket::UNIX->new( Type => SOCK_STREAM, Peer => $path, @timeout );
    }
    else {
        $socket = IO::Socket::IP->new(
            PeerHost => $place{host},
            PeerPort => $place{port},
            Type     => SOCK_STREAM,
            @timeout
        );
    }
    if ( !$socket ) {
        my $why = "$@"                                  || "$!";
        my $act = $self->{end} && now() >= $self->{end} || $!{ETIMEDOUT} ? \&_late : \&_lost;
        $act->( "no connection to $where: $why", 0 );
    }
    if ( !defined $place{path} ) {
        $socket->setsockopt( IPPROTO_TCP, TCP_NODELAY,  1 );
        $socket->setsockopt( SOL_SOCKET,  SO_KEEPALIVE, 1 );
    }
    $self->{socket} = $socket;
    $self->_start_tls( $where, %place ) if $place{tls};
    $self->{waits_itself} = NO_WAIT && NO_SIGNAL && !$self->{tls};
    $socket->blocking( $self->{waits_itself} ? 1 : 0 );
    return $self;
}

sub _start_tls {
    my ( $self, $where, %place ) = @_;
    my $left = $self->_left;
    _late( "no connection to $where: it took too long", 0 ) if defined $left && $left <= 0;
    my $name = $place{tls_name};
    $self->{socket}->blocking(1);
    my $made = IO::Socket::SSL->start_SSL(
        $self->{socket},
        SSL_reuse_ctx       => $place{tls},
        SSL_verifycn_name   => $name,
        SSL_verifycn_scheme => 'http',
        SSL_hostname        => $name =~ /\A[0-9.]+\z|:/ ? q{} : $name,
        defined $left ? ( Timeout => $left ) : (),
    );
    if ( !$made ) {
        my $why = $IO::Socket::SSL::SSL_ERROR // $!;
        $left = $self->_left;
        my $act = defined $left && $left <= 0 ? \&_late : \&_lost;
        $act->( "no TLS with $where: $why", 0 );
    }
    $self->{tls} = 1;
    return;
}

# From now on, or from a time on: what takes longer is a TimeoutError; 0: nothing is.
sub limit {
    my ( $self, $seconds, $from ) = @_;
    $self->{end}        = $seconds ? ( $from // now() ) + $seconds : undef;
    $self->{has_waited} = 0;
    $self->{seconds}    = $seconds;
    return;
}

# Tells the kernel how long a read may wait, where that has changed by more than a little.
sub _set_timeout {
    my ($self) = @_;
    my $left = defined $self->{end} ? $self->{end} - now() : 0;
    _late( 'the request took too long', 1 ) if $left <= 0 && defined $self->{end};
    $left = $self->{seconds}                if $left >= 0.99 * $self->{seconds};
    return if $left <= $self->{timeout} && $left >= 0.99 * $self->{timeout};
    my $seconds = int $left;
    my $micros  = int( 1e6 * ( $left - $seconds ) );
    $micros = 1000 if $left && !$seconds && $micros < 1000;    # 0 is no timeout
    setsockopt $self->{socket}, SOL_SOCKET, SO_RCVTIMEO, pack 'l!l!', $seconds, $micros;
    $self->{timeout} = $left;
    return;
}

sub _left {
    my ($self) = @_;
    return defined $self->{end} ? $self->{end} - now() : undef;
}

# Waits until it can be read, or written when $write is true; tells whether it can be read.
sub _wait {
    my ( $self, $read, $write ) = @_;
    my $number = fileno $self->{socket};
    _lost( 'the connection is closed', 1 ) if !defined $number;
    vec( my $bits = q{}, $number, 1 ) = 1;
    $self->{has_waited} = 1;
    while (1) {
        my $left = defined $self->{end} ? $self->{end} - now() : undef;
        _late( 'the request took too long', 1 ) if defined $left && $left <= 0;
        my ( $in, $out ) = ( $read ? $bits : undef, $write ? $bits : undef );
        my $found = select $in, $out, undef, $left;
        return $read && vec $in, $number, 1 if $found > 0;
        _lost( "waiting has failed: $!", 1 ) if $found < 0 && $! != EINTR;
    }
}

# What an operation that did nothing has to wait for: whether reading, whether writing.
sub _blocked {
    my ( $self, $writing, $sent ) = @_;
    if ( $self->{tls} ) {
        my $why = $IO::Socket::SSL::SSL_ERROR // 0;
        return ( 1, 0 ) if $why == IO::Socket::SSL::SSL_WANT_READ();
        return ( 0, 1 ) if $why == IO::Socket::SSL::SSL_WANT_WRITE();
    }
    return ( !$writing, $writing ) if $! == EAGAIN || $! == EWOULDBLOCK || $! == EINTR;
    return _lost( "the connection broke: $!", $sent );
}

# Sends all; what comes meanwhile goes to the sink, so that both sides can go on.
sub send_all {
    my ( $self, $data, $sink ) = @_;
    my ( $done, $size ) = ( 0, length $data );
    if ( $self->{waits_itself} && $size <= PIECE ) {    # mostly that is all
        $done = send( $self->{socket}, $data, NO_SIGNAL | NO_WAIT ) // 0;
        return if $done == $size;
    }
    my $plain = NO_SIGNAL && !$self->{tls};
    my $flags = $self->{waits_itself} ? NO_SIGNAL | NO_WAIT : NO_SIGNAL;
    local $SIG{PIPE} = 'IGNORE' if !$plain;
    while ( $done < $size ) {
        my $number = $plain
            ? send $self->{socket}, $done || $size > PIECE ? substr $data, $done, PIECE : $data,
                $flags
            : syswrite $self->{socket}, $data, $size - $done > PIECE ? PIECE : $size - $done, $done;
        if ( defined $number ) {
            $done += $number;
            next;
        }
        my ( undef, $write ) = $self->_blocked( 1, $done ? 1 : 0 );
        if ( $self->_wait( 1, $write ) ) {
            my $came = $self->_read_now;
            _lost( 'the server has closed the connection', 1 ) if defined $came && $came eq q{};
            $sink->($came)                                     if defined $came;
        }
    }
    return;
}

# What is there: bytes, nothing at the end, undef when nothing has come yet.
sub _read_now {
    my ($self) = @_;
    my $read
        = $self->{waits_itself}
        ? defined recv $self->{socket}, $self->{came}, PIECE, NO_WAIT
        : defined sysread $self->{socket}, $self->{came}, PIECE;    # a buffer that is kept
    return $self->{came} if $read;
    @{ $self->{waits} } = $self->_blocked( 0, 1 );
    return;
}

# What has come; nothing at the end.
sub receive {
    my ($self) = @_;
    while ( $self->{waits_itself} ) {
        $self->_set_timeout if $self->{has_waited} || $self->{seconds} != $self->{timeout};
        $self->{has_waited} = 1;
        return $self->{came} if defined sysread $self->{socket}, $self->{came}, PIECE;
        _late( 'the request took too long', 1 ) if $! == EAGAIN || $! == EWOULDBLOCK;
        _lost( "the connection broke: $!", 1 )  if $! != EINTR;
    }
    local $SIG{PIPE} = 'IGNORE' if $self->{tls};     # which may write
    $self->_wait( 1, 0 )        if !$self->{tls};    # TLS may have bytes that no wait tells of
    while (1) {
        my $data = $self->_read_now;
        return $data if defined $data;
        $self->_wait( @{ $self->{waits} } );
    }
}

# Whether a connection that is not used is still there: nothing may have come on it.
sub alive {
    my ($self) = @_;
    my $number = fileno $self->{socket};
    return 0 if !defined $number;
    vec( my $bits = q{}, $number, 1 ) = 1;
    return ( select $bits, undef, undef, 0 ) == 0;
}

# Closes this process's end. TLS is not told, for another process may still use the connection.
sub close {
    my ($self) = @_;
    my $socket = delete $self->{socket} or return;
    return CORE::close $socket if !$self->{tls};
    return $socket->close( SSL_no_shutdown => 1 );
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Socket - a socket with a time limit, plain or with TLS

=head1 SYNOPSIS

    my $socket = HandlerSocket2::Socket->connect_to(host => 'db', port => 9998, seconds => 5);
    $socket->limit(30);
    $socket->send_all($bytes, sub { $reader->feed($_[0]) });
    my $more = $socket->receive;

=head1 DESCRIPTION

What fails is a C<HandlerSocket2::ConnectionError>, and what takes too long a
C<HandlerSocket2::TimeoutError>.

=head1 METHODS AND FUNCTIONS

=head2 connect_to

Connects: to C<host> and C<port> or to C<path>, with C<tls> (of C<tls_context>) and C<tls_name>,
within C<seconds>.

=head2 place_name

What a message calls a place.

=head2 tls_context

What TLS needs for every connection of a client; nothing without TLS.

=head2 limit

From now on, or from a time of that clock on, what takes longer than so many seconds is a timeout; 0: nothing is.

=head2 send_all

Sends all bytes. What comes meanwhile is given to the function.

=head2 receive

Waits for bytes. Gives none at the end of the stream.

=head2 alive

Whether a connection that is not used can be used.

=head2 close

Closes this process's end.

=head2 now

The seconds of a clock that only goes forward.

=head2 PIECE

The most bytes of one system call.

=cut

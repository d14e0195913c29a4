package HandlerSocket2::Connection;

use 5.030;
use warnings;

use HandlerSocket2::Error    ();
use HandlerSocket2::Lines    ();
use HandlerSocket2::Protocol ();
use HandlerSocket2::Reader   ();
use HandlerSocket2::Socket   ();
use List::Util               qw(reduce);
use Scalar::Util             qw(blessed);
use Time::HiRes              qw(clock_gettime);

our $VERSION = '2.000';

use constant MOST_INDEXES => 256;
use constant TRUSTED      => 0.1;    # seconds in which an idle connection hardly ever ends

my @METHODS = qw(mysql_native_password unix_socket);

# Connects and logs in, within the connect timeout. A place is what Socket's connect_to takes, and a secret.
sub new {
    my ( $class, $place, $options ) = @_;
    my $seconds = $options->{connect_timeout};
    my $begun   = HandlerSocket2::Socket::now();
    my $reader  = HandlerSocket2::Reader->new;
    my $answers = [];
    my $self    = bless {
        options  => $options,
        secure   => defined $place->{path} || $options->{tls} eq 'verify',
        reader   => $reader,
        answers  => $answers,
        sink     => sub { push @$answers, $reader->feed( $_[0] ) },
        indexes  => {},
        turn     => 0,
        free     => [],
        features => {},
        used     => $begun,
        broken   => 0,
        changed  => 0,    # something, of which nobody has asked the GTID
        socket   => HandlerSocket2::Socket->connect_to( %$place, seconds => $seconds ),
    }, $class;
    my $left = $seconds - ( HandlerSocket2::Socket::now() - $begun );
    $self->{socket}->limit( $seconds ? ( $left > 0.001 ? $left : 0.001 ) : 0 );
    eval { $self->_log_in( $place->{secret} ); 1 } or $self->_not_logged_in( $place, $@ );
    $self->{socket}->limit(0);
    $self->{now} = HandlerSocket2::Socket::now();
    return $self;
}

sub _not_logged_in {
    my ( $self, $place, $error ) = @_;
    $self->close;
    if ( blessed $error && $error->isa('HandlerSocket2::ConnectionError') ) {
        my $where = HandlerSocket2::Socket::place_name(%$place);
        $error->{message} = "no connection to $where: $error->{message}";
        if ( $error->isa('HandlerSocket2::ProtocolError') ) {
            $error->{message} .= q{; is it HandlerSocket's port, or that of SQL?};
        }
        $error->{sent} = 0;
        my $last = $self->{answers}[-1];
        $error = $last if blessed $last;    # why the server has closed it
    }
    die $error;
}

sub _log_in {
    my ( $self, $secret ) = @_;
    my $options = $self->{options};
    my $hello   = HandlerSocket2::Protocol::hello( 2, $options->{name} );
    my $reply;
    if ( defined $options->{user} ) {
        $reply = $self->_account($hello);
    }
    if ( !$reply && defined $secret ) {
        ( my $told, $reply )
            = $self->exchange( HandlerSocket2::Protocol::secret($secret) . $hello, 2 );
        die $told if blessed $told;
    }
    ($reply) = $self->exchange( $hello, 1 ) if !$reply;
    if ( blessed $reply ) {
        die $reply if $reply->text ne 'cmd';
        return;    # a server of the original's kind has no features
    }
    my ( $columns, $values, $number ) = @$reply;
    if ( $columns != 6 || $number != 6 ) {
        die HandlerSocket2::Error->of_server( 3, 'unauth' );
    }
    $self->{features} = { map { $_ => 1 } split /,/, $values->[4] // q{} };
    return;
}

# The reply to hello. Nothing: the port asks for no account. It never gets the password.
sub _account {
    my ( $self, $hello )    = @_;
    my ( $user, $password ) = map { $_ // q{} } @{ $self->{options} }{qw(user password)};
    my ($reply) = $self->exchange( HandlerSocket2::Protocol::login( $user, \@METHODS ), 1 );
    return if blessed $reply && $reply->text eq 'authtype';
    my $told;
    if ( !blessed $reply && $reply->[0] == 2 ) {
        my ($challenge)
            = $reply->[2] == 2 ? ( $reply->[1][1] // q{} ) =~ /\A((?:[0-9a-f]{2})+)\z/i : ();
        HandlerSocket2::ProtocolError->throw( 'the challenge is none', sent => 1 ) if !$challenge;
        my $response = HandlerSocket2::Protocol::native_password(
            HandlerSocket2::Protocol::utf8($password),
            pack 'H*', $challenge
        );
        ( $reply, $told )
            = $self->exchange( HandlerSocket2::Protocol::answer($response) . $hello, 2 );
    }
    if ( blessed $reply && $self->{secure} ) {

        # An account of another kind; nobody but the server sees the password.
        ( $reply, $told )
            = $self->exchange( HandlerSocket2::Protocol::password( $user, $password ) . $hello, 2 );
    }
    die $reply                             if blessed $reply;
    ($told) = $self->exchange( $hello, 1 ) if !$told;
    return $told;
}

# Sends lines and lists their answers. When it raises an error the connection is broken, and the list has what came.
sub exchange {
    my ( $self, $data, $number ) = @_;
    $self->{broken} = 1;    # until all has come
    @{ $self->{answers} } = ();
    $self->{socket}->send_all( $data, $self->{sink} );
    return $self->_answers($number);
}

# So many answers, of which some may be in the list. What has come behind them may be given.
sub _answers {
    my ( $self,   $number, $came )    = @_;
    my ( $socket, $reader, $answers ) = @$self{qw(socket reader answers)};
    while ( @$answers < $number ) {
        $came //= $socket->receive;
        if ( $came eq q{} ) {
            HandlerSocket2::ConnectionError->throw(
                'the server has closed the connection',
                sent => 1
            );
        }
        push @$answers, $reader->feed($came);
        undef $came;
    }
    if ( @$answers > $number || $reader->rest ) {    # nobody knows whose they are
        @$answers = ();
        HandlerSocket2::ProtocolError->throw( 'more replies than requests', sent => 1 );
    }
    $self->{broken} = blessed $answers->[-1] && $answers->[-1]->ends_connection;
    return @$answers;
}

# The id of an index that is not open yet; its P goes to the lines.
sub _open {
    my ( $self, $index, $lines, $opened ) = @_;
    my $indexes = $self->{indexes};
    my $id      = pop @{ $self->{free} } // keys %$indexes;
    push @$lines,  HandlerSocket2::Protocol::open_index( $id, $index );
    push @$opened, [ $#$lines, $index ];
    $indexes->{$index} = [ $id, ++$self->{turn} ];
    return $id;
}

# Opens an index under the id that was used longest ago. When it is refused the old one is still open there, so nothing
# may be sent behind it before the reply. Its error, if any.
sub _replace {
    my ( $self, $index, $seconds ) = @_;
    my $indexes = $self->{indexes};
    my $oldest  = reduce { $indexes->{$a}[1] < $indexes->{$b}[1] ? $a : $b } keys %$indexes;
    my $id      = $indexes->{$oldest}[0];
    $self->{socket}->limit($seconds);
    my $fine = eval {
        my ($answer)
            = $self->exchange( HandlerSocket2::Protocol::open_index( $id, $index ), 1 );
        die $answer if blessed $answer;
        eval { HandlerSocket2::Lines::nothing($answer); 1 } or die $self->_misunderstood($@);
        1;
    };
    if ( !$fine ) {
        my $error = $@;
        die $error if !blessed $error || !$error->isa('HandlerSocket2::Error');
        my $broke = $error->isa('HandlerSocket2::ConnectionError');
        return $broke && !$error->isa('HandlerSocket2::ProtocolError') ? _not_sent($error) : $error;
    }
    delete $indexes->{$oldest};
    $indexes->{$index} = [ $id, ++$self->{turn} ];
    return;
}

# The result of one call, on a connection that is just taken. An error in its reply is the result, any other is
# raised or the result.
sub ask {
    my ( $self, $call, $seconds ) = @_;
    my $index = defined $call->{feature} || $self->{broken} ? undef : $call->{index};
    my $known = defined $index                              ? $self->{indexes}{$index} : undef;
    return ( $self->execute( [$call], $seconds ) )[0] if !$known;
    $known->[1] = ++$self->{turn};
    my ( $socket, $reader ) = @$self{qw(socket reader)};
    $socket->limit( $seconds, $self->{now} );
    $self->{broken} = 1;    # until all has come
    @{ $self->{answers} } = ();
    $socket->send_all( $known->[0] . $call->{line}, $self->{sink} );
    my $came   = @{ $self->{answers} } ? undef                : $socket->receive;
    my $answer = defined $came         ? $reader->only($came) : undef;
    if   ($answer) { $self->{broken} = 0 }
    else           { ($answer)       = $self->_answers( 1, $came ) }
    $self->{used} = clock_gettime(HandlerSocket2::Socket::MONOTONIC);
    return blessed $answer ? $answer : scalar $call->{decode}->($answer);
}

# The results of the calls in their order, errors of the server in their places. When the connection
# breaks, the calls without a reply have that error, and it takes no more.
sub execute {
    my ( $self, $calls, $seconds ) = @_;
    if ( $self->{broken} ) {    # a late reply would be taken for that of another call
        HandlerSocket2::ConnectionError->throw( 'the connection broke before', sent => 0 );
    }
    my $begun   = HandlerSocket2::Socket::now();
    my @results = $self->_piece( $calls, $seconds );
    while ( @results < @$calls ) {    # there was no room for all of their indexes
        my @rest = @$calls[ @results .. $#$calls ];
        return ( @results, ( _not_sent( $results[-1] ) ) x @rest ) if $self->{broken};
        my $left = $seconds ? $begun + $seconds - HandlerSocket2::Socket::now() : 0;
        $left = 0.001 if $seconds && $left < 0.001;
        my @more = $self->_piece( \@rest, $left );
        @more = $self->_replace( $rest[0]{index}, $left ) if !@more;
        push @results, @more;
    }
    return @results;
}

# The error of calls that were not sent any more behind that result.
sub _not_sent {
    my ($last) = @_;
    my $late = blessed $last && $last->isa('HandlerSocket2::TimeoutError');
    return HandlerSocket2::TimeoutError->new( $last->message, sent => 0 ) if $late;
    return HandlerSocket2::ConnectionError->new(
        'the connection broke before the call was sent',
        sent => 0
    );
}

# The results of the first calls, as many as there is room for their indexes.
sub _piece {
    my ( $self, $calls, $seconds ) = @_;
    my ( @lines, @plan, @opened );
    for my $call (@$calls) {
        my $feature = $call->{feature};
        if ( defined $feature && !$self->{features}{$feature} ) {
            push @plan, HandlerSocket2::UnsupportedError->new("the server has no $feature");
            next;
        }
        my $index = $call->{index};
        my $known = defined $index ? $self->{indexes}{$index} : undef;
        last if defined $index && !$known && keys %{ $self->{indexes} } >= MOST_INDEXES;
        $known->[1] = ++$self->{turn} if $known;
        push @lines,
            $known           ? $known->[0] . $call->{line}
            : defined $index ? $self->_open( $index, \@lines, \@opened ) . $call->{line}
            :                  $call->{line};
        push @plan, $#lines;
    }
    my $broken;
    if (@lines) {
        $self->{socket}->limit($seconds);
        if ( !eval { $self->exchange( join( q{}, @lines ), scalar @lines ); 1 } ) {
            $broken = $@;
            die $broken if !blessed $broken || !$broken->isa('HandlerSocket2::ConnectionError');
        }
    }
    $self->{used} = HandlerSocket2::Socket::now();
    my $refused = @opened ? $self->_refused( \@opened ) : undef;
    my $answers = $self->{answers};
    my @results;
    while ( @results < @plan ) {
        last if eval {
            for my $at ( scalar @results .. $#plan ) {
                my ( $call, $place ) = ( $calls->[$at], $plan[$at] );
                my $answer = ref $place ? $place : $answers->[$place] // $broken;
                if ( $refused && !ref $place && $answers->[$place] && defined $call->{index} ) {
                    $answer = $refused->{ $call->{index} } // $answer;
                }
                push @results, ref $answer eq 'ARRAY' ? scalar $call->{decode}->($answer) : $answer;
            }
            1;
        };
        push @results, $self->_misunderstood($@);
    }
    return @results;
}

# Forgets the indexes that the server has not opened; gives its errors.
sub _refused {
    my ( $self, $opened ) = @_;
    my %refused;
    for my $one (@$opened) {
        my ( $at, $index ) = @$one;
        my $answer = $self->{answers}[$at] // next;
        if ( !blessed $answer ) {
            next if eval { HandlerSocket2::Lines::nothing($answer); 1 };
            $answer = $self->_misunderstood($@);
        }
        my $known = delete $self->{indexes}{$index};
        $refused{$index} = $answer;
        push @{ $self->{free} }, $known->[0];
    }
    return \%refused;
}

# The error of an answer that is none to what was asked. Such a server is not believed further.
sub _misunderstood {
    my ( $self, $error ) = @_;
    die $error if !blessed $error || !$error->isa('HandlerSocket2::ProtocolError');
    $self->{broken} = 1;
    return $error;
}

sub features { return $_[0]{features} }
sub broken   { return $_[0]{broken} }

sub break_off {
    my ($self) = @_;
    $self->{broken} = 1;
    return;
}

# Whether a connection that is not used can be used, for a change or for reads.
sub alive {
    my ( $self, $change ) = @_;
    my $most = $self->{options}{max_idle};
    my $now  = $self->{now} = clock_gettime(HandlerSocket2::Socket::MONOTONIC);
    my $idle = $now - $self->{used};
    return 0 if $self->{broken} || $most && $idle >= $most;
    return !$change && $idle < TRUSTED || $self->{socket}->alive;
}

sub close {
    my ($self) = @_;
    $self->{broken} = 1;
    $self->{socket}->close;
    return;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Connection - one connection: its login, its features, its open indexes, its pipeline

=head1 SYNOPSIS

    my $connection = HandlerSocket2::Connection->new({ host => 'db', port => 9998 }, $options);
    my @results = $connection->execute(\@calls, 30);

=head1 DESCRIPTION

A connection that is open and logged in. It is for one process. A call is a hash: C<kind>, C<line> (with an index
what stands behind its id), C<decode> (takes the reply), C<index> (tokens of
L<HandlerSocket2::Protocol/index_tokens>), C<changes>, C<feature>.

=head1 METHODS

=head2 new

Connects and logs in, within the connect timeout.

=head2 ask

The result of one call, which may be the error of its reply. Any other error may be raised.

=head2 execute

The results of the calls in their order, with errors as objects in their places.

=head2 exchange

Sends lines and returns their answers.

=head2 features

The server's features, as a reference to a hash.

=head2 broken, break_off, alive, close

Whether it cannot be used any more; makes it so; whether it can be used after a rest; closes it.

=head2 MOST_INDEXES

The most indexes that are open at once.

=cut

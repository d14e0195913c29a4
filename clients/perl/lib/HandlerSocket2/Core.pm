package HandlerSocket2::Core;

use 5.030;
use warnings;

use HandlerSocket2::Connection ();
use HandlerSocket2::Error      ();
use HandlerSocket2::Gtids      ();
use HandlerSocket2::Lines      ();
use HandlerSocket2::Options    ();
use HandlerSocket2::Pool       ();
use HandlerSocket2::Socket     ();
use HandlerSocket2::Values     ();
use List::Util                 qw(any first min);
use Scalar::Util               qw(blessed);
use Time::HiRes                ();

our $VERSION = '2.000';

sub new {
    my ( $class, $options, $hook ) = @_;
    my $self = bless {
        options => $options, hook => $hook, turn        => 0, gtids => HandlerSocket2::Gtids->new,
        kinds   => {},       keys => {},    alterations => \( my $none = 0 )
    }, $class;
    $self->{tls} = HandlerSocket2::Socket::tls_context($options);
    my ( $path, $secret ) = @$options{qw(socket secret)};
    $self->{read} = $self->_pool( @$options{qw(host port)}, $path, $secret );
    if ( !defined $path || defined $options->{write_socket} ) {
        $self->{write} = $self->_pool(
            @$options{qw(host write_port write_socket)},
            $options->{write_secret} // $secret
        );
    }
    $self->{replicas} = [ map { $self->_pool( HandlerSocket2::Options::place($_), undef, $secret ) }
            @{ $options->{replicas} } ];
    $self->{is_plain} = !$hook && !@{ $self->{replicas} };
    return $self;
}

sub _pool {
    my ( $self, $host, $port, $path, $secret ) = @_;
    my $options = $self->{options};
    my %place   = (
        host     => $host,
        port     => $port,
        path     => $path,
        secret   => $secret,
        tls      => defined $path ? undef : $self->{tls},
        tls_name => $options->{tls_name} // $host,
    );
    return HandlerSocket2::Pool->new( \%place, $options );
}

sub options { return $_[0]{options} }
sub reader  { return $_[0]{read} }

sub writer {
    my ($self) = @_;
    return $self->{write}
        // HandlerSocket2::ConfigurationError->throw('changes need the option write_socket');
}

sub _is_lost { return blessed $_[0] && $_[0]->isa('HandlerSocket2::ConnectionError') }
sub _is_late { return blessed $_[0] && $_[0]->isa('HandlerSocket2::TimeoutError') }

# The results of the calls, with errors in their places.
sub run {
    my ( $self, $calls ) = @_;
    return                                                   if !@$calls;
    return $self->observe( sub { $self->_run(@_) }, $calls ) if $self->{hook};
    return $self->_forgetting_altered( $calls, $self->_run($calls) );
}

# The results. What is known of tables is forgotten where they say that a table is not as it was.
sub _forgetting_altered {
    my ( $self, $calls, @results ) = @_;
    for my $at ( grep { blessed $results[$_] } 0 .. $#results ) {
        next if !_tells_of_altering( $results[$at] );
        my ( $database, $table ) = split /\t/, $calls->[$at]{index} // next;
        utf8::decode($_) for $database, $table;
        $self->forget( $database, $table );
    }
    return @results;
}

# Forgets a table that is not as it was.
sub forget {
    my ( $self, $database, $table ) = @_;
    delete $self->{$_}{$database}{$table} for qw(kinds keys);
    ${ $self->{alterations} }++;
    return;
}

sub _tells_of_altering {
    my ($result) = @_;
    return any { $result->isa("HandlerSocket2::$_") } qw(NotFoundError ProtocolError);
}

# Where it is counted how often a table turned out to have been altered.
sub alterations { return $_[0]{alterations} }

# The results of the work, about which the hook is told. Tables that were altered are forgotten.
sub observe {
    my ( $self, $work, $calls ) = @_;
    return                                                       if !@$calls;
    return $self->_forgetting_altered( $calls, $work->($calls) ) if !$self->{hook};
    my $begun = HandlerSocket2::Socket::now();
    my @results;
    my $done  = eval { @results = $self->_forgetting_altered( $calls, $work->($calls) ); 1 };
    my $error = $done ? undef : $@;
    my $kind  = $calls->[0]{kind};
    $kind = 'pipeline' if @$calls > 1 && $calls->[1]{kind} ne 'describe';   # as IndexCalls has them
    my $table
        = defined $calls->[0]{index}
        ? join q{.}, ( split /\t/, $calls->[0]{index} )[ 0, 1 ]
        : undef;
    utf8::decode($table) if defined $table;
    my $told = $error // first { HandlerSocket2::Core::is_error($_) } @results;
    $self->_tell( $kind, $table, HandlerSocket2::Socket::now() - $begun, $told );
    die $error if defined $error;
    return @results;
}

# Calls the hook. One that dies changes nothing of a call that has ended: it is a warning, which may itself die.
sub _tell {
    my ( $self, @told ) = @_;
    local $@ = q{};
    return if eval { $self->{hook}->(@told); 1 };
    my $why = $@;
    return if eval { warn "on_request has failed: $why"; 1 };
    return;
}

sub is_error { return blessed $_[0] && $_[0]->isa('HandlerSocket2::Error') }

# The result of one call; raises its error.
sub one {
    my ( $self, $call ) = @_;
    return $self->_read_one($call) if $self->{is_plain} && !$call->{changes};
    my ($result) = $self->run( [$call] );
    die $result if blessed $result && is_error($result);
    return $result;
}

# The result of one read: as `run`, with less on the way where nothing fails.
sub _read_one {
    my ( $self, $call ) = @_;
    my $pool = $self->{read};
    my ( $connection, $result );
    my $fine = eval {
        $connection = $pool->take;
        $result     = $connection->ask( $call, $self->{options}{timeout} );
        1;
    };
    my $error = $fine ? $result : $@;
    $connection->break_off        if $connection && !$fine;
    $pool->give_back($connection) if $connection;
    return $result                if $fine && !blessed $result;
    $self->_forgetting_altered( [$call], $error );
    die $error if $fine && !_is_lost($error);
    $self->_pause( 0, $error );
    ($result) = $self->_forgetting_altered( [$call], $self->_again( [$call], 1 ) );
    die $result if is_error($result);
    return $result;
}

sub _run {
    my ( $self, $calls ) = @_;
    return $self->_change($calls) if any { $_->{changes} } @$calls;
    if ( @{ $self->{replicas} } ) {
        my @results = $self->_from_replicas($calls);
        return @results if @results;
    }
    return $self->_again($calls);
}

# Waits before a further attempt. Raises the error of the last one.
sub _pause {
    my ( $self, $attempt, $error ) = @_;
    die $error if $attempt >= $self->{options}{retries} || !_is_lost($error) || _is_late($error);
    die $error if $self->{read}{closed};
    Time::HiRes::sleep( rand min( 0.05 * 2**$attempt, 2 ) );
    return;
}

# Sends what changes nothing, and sends it again where its replies are lost. So many attempts came before.
sub _again {
    my ( $self, $calls, $before ) = @_;
    for ( my $attempt = $before // 0;; $attempt++ ) {
        my @results;
        if ( eval { @results = $self->_at( $self->{read}, $calls ); 1 } ) {
            my $lost = first { blessed $_ && _is_lost($_) } @results;
            return @results if !$lost || _is_late($lost) || $attempt >= $self->{options}{retries};
        }
        $self->_pause( $attempt, $@ || first { _is_lost($_) } @results );
    }
}

sub _at {
    my ( $self, $pool, $calls ) = @_;
    return $self->_with(
        $pool,  $pool->take, \&HandlerSocket2::Connection::execute,
        $calls, $self->{options}{timeout}
    );
}

# The results of the work on a connection, which is given back, whatever happens.
sub _with {
    my ( $self, $pool, $connection, $work, @arguments ) = @_;
    my @results;
    my $fine  = eval { @results = $work->( $connection, @arguments ); 1 };
    my $error = $@;
    $connection->break_off if !$fine;
    $pool->give_back($connection);
    die $error if !$fine;
    return @results;
}

# A change is sent again only when nothing of it was sent.
sub _change {
    my ( $self, $calls ) = @_;
    my $pool = $self->writer;
    for ( my $attempt = 0;; $attempt++ ) {
        my @results;
        if ( eval { @results = $self->_change_once( $pool, $calls ); 1 } ) {
            return @results if !_is_lost( $results[0] ) || $results[0]->sent;
        }
        $self->_pause( $attempt, $@ || $results[0] );
    }
}

sub _change_once {
    my ( $self, $pool, $calls ) = @_;
    return $self->_with( $pool, $pool->take(1), sub { $self->write_on( $_[0], $calls ) } );
}

# The results of calls of which one commits. With read_your_writes their GTID is asked for in the same piece.
sub write_on {
    my ( $self, $connection, $calls ) = @_;
    $connection->{changed} = 1;
    my ( $asks, $seconds ) = @{ $self->{options} }{qw(read_your_writes timeout)};
    return $connection->execute( $calls, $seconds ) if !$asks || !$connection->features->{gtid};
    my @results
        = $connection->execute( [ @$calls, HandlerSocket2::Lines::last_gtid() ], $seconds );
    my $gtid = pop @results;
    $self->_learn( $connection, $gtid ) if defined $gtid && !ref $gtid;
    return @results;
}

sub _from_replicas {
    my ( $self, $calls ) = @_;
    my @replicas = @{ $self->{replicas} };
    my $turn     = $self->{turn}++;
    my $gtids    = $self->{options}{read_your_writes} ? $self->{gtids}->all : q{};
    my @wait
        = $gtids eq q{}
        ? ()
        : HandlerSocket2::Lines::wait_for( $gtids, $self->{options}{gtid_timeout} );
    for my $step ( 0 .. $#replicas ) {
        my $pool = $replicas[ ( $turn + $step ) % @replicas ];
        my @results;
        if ( !eval { @results = $self->_at( $pool, [ @wait, @$calls ] ); 1 } ) {
            die $@ if !_is_lost($@) && !( is_error($@) && $@->isa('HandlerSocket2::ServerError') );
            next;    # an error of the server is one of its login
        }
        my $lost = first { _is_lost($_) } @results;
        next            if $lost && !_is_late($lost);
        return @results if !@wait;
        my $applied = shift @results;
        return if !$lost && ( is_error($applied) || !$applied );
        return @results;
    }
    return;
}

# The GTID of the client's last change in each domain, with commas between them; empty without one.
sub last_gtid {
    my ($self) = @_;
    my $pool = $self->writer;
    while ( my $connection = $self->{options}{read_your_writes} ? undef : $pool->take_changed ) {
        my ($result) = $self->_with(
            $pool, $connection, \&HandlerSocket2::Connection::execute,
            [ HandlerSocket2::Lines::last_gtid() ],
            $self->{options}{timeout}
        );
        die $result if is_error($result);
        $self->_learn( $connection, $result );
    }
    return $self->{gtids}->all;
}

sub _learn {
    my ( $self, $connection, $gtid ) = @_;
    $self->{gtids}->note($gtid);
    $connection->{changed} = 0;
    return;
}

# What the server can do; this opens a connection.
sub features {
    my ($self) = @_;
    my $connection = $self->{read}->take;
    $self->{read}->give_back($connection);
    my @names = sort keys %{ $connection->features };
    return @names;
}

# The columns of a table, as D tells them.
sub columns {
    my ( $self, $database, $table ) = @_;
    return $self->one( HandlerSocket2::Lines::describe( $database, $table ) );
}

# The kinds of a table's columns and the names of all; none when the server has no D. Asks anew when one of the
# wanted columns is not known: it may have been added.
sub kinds {
    my ( $self, $database, $table, $wanted ) = @_;
    my $known = $self->{kinds}{$database}{$table};
    if ( $known && @{ $known->{names} } && any { !$known->{kinds}{$_} } @{ $wanted // [] } ) {
        delete $self->{kinds}{$database}{$table};
    }
    return $self->{kinds}{$database}{$table} //= do {
        my $rows = eval { $self->columns( $database, $table ) };
        die $@ if !$rows && !( is_error($@) && $@->isa('HandlerSocket2::UnsupportedError') );
        $rows //= [];
        {   names => [ map { $_->{column} } @$rows ],
            kinds => {
                map { ( $_->{column} => HandlerSocket2::Values::kind_of( $_->{type} ) ) } @$rows
            },
        };
    };
}

# The columns of an index, its parts with their types, and whether a whole key has one row at most.
sub key {
    my ( $self, $database, $table, $index ) = @_;
    my $known = $self->{keys}{$database}{$table} //= $self->_keys( $database, $table );
    my $parts = $known->{ $index eq q{} ? 'PRIMARY' : $index };
    die HandlerSocket2::Error->of_server( 2, 'idxnum' ) if !$parts;
    return $parts;
}

sub _keys {
    my ( $self, $database, $table ) = @_;
    my %column = map { ( $_->{column} => $_ ) } @{ $self->columns( $database, $table ) };
    my %keys;
    for my $row ( @{ $self->one( HandlerSocket2::Lines::describe( $database, $table, 1 ) ) } ) {
        my $key    = $keys{ $row->{index} } //= { columns => [], parts => [], unique => 1 };
        my $column = $column{ $row->{column} };
        push @{ $key->{columns} }, $row->{column};
        push @{ $key->{parts} }, { %$row, map { ( $_ => $column->{$_} ) } qw(type nullable) };
        $key->{unique} &&= $row->{unique} && !$column->{nullable};
    }
    return \%keys;
}

sub close {
    my ($self) = @_;
    $_->close for grep {defined} @$self{qw(read write)}, @{ $self->{replicas} };
    return;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Core - where calls go, and what is sent again

=head1 SYNOPSIS

    my @results = $core->run(\@calls);

=head1 DESCRIPTION

The pools of a client, its replicas, and what it knows of tables. Calls are those of
L<HandlerSocket2::Connection>. This is the inside of L<HandlerSocket2>.

=head1 METHODS AND FUNCTIONS

=head2 new

Takes options and a hook.

=head2 run, one

The results of calls, with errors in their places; the result of one call, or its error raised.

=head2 observe

The results of a piece of work, about which the hook is told.

=head2 kinds, columns, key

What the server tells of a table: kinds of its columns, its columns, the columns of an index.

=head2 forget

Forgets what is known of a table.

=head2 alterations

A reference to the number of times that a table turned out to have been altered: what was known of it then is
forgotten.

=head2 features, last_gtid

As in L<HandlerSocket2>.

=head2 options, reader, writer

The options; the pools of the ports.

=head2 write_on

The results of calls of which one commits, on a connection; their GTID is asked for, too.

=head2 is_error

Whether a value is an error of this package.

=head2 close

Closes all connections.

=cut

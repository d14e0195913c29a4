package HandlerSocket2::Pool;

use 5.030;
use warnings;

use Scalar::Util qw(isweak weaken);

use HandlerSocket2::Connection ();
use HandlerSocket2::Error      ();
use HandlerSocket2::Options    ();

our $VERSION = '2.000';

# A place is what Connection's new takes.
sub new {
    my ( $class, $place, $options ) = @_;
    return bless { place => $place, options => $options, idle => [], open => [], owner => owner() },
        $class;
}

# Who owns a connection: a process, and in it a thread.
sub owner { return $INC{'threads.pm'} ? "$$/" . threads->tid : $$ }

# A connection belongs to the process that has opened it. A new process begins with none.
sub _leave_parents {
    my ($self) = @_;
    my $idle = $self->{idle};
    @$self{qw(idle open owner)} = ( [], [], owner() );
    $_->close for @$idle;
    return;
}

# A connection that is open, for a change or for reads; the one that was used last, if one is idle.
sub take {
    my ( $self, $change ) = @_;
    $self->_leave_parents if $self->{owner} ne ( $INC{'threads.pm'} ? owner() : $$ );
    HandlerSocket2::ConnectionError->throw( 'the client is closed', sent => 0 ) if $self->{closed};
    while ( my $found = pop @{ $self->{idle} } ) {
        return $found if $found->alive($change);
        $self->_end($found);
    }
    return $self->_open;
}

# A new connection. Only those count that the program still refers to, so a signal's handler that dies within a call
# takes no place for good.
sub _open {
    my ($self) = @_;
    $self->_forget;
    my $open = $self->{open};
    if ( @$open >= $self->{options}{pool_size} ) {
        HandlerSocket2::TimeoutError->throw( 'every connection of the pool is in use', sent => 0 );
    }
    my $made = HandlerSocket2::Connection->new( $self->{place}, $self->{options} );
    push @$open, $made;
    weaken( $open->[-1] );
    return $made;
}

# Forgets a connection, and those to which nobody refers. Such a handler may have come before `weaken`, too.
sub _forget {
    my ( $self, $ended ) = @_;
    my $open = $self->{open};
    for my $at ( reverse 0 .. $#$open ) {
        weaken( $open->[$at] ) if defined $open->[$at] && !isweak( $open->[$at] );
        my $one = $open->[$at];
        splice @$open, $at, 1 if !defined $one || defined $ended && $one == $ended;
    }
    return;
}

sub _end {
    my ( $self, $connection ) = @_;
    $connection->close;
    $self->_forget($connection);
    return;
}

# An idle connection that has changed something of which the GTID is not known; nothing when there is none.
sub take_changed {
    my ($self) = @_;
    $self->_leave_parents if $self->{owner} ne owner();
    my $idle = $self->{idle};
    my ($at) = grep { $idle->[$_]{changed} } 0 .. $#$idle;
    return if !defined $at;
    return splice @$idle, $at, 1;
}

# Takes back what take gave.
sub give_back {
    my ( $self, $connection ) = @_;
    if   ( $connection->broken || $self->{closed} ) { $self->_end($connection) }
    else                                            { push @{ $self->{idle} }, $connection }
    return;
}

# Closes what is idle, and the rest as it comes back.
sub close {
    my ($self) = @_;
    $self->_leave_parents if $self->{owner} ne owner();
    $self->{closed} = 1;
    $_->close for splice @{ $self->{idle} };
    return;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Pool - the connections to one place

=head1 SYNOPSIS

    my $connection = $pool->take;
    my @results = $connection->execute(\@calls, 30);
    $pool->give_back($connection);

=head1 DESCRIPTION

Connections belong to the process that has opened them. After a C<fork> the new process begins with
none, and the connections of its parent are left as they are.

=head1 METHODS

=head2 new

A pool for a place.

=head2 take

A connection that is open. When as many as C<pool_size> are in use, it is a
C<HandlerSocket2::TimeoutError> at once, for nobody else could give one back.

=head2 take_changed

An idle connection that has changed something of which the GTID is not known.

=head2 give_back

Takes it back; one that is broken is closed.

=head2 close

Closes what is idle, and the rest as it comes back.

=head2 owner

The process, and with Perl's threads the thread, that owns a connection.

=cut

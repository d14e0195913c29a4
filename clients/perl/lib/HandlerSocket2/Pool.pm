package HandlerSocket2::Pool;

use 5.030;
use warnings;

use HandlerSocket2::Connection ();
use HandlerSocket2::Error      ();
use HandlerSocket2::Options    ();

our $VERSION = '2.000';

# A place is what Connection's new takes.
sub new {
    my ( $class, $place, $options ) = @_;
    return bless { place => $place, options => $options, idle => [], taken => 0, owner => owner() },
        $class;
}

# Who owns a connection: a process, and in it a thread.
sub owner { return $INC{'threads.pm'} ? "$$/" . threads->tid : $$ }

# A connection belongs to the process that has opened it. A new process begins with none.
sub _leave_parents {
    my ($self) = @_;
    my $idle = $self->{idle};
    @$self{qw(idle taken owner)} = ( [], 0, owner() );
    $_->close for @$idle;
    return;
}

# A connection that is open, for a change or for reads; the one that was used last, if one is idle.
sub take {
    my ( $self, $change ) = @_;
    $self->_leave_parents if $self->{owner} ne ( $INC{'threads.pm'} ? owner() : $$ );
    if ( $self->{taken} >= $self->{options}{pool_size} ) {
        HandlerSocket2::TimeoutError->throw( 'every connection of the pool is in use', sent => 0 );
    }
    HandlerSocket2::ConnectionError->throw( 'the client is closed', sent => 0 ) if $self->{closed};
    my $found;
    while ( $found = pop @{ $self->{idle} } ) {
        last if $found->alive($change);
        $found->close;
    }
    $found //= HandlerSocket2::Connection->new( $self->{place}, $self->{options} );
    $self->{taken}++;
    return $found;
}

# An idle connection that has changed something of which the GTID is not known; nothing when there is none.
sub take_changed {
    my ($self) = @_;
    $self->_leave_parents if $self->{owner} ne owner();
    my $idle = $self->{idle};
    my ($at) = grep { $idle->[$_]{changed} } 0 .. $#$idle;
    return if !defined $at;
    $self->{taken}++;
    return splice @$idle, $at, 1;
}

# Takes back what take gave.
sub give_back {
    my ( $self, $connection ) = @_;
    $self->{taken}--;
    if   ( $connection->broken || $self->{closed} ) { $connection->close }
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

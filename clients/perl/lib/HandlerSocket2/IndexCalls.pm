package HandlerSocket2::IndexCalls;

use 5.030;
use warnings;

use HandlerSocket2::Core  ();
use HandlerSocket2::Error ();
use HandlerSocket2::Lines ();
use Scalar::Util          qw(blessed);

our $VERSION = '2.000';

# The core is that of the client, or a transaction.
sub new {
    my ( $class, $core, $database, $table, $index ) = @_;
    my $self = {
        core      => $core,
        name      => [ $database, $table ],
        index     => $index eq q{} ? 'PRIMARY' : $index,
        described => HandlerSocket2::Lines::describe( $database, $table, 1 ),
    };
    return bless $self, $class;
}

# Does work whose calls are made for the columns that the index is known to have: again while it turns out to have
# others. Work that cannot be done again raises NotFoundError then.
sub known {
    my ( $self, $work, $is_last ) = @_;
    while (1) {
        my $result;
        return $result if eval { $result = $work->(); 1 };
        my $error = $@;
        die $error if !blessed $error || !$error->isa('HandlerSocket2::IndexCalls::Altered');
        die HandlerSocket2::Error->of_server( 2, 'idxnum' ) if $is_last;
    }
}

# The columns of the index: as they were when it was asked for first, or anew.
sub key {
    my ($self) = @_;
    return $self->{key} //= $self->{core}->key( @{ $self->{name} }, $self->{index} );
}

# The result of a call; raises its error. What the server tells of the index is asked for in the same piece.
sub one {
    my ( $self, $call ) = @_;
    $self->key;    # as the call was made for it
    my ( $result, $rows ) = $self->{core}->run( [ $call, $self->{described} ] );
    die bless {}, 'HandlerSocket2::IndexCalls::Altered'
        if ref $rows eq 'ARRAY' && !$self->_is($rows);
    for my $one ( $result, $rows ) {
        die $one if HandlerSocket2::Core::is_error($one);
    }
    return $result;
}

# Whether the index has the columns that it is known to have.
sub is_as_known {
    my ($self) = @_;
    return $self->_is( $self->{core}->one( $self->{described} ) );
}

sub _is {
    my ( $self, $rows ) = @_;
    my @now = grep { $_->{index} eq $self->{index} } @$rows;
    return 1 if _told(@now) eq _told( @{ $self->key->{parts} } );
    $self->{core}->forget( @{ $self->{name} } );
    delete $self->{key};
    return 0;
}

# All that is told of columns of an index, as one text.
sub _told {
    return join "\t", map {
        my $part = $_;
        map { $_ // "\n" } @$part{qw(column unique direction prefix_length)}
    } @_;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::IndexCalls - calls that are right for some columns of an index alone

=head1 SYNOPSIS

    my $index = HandlerSocket2::IndexCalls->new($core, $database, $table, $index);
    my $rows  = $index->known(sub { return $index->one($call) });

=head1 DESCRIPTION

What the server tells of the index is asked for in the same piece, behind each of the calls. So it is noticed when the
index was dropped, and made again under its name with other columns. This is the inside of L<HandlerSocket2::Table> and
L<HandlerSocket2::Range>.

=head1 METHODS

=head2 new

Takes a core, a database, a table and an index.

=head2 known

Does work that is made for the columns of the index, and does it again when the index is not as it was known. With a
true second argument a C<HandlerSocket2::NotFoundError> is raised instead.

=head2 key

The columns of the index, as C<HandlerSocket2::Core> has them.

=head2 one

The result of a call.

=head2 is_as_known

Whether the index has the columns that it is known to have.

=cut

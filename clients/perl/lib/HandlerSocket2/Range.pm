package HandlerSocket2::Range;

use 5.030;
use warnings;

use HandlerSocket2::Error    ();
use HandlerSocket2::Protocol ();
use List::Util               qw(first);

our $VERSION = '2.000';

my %LOWEST = (
    integer  => '-9223372036854775808',
    float    => '-1.7976931348623157e308',
    decimal  => q{-} . '9' x 65,
    date     => '0000-00-00',
    datetime => '0000-00-00 00:00:00',
    time     => '-838:59:59',
);

sub _wrong { return HandlerSocket2::ValueError->throw( $_[0] ) }

# Each page begins at the last row's key, and skips the rows that were given with that key. Behind a key
# that has one row at most, it begins behind it.
sub new {
    my ( $class, $core, $calls, %options ) = @_;
    my ( $start, $reverse ) = @options{qw(start reverse)};
    my $size = HandlerSocket2::Protocol::number( $options{page} // 1000 );
    _wrong('a range in reverse needs its start') if $reverse && !defined $start;
    _wrong('a page has at least one row')        if !$size;
    return bless {
        core    => $core,
        calls   => $calls,
        start   => defined $start ? $calls->key_values($start) : undef,
        stop    => $options{stop},
        filters => $options{filters},
        reverse => $reverse,
        size    => $size,
        op      => $reverse ? '<=' : '>=',
        skip    => 0,
        rows    => [],
    }, $class;
}

sub _prepare {
    my ($self) = @_;
    my $calls  = $self->{calls};
    my $key    = $calls->key;
    my ( $names, $wire ) = $calls->filters( $self->{filters} );
    if ( defined $self->{stop} ) {
        my $first = $key->{columns}[0];
        my ( $stop, @more ) = ref $self->{stop} eq 'ARRAY' ? @{ $self->{stop} } : $self->{stop};
        _wrong('stop is one value, of the first column of the index') if @more;
        my ( undef, $filter )
            = $calls->filters( [ [ $first, $self->{reverse} ? q{>} : q{<}, $stop ] ] );
        push @$wire,  [ 'W', $filter->[0][1], scalar @$names, $filter->[0][3] ];
        push @$names, $first;
    }
    my %given = map { $_ => 1 } @{ $calls->columns };
    @$self{qw(key names wire)} = ( $key, $names, $wire );
    $self->{columns} = [ @{ $calls->columns }, grep { !$given{$_} } @{ $key->{columns} } ];
    $self->{start} //= [ $self->_lowest ];
    return;
}

sub _lowest {
    my ($self) = @_;
    my @table  = @{ $self->{calls} }{qw(database table)};
    my $name   = $self->{key}{columns}[0];
    my $row    = first { $_->{column} eq $name } @{ $self->{core}->columns(@table) };
    if ( $row->{type} =~ /\A(?:uuid|inet[46])\z/ ) {
        HandlerSocket2::UnsupportedError->throw(
            "a range of a column of type $row->{type} needs its start");
    }
    return $row->{nullable} ? undef : $LOWEST{ $self->{core}->kinds(@table)->{kinds}{$name} }
        // q{};
}

sub _page {
    my ($self) = @_;
    $self->_prepare if !$self->{key};
    my ( $calls, $columns ) = @$self{qw(calls columns)};
    my @wanted = ( @$self{qw(op start size skip)}, undef, $self->{wire} );
    my $values = $self->{core}->one( {
        kind   => 'range',
        line   => substr( HandlerSocket2::Protocol::find( 0, @wanted ), 1 ),    # without the id
        decode => sub { $_[0][1] },
        index  => $calls->index_of( $columns, $self->{names} ),
    } );
    my $width = @$columns;
    my $kept  = @{ $calls->columns };
    my ( @rows, @flat );
    while ( my @row = splice @$values, 0, $width ) {
        push @rows, \@row;
        push @flat, @row[ 0 .. $kept - 1 ];
    }
    $self->{ended} = @rows < $self->{size};
    $self->_go_behind(@rows) if @rows;
    return $calls->rows( @{ $calls->columns } )->( [ $kept, \@flat ] );
}

sub _same {
    my ( $one, $other ) = @_;
    return !defined first {
        my ( $a_value, $b_value ) = ( $one->[$_], $other->[$_] );
        defined $a_value ? !defined $b_value || $a_value ne $b_value : defined $b_value
    } 0 .. $#$one;
}

sub _go_behind {
    my ( $self, @rows ) = @_;
    my %place;
    for my $at ( 0 .. $#{ $self->{columns} } ) { $place{ $self->{columns}[$at] } //= $at }
    my @places = @place{ @{ $self->{key}{columns} } };
    my $last   = [ @{ $rows[-1] }[@places] ];
    if ( $self->{key}{unique} ) {
        @$self{qw(op start skip)} = ( $self->{reverse} ? q{<} : q{>}, $last, 0 );
        return;
    }
    my $same = first { !_same( [ @{ $rows[ -1 - $_ ] }[@places] ], $last ) } 0 .. $#rows;
    $same //= @rows;
    my $start = $self->{start};
    my $again = $same == @rows && @$start == @$last && _same( $start, $last );
    $self->{skip}  = $same + ( $again ? $self->{skip} : 0 );
    $self->{start} = $last;
    return;
}

sub next {
    my ($self) = @_;
    while ( !@{ $self->{rows} } ) {
        return if $self->{ended};
        $self->{rows} = $self->_page;
    }
    return shift @{ $self->{rows} };
}

sub all {
    my ($self) = @_;
    my @rows;
    while ( my $row = $self->next ) { push @rows, $row }
    return @rows;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Range - rows in the order of an index, read page by page

=head1 SYNOPSIS

    my $range = $user->range(start => 100, stop => 200);
    while (my $row = $range->next) { say $row->{user_name} }

=head1 DESCRIPTION

A range is made by C<range> of L<HandlerSocket2::Table>.

=head1 METHODS

=head2 next

The next row, or nothing behind the last one.

=head2 all

All rows that are left.

=head2 new

Takes the client's inside, the calls of the table and the options.

=cut

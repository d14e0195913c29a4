package HandlerSocket2::Range;

use 5.030;
use warnings;

use HandlerSocket2::Error      ();
use HandlerSocket2::IndexCalls ();
use HandlerSocket2::Lines      ();
use HandlerSocket2::Protocol   ();
use HandlerSocket2::Values     ();
use List::Util                 qw(any first);

our $VERSION = '2.000';

my %LOWEST = (
    integer  => '-9223372036854775808',
    float    => '-1.7976931348623157e308',
    decimal  => q{-} . '9' x 65,
    date     => '0000-00-00',
    datetime => '0000-00-00 00:00:00',
    time     => '-838:59:59.999999',
    uuid     => '00000000-0000-0000-0000-000000000000',
    inet4    => '0.0.0.0',
    inet6    => '::',
);

sub _wrong { return HandlerSocket2::ValueError->throw( $_[0] ) }

# Each page begins behind the last row's key where one row at most can have it, and else with the rows of a
# key. A page ends in front of a key whose rows may not all be in it: the next page reads them again, so that
# rows which come or go meanwhile shift no others. Only of a key with more rows than a page has, the rows that
# were given are skipped by their number.
sub new {
    my ( $class, $core, $calls, %options ) = @_;
    my ( $start, $reverse ) = @options{qw(start reverse)};
    my $size = HandlerSocket2::Protocol::number( $options{page} // 1000 );
    _wrong('a range in reverse needs its start') if $reverse && !defined $start;
    _wrong('a page has at least one row')        if !$size;
    return bless {
        at        => HandlerSocket2::IndexCalls->new( $core, @$calls{qw(database table index)} ),
        calls     => $calls,
        start     => defined $start ? $calls->key_values($start) : undef,
        has_start => defined $start,
        stop      => $options{stop},
        filters   => $options{filters},
        reverse   => $reverse,
        size      => $size,
        op        => $reverse ? '<=' : '>=',
        skip      => 0,
        rows      => [],
    }, $class;
}

sub _prepare {
    my ($self) = @_;
    my $calls  = $self->{calls};
    my $key    = $self->{at}->key;
    my ( $names, $wire ) = $calls->filters( $self->{filters} );
    if ( defined $self->{stop} ) {
        my $first = $key->{columns}[0];
        my ( $stop, @more ) = ref $self->{stop} eq 'ARRAY' ? @{ $self->{stop} } : $self->{stop};
        _wrong('stop is one value, of the first column of the index') if @more;
        my $part = $key->{parts}[0];
        my $op   = ( $self->{reverse} xor _descends($part) ) ? q{>} : q{<};
        my ( undef, $filter ) = $calls->filters( [ [ $first, $op, $stop ] ] );

        # An index of the beginnings of a column has not the order of whole values.
        my $kind = defined $part->{prefix_length} ? 'F' : 'W';
        push @$wire,  [ $kind, $op, scalar @$names, $filter->[0][3] ];
        push @$names, $first;
    }
    my %given = map { $_ => 1 } @{ $calls->columns };
    @$self{qw(key names wire)} = ( $key, $names, $wire );
    $self->{columns} = [ @{ $calls->columns }, grep { !$given{$_} } @{ $key->{columns} } ];
    $self->{start}   = $self->_lowest if !$self->{has_start};
    return;
}

sub _descends { return ( $_[0]{direction} // q{} ) eq 'D' }

sub _kind { return HandlerSocket2::Values::kind_of( $_[0]{type} ) }

# The name of a part's type, as int of int(11).
sub _word { return $_[0]{type} =~ /\A([^( ]*)/ ? lc $1 : q{} }

# A key with which the index begins. A NULL finds nothing where there can be none. Texts that begin with
# control characters may sort before the empty one: then the key is that of the first of them.
sub _lowest {
    my ($self) = @_;
    my $part = $self->{key}{parts}[0];
    _wrong('a range over an index that goes downwards needs its start')
        if _descends($part);
    return [undef] if $part->{nullable};
    my $key = [ $LOWEST{ _word($part) } // $LOWEST{ _kind($part) } // q{} ];
    return $key if $key->[0] ne q{} || _kind($part) ne 'text';
    while ( my $below = $self->_count( q{<}, $key, 0, [] ) ) {
        my $first = $self->_ask(
            HandlerSocket2::Protocol::find( 0, q{<}, $key, 1, $below - 1 ),
            sub { HandlerSocket2::Lines::values_of( $_[0], 1, 1 ) },
            [ $part->{column} ],
        );
        $key = $first if @$first;
    }
    return $key;
}

# What the reply to a line means.
sub _ask {
    my ( $self, $line, $decode, $columns, $filter_columns ) = @_;
    return $self->{at}->one( {
        kind   => 'range',
        line   => substr( $line, 1 ),                                      # without the id
        decode => $decode,
        index  => $self->{calls}->index_of( $columns, $filter_columns ),
    } );
}

sub _count {
    my ( $self, $op, $key, $limit, $filters ) = @_;
    my $line = HandlerSocket2::Protocol::count( 0, $op, $key, $limit, 0, undef, $filters );
    return $self->_ask( $line, \&HandlerSocket2::Lines::number, [], $self->{key}{columns} );
}

sub _page {
    my ($self) = @_;
    $self->_prepare if !$self->{is_under_way};
    my ( $calls, $columns ) = @$self{qw(calls columns)};
    my @wanted = ( @$self{qw(op start size skip)}, undef, $self->{wire} );
    my $line   = HandlerSocket2::Protocol::find( 0, @wanted );
    my ( $width, $size ) = ( scalar @$columns, $self->{size} );
    my $decode = sub { HandlerSocket2::Lines::values_of( $_[0], $width, $size ) };
    my $values = $self->_ask( $line, $decode, $columns, $self->{names} );
    my $kept   = @{ $calls->columns };
    my @rows;
    while ( my @row = splice @$values, 0, $width ) { push @rows, \@row }
    $self->{ended} = @rows < $self->{size};
    $#rows = $self->_go_behind(@rows) - 1 if !$self->{ended};
    my @flat = map { @$_[ 0 .. $kept - 1 ] } @rows;
    return $calls->rows( $calls->columns )->( [ $kept, \@flat, scalar @flat ] );
}

sub _same {
    my ( $one, $other ) = @_;
    return !defined first {
        my ( $a_value, $b_value ) = ( $one->[$_], $other->[$_] );
        defined $a_value ? !defined $b_value || $a_value ne $b_value : defined $b_value
    } 0 .. $#$one;
}

# Where the next page begins; how many rows of this one are given.
sub _go_behind {
    my ( $self, @rows ) = @_;
    my %place;
    for my $at ( 0 .. $#{ $self->{columns} } ) { $place{ $self->{columns}[$at] } //= $at }
    my @places = @place{ @{ $self->{key}{columns} } };
    my $last   = [ @{ $rows[-1] }[@places] ];
    if ( !$self->_can_begin($last) ) {
        $self->{skip} += @rows;    # the next page begins where this one did
        return @rows;
    }
    if ( $self->{key}{unique} ) {
        @$self{qw(op start skip)} = ( $self->{reverse} ? q{<} : q{>}, $last, 0 );
        return @rows;
    }
    my ( $same, $before ) = ( 0, $last );
    for my $row ( reverse @rows ) {
        my $key = [ @$row[@places] ];
        last if !_same( $key, $before ) && !$self->_is_same( $last, $key );
        $same++;
        $before = $key;
    }
    if ( $same < @rows ) {
        @$self{qw(start skip)} = ( $last, 0 );
        return @rows - $same;
    }
    $self->{skip} = 0 if !$self->_is_same( $last, $self->{start} );
    @$self{qw(start skip)} = ( $last, $self->{skip} + $same );
    return @rows;
}

# Whether a page can begin with a row's key. The text of a column of which the index has only a beginning, of
# a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does not tell the place in the index.
sub _can_begin {
    my ( $self, $key ) = @_;
    my $parts = $self->{key}{parts};
    for my $at ( 0 .. $#$parts ) {
        my $word = _word( $parts->[$at] );
        return 0 if defined $parts->[$at]{prefix_length} || $word eq 'float';
        next     if $word ne 'timestamp'                 || !defined $key->[$at];
        my $hour = substr $key->[$at], 11, 2;
        return 0 if $hour lt '04' || $hour gt '21';
    }
    return 1;
}

# Whether two keys stand at the same place of the index. Texts of other bytes may be the same, and the zeros
# of DOUBLE: then the server knows.
sub _is_same {
    my ( $self, $one, $other ) = @_;
    return 0 if @$one != @$other;
    return 1 if _same( $one, $other );
    return 0 if !any { _kind($_) =~ /\A(?:text|float)\z/ } @{ $self->{key}{parts} };
    my @filters = map { [ 'F', q{=}, $_, $other->[$_] ] } 0 .. $#$other;
    return $self->_count( q{=}, $one, 1, \@filters );
}

sub next {
    my ($self) = @_;
    while ( !@{ $self->{rows} } ) {
        return if $self->{ended};
        $self->{rows}         = $self->{at}->known( sub { $self->_page }, $self->{is_under_way} );
        $self->{is_under_way} = 1;
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

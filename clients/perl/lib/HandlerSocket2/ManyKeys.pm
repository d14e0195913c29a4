package HandlerSocket2::ManyKeys;

use 5.030;
use warnings;

use List::Util qw(first);

our $VERSION = '2.000';

use constant { MOST => 1000, MOST_BYTES => 1 << 20 };    # keys of one request; bytes of all

# Calls for all of the keys, in their order; none when each key needs a request of its own. Each gives a row or undef
# for each of its keys, or undef when it cannot be told which row is whose.
sub calls {
    my ( $calls, $kinds, $keys ) = @_;
    my @values;
    my $bytes = 0;
    for my $key (@$keys) {
        my ( $value, @more ) = @{ $calls->key_values($key) };
        $bytes += length( $value // q{} );
        return if @more || $bytes > MOST_BYTES || ref $key eq 'ARRAY' && !@$key;
        push @values, $value;
    }
    my $part         = $calls->key->{parts}[0];
    my $has_own_text = !defined $part->{prefix_length}
        && ( $kinds->()->{ $part->{column} } // q{} ) =~ /\A(?:integer|text|bytes)\z/;
    my @made;
    while ( my @some = splice @values, 0, MOST ) {
        push @made, _call( $calls, $has_own_text ? $part->{column} : undef, \@some );
    }
    return @made;
}

sub _call {
    my ( $calls, $column, $keys ) = @_;
    my @columns = @{ $calls->columns };
    my $at;
    if ( defined $column ) {
        push @columns, $column if !grep { $_ eq $column } @columns;
        $at = first { $columns[$_] eq $column } 0 .. $#columns;
    }
    return $calls->listed( $keys, \@columns, sub { _rows( $keys, $at, scalar @columns, @_ ) } );
}

sub _rows {
    my ( $keys, $at, $width, $values, $make ) = @_;
    my $rows = @$values / $width;
    return $make->($values)     if $rows == @$keys;
    return [ (undef) x @$keys ] if !$rows;
    return                      if !defined $at;
    my @own   = @$values[ map { $_ * $width + $at } 0 .. $rows - 1 ];
    my $made  = $make->($values);
    my $place = 0;
    my @found
        = map { $place < @own && _same( $own[$place], $_ ) ? $made->[ $place++ ] : undef } @$keys;
    return $place == @own ? \@found : undef;
}

sub _same {
    my ( $one, $other ) = @_;
    return defined $one && defined $other ? $one eq $other : !defined $one && !defined $other;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::ManyKeys - many keys in one request, and which of its rows is whose

=head1 SYNOPSIS

    my @calls = HandlerSocket2::ManyKeys::calls($calls, sub { $table->kinds }, \@keys);

=head1 DESCRIPTION

IN finds one row at most for each value, in their order, and skips values without one. So where there are as many rows
as keys each row is that of its key. Else the keys that are, byte by byte, those of the rows tell it, if there are as
many of these as rows: a key that is a row's own text finds a row. (Other keys may find rows, too, as C<A> finds C<a> by
many collations.) This is the inside of L<HandlerSocket2::Table>.

=head1 FUNCTIONS

=head2 calls

Takes L<HandlerSocket2::Calls>, what tells the kinds of the table's columns, and keys. The calls for all of the keys; none when
each key needs a request of its own.

=cut

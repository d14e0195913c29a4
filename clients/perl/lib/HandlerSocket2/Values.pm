package HandlerSocket2::Values;

use 5.030;
use warnings;

use B                        ();
use HandlerSocket2::Error    ();
use HandlerSocket2::Protocol ();
use Scalar::Util             qw(blessed);

our $VERSION = '2.000';

my %KIND = (
    ( map { $_ => 'integer' } qw(tinyint smallint mediumint int bigint year) ),
    float     => 'float',
    double    => 'float',
    decimal   => 'decimal',
    date      => 'date',
    datetime  => 'datetime',
    timestamp => 'datetime',
    time      => 'time',
    (   map { $_ => 'bytes' }
            qw(binary varbinary bit tinyblob blob mediumblob longblob geometry point linestring
            polygon multipoint multilinestring multipolygon geometrycollection)
    ),
);

sub _wrong { return HandlerSocket2::ValueError->throw( $_[0] ) }

sub kind_of {
    my ($type) = @_;
    my ($word) = lc($type) =~ /\A([^( ]*)/;
    return $KIND{$word} // 'text';
}

# The text of an object, as SQL writes it.
sub _of_object {
    my ($value) = @_;
    if ( $value->isa('DateTime') ) {
        _wrong('a time with a time zone cannot be sent: the server\'s own is meant')
            if !$value->time_zone->is_floating;
        my $micros = $value->microsecond;
        return $value->ymd . q{ } . $value->hms . ( $micros ? sprintf '.%06d', $micros : q{} );
    }
    return $value->strftime('%Y-%m-%d %H:%M:%S') if $value->isa('Time::Piece');
    if ( $value->isa('Math::BigInt') || $value->isa('Math::BigFloat') ) {
        _wrong("$value cannot be sent") if $value->is_nan || $value->is_inf;
        return $value->bstr;
    }
    _wrong( 'a ' . ref($value) . ' cannot be sent' ) if !overload::Overloaded($value);
    return "$value";
}

# The shortest text of a floating point number that reads back the same.
sub _of_float {
    my ($value) = @_;
    _wrong("$value cannot be sent") if $value != $value || $value - $value != 0;
    for my $digits ( 15, 16 ) {
        my $text = sprintf "%.${digits}g", $value;
        return $text if $text == $value;
    }
    return sprintf '%.17g', $value;
}

# What may be the text of a floating point number, or a false truth.
my $MAYBE_NUMBER = qr/\A(?:-?(?:[0-9].*[.e]|[0-9].{14}|[iI]nf|[nN]a[nN])|\z)/s;

sub to_bytes {    ## no critic (RequireArgUnpacking)
    my ( $value, $kind ) = @_;
    return $value   if !defined $value;
    return "$value" if $value =~ /\A[0-9]{1,14}\z/;    # most keys are so
    if ( ref $value ) {
        if ( ref $value eq 'SCALAR' ) {
            $kind  = 'bytes';
            $value = $$value;
        }
        elsif ( blessed $value) { $value = _of_object($value) }
        else                    { _wrong( 'a reference to ' . ref($value) . ' cannot be sent' ) }
    }
    elsif ( $value =~ $MAYBE_NUMBER ) {                # which may make the copy a text
        my $flags = B::svref_2object( \$_[0] )->FLAGS;
        if    ( !( $flags & B::SVf_POK ) ) { $value = _of_float($value) if $flags & B::SVf_NOK }
        elsif ( $value eq q{} && $flags & B::SVf_IOK ) { $value = '0' }
    }
    return HandlerSocket2::Protocol::utf8($value) if $kind ne 'bytes';
    utf8::downgrade( $value, 1 ) or _wrong('bytes have no characters beyond 255');
    return $value;
}

sub integer {
    my ($text) = @_;
    $text =~ /\A-?[0-9]{1,20}\z/ or _none('integer');
    my $number = 0 + $text;
    return length $text < 19 || $number eq $text ? $number : $text;
}

sub _none { return HandlerSocket2::ProtocolError->throw( "this is no $_[0]", sent => 1 ) }

# A number without a sign.
sub count {
    my ($text) = @_;
    return defined $text && $text =~ /\A[0-9]/ ? integer($text) : _none('count');
}

sub _float {
    my ($text) = @_;
    _none('number') if $text !~ /\A-?[0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?\z/;
    my $number = 0 + $text;
    return $number - $number == 0 ? $number : _none('finite number');
}

# What makes rows of all values of a reply, by the kinds of their columns.
sub row_maker {
    my ( $columns, $kinds, $width ) = @_;
    $width //= @$columns;
    my @integers = grep { $kinds->[$_] eq 'integer' } 0 .. $#$kinds;
    my @floats   = grep { $kinds->[$_] eq 'float' } 0 .. $#$kinds;
    my @texts    = grep { $kinds->[$_] !~ /\A(?:integer|float|bytes)\z/ } 0 .. $#$kinds;
    return sub {
        my ($values) = @_;
        my @rows;
        while ( my @row = splice @$values, 0, $width ) {
            for my $at (@integers) { $row[$at] = integer( $row[$at] ) if defined $row[$at] }
            for my $at (@texts)    { utf8::decode( $row[$at] )        if defined $row[$at] }
            for my $at (@floats)   { $row[$at] = _float( $row[$at] )  if defined $row[$at] }
            my %row;
            @row{@$columns} = @row;
            push @rows, \%row;
        }
        return \@rows;
    };
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Values - Perl's values and those of columns

=head1 SYNOPSIS

    my $bytes = HandlerSocket2::Values::to_bytes($value, 'text');

=head1 DESCRIPTION

The kind of a column is C<integer>, C<float>, C<decimal>, C<date>, C<datetime>, C<time>, C<text> or
C<bytes>.

=head1 FUNCTIONS

=head2 kind_of

The kind of a column's type, as the server describes the type.

=head2 to_bytes

    to_bytes($value, $kind)

The bytes of a value that is sent to a column of that kind. Text is encoded as UTF-8; a string for a
column of bytes is bytes, and so is a reference to a string anywhere. What cannot be sent is a
C<HandlerSocket2::ValueError>.

=head2 integer

The number in a text.

=head2 count

An integer without a sign, else a ProtocolError.

=head2 row_maker

    my $make = row_maker(\@columns, \@kinds);
    my $rows = $make->(\@values);

What makes rows of all values of a reply. It empties the list of values.

=cut

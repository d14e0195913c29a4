package HandlerSocket2::Calls;

use 5.030;
use warnings;

use HandlerSocket2::Error    ();
use HandlerSocket2::Lines    ();
use HandlerSocket2::Protocol ();
use HandlerSocket2::Values   ();
use List::Util               qw(any first uniq);
use Scalar::Util             qw(blessed);

our $VERSION = '2.000';

my %FEATURE = ( '?' => undef, q{!} => 'returning' );
my @DID     = qw(unchanged inserted updated);

sub _wrong { return HandlerSocket2::ValueError->throw( $_[0] ) }

# Takes core, database, table, columns, index, kinds and raw.
sub new {
    my ( $class, %members ) = @_;
    return bless \%members, $class;
}

# What stands behind the id. So what is wrong is told when a call is made, and nothing is sent.
sub _without_id { return substr $_[0], 1 }

sub columns { return $_[0]{columns} }
sub index   { return $_[0]{index} eq q{} ? 'PRIMARY' : $_[0]{index} }

sub kind {
    my ( $self, $column ) = @_;
    return $self->{raw} ? 'bytes' : $self->{kinds}{$column} // 'text';
}

# The values of a key, as bytes.
sub key_values {
    my ( $self, $key ) = @_;
    my @values = ref $key eq 'ARRAY' ? @$key : ($key);
    my @kinds  = $self->_kinds_of_key( \@values );
    return [ map { HandlerSocket2::Values::to_bytes( $values[$_], $kinds[$_] // 'text' ) }
            0 .. $#values ];
}

# Whether a string is text or bytes makes no difference for ASCII, so that the index need not be known.
sub _kinds_of_key {
    my ( $self, $values ) = @_;
    return ('bytes') x @$values if $self->{raw};
    return                      if !any { defined && !ref && /[^\x00-\x7f]/ } @$values;
    my $columns = eval { $self->key->{columns} };
    return map { $self->kind($_) } @$columns if $columns;
    my $error = $@;
    die $error if !blessed $error || !$error->isa('HandlerSocket2::UnsupportedError');
    return;
}

# The columns of the index, and whether it is unique.
sub key {
    my ($self) = @_;
    return $self->{core}->key( @$self{qw(database table)}, $self->index );
}

sub _values {
    my ( $self, $row, @names ) = @_;
    return map { HandlerSocket2::Values::to_bytes( $row->{$_}, $self->kind($_) ) } @names;
}

sub index_of {
    my ( $self, $columns, $filter_columns ) = @_;
    return HandlerSocket2::Protocol::index_tokens(
        @$self{qw(database table index)}, $columns,
        $filter_columns
    );
}

# What turns a reply into rows with these columns, and so many at most.
sub rows {
    my ( $self, $columns, $most ) = @_;
    my $make = HandlerSocket2::Values::row_maker( $columns, [ map { $self->kind($_) } @$columns ] );
    return sub { $make->( HandlerSocket2::Lines::values_of( $_[0], scalar @$columns, $most ) ) };
}

# Filters as the protocol takes them, and their columns.
sub filters {
    my ( $self, $filters ) = @_;
    my ( @names, @wire );
    _wrong('filters are a list') if defined $filters && ref $filters ne 'ARRAY';
    for my $one ( @{ $filters // [] } ) {
        _wrong(q{a filter is [column, operator, value], or with 'while' behind them})
            if ref $one ne 'ARRAY'
            || @$one < 3
            || @$one > 4
            || ( $one->[3] // q{} ) !~ /\A(?:while)?\z/;
        my ( $name, $op, $value, $while ) = @$one;
        push @wire,
            [
            $while ? 'W' : 'F', $op, scalar @names,
            HandlerSocket2::Values::to_bytes( $value, $self->kind($name) )
            ];
        push @names, $name;
    }
    return ( \@names, \@wire );
}

sub _in {
    my ( $self, $in, $every ) = @_;
    return if !$in;
    _wrong('a list of values is [column, [values]]')
        if ref $in ne 'ARRAY' || ref $in->[1] ne 'ARRAY';
    my ( $column, $values ) = @$in;
    my $part = $self->_part($column);
    if ( !defined $part ) {    # the index may be a new one
        $self->{core}->forget( @$self{qw(database table)} );
        $part = $self->_part($column) // _wrong("'$column' is no column of the index");
    }
    my @bytes = map { HandlerSocket2::Values::to_bytes( $_, $self->kind($column) ) } @$values;
    return { part => $part, values => \@bytes, all => $every };
}

sub _part {
    my ( $self, $column ) = @_;
    my @columns = @{ $self->key->{columns} };
    return first { $columns[$_] eq $column } 0 .. $#columns;
}

sub _find {
    my ( $self, $op, $key, $every, %options ) = @_;
    my ( $names, $wire ) = $self->filters( $options{filters} );
    my $values = $self->key_values($key);
    my $in     = $self->_in( $options{in}, $every );
    my @wanted = ( $op, $values, $options{limit} // 1, $options{offset} // 0, $in, $wire );
    return {
        kind    => $every ? 'find_all' : 'find',
        line    => _without_id( HandlerSocket2::Protocol::find( 0, @wanted ) ),
        decode  => $self->rows( $self->{columns}, $in ? undef : $options{limit} || 1 ),
        index   => $self->index_of( $self->{columns}, $names ),
        feature => $every ? 'all' : $op eq '=<' ? 'descending' : undef,
    };
}

sub find {
    my ( $self, $op, $key, %options ) = @_;
    return $self->_find( $op, $key, 0, %options );
}

sub find_all {
    my ( $self, $op, $key, $column, $values, %options ) = @_;
    return $self->_find( $op, $key, 1, %options, in => [ $column, $values ] );
}

# A find of a row for each key, which is one value, as bytes, of the index's first column. It reads these columns: those
# of the table, and maybe others behind them. `decode` takes the values and what makes rows of them.
sub listed {
    my ( $self, $keys, $columns, $decode ) = @_;
    my $names = $self->{columns};
    my $in    = { part => 0, values => $keys };
    my $line  = HandlerSocket2::Protocol::find( 0, q{=}, [q{}], scalar @$keys, 0, $in );
    my $width = @$columns;
    my $make
        = HandlerSocket2::Values::row_maker( $names, [ map { $self->kind($_) } @$names ], $width );
    return {
        kind   => 'get_many',
        line   => _without_id($line),
        decode => sub {
            $decode->( HandlerSocket2::Lines::values_of( $_[0], $width, scalar @$keys ), $make );
        },
        index => $self->index_of($columns),
    };
}

sub get {
    my ( $self, $key ) = @_;
    my $own  = $self->{get} //= $self->_get;
    my $line = defined $key && !ref $key && $key =~ /\A[0-9]{1,14}\z/    # as most keys are
        ? "\t=\t1\t$key\n"
        : _without_id( HandlerSocket2::Protocol::get( 0, $self->key_values($key) ) );
    return { kind => 'get', line => $line, decode => $own->{decode}, index => $own->{index} };
}

# What is the same in every call of get.
sub _get {
    my ($self) = @_;
    my $names  = $self->{columns};
    my $kinds  = [ map { $self->kind($_) } @$names ];
    my $make   = HandlerSocket2::Values::row_maker( $names, $kinds );
    my $width  = @$names;
    my @others = grep { $_ ne 'bytes' && $_ ne 'text' } @$kinds;
    my @texts  = grep { $kinds->[$_] eq 'text' } 0 .. $#$kinds;
    return {
        decode => sub {
            my ( $columns, $values, $number ) = @{ $_[0] };
            if ( @others || $columns != $width || $number != $width ) {
                $values = HandlerSocket2::Lines::values_of( $_[0], $width, 1 );
                return $number ? $make->($values)->[0] : undef;
            }
            for (@texts) { utf8::decode( $values->[$_] ) if defined $values->[$_] }
            my %row;
            @row{@$names} = @$values;
            return \%row;
        },
        index => $self->index_of($names),
    };
}

sub count {
    my ( $self, $op, $key, %options ) = @_;
    my ( $names, $wire ) = $self->filters( $options{filters} );
    my @wanted = ( $op, $self->key_values($key), $options{limit} // 0, 0, undef, $wire );
    return {
        kind    => 'count',
        line    => _without_id( HandlerSocket2::Protocol::count( 0, @wanted ) ),
        decode  => \&HandlerSocket2::Lines::number,
        index   => $self->index_of( [], $names ),
        feature => 'count',
    };
}

sub exists {
    my ( $self, $key ) = @_;
    my $call = $self->count( q{=}, $key, limit => 1 );
    return {
        %$call, kind => 'exists',
        decode => sub { HandlerSocket2::Lines::number( $_[0] ) == 1 }
    };
}

sub _none { return HandlerSocket2::ProtocolError->throw( "this is no reply: $_[0]", sent => 1 ) }

# A number, and in a table with AUTO_INCREMENT an id.
sub _number_and_id {
    my ($reply) = @_;
    my ( $columns, $values, $size ) = @$reply;
    _none('no count') if $columns > 2 || $size != $columns || !$size;
    my ( $number, $id ) = map { HandlerSocket2::Values::count($_) } @$values;
    return ( $number, $id || undef );
}

sub _mark {
    my ($returning) = @_;
    return
          $returning eq 'before' ? q{?}
        : $returning eq 'after'  ? q{!}
        :                          _wrong("returning is before or after, not '$returning'");
}

sub _row {
    my ( $row, $what ) = @_;
    _wrong("$what is a reference to a hash") if ref $row ne 'HASH';
    my @names = sort keys %$row;
    return @names;
}

sub _insert {
    my ( $self, $verb, $row, $decode, %options ) = @_;
    my @names = _row( $row, 'a row' );
    _wrong('a row has a column at least') if !@names;
    my $update;
    if ( my $new = $options{update} ) {
        my @updated = _row( $new, 'an update' );
        if ( any { !exists $row->{$_} } @updated ) {
            _wrong('the columns of the update must be among those of the row');
        }
        @names  = uniq( @updated, @names );
        $update = [ $self->_values( $new, @updated ) ];
    }
    my $values  = [ $self->_values( $row, @names ) ];
    my $feature = $verb eq q{+} ? undef : 'upsert';
    if ( defined $options{returning} ) {
        $verb .= _mark( $options{returning} );
        push @names, grep { !exists $row->{$_} } @{ $self->{columns} };
        $decode = $self->rows( \@names );
        $feature //= 'returning';
    }
    return {
        kind    => 'insert',
        line    => _without_id( HandlerSocket2::Protocol::insert( 0, $verb, $values, $update ) ),
        decode  => $decode,
        index   => $self->index_of( \@names ),
        changes => 1,
        feature => $feature,
    };
}

sub insert {
    my ( $self, $row, %options ) = @_;
    my $decode = sub {
        my ($reply) = @_;
        my $told = $reply->[2] ? 'number' : 'nothing';
        return HandlerSocket2::Lines->can($told)->($reply) || undef;
    };
    return $self->_insert( q{+}, $row, $decode, %options );
}

sub insert_ignore {
    my ( $self, $row, %options ) = @_;
    my $decode = sub {
        my ( $number, $id ) = _number_and_id( $_[0] );
        return { inserted => $number == 1, id => $id };
    };
    return $self->_insert( '+I', $row, $decode, %options );
}

sub upsert {
    my ( $self, $row, %options ) = @_;
    my $decode = sub {
        my ( $number, $id ) = _number_and_id( $_[0] );
        return { did => $DID[$number] // _none('an upsert did something else'), id => $id };
    };
    return $self->_insert( '+U', $row, $decode, %options );
}

sub replace {
    my ( $self, $row, %options ) = @_;
    my $decode = sub {
        my ( $number, $id ) = _number_and_id( $_[0] );
        return { replaced => $number - 1, id => $id };
    };
    return $self->_insert( '+R', $row, $decode, %options );
}

# U, D, + or -: how many rows were changed, or with returning these rows.
sub change {
    my ( $self, $verb, $key, $new, %options ) = @_;
    my ( $names, $wire ) = $self->filters( $options{filters} );
    my @columns = _row( $new, 'what is set' );
    my @values  = $self->_values( $new, @columns );
    _wrong('there is nothing to change') if $verb ne 'D' && !@columns;
    my ( $decode, $feature ) = ( \&HandlerSocket2::Lines::number, undef );
    if ( defined $options{returning} ) {
        my $mark = _mark( $options{returning} );
        @columns = @{ $self->{columns} } if $verb eq 'D';
        $verb .= $mark;
        ( $decode, $feature ) = ( $self->rows( \@columns ), $FEATURE{$mark} );
    }
    my @wanted = (
        $options{op} // q{=}, $self->key_values($key), $options{limit} // 1, 0, undef, $wire,
        $verb, \@values
    );
    return {
        kind    => 'change',
        line    => _without_id( HandlerSocket2::Protocol::change( 0, @wanted ) ),
        decode  => $decode,
        index   => $self->index_of( \@columns, $names ),
        changes => 1,
        feature => $feature,
    };
}

sub compare_and_set {
    my ( $self, $key, $expected, $new ) = @_;
    my @filters = map { [ $_, q{=}, $expected->{$_} ] } _row( $expected, 'what is expected' );
    _wrong('there is nothing to compare with') if !@filters;
    my $call = $self->change( 'U', $key, $new, filters => \@filters );
    return {
        %$call, kind => 'compare_and_set',
        decode => sub { HandlerSocket2::Lines::number( $_[0] ) > 0 }
    };
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Calls - what each call of a table sends, and what its reply means

=head1 SYNOPSIS

    my $call = $calls->get(101);

=head1 DESCRIPTION

The methods give calls, as L<HandlerSocket2::Connection> takes them. Their arguments are those of
L<HandlerSocket2::Table>. Values are encoded, and what cannot be sent is told, when a call is made.

=head1 METHODS

=head2 new

Takes core, database, table, columns, index, kinds and raw.

=head2 get, listed, find, find_all, count, exists

Calls that read.

=head2 insert, insert_ignore, upsert, replace, change, compare_and_set

Calls that change.

=head2 columns, index, kind, key

The columns, the index, the kind of a column, the columns of the index.

=head2 key_values, filters, rows, index_of

Parts of calls: the bytes of a key, filters, what makes rows of a reply, the tokens of an index.

=cut

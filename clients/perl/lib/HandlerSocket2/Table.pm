package HandlerSocket2::Table;

use 5.030;
use warnings;

use HandlerSocket2::Calls      ();
use HandlerSocket2::Core       ();
use HandlerSocket2::Error      ();
use HandlerSocket2::IndexCalls ();
use HandlerSocket2::ManyKeys   ();
use HandlerSocket2::Protocol   ();
use HandlerSocket2::Range      ();
use List::Util                 qw(any);

our $VERSION = '2.000';

sub _wrong { return HandlerSocket2::ValueError->throw( $_[0] ) }

# Options by name; what is none of the allowed ones is refused.
sub options_of {
    my ( $allowed, @given ) = @_;
    _wrong('options are pairs of a name and a value') if @given % 2;
    my %options = @given;
    for my $name ( sort keys %options ) {
        _wrong("there is no option '$name' here") if $allowed !~ /\b\Q$name\E\b/;
    }
    return %options;
}

sub new {
    my ( $class, $core, $name, @given ) = @_;
    my %options = options_of( 'columns index raw', @given );
    my ( $database, $table )
        = HandlerSocket2::Protocol::split_table( $name, $core->options->{database} );
    my $columns = $options{columns};
    _wrong('columns is a reference to a list of names')
        if defined $columns && ref $columns ne 'ARRAY';
    _wrong('a table needs a column') if $columns && !@$columns;
    my $self = {
        core     => $core,
        altered  => $core->alterations,
        database => $database,
        table    => $table,
        columns  => $columns,
        index    => $options{index} // 'PRIMARY',
        raw      => $options{raw},
    };
    return bless $self, $class;
}

# The same table in a transaction or in a pipeline.
sub within {
    my ( $self, $core ) = @_;
    my %same = %$self;
    delete $same{calls};
    return bless { %same, core => $core, altered => $core->alterations }, ref $self;
}

sub _calls {
    my ($self) = @_;
    my $alterations = ${ $self->{altered} };
    return $self->{calls} if $self->{calls} && $self->{made_at} == $alterations;
    $self->{made_at} = $alterations;
    return $self->{calls} = do {
        my %members = %$self;
        my $known   = $self->{raw} && $self->{columns} ? {} : $self->_known;
        $members{columns} //= $known->{names};
        if ( !@{ $members{columns} } && !$self->{columns} ) {
            HandlerSocket2::UnsupportedError->throw('the server tells no columns, so name them');
        }
        HandlerSocket2::Calls->new( %members, kinds => $known->{kinds} // {} );
    };
}

sub _known {
    my ($self) = @_;
    HandlerSocket2::Protocol::index_tokens(
        @$self{qw(database table index)},
        $self->{columns} // []
    );
    return $self->{core}->kinds( @$self{qw(database table columns)} );
}

sub kinds { return { %{ $_[0]->_known->{kinds} } } }

sub _do {
    my ( $self, $call, @arguments ) = @_;
    return $self->{core}->one( $self->_calls->$call(@arguments) );
}

sub get {
    my ( $self, $key ) = @_;
    my $calls = $self->{calls};
    $calls = $self->_calls if !$calls || $self->{made_at} != ${ $self->{altered} };
    return $self->{core}->one( $calls->get($key) );
}

sub get_many {
    my ( $self, $keys ) = @_;
    _wrong('the keys are a list') if ref $keys ne 'ARRAY';
    my $calls = $self->_calls;
    if ( $self->{core}->isa('HandlerSocket2::Pipeline') ) {
        $self->{core}->one( $calls->get($_) ) for @$keys;
        return;
    }

    # Within a transaction an error may have ended it, so that nothing could be asked for behind it.
    my $is_alone = @$keys > 1 && $self->{core}->isa('HandlerSocket2::Core');
    my $found    = $is_alone ? $self->_by_few_requests($keys) : undef;
    return $found // [ $self->_all( map { $calls->get($_) } @$keys ) ];
}

# The results; raises the first error of them.
sub _all {
    my ( $self, @calls ) = @_;
    my @results = $self->{core}->run( \@calls );
    for my $one (@results) {
        die $one if HandlerSocket2::Core::is_error($one);
    }
    return @results;
}

# The rows; undef when each key needs a request of its own. That tells its errors, too.
sub _by_few_requests {
    my ( $self, $keys ) = @_;
    my ( @found, $index );
    my $done = eval {
        $index = HandlerSocket2::IndexCalls->new( @$self{qw(core database table index)} );
        my @calls = HandlerSocket2::ManyKeys::calls( $self->_calls, sub { $self->kinds }, $keys );
        $index->key if @calls;
        @found = $self->_all(@calls);
        1;
    };
    if ( !$done ) {
        my $error = $@;
        die $error
            if !HandlerSocket2::Core::is_error($error)
            || !any { $error->isa("HandlerSocket2::$_") } qw(UnsupportedError ServerError);
        return;
    }
    return if !@found || any { !defined } @found;
    my @rows = map {@$_} @found;

    # Which key has no row is told by the column that the index is known to begin with.
    my $with = grep {defined} @rows;
    return if $with && $with < @rows && !$index->is_as_known;
    return \@rows;
}

sub find {
    my ( $self, $op, $key, @given ) = @_;
    my %options = options_of( 'limit offset filters in', @given );
    return $self->_do_in( find => $op, $key, %options ) if $options{in};
    return $self->_do( find => $op, $key, %options );
}

# A call with a list of values of one of the index's columns.
sub _do_in {
    my ( $self, $call, @arguments ) = @_;
    my ( $core, @name ) = @$self{qw(core database table index)};
    if ( $core->isa('HandlerSocket2::Pipeline') ) {
        $core->forget( @name[ 0, 1 ] );    # it cannot be done again
        return $self->_do( $call, @arguments );
    }
    my $index = HandlerSocket2::IndexCalls->new( $core, @name );
    return $index->known( sub { $index->one( $self->_calls->$call(@arguments) ) } );
}

sub find_all {
    my ( $self, $op, $key, $column, $values, @given ) = @_;
    return $self->_do_in(
        find_all => $op, $key, $column, $values,
        options_of( 'limit offset filters', @given )
    );
}

sub range {
    my ( $self, @given ) = @_;
    _wrong('range is no call of a pipeline') if $self->{core}->isa('HandlerSocket2::Pipeline');
    my %options = options_of( 'start stop reverse filters page', @given );
    return HandlerSocket2::Range->new( $self->{core}, $self->_calls, %options );
}

sub count {
    my ( $self, $op, $key, @given ) = @_;
    return $self->_do( count => $op, $key, options_of( 'limit filters', @given ) );
}

sub exists {
    my ( $self, $key ) = @_;
    return $self->_do( exists => $key );
}

sub insert {
    my ( $self, $row, @given ) = @_;
    return $self->_do( insert => $row, options_of( 'returning', @given ) );
}

sub insert_ignore {
    my ( $self, $row, @given ) = @_;
    return $self->_do( insert_ignore => $row, options_of( 'returning', @given ) );
}

sub upsert {
    my ( $self, $row, @given ) = @_;
    return $self->_do( upsert => $row, options_of( 'update returning', @given ) );
}

sub replace {
    my ( $self, $row, @given ) = @_;
    return $self->_do( replace => $row, options_of( 'returning', @given ) );
}

sub update {
    my ( $self, $key, $values, @given ) = @_;
    return $self->_do(
        change => 'U', $key, $values,
        options_of( 'op limit filters returning', @given )
    );
}

sub delete {
    my ( $self, $key, @given ) = @_;
    return $self->_do(
        change => 'D', $key, {},
        options_of( 'op limit filters returning', @given )
    );
}

sub increment {
    my ( $self, $key, $amounts, @given ) = @_;
    return $self->_do( change => q{+}, $key, $amounts, options_of( 'returning', @given ) );
}

sub decrement {
    my ( $self, $key, $amounts, @given ) = @_;
    return $self->_do( change => q{-}, $key, $amounts, options_of( 'returning', @given ) );
}

sub compare_and_set {
    my ( $self, $key, $expected, $values ) = @_;
    return $self->_do( compare_and_set => $key, $expected, $values );
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Table - a table by one of its indexes

=head1 SYNOPSIS

    my $user = $db->table('test.user', columns => ['user_id', 'user_name']);
    my $row  = $user->get(101);
    $user->update(101, { user_name => 'Yukari' });

=head1 DESCRIPTION

A table is made by C<table> of L<HandlerSocket2>. It is cheap, and opens nothing before it is used.

A B<key> is one value, or a reference to a list of values for an index of several columns, or for its
first ones. A B<row> is a reference to a hash by column names. A B<filter> is a reference to a list:
column, operator, value; with C<'while'> behind these the first row that fails ends the search. Rows come as references to lists of hashes.

=head1 METHODS

=head2 get

    $user->get($key)

The row with this key, or C<undef>.

=head2 get_many

    $user->get_many([1, 2, 3])

A row or C<undef> for each key, in their order, by few requests.

=head2 find

    $user->find('>=', 100, limit => 5, offset => 0, filters => [['user_name', '!=', 'x']])
    $user->find('=', 0, limit => 9, in => ['user_id', [7, 2]])

Rows from the key on; C<limit> is 1 when it is not given. C<in> has a column of the index and its
values; then the value of the key in that place means nothing.

=head2 find_all

    $event->find_all('=', 0, 'user', [7, 8], limit => 10)

All rows of each value; limit and offset are for each.

=head2 range

    my $range = $user->range(start => 100, stop => 200, reverse => 0, filters => [], page => 1000);
    while (my $row = $range->next) { ... }

Rows from C<start> to before C<stop>, read page by page: a L<HandlerSocket2::Range>. C<reverse> needs
C<start>.

=head2 count

    $user->count('>=', 100, limit => 0, filters => [])

How many rows there are. A limit of 0 is none.

=head2 exists

    $user->exists($key)

Whether there is such a row.

=head2 insert

    $user->insert({ user_id => 7 }, returning => 'after')

Adds a row, and gives the generated id, or C<undef>. With C<returning>, here and below, a list of rows.

=head2 insert_ignore

Adds a row if none has its keys: C<< { inserted => $truth, id => $id } >>.

=head2 upsert

    $user->upsert({ user_id => 7, n => 1 }, update => { n => 2 })

Adds a row, or updates the one with its keys: C<< { did => 'inserted', id => $id } >>, or C<updated>,
or C<unchanged>. The columns of C<update> must be in the row, too.

=head2 replace

Adds a row in the place of those with its keys: C<< { replaced => $number, id => $id } >>.

=head2 update

    $user->update($key, { user_name => 'x' }, op => '=', limit => 1, filters => [], returning => 'before')

How many rows were found and set; or these rows, with the columns that are set.

=head2 delete

    $user->delete($key, op => '=', limit => 1, filters => [], returning => 'before')

How many rows were deleted, or these rows.

=head2 increment, decrement

    $counter->increment($key, { n => 1 }, returning => 'after')

Adds to columns, or subtracts, not across zero. How many rows.

=head2 compare_and_set

    $user->compare_and_set($key, { user_name => 'old' }, { user_name => 'new' })

Whether the row was as expected, and so was changed.

=head2 kinds

The kinds of the table's columns by their names, as L<HandlerSocket2::Values> has them. Without the
server's C<D> there are none.

=head2 new, within

Make a table of a client, and the same one in a transaction or a pipeline.

=head2 options_of

Options as a hash. Those that are not among the allowed ones are refused.

=cut

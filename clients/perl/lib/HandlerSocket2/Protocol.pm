package HandlerSocket2::Protocol;

use 5.030;
use warnings;

use Digest::SHA           ();
use HandlerSocket2::Error ();

our $VERSION = '2.000';

use constant MAX_NUMBER => 4_294_967_295;

my %OPERATOR        = map { $_      => $_ } qw(= =< > >= < <=);
my %FILTER_OPERATOR = map { $_      => $_ } qw(= != > >= < <=);
my %CHANGE          = map { $_      => $_ } qw(U U? U! D D? + +? +! - -? -!);
my %INSERT          = map { $_      => $_ } qw(+ +! +I +I? +I! +U +U? +U! +R +R? +R!);
my %ISOLATION       = map { $_      => 1 } qw(RU RC RR SR);
my %ESCAPED         = map { chr($_) => "\x01" . chr( $_ + 64 ) } 0 .. 15;

sub _wrong { return HandlerSocket2::ValueError->throw( $_[0] ) }

sub encode_value {
    my ($value) = @_;
    return "\0"                              if !defined $value;
    $value =~ s/([\x00-\x0f])/$ESCAPED{$1}/g if $value =~ tr/\x00-\x0f//;
    return $value;
}

sub utf8 {
    my ($text) = @_;
    _wrong('a name or a text is missing')        if !defined $text;
    _wrong("the text of a $text cannot be sent") if ref $text;
    _wrong('the text has characters that are no Unicode')
        if utf8::is_utf8($text) && $text =~ /[^\x{0}-\x{d7ff}\x{e000}-\x{10ffff}]/;
    utf8::encode($text);
    return $text;
}

sub name {
    my ($text) = @_;
    my $token = utf8($text);
    _wrong("the name '$text' cannot be sent") if $token =~ tr/\t\n\r\0//;
    return $token;
}

sub number {
    my ( $value, $most ) = @_;
    $most //= MAX_NUMBER;
    if ( !defined $value || ref $value || $value !~ /\A[0-9]{1,10}\z/ || $value > $most ) {
        _wrong( sprintf q{'%s' is no number from 0 to %s}, $value // 'undef', $most );
    }
    return 0 + $value;
}

sub _columns {
    my ($names) = @_;
    for my $one (@$names) {
        _wrong('a column has no name')             if !defined $one || $one eq q{};
        _wrong("the column '$one' cannot be sent") if $one =~ /,/;
    }
    return join q{,}, map { name($_) } @$names;
}

sub _line { return join( "\t", @_ ) . "\n" }

# What stands behind the id in P. It is also what an index is known by.
sub index_tokens {
    my ( $database, $table, $index, $columns, $filter_columns ) = @_;
    my @tokens = ( name($database), name($table), name($index), _columns($columns) );
    push @tokens, _columns($filter_columns) if $filter_columns && @$filter_columns;
    return join "\t", @tokens;
}

sub open_index {
    my ( $id, $tokens ) = @_;
    return _line( 'P', number($id), $tokens );
}

sub _find {
    my ( $id, $op, $key, $limit, $offset, $in, $filters, $more ) = @_;
    _wrong( sprintf q{'%s' is no operator}, $op // 'undef' ) if !defined $op || !$OPERATOR{$op};
    _wrong('the key has no values')                          if !@$key;
    my @tokens = ( number($id), $OPERATOR{$op}, scalar @$key, map { encode_value($_) } @$key );
    my @bounds = ( number( $limit // 1 ), number( $offset // 0 ) );
    $filters //= [];
    if ( $more || $in || @$filters || $bounds[1] ) {
        push @tokens, @bounds;
    }
    elsif ( $bounds[0] != 1 ) {
        push @tokens, $bounds[0];
    }
    push @tokens, _in( $in, scalar @$key ) if $in;
    for my $one (@$filters) {
        my ( $kind, $compare, $column, $value ) = @$one;
        if ( $kind ne 'F' && $kind ne 'W' || !defined $compare || !$FILTER_OPERATOR{$compare} ) {
            _wrong( sprintf q{'%s' '%s' is no filter}, $kind, $compare // 'undef' );
        }
        push @tokens, $kind, $FILTER_OPERATOR{$compare}, number($column), encode_value($value);
    }
    return @tokens;
}

sub _in {
    my ( $in, $parts ) = @_;
    my ( $part, $values, $all ) = @$in{qw(part values all)};
    my $number = number($part);
    _wrong('the list of values is empty, or none of a part of the key')
        if !@$values || $number >= $parts;
    return ( $all ? q{&} : q{@}, $number, scalar @$values, map { encode_value($_) } @$values );
}

# A find of one row by its key.
sub get {
    my ( $id, $key ) = @_;
    _wrong('the key has no values') if !@$key;
    return join( "\t", number($id), q{=}, scalar @$key, map { encode_value($_) } @$key ) . "\n";
}

sub find {
    my ( $id, $op, $key, $limit, $offset, $in, $filters ) = @_;
    return _line( _find( $id, $op, $key, $limit, $offset, $in, $filters, 0 ) );
}

sub count {
    my ( $id, $op, $key, $limit, $offset, $in, $filters ) = @_;
    return _line( _find( $id, $op, $key, $limit // 0, $offset, $in, $filters, 1 ), 'C' );
}

sub change {
    my ( $id, $op, $key, $limit, $offset, $in, $filters, $verb, $values ) = @_;
    _wrong("'$verb' is no change") if !$CHANGE{$verb};
    return _line(
        _find( $id, $op, $key, $limit, $offset, $in, $filters, 1 ),
        $CHANGE{$verb}, map { encode_value($_) } @$values
    );
}

sub insert {
    my ( $id, $verb, $values, $update ) = @_;
    _wrong("'$verb' is no insert of this kind") if !$INSERT{$verb} || $update && $verb !~ /\A[+]U/;
    my @tokens
        = ( number($id), $INSERT{$verb}, scalar @$values, map { encode_value($_) } @$values );
    push @tokens, scalar @$update, map { encode_value($_) } @$update if $update;
    return _line(@tokens);
}

sub begin {
    my ( $isolation, $read_only ) = @_;
    _wrong("'$isolation' is no isolation") if defined $isolation && !$ISOLATION{$isolation};
    return _line( 'T', 'B', $isolation // (), $read_only ? 'RO' : () );
}

sub commit   { return "T\tC\n" }
sub rollback { return "T\tR\n" }

sub _label {
    my ($name) = @_;
    my $label = utf8($name);
    _wrong('the name of a savepoint has at most 256 bytes') if length $label > 256;
    return encode_value($label);
}

sub savepoint   { return _line( 'T', 'S', _label( $_[0] ) ) }
sub rollback_to { return _line( 'T', 'U', _label( $_[0] ) ) }
sub last_gtid   { return "G\tL\n" }

sub wait_gtid {
    my ( $gtid, $milliseconds ) = @_;
    return _line( 'G', 'W', name($gtid), number( $milliseconds, 600_000 ) );
}

sub hello {
    my ( $version, $client ) = @_;
    return _line( 'H', number($version), name($client) );
}

sub describe {
    my ( $database, $table, $indexes ) = @_;
    my $named = defined $database && $database ne q{};
    _wrong('a table has a database') if defined $table && !$named || $indexes && !defined $table;
    my @names = map { encode_value( utf8($_) ) } grep {defined} $database, $table;
    return _line( 'D', @names, $indexes ? 'I' : () );
}

sub login {
    my ( $user, $methods ) = @_;
    return _line( 'A', 2, name($user), $methods ? name( join q{,}, @$methods ) : () );
}

sub answer { return _line( 'A', 3, unpack 'H*', $_[0] ) }

sub password {
    my ( $user, $password ) = @_;
    return _line( 'A', 4, name($user), encode_value( utf8($password) ) );
}

sub secret { return _line( 'A', 1, encode_value( utf8( $_[0] ) ) ) }

sub native_password {
    my ( $password, $challenge ) = @_;
    return q{} if $password eq q{};
    my $once = Digest::SHA::sha1($password);
    return $once ^. Digest::SHA::sha1( $challenge . Digest::SHA::sha1($once) );
}

my $QUOTED    = qr/`(?:[^`]|``)+`/;
my $NAME      = qr/($QUOTED|[^.`][^.]*)/;
my $FULL_NAME = qr/\A(?:$NAME[.]($QUOTED|[^`].*)|$NAME)\z/s;

sub split_name {
    my ($text) = @_;
    my @parts = grep {defined} ( $text // q{} ) =~ $FULL_NAME;
    _wrong( sprintf q{'%s' does not name a table and its database}, $text // 'undef' ) if !@parts;
    for (@parts) { s/``/`/g if s/\A`(.*)`\z/$1/s }
    return @parts;
}

sub split_table {
    my ( $text, $database ) = @_;
    my @parts = split_name($text);
    unshift @parts, $database // q{} if @parts == 1;
    _wrong("'$text' does not name a table and its database") if $parts[0] eq q{};
    return @parts;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Protocol - the bytes of requests

=head1 SYNOPSIS

    my $line = HandlerSocket2::Protocol::find(1, '=', ['101']);

=head1 DESCRIPTION

Functions that give lines of the protocol, as bytes. They know no socket. Values are bytes or
C<undef>; names are text. What cannot be sent is a C<HandlerSocket2::ValueError>.

=head1 FUNCTIONS

=head2 encode_value, name, number, utf8

Tokens: of a value, of a name, of a number from 0 on, and the bytes of a text.

=head2 index_tokens

    index_tokens($database, $table, $index, \@columns, \@filter_columns)

What stands behind the id when an index is opened.

=head2 open_index, get, find, count, change, insert

The requests for rows. C<$in> is C<< { part => $number, values => \@values, all => $truth } >>, a
filter C<< [$kind, $operator, $column_number, $value] >>.

=head2 begin, commit, rollback, savepoint, rollback_to

Transactions.

=head2 last_gtid, wait_gtid, hello, describe

What they are called in the protocol.

=head2 login, answer, password, secret

The forms of C<A>.

=head2 native_password

    native_password($password, $challenge)

The response of C<mysql_native_password>, all in bytes.

=head2 split_name

The parts of C<database.table>, or the only part. A part may stand in backquotes, as in SQL.

=head2 split_table

Database and table of C<database.table>, or of a table of the client's database.

=head2 MAX_NUMBER

The largest number: 4294967295.

=cut

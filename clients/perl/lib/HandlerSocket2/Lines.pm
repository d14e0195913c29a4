package HandlerSocket2::Lines;

use 5.030;
use warnings;

use HandlerSocket2::Error    ();
use HandlerSocket2::Protocol ();
use HandlerSocket2::Values   ();
use List::Util               qw(any);
use Scalar::Util             qw(looks_like_number);

our $VERSION = '2.000';

# Of columns in a table, and of those in its indexes.
use constant MOST_PARTS => 4096;

my @COLUMN = qw(column type nullable key default extra character_set comment);
my @INDEX  = qw(index position column unique direction prefix_length);

# What D tells of everything.
my @NEVER_NULL = qw(database table column type nullable index position unique);

sub _none { return HandlerSocket2::ProtocolError->throw( "this is no reply: $_[0]", sent => 1 ) }

# The values of a reply that has so many columns, and so many rows at most.
sub values_of {
    my ( $reply, $columns, $rows ) = @_;
    return $reply->[1]
        if $reply->[0] == $columns && ( !defined $rows || $reply->[2] <= $columns * $rows );
    return _none('it has other columns, or more rows, than asked for');
}

# The number of a reply that has nothing else.
sub number { return HandlerSocket2::Values::count( values_of( $_[0], 1, 1 )->[0] ) }

# Of a reply that has nothing to tell.
sub nothing {
    values_of( $_[0], 1, 0 );
    return;
}

# A call of a line that is answered with nothing.
sub line {
    my ( $kind, $line, $feature ) = @_;
    return { kind => $kind, line => $line, decode => \&nothing, feature => $feature };
}

# H, as it stands in the line.
sub hello {
    my ($line) = @_;
    return { kind => 'ping', line => $line, decode => sub { } };
}

my $UUID = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
my $GTID
    = qr/\A(?:[0-9]{1,10}-[0-9]{1,10}-[0-9]{1,20}|$UUID(?::[a-z_][a-z0-9_]{0,31})?:[0-9]{1,19})?\z/;

# A GTID, or nothing before the first change.
sub last_gtid {
    return {
        kind   => 'last_gtid',
        line   => HandlerSocket2::Protocol::last_gtid(),
        decode => sub {
            my $found = values_of( $_[0], 1, 1 )->[0];
            return defined $found && $found =~ $GTID ? $found : _none('no GTID');
        },
        feature => 'gtid',
    };
}

sub wait_for {
    my ( $gtid, $seconds ) = @_;
    HandlerSocket2::ValueError->throw('no number of seconds') if !looks_like_number($seconds);
    my $line = HandlerSocket2::Protocol::wait_gtid( $gtid, int $seconds * 1000 );
    return {
        kind    => 'wait_for_gtid',
        line    => $line,
        decode  => sub { ( $_[0][1][0] // q{} ) eq '1' },
        feature => 'gtid',
    };
}

# D: a list of hashes for databases, tables, columns or indexes.
sub describe {
    my ( $database, $table, $indexes ) = @_;
    my $line = HandlerSocket2::Protocol::describe( $database, $table, $indexes );
    my @names
        = $indexes          ? @INDEX
        : defined $table    ? @COLUMN
        : defined $database ? qw(table comment)
        :                     'database';
    my $decode = sub {
        my $values = values_of( $_[0], scalar @names, defined $table ? MOST_PARTS : undef );
        for my $one ( grep {defined} @$values ) {
            utf8::decode($one);
        }
        my @rows;
        while ( my @some = splice @$values, 0, scalar @names ) {
            my %row;
            @row{@names} = @some;
            _none('a name or a type is missing')
                if any { exists $row{$_} && !defined $row{$_} } @NEVER_NULL;
            push @rows, \%row;
            $row{nullable} = $row{nullable} eq 'YES' if defined $row{nullable};
            next                                     if !$indexes;
            $row{unique} = $row{unique} eq '1';
            for my $number (qw(position prefix_length)) {
                $row{$number} = HandlerSocket2::Values::count( $row{$number} )
                    if defined $row{$number};
            }
        }
        return \@rows;
    };
    return { kind => 'describe', line => $line, decode => $decode, feature => 'describe' };
}

# One line as it is: code, number of columns and values.
sub raw {
    my ( $tokens, $changes ) = @_;
    HandlerSocket2::ValueError->throw('the tokens are a list') if ref $tokens ne 'ARRAY';
    my $line = join "\t", map { HandlerSocket2::Protocol::utf8($_) } @$tokens;
    HandlerSocket2::ValueError->throw('a line has no LF') if $line =~ /\n/;
    HandlerSocket2::ValueError->throw(
        'an index, a login and a transaction are of one connection, which raw has not')
        if $line =~ /\A[0-9APT]/;
    return {
        kind    => 'raw',
        line    => "$line\n",
        decode  => sub { [ 0, $_[0][0], @{ $_[0][1] } ] },
        changes => $changes,
    };
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Lines - calls that are of no table

=head1 SYNOPSIS

    my $databases = $core->one(HandlerSocket2::Lines::describe());

=head1 DESCRIPTION

Functions that give calls, as L<HandlerSocket2::Connection> takes them.

=head1 FUNCTIONS

=head2 line

A line that is answered with nothing.

=head2 hello

A call of C<H>.

=head2 values_of, number, nothing

The values of a reply, its number, or nothing; a ProtocolError when the reply is another one.

=head2 last_gtid, wait_for

C<G L> and C<G W>.

=head2 describe

C<D>: of the server, of a database, of a table or of a table's indexes.

=head2 raw

One line as it is.

=cut

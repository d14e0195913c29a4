package HandlerSocket2::Reader;

use 5.030;
use warnings;

use HandlerSocket2::Error      ();
use HandlerSocket2::LongValues ();

our $VERSION = '2.000';

use constant MAX_REPLY => 64 << 20;

# From here on a list of values is worth a second look.
use constant LONG => 1 << 16;

my %PLAIN = map { chr( $_ + 64 ) => chr($_) } 0 .. 15;

sub _wrong { return HandlerSocket2::ProtocolError->throw( $_[0], sent => 1 ) }

sub decode_value {
    my ($token) = @_;
    return undef if $token eq "\0";    ## no critic (ProhibitExplicitReturnUndef)
    $token =~ s/\x01(.?)/$PLAIN{$1} \/\/ _wrong('an escape sequence is none')/gse;
    return $token;
}

sub parse_reply {
    my ($line) = @_;
    my $long = length $line >= LONG;
    return [ 1, [$1], 1 ]
        if !$long && $line =~ /\A0\t1\t([^\t\x00\x01]*)\z/;    # one value, as most have
    my ( $code, $columns, @values ) = split /\t/, $line, $long ? 3 : -1;
    _wrong('this is no reply') if $line !~ /\A[0-9]{1,10}\t[0-9]{1,10}(?:\t|\z)/;
    if ( $code ne '0' ) {
        _wrong('this is no error') if $columns != 1;
        my $text = join q{ }, @values;
        $text =~ tr/\t/ /;
        $text =~ s/[^\x00-\x7f]/\x{fffd}/g;
        return HandlerSocket2::Error->of_server( $code, $text );
    }
    my $number = $long ? ( $line =~ tr/\t// ) - 1 : @values;
    if ( $columns == 0 ? $number : $number % $columns ) {
        _wrong('the values are no multiple of the columns');
    }
    return [ 0 + $columns, HandlerSocket2::LongValues->new( $values[0], \&decode_value ), $number ]
        if $long && $number;
    @values = map { decode_value($_) } @values if $line =~ tr/\x00\x01//;
    return [ 0 + $columns, \@values, $number ];
}

# The only reply that is awaited, where these bytes are just that and it has one value, as most have.
sub only {
    my ( $self, $data ) = @_;
    return
        $self->{rest} eq q{}
        && length $data < $self->{short} && $data =~ /\A0\t1\t([^\t\n\x00\x01]*)\n\z/
        ? [ 1, [$1], 1 ]
        : undef;
}

sub new {
    my ( $class, $max_reply ) = @_;
    my $max = $max_reply // MAX_REPLY;
    return bless { max => $max, short => $max < LONG ? $max : LONG, rest => q{} }, $class;
}

sub rest { return length $_[0]{rest} }

sub feed {
    my ( $self, $data ) = @_;
    if ( index( $data, "\n" ) < 0 ) {
        $self->{rest} .= $data;
        $self->_bound( length $self->{rest} );
        return;
    }
    if ( $self->{rest} ne q{} ) {
        $data = $self->{rest} . $data;
        $self->{rest} = q{};
    }
    my $may_be_long = length $data >= $self->{max};
    my @lines       = split /\n/, $data, -1;
    $self->{rest} = pop @lines;
    if ($may_be_long) { $self->_bound( length $_ ) for @lines, $self->{rest} }
    return map { parse_reply($_) } @lines;
}

# A reply is bounded with its LF, so what comes before it is shorter.
sub _bound {
    my ( $self, $size ) = @_;
    _wrong('the reply is too long') if $size >= $self->{max};
    return;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Reader - replies from bytes

=head1 SYNOPSIS

    my $reader = HandlerSocket2::Reader->new;
    for my $reply ($reader->feed($bytes)) {
        die $reply if ref $reply ne 'ARRAY';
        my ($columns, $values, $number) = @$reply;
    }

=head1 DESCRIPTION

Turns bytes, in any pieces, into replies. It knows no socket. A reply is C<[$columns, \@values, $number_of_values]>, or
the object of a C<HandlerSocket2::ServerError>.

=head1 METHODS AND FUNCTIONS

=head2 new

    HandlerSocket2::Reader->new($max_reply)

C<$max_reply> is the most bytes of a reply with its LF; without it 64 MiB.

=head2 feed

The replies that these bytes end. Raises a C<HandlerSocket2::ProtocolError> when one is none, or is
too long.

=head2 only

The reply in these bytes, if they are just one, of one value as it is; else undef, and feed is to be used. It takes less
than feed.

=head2 rest

How many bytes have come that are no whole reply yet.

=head2 parse_reply, decode_value

The reply in a line without its LF; the value of a token.

=head2 MAX_REPLY, LONG

The bound of a reply in bytes, where no other is given; from how many bytes on its values are listed only when one of
them is used.

=cut

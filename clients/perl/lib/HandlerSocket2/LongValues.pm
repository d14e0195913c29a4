package HandlerSocket2::LongValues;

use 5.030;
use warnings;

use overload '@{}' => sub { return $_[0]->() }, fallback => 1;

our $VERSION = '2.000';

sub new {
    my ( $class, $tokens, $decode ) = @_;
    my $listed;
    my $list = sub {
        if ( !$listed ) {
            $listed  = [ split /\t/, $tokens, -1 ];
            @$listed = map { $decode->($_) } @$listed if $tokens =~ tr/\x00\x01//;
            $tokens  = q{};
        }
        return $listed;
    };
    return bless $list, $class;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::LongValues - the values of a long reply

=head1 SYNOPSIS

    my $values = HandlerSocket2::LongValues->new($tokens, \&HandlerSocket2::Reader::decode_value);
    say $values->[0];

=head1 DESCRIPTION

Used as a reference to a list. The values are listed when one of them is used: for 64 MiB of empty values the list takes
some 6 GiB, so that of a reply which is no answer is never made.

=head1 METHODS

=head2 new

Takes the values as they came, with tabs between them, and what gives the value of one.

=cut

package HandlerSocket2::Gtids;

use 5.030;
use warnings;

our $VERSION = '2.000';

sub new {
    my ($class) = @_;
    return bless {}, $class;
}

# As text of one length, for numbers of 64 bits.
sub _number { return sprintf '%020s', ( split /-/, $_[0] )[2] // 0 }

sub note {
    my ( $self, $gtid ) = @_;
    return if $gtid eq q{};
    my ($domain) = split /-/, $gtid;
    my $known    = $self->{$domain};
    $self->{$domain} = $gtid if !defined $known || _number($gtid) gt _number($known);
    return;
}

sub all {
    my ($self) = @_;
    return join q{,}, map { $self->{$_} } sort keys %$self;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Gtids - the highest GTID of each domain that a client's changes have

=head1 SYNOPSIS

    $gtids->note('0-1-4711');
    my $position = $gtids->all;

=head1 DESCRIPTION

With read_your_writes, reads wait for these.

=head1 METHODS

=head2 new

Without any.

=head2 note

Takes notice of one, as C<G L> tells it; empty without one.

=head2 all

With commas between them, as C<G W> takes them.

=cut

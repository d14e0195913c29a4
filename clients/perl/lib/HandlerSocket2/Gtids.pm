package HandlerSocket2::Gtids;

use 5.030;
use warnings;

our $VERSION = '2.000';

sub new {
    my ($class) = @_;
    return bless {}, $class;
}

# What numbers the changes (a domain of MariaDB; a UUID with its tag of MySQL), and the number as text of one
# length, since it may have 64 bits.
sub _parts {
    my ($gtid) = @_;
    my ( $source, $number )
        = $gtid =~ /:/ ? $gtid =~ /\A(.+):([^:]+)\z/ : ( split /-/, $gtid )[ 0, 2 ];
    return ( $source, sprintf '%020s', $number );
}

sub note {
    my ( $self, $gtid ) = @_;
    return if $gtid eq q{};
    my ( $source, $number ) = _parts($gtid);
    my ( undef,   $last )   = _parts( $self->{$source} // $gtid );
    $self->{$source} = $gtid if $number ge $last;
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

HandlerSocket2::Gtids - the highest GTIDs that a client's changes have

=head1 SYNOPSIS

    $gtids->note('0-1-4711');
    my $position = $gtids->all;

=head1 DESCRIPTION

One for each domain of MariaDB (C<domain-server-number>), or for each UUID and tag of MySQL (C<uuid:number>,
C<uuid:tag:number>). With read_your_writes, reads wait for these.

=head1 METHODS

=head2 new

Without any.

=head2 note

Takes notice of one, as C<G L> tells it; empty without one.

=head2 all

With commas between them, as C<G W> takes them.

=cut

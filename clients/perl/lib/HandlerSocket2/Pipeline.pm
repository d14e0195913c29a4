package HandlerSocket2::Pipeline;

use 5.030;
use warnings;

use HandlerSocket2::Error ();
use Scalar::Util          qw(blessed);

our $VERSION = '2.000';

# The core is that of the client, or a transaction.
sub new {
    my ( $class, $core ) = @_;
    return bless { core => $core, calls => [] }, $class;
}

# A pipeline; with work for it, the results of the calls that the work makes.
sub of {
    my ( $class, $core, $work ) = @_;
    my $made = $class->new($core);
    return $made if !defined $work;
    HandlerSocket2::ValueError->throw('the work of a pipeline is a function')
        if ref $work ne 'CODE';
    $work->($made);
    return $made->run;
}

sub options     { return $_[0]{core}->options }
sub alterations { return $_[0]{core}->alterations }
sub kinds       { my ( $self, @table ) = @_; return $self->{core}->kinds(@table) }
sub key         { my ( $self, @index ) = @_; return $self->{core}->key(@index) }
sub forget      { my ( $self, @table ) = @_; return $self->{core}->forget(@table) }

sub table {
    my ( $self, $table, @options ) = @_;
    return $table->within($self) if blessed $table && $table->isa('HandlerSocket2::Table');
    return HandlerSocket2::Table->new( $self, $table, @options );
}

sub one {
    my ( $self, $call ) = @_;
    push @{ $self->{calls} }, $call;
    return;
}

sub run {
    my ($self) = @_;
    my $calls = $self->{calls};
    $self->{calls} = [];
    return $self->{core}->run($calls);
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Pipeline - calls that are sent in one piece

=head1 SYNOPSIS

    my $pipeline = $db->pipeline;
    my $in       = $pipeline->table($user);
    $in->get(1);
    $in->update(2, { user_name => 'x' });
    my ($row, $number) = $pipeline->run;

    my @results = $db->pipeline( sub {
        my ($pipeline) = @_;
        $pipeline->table($user)->get($_) for 1, 2;
    } );

=head1 DESCRIPTION

A pipeline is made by C<pipeline> of L<HandlerSocket2> or of L<HandlerSocket2::Transaction>. Reads and
changes of one pipeline go to the write port when there is a change among them.

=head1 METHODS

=head2 table

The table: one of the client, or a name and options as the client takes them. Its calls
are then collected. They give nothing. C<get_many> is one call for each key, and C<range> cannot be collected.

=head2 run

Sends what was collected. Gives a list of results in the order of the calls; the error of a call is its
result, an object of L<HandlerSocket2::Error>. Afterwards the pipeline is empty.

=head2 new, of, one, kinds, key, forget, options, alterations

What clients and tables ask for.

=cut

package HandlerSocket2::Transaction;

use 5.030;
use warnings;

use HandlerSocket2::Core     ();
use HandlerSocket2::Error    ();
use HandlerSocket2::Lines    ();
use HandlerSocket2::Pipeline ();
use HandlerSocket2::Pool     ();
use HandlerSocket2::Protocol ();
use Scalar::Util             qw(blessed);

our $VERSION = '2.000';

# Options: isolation (RU, RC, RR or SR), read_only.
sub new {
    my ( $class, $core, @given ) = @_;
    my %options = HandlerSocket2::Table::options_of( 'isolation read_only', @given );
    return bless {
        core      => $core,
        read_only => $options{read_only},
        line      => HandlerSocket2::Protocol::begin( @options{qw(isolation read_only)} ),
    }, $class;
}

sub options     { return $_[0]{core}->options }
sub alterations { return $_[0]{core}->alterations }
sub kinds       { my ( $self, @table ) = @_; return $self->{core}->kinds(@table) }
sub key         { my ( $self, @index ) = @_; return $self->{core}->key(@index) }
sub forget      { my ( $self, @table ) = @_; return $self->{core}->forget(@table) }
sub columns     { my ( $self, @table ) = @_; return $self->{core}->columns(@table) }

sub table {
    my ( $self, $table, @options ) = @_;
    return $table->within($self) if blessed $table && $table->isa('HandlerSocket2::Table');
    return HandlerSocket2::Table->new( $self, $table, @options );
}

sub pipeline {
    my ( $self, $work ) = @_;
    return HandlerSocket2::Pipeline->of( $self, $work );
}

sub begin {
    my ($self) = @_;
    HandlerSocket2::ValueError->throw('the transaction has begun') if $self->{connection};
    $self->{pool}       = $self->{read_only} ? $self->{core}->reader : $self->{core}->writer;
    $self->{connection} = $self->{pool}->take(1);
    $self->{owner}      = HandlerSocket2::Pool::owner();
    return if eval {
        $self->one( HandlerSocket2::Lines::line( 'begin', $self->{line}, 'transaction' ) );
        1;
    };
    my $error = $@;
    $self->_leave(1);
    die $error;
}

# As Core's; nothing is sent again.
sub run {
    my ( $self, $calls ) = @_;
    return $self->{core}->observe( sub { $self->_run(@_) }, $calls );
}

sub _run {
    my ( $self, $calls, $commits ) = @_;
    HandlerSocket2::ValueError->throw('the transaction has ended, or has not begun')
        if !$self->{connection};
    if ( $self->{owner} ne HandlerSocket2::Pool::owner() ) {
        HandlerSocket2::ValueError->throw('the transaction is of another process');
    }
    my @sent = $self->{read_only} ? grep { !$_->{changes} } @$calls : @$calls;
    my ( $core, $connection, @results ) = @$self{qw(core connection)};
    my $fine = eval {
        @results
            = $commits && !$self->{read_only}
            ? $core->write_on( $connection, \@sent )
            : $connection->execute( \@sent, $core->options->{timeout} );
        1;
    };
    my $error = $@;
    $connection->close if !$fine || $connection->broken;    # the server rolls back at once
    die $error         if !$fine;
    return @results    if @sent == @$calls;
    return
        map { $_->{changes} ? HandlerSocket2::Error->of_server( 2, 'readonly' ) : shift @results }
        @$calls;
}

sub one {
    my ( $self, $call ) = @_;
    my ($result) = $self->run( [$call] );
    die $result if HandlerSocket2::Core::is_error($result);
    return $result;
}

sub commit {
    my ($self) = @_;
    return if !$self->{connection};
    my $call = HandlerSocket2::Lines::line( 'commit', HandlerSocket2::Protocol::commit() );
    my ($result) = eval {
        $self->{core}->observe( sub { $self->_run( $_[0], 1 ) }, [$call] );
    };
    my $error = $@ || ( HandlerSocket2::Core::is_error($result) ? $result : undef );
    $self->_leave( $error && !( blessed $error && $error->isa('HandlerSocket2::ServerError') ) );
    die $error if $error;
    return;
}

# A connection on which this fails is closed, and so the server rolls back.
sub rollback {
    my ($self) = @_;
    return if !$self->{connection};
    my $fine = eval {
        $self->one( HandlerSocket2::Lines::line(
            'rollback', HandlerSocket2::Protocol::rollback() ) );
        1;
    };
    $self->_leave( !$fine );
    return;
}

sub _leave {
    my ( $self, $broken ) = @_;
    my $connection = delete $self->{connection};
    $connection->break_off if $broken;
    $self->{pool}->give_back($connection);
    return;
}

sub savepoint {
    my ( $self, $name ) = @_;
    $self->one(
        HandlerSocket2::Lines::line( 'savepoint', HandlerSocket2::Protocol::savepoint($name) ) );
    return;
}

sub rollback_to {
    my ( $self, $name ) = @_;
    $self->one(
        HandlerSocket2::Lines::line( 'rollback_to', HandlerSocket2::Protocol::rollback_to($name) )
    );
    return;
}

# A transaction that is dropped is rolled back, for its connection is closed.
sub DESTROY {
    my ($self) = @_;
    return if ${^GLOBAL_PHASE} eq 'DESTRUCT';    # the connections end with the process
    return if !$self->{connection} || $self->{owner} ne HandlerSocket2::Pool::owner();
    local ( $@, $! ) = ( $@, $! );
    $self->_leave(1);
    return;
}

1;
__END__

=encoding utf8

=head1 NAME

HandlerSocket2::Transaction - a transaction on a connection of its own

=head1 SYNOPSIS

    $db->transaction(sub {
        my ($transaction) = @_;
        my $account = $transaction->table($table);
        $account->decrement(1, { money => 30 });
        $account->increment(2, { money => 30 });
    });

=head1 DESCRIPTION

A transaction is made by C<transaction> of L<HandlerSocket2>. With a function it begins, commits behind
the function, and rolls back when the function fails. Without one the program calls C<begin>, C<commit>
and C<rollback>. One that is dropped before is rolled back. Nothing in it is sent again.

=head1 METHODS

=head2 table

The table within the transaction: one of the client, or a name and options as the client takes them.

=head2 pipeline

A L<HandlerSocket2::Pipeline> within the transaction, or as C<pipeline> of L<HandlerSocket2> with a function.

=head2 begin, commit, rollback

When C<commit> fails, nothing was kept, unless the error is a C<ConnectionError> with C<sent>. C<rollback> does not fail. Both do nothing for a transaction
that has ended.

=head2 savepoint, rollback_to

    $transaction->savepoint('here');
    $transaction->rollback_to('here');

Sets a savepoint, and undoes what was done since.

=head2 new, run, one, kinds, key, forget, columns, options, alterations

What a table asks for.

=cut

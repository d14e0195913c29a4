# A pipeline, and a transaction that moves money, in a table that `./run` does not make:
# CREATE TABLE test.account (id INT PRIMARY KEY, money INT NOT NULL)
use 5.030;
use warnings;

use HandlerSocket2;

my $db      = HandlerSocket2->connect;
my $account = $db->table( 'test.account', columns => [ 'id', 'money' ] );
$account->upsert( { id => 1, money => 100 } );
$account->upsert( { id => 2, money => 50 } );

$db->transaction( sub {
    my ($transaction) = @_;
    my $inside = $transaction->table($account);
    $inside->decrement( 1, { money => 30 } );
    $inside->increment( 2, { money => 30 } );
} );

my @rows = $db->pipeline( sub {
    my ($pipeline) = @_;
    $pipeline->table($account)->get($_) for 1, 2;
} );
say join q{ }, map { $_->{money} } @rows;

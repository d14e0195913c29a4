# Adds a row to test.user, reads it, and counts.
use 5.030;
use warnings;

use HandlerSocket2;

my $db   = HandlerSocket2->connect;                                            # HS_URL says where
my $user = $db->table( 'test.user', columns => [ 'user_id', 'user_name' ] );
$user->upsert( { user_id => 101, user_name => 'Yukari Takeba' } );
say $user->get(101)->{user_name};
say join q{ },               map { $_->{user_id} } $user->range( start => 1, stop => 200 )->all;
say $user->count( '>=', 1 ), ' rows';

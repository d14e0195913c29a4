# A client that is made before fork and used behind it: each process opens its own connections.
use 5.030;
use warnings;

use HandlerSocket2;

my $db   = HandlerSocket2->connect;
my $user = $db->table( 'test.user', columns => [ 'user_id', 'user_name' ] );
$user->upsert( { user_id => 101, user_name => 'Yukari Takeba' } );
my @children = map {
    my $child = fork // die "fork: $!";
    exit( $user->get(101)->{user_name} eq 'Yukari Takeba' ? 0 : 1 ) if !$child;
    $child;
} 1 .. 4;
for my $child (@children) {
    waitpid $child, 0;
    die 'a process has failed' if $?;
}
say scalar @children, ' processes';

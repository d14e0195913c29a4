# Counts requests and their time by a hook, as a client of Prometheus or OpenTelemetry would.
use 5.030;
use warnings;

use HandlerSocket2;

my ( %seconds, %failures );

# Is called behind each request: $histogram->observe($took), $span->set_attribute(...).
sub on_request {
    my ( $kind, $table, $took, $error ) = @_;
    $seconds{$kind} += $took;
    $failures{ ref $error }++ if $error;
    return;
}

my $db = HandlerSocket2->connect( on_request => \&on_request );
$db->table( 'test.user', columns => ['user_id'] )->get(101);
say join q{ }, sort keys %seconds;

# A program for the original's module, as such programs are written.
use strict;
use warnings;
use Net::HandlerSocket;

my $host    = 'localhost';
my $port    = $ENV{HS_TEST_READ_PORT}  || 9998;
my $port_wr = $ENV{HS_TEST_WRITE_PORT} || 9999;

my $hsw = new Net::HandlerSocket( { host => $host, port => $port_wr } );
my $err = $hsw->open_index( 1, 'test', 'user', 'PRIMARY', 'user_id,user_name' );
die $hsw->get_error() if $err != 0;
$hsw->execute_single( 1, '=', ['105'], 1, 0, 'D' );
my $res = $hsw->execute_single( 1, '+', [ '105', 'Jon' ], 0, 0 );
die $hsw->get_error() if $res->[0] != 0;
$res = $hsw->execute_single( 1, '=', ['105'], 1, 0, 'U', [ '105', 'Jon Pertwee' ] );
die $hsw->get_error() if $res->[0] != 0;
printf( "Number of Updated Rows:\t%s\n", $res->[1] );
$hsw->close();

my $hs = new Net::HandlerSocket( { host => $host, port => $port } );
$err = $hs->open_index( 3, 'test', 'user', 'PRIMARY', 'user_name' );
die $hs->get_error() if $err != 0;
$res = $hs->execute_multi( [ [ 3, '=', ['105'], 1, 0 ], [ 3, '=', ['4000000000'], 1, 0 ] ] );
for my $one (@$res) {
    die $hs->get_error() if $one->[0] != 0;
    shift(@$one);
    print join( "\t", @$one ), "\n";
}
$hs->close();

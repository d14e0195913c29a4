# On a real server, which has the tables test.user (user_id, user_name) and test.account (id, money): the examples, and
# what the acceptance script does not see.
use 5.030;
use warnings;
use utf8;

use FindBin;
use Test::More;

use HandlerSocket2;
use Net::HandlerSocket;

my ( $read, $write ) = @ENV{qw(HS_TEST_READ_PORT HS_TEST_WRITE_PORT)};
plan skip_all => 'HS_TEST_READ_PORT and HS_TEST_WRITE_PORT name no server' if !$read || !$write;

my $root = "$FindBin::Bin/..";
my $url  = "hs://127.0.0.1:$read/test?write_port=$write";
local $ENV{HS_URL} = $url;

sub output_of {
    my (@program) = @_;
    open my $run, '-|', $^X, ( map {"-I$_"} @INC ), @program or die "perl: $!";
    my $output = do { local $/ = undef; readline $run };
    return close $run ? $output : undef;
}

subtest 'examples run' => sub {
    my @examples = glob "$root/examples/*.pl";
    ok length( output_of($_) // q{} ), s{.*/}{}r for @examples;
    like output_of("$root/examples/old_api.pl"),
        qr/\ANumber of Updated Rows:\t1\nJon Pertwee\n\n\z/, 'the old API';
};

subtest 'the first row of the README' => sub {
    plan skip_all => 'the README is elsewhere' if !-e "$root/README.md";
    open my $file, '<', "$root/README.md" or die "README.md: $!";
    my ($code) = do { local $/ = undef; readline $file }
        =~ /```perl\n(.*?)```/s;
    $code =~ s{hs://127.0.0.1:9998[?]write_port=9999}{$url};
    is output_of( '-e', $code ), "Yukari Takeba\n", 'is there';
};

subtest 'texts, keys and large pipelines' => sub {
    my $db   = HandlerSocket2->connect( $url, pool_size => 1 );
    my $user = $db->table('user');
    $user->upsert( { user_id => 3, user_name => 'é日本😀' } );
    is $user->get(3)->{user_name}, 'é日本😀', 'text comes back';
    $user->upsert( { user_id => 3, user_name => 'x' x 40 } );
    my $rows = $user->get_many( [ (3) x 10_000 ] );
    is scalar( grep { $_->{user_name} eq 'x' x 40 } @$rows ), 10_000, 'ten thousand in a pipeline';
    my $found = $db->transaction( sub { $_[0]->table($user)->get(3) } );
    is $found->{user_id}, 3, 'a transaction';
    $found = $db->transaction( sub { $_[0]->table( 'user', columns => ['user_id'] )->get(3) } );
    is_deeply $found, { user_id => 3 }, 'a table by its name in a transaction';
    my @tables = map { $db->table( 'user', columns => [ ('user_id') x $_ ] ) } 1 .. 300;
    is scalar( grep { $_->get(3)->{user_id} == 3 } @tables, @tables ), 600, 'many tables';
};

subtest 'a range without a start, in both APIs' => sub {
    my $user = HandlerSocket2->connect($url)->table('user');
    $user->upsert( { user_id => $_, user_name => 'ranged' } ) for 1 .. 7;
    my @ids = map { $_->{user_id} } $user->range( stop => 8, page => 2 )->all;
    is_deeply \@ids, [ 1 .. 7 ], 'page by page';
    my @filters = ( [ 'user_id', '!=', 2 ], [ 'user_id', '<', 4, 'while' ] );
    my $found   = $user->find( '>=', 1, limit => 9, filters => \@filters );
    is_deeply [ map { $_->{user_id} } @$found ], [ 1, 3 ], 'ended by a filter';
    my $old = Net::HandlerSocket->new( { host => '127.0.0.1', port => $read } );
    is $old->open_index( 1, 'test', 'user', 'PRIMARY', 'user_id', 'user_id' ), 0, 'an index';
    my @filter = ( undef, undef, [ [ 'W', '<', 0, 8 ] ] );
    is_deeply $old->execute_find( 1, '>=', [1], 100, 0, @filter ), [ 0, 1 .. 7 ], 'with a filter';
};

done_testing;

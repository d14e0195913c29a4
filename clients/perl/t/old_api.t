# Net::HandlerSocket: its bytes, its results and its errors.
use 5.030;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;

use FakeServer;
use Net::HandlerSocket;

sub client {
    my ( $server, %more ) = @_;
    return Net::HandlerSocket->new( { host => '127.0.0.1', port => $server->{port}, %more } );
}

# The reply has the request in it, in hexadecimal.
my $echo = FakeServer->start( sub { return "0\t1\t" . unpack( 'H*', $_[0] ) . "\n" } );

subtest 'requests have their bytes' => sub {
    my $hs    = client($echo);
    my @cases = (
        [ [ 1, '=', ['k'], 0, 0 ],                      "1\t=\t1\tk" ],
        [ [ 1, '=', ['k'] ],                            "1\t=\t1\tk" ],
        [ [ 1, '>=', [ 'k', undef ], 5, 100 ],          "1\t>=\t2\tk\t\0\t5\t100" ],
        [ [ 1, '+', [ "a\tb", undef, q{} ], 1, 0 ],     "1\t+\t3\ta\x01Ib\t\0\t" ],
        [ [ 1, '=', ['k'], 1, 0, 'U', [ 'v', undef ] ], "1\t=\t1\tk\t1\t0\tU\tv\t\0" ],
        [ [ 1, '=', ['k'], 0, 0, 'D' ],                 "1\t=\t1\tk\t0\t0\tD" ],
        [   [ 1, '=', ['k'], 1, 0, 'U', ['v'], [ [ 'F', '>', 0, 9 ] ] ],
            "1\t=\t1\tk\t1\t0\tF\t>\t0\t9\tU\tv"
        ],
        [   [ 1, '=', [0], 9, 0, undef, undef, undef, 0, [ 7, 8 ] ],
            "1\t=\t1\t0\t9\t0\t@\t0\t2\t7\t8"
        ],
        [ [ 1, '=', ["\x{e9}\x{263a}"] ], "1\t=\t1\t\xc3\xa9\xe2\x98\xba" ],
        [ [ 1, '=', ["\xe9"] ],           "1\t=\t1\t\xe9" ],
    );
    for my $case (@cases) {
        my ( $request, $line ) = @$case;
        is_deeply $hs->execute_single(@$request), [ 0, unpack 'H*', $line ], $line =~ s/[^ -~]/ /gr;
    }
    my @lines = map { pack 'H*', $_->[1] } @{ $hs->execute_multi( [ map { $_->[0] } @cases ] ) };
    is_deeply \@lines,                       [ map { $_->[1] } @cases ], 'all of them in one piece';
    is_deeply $hs->execute_multi( [] ),      [],                         'none';
    is_deeply $hs->execute_insert( 1, [2] ), [ 0, unpack 'H*', "1\t+\t1\t2" ], 'execute_insert';
    is_deeply $hs->execute_update( 1, '=', [2], 1, 0, [3] ),
        [ 0, unpack 'H*', "1\t=\t1\t2\t1\t0\tU\t3" ],
        'execute_update';
    is_deeply $hs->execute_delete( 1, '=', [2], 1, 0, [ [ 'W', '<', 0, 9 ] ] ),
        [ 0, unpack 'H*', "1\t=\t1\t2\t1\t0\tW\t<\t0\t9\tD" ], 'execute_delete';
};

subtest 'errors have their code and text' => sub {
    my $server = FakeServer->start( sub {
        my ($line) = @_;
        return
              $line =~ /\AP\t1/       ? "0\t1\n"
            : $line =~ /\AA\t1\tgood/ ? "0\t1\n"
            : $line =~ /\A[PA]/       ? "2\t1\tidxnum\n"
            : $line =~ /end/          ? undef
            :                           "1\t1\t121\n";
    } );
    my $hs = client($server);
    is_deeply [ $hs->get_error_code, $hs->stable_point ], [ 0, 1 ], 'connected';
    is $hs->open_index( 1, 'd', 't', 'i', 'a,b', 'c' ), 0,        'an index';
    is $hs->open_index( 2, 'd', 't', 'i', 'a,b' ),      2,        'one that is refused';
    is $hs->get_error,                                  'idxnum', 'and why';
    is $hs->auth('good'),                               0,        'a secret';
    is_deeply [ $hs->get_error_code, $hs->get_error ], [ 0, q{} ],   'no error is left';
    is_deeply $hs->execute_insert( 1, [1] ),           [ 1, '121' ], 'a duplicate';
    is_deeply [ $hs->get_error_code, $hs->get_error ], [ 1, '121' ], 'its code and text';
    my $results = $hs->execute_multi( [ [ 1, '=', [1] ], [ 1, '=', ['end'] ], [ 1, '=', [1] ] ] );
    is_deeply [ map { $_->[0] } @$results ], [ 1, -1, -1 ], 'a connection that ends';
    is $hs->stable_point,                     0,  'is of no use';
    is $hs->get_error_code,                   -1, 'and says so';
    is $hs->execute_find( 1, '=', [1] )->[0], -1, 'also later';
    is $hs->reconnect,                        0,  'a new one';
    is $hs->stable_point,                     1,  'is of use';
    $hs->close;
    is_deeply $hs->execute_find( 1, '=', [1] ), [ -1, 'write: closed' ], 'a closed one is not';
};

subtest 'a server that is not there is an error, and does not die' => sub {
    my $hs = Net::HandlerSocket->new( { host => '127.0.0.1', port => 1 } );
    is $hs->get_error_code, -1, 'the code';
    like $hs->get_error, qr/\Aconnect: /, 'the text';
};

subtest 'a server that is slow is an error' => sub {
    my $server = FakeServer->start( sub {q{}} );
    my $hs     = client( $server, timeout => 0.2 );
    is $hs->execute_find( 1, '=', [1] )->[0], -1, 'after the timeout';
};

done_testing;

# Replies that are well formed, and none to what was asked: never a row or a number.
use 5.030;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;

use FakeServer;
use HandlerSocket2;

my $columns = join "\t",
    map { ( $_->[0], $_->[1], 'NO', q{}, "\0", q{}, "\0", q{} ) }[ a => 'int(11)' ],
    [ f => 'double' ], [ d => 'decimal(9,2)' ];

# A client of a server that answers lines that begin so with the lie, and others honestly.
sub lying {
    my ( $lie, $to, $options ) = @_;
    $to //= "0\t";
    my $server = FakeServer->start( sub {
        my ($line) = @_;
        return
              index( $line, $to ) == 0 ? "$lie\n"
            : $line =~ /\tI\z/         ? "0\t6\tPRIMARY\t1\ta\t1\tA\t\0\n"
            : $line =~ /\AD/           ? "0\t8\t$columns\n"
            :                            "0\t1\n";
    } );
    return ( $server, HandlerSocket2->connect( $server->url( $options // '&retries=0' ) ) );
}

# That it is refused, and its connection not used again.
sub refused {
    my ( $what, $lie, $work, $to ) = @_;
    my ( $server, $db ) = lying( $lie, $to );
    my $got = eval { $work->($db); 1 };
    ok !$got && ref $@ eq 'HandlerSocket2::ProtocolError' && $@->sent, $what
        or diag $got ? 'it was taken' : $@;
    my $core = $db->{core};
    is scalar( map { @{ $core->{$_}{idle} } } qw(read write) ), 0, "$what: closed";
    return;
}

sub pair { return $_[0]->table( 't.t', columns => [qw(a b)], raw => 1 ) }
sub show { return $_[0] =~ s/([^ -~])/sprintf '\\x%02x', ord $1/gre }

my %rows = (
    get      => sub { pair( $_[0] )->get(1) },
    get_many => sub { pair( $_[0] )->get_many( [1] ) },
    find     => sub { pair( $_[0] )->find( '>=', 1, limit => 9 ) },
    update   => sub { pair( $_[0] )->update( 1, { a => 1, b => 2 }, returning => 'after' ) },
    delete   => sub { pair( $_[0] )->delete( 1, returning => 'before' ) },
);
my %counts = (
    count           => sub { pair( $_[0] )->count( q{=}, 1 ) },
    exists          => sub { pair( $_[0] )->exists(1) },
    update          => sub { pair( $_[0] )->update( 1, { a => 1 } ) },
    compare_and_set => sub { pair( $_[0] )->compare_and_set( 1, { a => 1 }, { a => 2 } ) },
    insert_ignore   => sub { pair( $_[0] )->insert_ignore( { a => 1 } ) },
    upsert          => sub { pair( $_[0] )->upsert( { a => 1 } ) },
    replace         => sub { pair( $_[0] )->replace( { a => 1 } ) },
);

subtest 'rows of another width are no rows' => sub {
    for my $lie ( "0\t1\t1", "0\t1", "0\t3", "0\t3\t1\t2\t3", "0\t0", "0\t4\t1\t2\t3\t4" ) {
        refused( show("$lie to $_"), $lie, $rows{$_} ) for sort keys %rows;
    }
    refused( 'two rows of get', "0\t2\t1\t2\t3\t4", $rows{get} );
};

subtest 'a page has the columns and no more rows than were asked for' => sub {
    for my $lie ( "0\t1\t1\t2\t3", "0\t2\t1\t2" ) {
        refused(
            show($lie), $lie,
            sub { $_[0]->table( 't.t', columns => ['a'] )->range( start => 1, page => 2 )->all }
        );
    }
};

subtest 'what has other than digits is no count' => sub {
    for my $lie (
        q{}, "\t-5", "\t1_0", "\t 1", "\tabc", "\t", "\t\0", "\t1\n" =~ s/\n/\x01J/r,
        "\t" . '9' x 21, "\t1\t1"
        )
    {
        refused( show("0\t1$lie to $_"), "0\t1$lie", $counts{$_} ) for sort keys %counts;
    }
    refused( 'an id of an update', "0\t2\t1\t1", $counts{update} );
};

subtest 'what is no id is none' => sub {
    for my $lie ( "0\t1\tabc", "0\t1\t-1", "0\t2\t1\t1", "0\t1\t1\t1", "0\t1\t\0" ) {
        refused( show($lie), $lie, sub { pair( $_[0] )->insert( { a => 1 } ) } );
    }
};

subtest 'what its column cannot hold is no value' => sub {
    my %lies
        = ( a => [ q{}, ' 1', '1.5', 'abc', '9' x 21 ], f => [ q{}, qw(nan 1_0 inf 1e999 x) ] );
    for my $column ( sort keys %lies ) {
        for my $value ( @{ $lies{$column} } ) {
            refused(
                "$column: $value", "0\t1\t$value",
                sub { $_[0]->table( 't.t', columns => [$column] )->get(1) }
            );
        }
    }
};

subtest 'what describes nothing is no description' => sub {
    for my $lie ( "0\t8" . "\t\0" x 8, "0\t1\tx" ) {
        refused( show($lie), $lie, sub { $_[0]->table('t.t')->get(1) }, "D\t" );
        refused( show($lie), $lie, sub { $_[0]->describe('t.t') },      "D\t" );
    }
    for my $lie ( "0\t6" . "\t\0" x 6, "0\t6\tP\tx\tc\t1\tA\t\0", "0\t1\tx" ) {
        refused( show($lie), $lie, sub { $_[0]->indexes('t.t') }, "D\t" );
    }
};

subtest 'where there is nothing to tell nothing is told' => sub {
    refused( 'P', "0\t3\ta\tb\tc", $rows{get}, "P\t" );
    refused(
        $_,
        "0\t1\t5",
        sub {
            $_[0]->transaction( sub {1} );
        },
        "T\t$_"
    ) for qw(B C);
};

subtest 'what is no GTID is none' => sub {
    for my $lie ( "0\t1\t\xff;x", "0\t2\t0-1-1\t0-1-2", "0\t1\t1", "0\t1", "0\t1\t\0" ) {
        my $server = FakeServer->start( sub {
            return $_[0] eq "G\tL" ? "$lie\n" : $_[0] =~ /\A0/ ? "0\t1\t1\n" : "0\t1\n";
        } );
        my $db = HandlerSocket2->connect( $server->url('&retries=0') );
        pair($db)->update( 1, { a => 1 } );
        ok !eval { $db->last_gtid; 1 } && ref $@ eq 'HandlerSocket2::ProtocolError', show($lie);
    }
};

subtest 'a greeting is none or has features' => sub {
    my ( $server, $db );
    ( $server, $db ) = lying( "2\tmysql_native_password\tzz", "A\t2", '&user=me&password=x' );
    ok !eval { pair($db)->get(1); 1 } && HandlerSocket2::Core::is_error($@), 'a challenge';
};

subtest 'a code has ten digits at most' => sub {
    refused( 'eleven', "12345678901\t1\tx", $rows{get} );
};

subtest 'the rest of a pipeline has its results' => sub {
    my @replies = ( "0\t1\n", "0\t2\t1\t2\n", "0\t3\t1\t2\t3\n", "0\t2\t5\t6\n" );
    my $server  = FakeServer->start( sub { $replies[ $_[1] ] } );
    my $db      = HandlerSocket2->connect( $server->url('&retries=0') );
    my $calls   = pair($db)->_calls;
    my @results = $db->{core}->run( [ map { $calls->get($_) } 1 .. 3 ] );
    is_deeply [ @results[ 0, 2 ] ], [ { a => 1, b => 2 }, { a => 5, b => 6 } ], 'its rows';
    isa_ok $results[1], 'HandlerSocket2::ProtocolError';
};

subtest 'a long reply to something else is not even listed' => sub {
    no warnings 'redefine';
    local *HandlerSocket2::LongValues::new = sub {
        bless sub { die "listed\n" }, $_[0];
    };
    my $lie  = "0\t2" . "\t" x ( 1 << 20 );
    my %call = (
        %counts,
        ( map { $_ => $rows{$_} } qw(get get_many find) ),
        insert => sub { pair( $_[0] )->insert( { a => 1 } ) },
    );
    refused( $_,           $lie, $call{$_} ) for sort keys %call;
    refused( 'describe',   $lie, sub { $_[0]->describe('test.t') }, "D\t" );
    refused( 'open_index', $lie, $rows{get},                        "P\t" );
};

subtest 'a long reply has its values' => sub {
    my $long = 'x' x 70_000;
    my ( $server, $db ) = lying( "0\t4\t" . join "\t", ( q{}, "\0", "\x01I\x01@", $long ) x 10 );
    my $found
        = $db->table( 't.t', columns => [qw(a b c d)], raw => 1 )->find( '>=', 1, limit => 10 );
    is_deeply $found, [ ( { a => q{}, b => undef, c => "\t\0", d => $long } ) x 10 ], 'rows';
    my $work = sub { pair( $_[0] )->find( '>=', 1, limit => 10 ) };
    refused( show($_), "0\t2\t$long$_", $work ) for "\t\x01", "\t\x01a", "\t\t";
};

subtest 'a client that is closed says so' => sub {
    my ( $server, $db ) = lying( 'none', 'no line begins so' );
    my $table = $db->table( 't.t', columns => ['a'], raw => 1 );
    is $table->get(1), undef, 'no row';
    $db->close;
    for my $ask (
        sub { $table->get(1) }, sub { $table->update( 1, { a => 1 } ) },
        sub { $db->ping }
        )
    {
        my $got = eval { $ask->(); 1 };
        ok !$got && ref $@ eq 'HandlerSocket2::ConnectionError', 'an error';
        like $@, qr/the client is closed/, 'its text';
    }
};

done_testing;

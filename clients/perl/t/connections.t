# Connections that break, are slow, lie, are closed, or were opened by another process.
use 5.030;
use warnings;

use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;
use Time::HiRes ();

use FakeServer;
use HandlerSocket2;

# What a process of the server tells the test: lines behind one another in a file.
my $notes = File::Temp->new;

sub note_down {
    my ($text) = @_;
    open my $out, '>>', "$notes" or die "notes: $!";
    syswrite $out, "$text\n";
    return close $out;
}

sub notes {
    open my $in, '<', "$notes" or die "notes: $!";
    chomp( my @lines = readline $in );
    truncate "$notes", 0;
    return @lines;
}

sub connect_to {
    my ( $server, $options, @more ) = @_;
    return HandlerSocket2->connect( $server->url( $options // '&timeout=20' ), @more );
}

sub table {
    my ($db) = @_;
    return $db->table( 't', columns => ['a'], raw => 1 );
}

sub error_of {
    my ($work) = @_;
    return eval { $work->(); 1 } ? undef : $@;
}

my $opened = "0\t1\n";
my $one    = "0\t1\t1\n";

subtest 'a read is sent again on a new connection, a change is not' => sub {
    my $server = FakeServer->start( sub {
        my ( $line, $number ) = @_;
        return $opened if $line =~ /\AP/;
        note_down($line);
        return $number < 3 ? $one : undef;
    } );
    my $table = table( connect_to($server) );
    is $table->get(1)->{a}, 1, "request $_" for 1 .. 5;
    notes();
    my $error = error_of( sub { $table->update( 1, { a => 2 } ) for 1 .. 5 } );
    isa_ok $error, 'HandlerSocket2::ConnectionError';
    ok $error->sent, 'it may have been carried out';
    is scalar( grep {/U/} notes() ), 3, 'and was sent once: two before, and the one that failed';
};

subtest 'a read is sent again where the pool has one connection' => sub {
    my $server = FakeServer->start( sub {
        my ( $line, $number ) = @_;
        return $opened if $line =~ /\AP/;
        return $number < 3 ? $one : undef;
    } );
    my $table = table( connect_to( $server, '&pool_size=1' ) );
    is $table->get(1)->{a}, 1, "request $_" for 1 .. 5;
};

subtest 'an idle connection that was closed is replaced before anything is sent' => sub {
    my $server = FakeServer->start( sub {
        my ( $line, $number, $connection ) = @_;
        return $opened if $line =~ /\AP/;
        note_down($line);
        syswrite $connection, $one;
        return;
    } );
    my $table = table( connect_to($server) );
    for ( 1 .. 3 ) {
        is $table->update( 1, { a => 2 } ), 1, 'a change';
        my $pool = $table->{core}{write};
        $pool->{idle}[0]{socket}->_wait(1);    # until the server's end has come
    }
    is scalar( notes() ), 3, 'each was sent once';
};

subtest 'a change of which no byte was sent is sent on a new connection' => sub {
    my $server = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : $one } );
    my $table  = table( connect_to($server) );
    is $table->update( 1, { a => 2 } ), 1, 'a change';
    my $send  = \&HandlerSocket2::Socket::send_all;
    my $fails = 1;
    no warnings 'redefine';
    local *HandlerSocket2::Socket::send_all = sub {
        HandlerSocket2::ConnectionError->throw( 'broken pipe', sent => 0 ) if $fails-- > 0;
        return $send->(@_);
    };
    is $table->update( 1, { a => 2 } ), 1, 'one whose connection is gone';
};

subtest 'a slow server is a timeout, within its time' => sub {
    my $server = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : q{} } );
    my $table  = table( connect_to( $server, '&timeout=0.2&retries=0' ) );
    my $error  = error_of( sub { $table->update( 1, { a => 1 } ) } );
    isa_ok $error, 'HandlerSocket2::TimeoutError';
    ok $error->sent, 'it may have been carried out';
};

subtest 'an alarm ends a request, and leaves no reply to another' => sub {
    my $server
        = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : $_[0] =~ /7/ ? q{} : $one } );
    my $table = table( connect_to($server) );
    for ( 1 .. 2 ) {
        local $SIG{ALRM} = sub { die "alarm\n" };
        Time::HiRes::alarm(0.1);
        is error_of( sub { $table->get(7) } ), "alarm\n", 'the program\'s own error';
        is $table->get(1)->{a},                1,         'another one';
    }
};

subtest 'an alarm behind the taking of a connection takes no place of the pool' => sub {
    my $server = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : $one } );
    my $table  = table( connect_to( $server, '&pool_size=1' ) );
    my $take   = \&HandlerSocket2::Pool::take;
    for my $work ( sub { $table->get(1) }, sub { $table->update( 1, { a => 2 } ) } ) {
        no warnings 'redefine';
        local *HandlerSocket2::Pool::take = sub { $take->(@_); die "alarm\n" };
        is error_of($work), "alarm\n", 'the program\'s own error' for 1 .. 2;
    }
    is $table->get(1)->{a},             1, 'a read has a connection';
    is $table->update( 1, { a => 2 } ), 1, 'and so has a change';
};

subtest 'an alarm while a connection is made leaves print as it was' => sub {
    my $server = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : $one } );
    my $table  = table( connect_to($server) );
    my $before = select;
    {
        no warnings 'redefine';
        local *IO::Handle::autoflush = sub { select $_[0]; die "alarm\n" };
        is error_of( sub { $table->get(1) } ), "alarm\n", 'the program\'s own error';
    }
    my $now = select $before;
    is $now, $before, 'print goes where it went';
};

subtest 'a login that is slow is a timeout of the connection' => sub {
    my $server = FakeServer->start( sub {q{}} );
    my $error
        = error_of( sub { connect_to( $server, '&user=x&connect_timeout=0.2&retries=0' )->ping } );
    isa_ok $error, 'HandlerSocket2::TimeoutError';
    ok !$error->sent, 'nothing was sent';
};

subtest 'the port of another program is told' => sub {
    my $server   = FakeServer->start( sub {"J\0\0\0\n11.4.2-MariaDB\0"} );
    my $error    = error_of( sub { connect_to( $server, '&user=x' )->ping } );
    my $expected = "no connection to 127.0.0.1:$server->{port}: this is no reply";
    isa_ok $error, 'HandlerSocket2::ProtocolError';
    is $error->message, "$expected; is it HandlerSocket's port, or that of SQL?", 'its address';
    ok !$error->sent, 'nothing was sent';
};

subtest 'what is no reply, and a reply too many, close the connection' => sub {
    for my $reply ( "0\tx\n", "$one$one", "0\t1\t\x01x\n" ) {
        my $server = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : $reply } );
        my $error  = error_of( sub { table( connect_to( $server, '&retries=0' ) )->get(1) } );
        isa_ok $error, 'HandlerSocket2::ProtocolError', unpack 'H*', $reply;
    }
};

subtest 'get_many in a pipeline is a get of each key' => sub {
    my $server = FakeServer->start( sub {
        return $_[0] =~ /\AP/ ? $opened : "0\t1\t" . ( split /[\t\n]/, $_[0] )[3] . "\n";
    } );
    my $client   = connect_to($server);
    my $pipeline = $client->pipeline;
    my $inside   = $pipeline->table( table($client) );
    $inside->get(9);
    $inside->get_many( [ 8, 'seven' ] );
    is_deeply [ $pipeline->run ], [ map { { a => $_ } } 9, 8, 'seven' ], 'their rows';
};

subtest 'a large pipeline and large replies do not block each other' => sub {
    my $large  = 'x' x 2000;
    my $server = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : "0\t1\t$large\n" } );
    my $table  = table( connect_to($server) );
    my @keys   = map { $_ . 'y' x 2000 } 1 .. 10_000;
    is scalar( grep { $_->{a} eq $large } @{ $table->get_many( \@keys ) } ), 10_000,
        'all are answered';
};

subtest 'a connection has 256 indexes at most, and forgets the oldest' => sub {
    my $server = FakeServer->start( sub {
        my ($line) = @_;
        note_down( ( split /\t/, $line )[1] ) if $line =~ /\AP/;
        return $line =~ /\AP/ ? $opened : $one;
    } );
    my $db     = connect_to($server);
    my @tables = map { $db->table( "t$_", columns => ['a'], raw => 1 ) } 1 .. 300;
    $_->get(1) for @tables, $tables[299], $tables[0];
    my @ids = notes();
    is scalar @ids,                      301, 'each was opened once, and the first one again';
    is scalar( grep { $_ > 255 } @ids ), 0,   'with ids below 256';
};

subtest 'calls behind an index without memory are not sent, nor is the rest again' => sub {
    my $count  = 0;
    my $server = FakeServer->start( sub {
        my ($line) = @_;
        note_down('+')              if $line =~ /\t\+\t/;
        return "1\t1\tmax_memory\n" if $line =~ /\AP/ && ++$count > 256;
        return $opened;
    } );
    my $db       = connect_to($server);
    my $pipeline = $db->pipeline;
    $pipeline->table( "t$_", columns => ['a'], raw => 1 )->insert( { a => 1 } ) for 1 .. 300;
    my @result = $pipeline->run;
    is scalar( grep { !defined } @result[ 0 .. 255 ] ), 256, 'those before are carried out';
    isa_ok $result[256], 'HandlerSocket2::OverloadedError';
    is
        scalar( grep { $_->isa('HandlerSocket2::ConnectionError') && !$_->sent }
            @result[ 257 .. 299 ] ),
        43, 'those behind are not sent';
    is scalar( notes() ), 256, 'nothing is sent again';
};

subtest 'an index that is refused harms no other call' => sub {
    my $server = FakeServer->start( sub {
        my ($line) = @_;
        return "2\t1\tfld\n" if $line =~ /\AP\t[0-9]+\ttest\tno/;
        return $line =~ /\AP/ ? $opened : $one;
    } );
    my $db = connect_to($server);
    for ( 1 .. 3 ) {
        my $error = error_of( sub { $db->table( 'no', columns => ['a'], raw => 1 )->get(1) } );
        isa_ok $error, 'HandlerSocket2::NotFoundError';
        is table($db)->get(1)->{a}, 1, 'the other one';
    }
};

subtest 'a process has connections of its own' => sub {
    my $server = FakeServer->start( sub { return $_[0] =~ /\AP/ ? $opened : "0\t1\t$$\n" } );
    my $table  = table( connect_to($server) );
    my $parent = $table->get(1)->{a};
    my @seen   = map {
        my $child = open( my $pipe, '-|' ) // die "fork: $!";
        if ( !$child ) {
            print $table->get(1)->{a};
            close STDOUT;
            POSIX::_exit(0);
        }
        my $answer = readline $pipe;
        close $pipe;
        $answer;
    } 1 .. 3;
    my %processes = map { ( $_ => 1 ) } $parent, @seen;
    is keys %processes,     4,       'four processes of the server';
    is $table->get(1)->{a}, $parent, 'that of the parent is still open';
};

subtest 'a transaction belongs to its process' => sub {
    my $server      = FakeServer->start( sub { return $_[0] =~ /\A[PT]/ ? $opened : $one } );
    my $db          = connect_to($server);
    my $transaction = $db->transaction;
    $transaction->begin;
    my $child = fork // die "fork: $!";
    if ( !$child ) {
        my $error = error_of( sub { $transaction->table( table($db) )->get(1) } );
        POSIX::_exit( ref $error eq 'HandlerSocket2::ValueError' ? 0 : 1 );
    }
    waitpid $child, 0;
    is $?,                                             0, 'another one is refused';
    is $transaction->table( table($db) )->get(1)->{a}, 1, 'its own goes on';
    $transaction->commit;
};

subtest 'a transaction that is dropped is closed, and one too many is refused' => sub {
    my $server = FakeServer->start( sub { return $_[0] =~ /\A[PT]/ ? $opened : $one } );
    my $db     = connect_to( $server, '&pool_size=1' );
    for ( 1 .. 3 ) {
        my $transaction = $db->transaction;
        $transaction->begin;
        my $error = error_of( sub { $db->transaction->begin } );
        isa_ok $error, 'HandlerSocket2::TimeoutError';
    }
    is table($db)->update( 1, { a => 1 } ), 1, 'its place is free again';
};

subtest 'a function that fails is rolled back, and its error raised' => sub {
    my $server = FakeServer->start( sub { note_down( $_[0] ); return $opened } );
    my $db     = connect_to($server);
    is error_of( sub {
        $db->transaction( sub { die "no\n" } );
        } ),
        "no\n", 'its own error';
    is_deeply [ notes() ], [ "T\tB", "T\tR" ], 'what was sent';
    is $db->transaction( sub {7}, isolation => 'RC' ), 7, 'one that does not fail gives its result';
    is_deeply [ notes() ], [ "T\tB\tRC", "T\tC" ], 'what was sent';
};

subtest 'a hook is told of requests and their errors' => sub {
    my $server = FakeServer->start(
        sub { return $_[0] =~ /\AP/ ? $opened : $_[0] =~ /U/ ? "1\t1\t121\n" : $one } );
    my @told;
    my $table = table( connect_to( $server, q{}, on_request => sub { push @told, [@_] } ) );
    $table->get(1);
    error_of( sub { $table->update( 1, { a => 1 } ) } );
    is_deeply [ map { [ @$_[ 0, 1 ] ] } @told ], [ [ get => 'test.t' ], [ change => 'test.t' ] ],
        'of each';
    ok $told[0][2] > 0 && !defined $told[0][3], 'with its time and without an error';
    isa_ok $told[1][3], 'HandlerSocket2::DuplicateKeyError';
};

subtest 'strings are text or bytes by their columns' => sub {
    my $columns = join "\t",
        map { ( $_->[0], $_->[1], 'NO', q{}, "\0", q{}, "\0", q{} ) } [ k => 'varbinary(9)' ],
        [ t => 'varchar(9)' ];
    my $server = FakeServer->start( sub {
        my ($line) = @_;
        return "0\t6\tPRIMARY\t1\tk\t1\tA\t\0\n" if $line =~ /\AD.*\tI\z/;
        return "0\t8\t$columns\n"                if $line =~ /\AD/;
        note_down( unpack 'H*', $line );
        return $line =~ /\AP|\t[+]\t/ ? $opened : "0\t2\t\xe9\t\xc3\xa9\n";
    } );
    my $table = connect_to($server)->table('test.t');
    is_deeply $table->get("\xe9"), { k => "\xe9", t => "\xe9" }, 'a key of bytes, and both columns';
    $table->insert( { k => "\xe9", t => "\xe9" } );
    my @sent = map { pack 'H*', $_ } notes();
    is $sent[1], "0\t=\t1\t\xe9",           'the key';
    is $sent[3], "0\t+\t2\t\xe9\t\xc3\xa9", 'the row';
    my $error = error_of( sub { $table->get("\x{263a}") } );
    isa_ok $error, 'HandlerSocket2::ValueError';
};

subtest 'arguments of another kind are refused' => sub {
    my $db    = HandlerSocket2->connect('hs://127.0.0.1:1/test');
    my $user  = table($db);
    my %wrong = (
        'keys'      => sub { $user->get_many(1) },
        'tokens'    => sub { HandlerSocket2->connect('hs://127.0.0.1:1')->raw( read => 'H' ) },
        'a key'     => sub { $user->get( [] ) },
        'filters'   => sub { $user->find( q{=}, 1, filters => { a => 1 } ) },
        'a filter'  => sub { $user->find( q{=}, 1, filters => ['a'] ) },
        'a while'   => sub { $user->find( q{=}, 1, filters => [ [ 'a', q{<}, 1, 'until' ] ] ) },
        'in'        => sub { $user->find( q{=}, 1, in      => [ a => 1 ] ) },
        'values'    => sub { $user->find_all( q{=}, 1, 'a', 1 ) },
        'a row'     => sub { $user->insert( [1] ) },
        'a limit'   => sub { $user->find( q{=}, 1, limits => 1 ) },
        'returning' => sub { $user->delete( 1, returning => 'now' ) },
        'nothing'   => sub { $user->update( 1, {} ) },
        'a page'    => sub { $user->range( page => 0 ) },
        'an option' => sub { $db->transaction( isolations => 'RC' ) },
        'pairs'     => sub { $db->table( 't', 5 ) },
        'a block'   => sub { $db->transaction(5) },
        'calls'     => sub { $db->pipeline(5) },
        'a port'    => sub { $db->raw( undef,   ['H'] ) },
        'an open'   => sub { $db->raw( 'read',  [qw(P 0 test user PRIMARY user_id)] ) },
        'an index'  => sub { $db->raw( 'read',  [qw(0 = 1 1)] ) },
        'a begin'   => sub { $db->raw( 'write', [qw(T B)] ) },
        'seconds'   => sub { $db->wait_for_gtid( '0-1-1', 'x' ) },
    );
    isa_ok error_of( $wrong{$_} ), 'HandlerSocket2::ValueError', $_ for sort keys %wrong;
};

done_testing;

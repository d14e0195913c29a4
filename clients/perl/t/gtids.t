# The GTIDs of a client's changes.
use 5.030;
use warnings;

use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/lib";
use Test::More;

use FakeServer;
use HandlerSocket2;

my $notes = File::Temp->new;

# A client of a server whose changes have these GTIDs, one after the other.
sub told {
    my ( $options, @gtids ) = @_;
    truncate "$notes", 0;
    my $server = FakeServer->start( sub {
        my ($line) = @_;
        open my $out, '>>', "$notes" or die "notes: $!";
        syswrite $out, "$line\n";
        return
              $line eq "G\tL"  ? "0\t1\t" . shift(@gtids) . "\n"
            : $line =~ /\A0\t/ ? "0\t1\t1\n"
            :                    "0\t1\n";
    } );
    return ( $server, HandlerSocket2->connect( $server->url($options) ) );
}

# The lines that were sent, but P.
sub lines {
    open my $in, '<', "$notes" or die "notes: $!";
    chomp( my @lines = readline $in );
    return grep { !/\AP/ } @lines;
}

sub table { return $_[0]->table( 't.t', columns => ['a'], raw => 1 ) }

subtest 'the GTID of a commit is asked for behind it' => sub {
    my ( $server, $db ) = told( '&read_your_writes=on', '0-1-7' );
    $db->transaction( sub { $_[0]->table( table($db) )->update( 1, { a => 1 } ) } );
    is $db->last_gtid, '0-1-7', 'it is known';
    is_deeply [ lines() ], [ "T\tB", "0\t=\t1\t1\t1\t0\tU\t1", "T\tC", "G\tL" ], 'what was sent';
};

subtest 'what only reads or is rolled back has no GTID' => sub {
    for my $end (qw(commit rollback)) {
        my ( $server, $db ) = told( '&read_your_writes=on', '0-1-7' );
        my $transaction = $db->transaction( $end eq 'commit' ? ( read_only => 1 ) : () );
        $transaction->begin;
        $transaction->$end;
        is $db->last_gtid, q{}, $end;
        ok !( grep { $_ eq "G\tL" } lines() ), 'and none was asked for';
    }
};

subtest 'the last change of each domain is remembered' => sub {
    for my $options ( '&read_your_writes=on', q{} ) {
        my ( $server, $db ) = told( $options, '0-1-7', '3-1-2', '0-1-6', q{} );
        my $last;
        for ( 1 .. 4 ) {
            table($db)->update( 1, { a => 1 } );
            $last = $db->last_gtid;
        }
        is $last, '0-1-7,3-1-2', "options '$options'";
    }
};

subtest 'a change beside a transaction is asked for, too' => sub {
    my ( $server, $db ) = told( q{}, '0-1-7' );
    my $transaction = $db->transaction;
    $transaction->begin;
    table($db)->update( 1, { a => 1 } );
    $transaction->rollback;
    is $db->last_gtid,                          '0-1-7', 'it is known';
    is $db->last_gtid,                          '0-1-7', 'and still is';
    is scalar( grep { $_ eq "G\tL" } lines() ), 1,       'it was asked for once';
};

subtest 'a GTID that is told late takes nothing back' => sub {
    my $gtids = HandlerSocket2::Gtids->new;
    $gtids->note($_) for '0-1-10', '0-1-9', '0-2-11', q{}, '1-1-18446744073709551615', '1-1-9';
    is $gtids->all, '0-2-11,1-1-18446744073709551615', 'the highest of each';
};

done_testing;

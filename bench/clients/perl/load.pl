#!/usr/bin/perl
# Looks rows up by their keys: ../README.md tells the arguments and what is printed.
use 5.030;
use warnings;
use Time::HiRes qw(CLOCK_PROCESS_CPUTIME_ID clock_gettime time);
use IO::Socket::INET;
use JSON::PP qw(encode_json decode_json);
use Socket qw(IPPROTO_TCP TCP_NODELAY);

use constant { BATCH => 100, PROCESSES => 16 };    # most Perls have no threads

my ($target, $shape, $port, $rows, $seconds) = @ARGV;
my $batched = $shape eq 'pipeline';

# Each gives a function from a list of keys to the list of their values.
my %connect = (
    hs => sub {
        my $client = HandlerSocket2->connect("hs://127.0.0.1:$port");
        my $table  = $client->table('test.pairs', columns => ['value']);
        return sub { $table->get($_[0])->{value} }
            if !$batched;
        return sub {
            my $pipeline = $client->pipeline;
            my $inside = $pipeline->table($table);
            $inside->get($_) for @_;
            return map { $_->{value} } $pipeline->run;
        };
    },
    sql => sub {
        my $client = DBI->connect("dbi:MariaDB:host=127.0.0.1;port=$port", 'bench', '', { RaiseError => 1, mariadb_server_prepare => 1 });
        my $one = $client->prepare('SELECT value FROM test.pairs WHERE id = ?');
        return sub { $one->execute(@_); return map { $_->[0] } @{ $one->fetchall_arrayref } }
            if !$batched;
        my $marks = join ',', ('?') x BATCH;
        my $many = $client->prepare("SELECT id, value FROM test.pairs WHERE id IN ($marks)");
        return sub {
            $many->execute(@_);
            my %found = map { @{$_} } @{ $many->fetchall_arrayref };
            return @found{@_};
        };
    },
    redis => sub {
        my $client = Redis->new(server => "127.0.0.1:$port", encoding => undef);
        return sub { $client->get($_[0]) }
            if !$batched;
        return sub {
            my @values;
            $client->get($_, sub { push @values, $_[0] }) for @_;
            $client->wait_all_responses;
            return @values;
        };
    },
    floor => sub {    # a socket, without a client: what the server and the kernel leave to be gained
        my $socket = IO::Socket::INET->new("127.0.0.1:$port") or die $!;
        setsockopt $socket, IPPROTO_TCP, TCP_NODELAY, 1;
        syswrite $socket, "P\t1\ttest\tpairs\tPRIMARY\tvalue\n";
        sysread $socket, my $opened, 4096;
        return sub {
            syswrite $socket, join '', map { "1\t=\t1\t$_\n" } @_;
            my $answer = '';
            while (($answer =~ tr/\n//) < @_) { sysread $socket, $answer, 65536, length $answer }
            return map { substr $_, 4 } split /\n/, $answer;
        };
    },
);

# Loaded before the processes are made, so that they share the memory of their code.
my %modules = (hs => ['HandlerSocket2'], sql => ['DBI', 'DBD::MariaDB'], redis => ['Redis']);
for my $module (@{ $modules{$target} // [] }) { eval "require $module" or die $@ }

sub look_up {
    my ($lookup, $first, $for) = @_;
    my ($lookups, $wrong, $end) = (0, 0, time + $for);
    while (time < $end) {
        my @keys = map { 1 + ($first + 7919 * $_) % $rows } 1 .. ($batched ? BATCH : 1);
        $first += 7919 * @keys;
        my @values = $lookup->(@keys);
        $lookups += @keys;
        for my $i (0 .. $#keys) { $wrong++ if $values[$i] ne sprintf '%060d', $keys[$i] }
    }
    return ($lookups, $wrong);
}

sub measure {
    my ($first, $wait) = @_;
    my $lookup = $connect{$target}->();
    look_up($lookup, $first, 0.1);    # connected, and warm
    $wait->();
    my ($begin, $before) = (time, clock_gettime(CLOCK_PROCESS_CPUTIME_ID));
    my ($lookups, $wrong) = look_up($lookup, $first, $seconds);
    my $cpu = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $before;
    return { seconds => time - $begin, cpu => $cpu, lookups => $lookups, wrong => $wrong };
}

if ($shape ne 'parallel') {
    say encode_json(measure(0, sub { }));
    exit;
}

# They begin together, when all have loaded their modules and are connected.
STDOUT->autoflush;
pipe my $gate, my $bolt or die $!;
my @pipes;
for my $number (0 .. PROCESSES - 1) {
    my $pid = open(my $pipe, '-|') // die $!;
    if (!$pid) {
        close $bolt;
        my $wait = sub { say 'ready'; sysread $gate, my $nothing, 1 };
        print encode_json(measure(int($number * $rows / PROCESSES), $wait));
        exit;
    }
    push @pipes, $pipe;
}
readline $_ for @pipes;
close $bolt;
my %sum = (seconds => 0, cpu => 0, lookups => 0, wrong => 0);
for my $pipe (@pipes) {
    my $one = decode_json(do { local $/; <$pipe> });
    $sum{$_} += $one->{$_} for qw(cpu lookups wrong);
    $sum{seconds} = $one->{seconds} if $one->{seconds} > $sum{seconds};
}
say encode_json(\%sum);

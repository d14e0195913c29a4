<?php

// Looks rows up by their keys: ../README.md tells the arguments and what is printed.

const BATCH = 100;
const PROCESSES = 16; // PHP has no threads

require getenv('HS_CLIENT') . '/src/autoload.php';

/** A function from a list of keys to the list of their values. */
function hs(int $port, string $shape): Closure
{
    $client = HandlerSocket2\Client::connect("hs://127.0.0.1:$port");
    $table = $client->table('test.pairs', ['value']);
    if ($shape !== 'pipeline') {
        return static fn (array $keys): array => [$table->get($keys[0])['value']];
    }
    return static function (array $keys) use ($client, $table): array {
        $calls = $table->calls();
        $pipeline = $client->pipeline();
        foreach ($keys as $key) {
            $pipeline->add($calls->get($key));
        }
        return array_column($pipeline->run(), 'value');
    };
}

function sql(int $port, string $shape): Closure
{
    $connection = new PDO("mysql:host=127.0.0.1;port=$port", 'bench', '', [PDO::ATTR_EMULATE_PREPARES => false]);
    if ($shape !== 'pipeline') {
        $one = $connection->prepare('SELECT value FROM test.pairs WHERE id = ?');
        return static function (array $keys) use ($one): array {
            $one->execute($keys);
            return $one->fetchAll(PDO::FETCH_COLUMN);
        };
    }
    $marks = implode(',', array_fill(0, BATCH, '?'));
    $many = $connection->prepare("SELECT id, value FROM test.pairs WHERE id IN ($marks)");
    return static function (array $keys) use ($many): array {
        $many->execute($keys);
        $found = $many->fetchAll(PDO::FETCH_KEY_PAIR);
        return array_map(static fn (int $key): string => $found[$key], $keys);
    };
}

function redis(int $port, string $shape): Closure
{
    $client = new Predis\Client(['port' => $port]);
    if ($shape !== 'pipeline') {
        return static fn (array $keys): array => [$client->get((string) $keys[0])];
    }
    return static fn (array $keys): array => $client->pipeline(static function ($pipeline) use ($keys): void {
        foreach ($keys as $key) {
            $pipeline->get((string) $key);
        }
    });
}

/** A socket, without a client: what the server and the kernel leave to be gained. */
function floor_of(int $port): Closure
{
    $socket = stream_socket_client("tcp://127.0.0.1:$port");
    fwrite($socket, "P\t1\ttest\tpairs\tPRIMARY\tvalue\n");
    fgets($socket);
    return static function (array $keys) use ($socket): array {
        $request = '';
        foreach ($keys as $key) {
            $request .= "1\t=\t1\t$key\n";
        }
        fwrite($socket, $request);
        $values = [];
        foreach ($keys as $_) {
            $values[] = substr(rtrim(fgets($socket), "\n"), 4);
        }
        return $values;
    };
}

/** How many lookups there were, and how many had a wrong answer. */
function look_up(Closure $lookup, int $first, int $rows, int $count, float $seconds): array
{
    $lookups = $wrong = 0;
    $end = microtime(true) + $seconds;
    while (microtime(true) < $end) {
        $keys = $wanted = [];
        for ($i = 0; $i < $count; $i++) {
            $first += 7919;
            $keys[] = $key = 1 + $first % $rows;
            $wanted[] = str_pad((string) $key, 60, '0', STR_PAD_LEFT);
        }
        $lookups += $count;
        if ($lookup($keys) !== $wanted) {
            $wrong++;
        }
    }
    return [$lookups, $wrong];
}

function cpu(): float
{
    $used = getrusage();
    return $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']
        + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
}

[, $target, $shape, $port, $rows, $seconds] = $argv;
if ($target === 'redis') {
    require '/usr/share/php/Predis/autoload.php'; // Debian's php-nrk-predis
}
$connect = $target === 'floor' ? 'floor_of' : $target;
/** @return array{seconds: float, cpu: float, lookups: int, wrong: int} */
$measure = static function (int $first, Closure $wait) use ($connect, $shape, $port, $rows, $seconds): array {
    $lookup = $connect((int) $port, $shape);
    $count = $shape === 'pipeline' ? BATCH : 1;
    look_up($lookup, $first, (int) $rows, $count, 0.1); // connected, and warm
    $wait();
    [$begin, $cpu] = [microtime(true), cpu()];
    [$lookups, $wrong] = look_up($lookup, $first, (int) $rows, $count, (float) $seconds);
    return ['seconds' => microtime(true) - $begin, 'cpu' => cpu() - $cpu, 'lookups' => $lookups, 'wrong' => $wrong];
};
if ($shape !== 'parallel') {
    exit(json_encode($measure(0, static fn () => null)) . "\n");
}
$connect((int) $port, $shape)([1]); // This loads the code, so that the processes share its memory.
$pipes = [];
for ($i = 0; $i < PROCESSES; $i++) {
    [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (pcntl_fork() === 0) {
        $wait = static function () use ($theirs): void {
            fwrite($theirs, "ready\n");
            fgets($theirs);
        };
        fwrite($theirs, json_encode($measure(intdiv($i * $rows, PROCESSES), $wait)));
        exit(0);
    }
    fclose($theirs);
    $pipes[] = $ours;
}
array_map(fgets(...), $pipes);
foreach ($pipes as $pipe) {
    fwrite($pipe, "go\n"); // They begin together, when all have loaded their classes and are connected.
}
$sum = ['seconds' => 0.0, 'cpu' => 0.0, 'lookups' => 0, 'wrong' => 0];
foreach ($pipes as $pipe) {
    foreach (json_decode(stream_get_contents($pipe), true) as $name => $value) {
        $sum[$name] = $name === 'seconds' ? max($sum[$name], $value) : $sum[$name] + $value;
    }
}
echo json_encode($sum), "\n";

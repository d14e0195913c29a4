<?php
// The session of README.md with phpredis, Debian's php-redis.

const BINARY = "<\x00\xff>\r\n";

function check($found, $wanted): void
{
    if ($found !== $wanted) {
        throw new Exception(var_export($found, true) . ' instead of ' . var_export($wanted, true));
    }
}

function strings(Redis $client): void
{
    check($client->set('page:a', BINARY, ['ex' => 100]), true);
    check($client->get('page:a'), BINARY);
    check($client->ttl('page:a') >= 99 && $client->ttl('page:a') <= 101, true);
    check($client->set('page:a', 'x', ['nx']), false);
    check($client->mset(['page:a' => 'one', 'page:b' => 'two']), true);
    check($client->mget(['page:a', 'page:none']), ['one', false]);
    check($client->append('page:b', '!'), 4);
    check($client->getSet('page:b', '2'), 'two!');
    check($client->exists('page:a', 'page:b', 'page:none'), 2);
    check($client->expire('page:b', 50), true);
    check($client->persist('page:b'), true);
    check($client->ttl('page:b'), -1);
    check($client->incr('count:c'), 1);
    check($client->incrBy('count:c', 41), 42);
    check($client->decr('count:c'), 41);
    check($client->incrByFloat('page:b', 0.5), 2.5);
}

function hashes(Redis $client): void
{
    check($client->hMSet('user:1', ['name' => 'ada', 'visits' => 1]), true);
    check($client->hIncrBy('user:1', 'visits', 4), 5);
    check($client->hMGet('user:1', ['visits', 'none', 'name']), ['visits' => '5', 'none' => false, 'name' => 'ada']);
    $all = $client->hGetAll('user:1');
    ksort($all);
    check($all, ['id' => '1', 'name' => 'ada', 'visits' => '5']);
    check($client->hExists('user:1', 'name'), true);
}

function transactions(Redis $client, Redis $other): void
{
    check($client->multi()->incr('count:t')->get('page:a')->exec(), [1, 'one']);
    $client->watch('count:t');
    $other->incr('count:t');
    check($client->multi()->incr('count:t')->exec(), false);
    check($client->get('count:t'), '2');
}

function scan(Redis $client): void
{
    $client->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
    $found = [];
    $cursor = null;
    while (($keys = $client->scan($cursor, 'page:*', 1)) !== false) {
        array_push($found, ...$keys);
    }
    sort($found);
    check($found, ['page:a', 'page:b']);
}

function pipeline(Redis $client): void
{
    $pipe = $client->pipeline();
    for ($i = 0; $i < 100; ++$i) {
        $pipe->incr('count:p');
    }
    check($pipe->exec(), range(1, 100));
}

function refused(Redis $client): void
{
    foreach (file(getenv('REFUSED'), FILE_IGNORE_NEW_LINES) as $line) {
        [$command, $error] = explode("\t", $line);
        $client->clearLastError();
        $found = $client->rawCommand(...explode(' ', $command));
        check([$command, $found, substr((string) $client->getLastError(), 0, strlen($error))], [$command, false, $error]);
    }
}

function guarded(string $password): Redis
{
    $client = new Redis();
    $tls = ['verify_peer_name' => false, 'cafile' => getenv('CA')];
    $client->connect('tls://127.0.0.1', (int) getenv('GUARDED_PORT'), 60, null, 0, 60, ['stream' => $tls]);
    $client->auth(['driver', $password]);
    return $client;
}

function account(): void
{
    $client = guarded("se'cret");
    check($client->set('page:t', 'over TLS'), true);
    check($client->get('page:t'), 'over TLS');
    try {
        guarded('wrong');
        throw new Exception('a wrong password is taken');
    } catch (RedisException $told) {
        check(str_starts_with($told->getMessage(), 'WRONGPASS'), true);
    }
}

[$client, $other] = [new Redis(), new Redis()];
foreach ([$client, $other] as $one) {
    $one->connect('127.0.0.1', (int) getenv('PORT'));
}
strings($client);
hashes($client);
transactions($client, $other);
scan($client);
pipeline($client);
refused($client);
account();
check($client->del('page:a', 'page:b', 'count:c', 'count:p', 'count:t', 'user:1'), 6);
check($client->set('page:left', 'phpredis'), true);
echo 'ok phpredis ', phpversion('redis'), "\n";

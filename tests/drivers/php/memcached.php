<?php
// The session of README.md with php-memcached, by text and by the binary protocol, which also logs in by SASL.

const BINARY = "<\x00\xff>\r\n";

function check($found, $wanted): void
{
    if ($found !== $wanted) {
        throw new Exception(var_export($found, true) . ' instead of ' . var_export($wanted, true));
    }
}

function connect(string $port, bool $binary): Memcached
{
    $client = new Memcached();
    $client->setOption(Memcached::OPT_BINARY_PROTOCOL, $binary);
    $client->setOption(Memcached::OPT_COMPRESSION, false);
    $client->addServer('127.0.0.1', (int) getenv($port));
    return $client;
}

function values(Memcached $client): void
{
    check($client->get('x:a'), false);
    check($client->getResultCode(), Memcached::RES_NOTFOUND);
    check($client->set('x:a', BINARY, 100), true);
    check($client->get('x:a'), BINARY);
    check($client->add('x:a', 'x'), false);
    check($client->replace('x:none', 'x'), false);
    check($client->setMulti(['x:a' => 'one', 'x:b' => ['two', 2]]), true);
    check($client->getMulti(['x:a', 'x:none', 'x:b']), ['x:a' => 'one', 'x:b' => ['two', 2]]);
    check($client->append('x:a', '!'), true);
    check($client->prepend('x:a', '>'), true);
    check($client->get('x:a'), '>one!');
    check($client->touch('x:a', 50), true);
    check($client->delete('x:b'), true);
    check($client->delete('x:b'), false);
}

function numbers(Memcached $client): void
{
    check($client->set('x:n', 9), true);
    check($client->increment('x:n', 33), 42);
    check($client->decrement('x:n', 100), 0);
    check($client->deleteMulti(['x:n', 'x:none']), ['x:n' => true, 'x:none' => Memcached::RES_NOTFOUND]);
}

function versions(Memcached $client): void
{
    check($client->set('x:v', '1'), true);
    $read = $client->get('x:v', null, Memcached::GET_EXTENDED);
    check($client->cas($read['cas'], 'x:v', '2'), true);
    check($client->cas($read['cas'], 'x:v', '3'), false);
    check($client->getResultCode(), Memcached::RES_DATA_EXISTS);
    check($client->get('x:v'), '2');
}

function account(): void
{
    $client = connect('GUARDED_PORT', true);
    $client->setSaslAuthData('driver', "se'cret");
    check($client->set('x:t', 'over TLS'), true);
    check($client->get('x:t'), 'over TLS');
}

foreach ([false, true] as $binary) {
    $client = connect('PORT', $binary);
    values($client);
    numbers($client);
    versions($client);
    check($client->flush(), $binary); // By the binary protocol it does not look at the answer.
    check($client->delete('x:a') && $client->delete('x:v'), true);
    check($client->set('x:left', 'php-memcached'), true);
}
account();
echo 'ok php-memcached ', phpversion('memcached'), "\n";

<?php

// A pipeline, a transaction and a hook for metrics.

use HandlerSocket2\Client;
use HandlerSocket2\Pipeline;
use HandlerSocket2\Transaction;

$autoload = __DIR__ . '/../vendor/autoload.php';
require is_file($autoload) ? $autoload : __DIR__ . '/../src/autoload.php';

$seen = [];
$hook = static function (string $kind, ?string $table, float $seconds, ?Throwable $error) use (&$seen): void {
    $seen[$kind] = ($seen[$kind] ?? 0) + 1;
};
$db = Client::connect($argv[1] ?? 'hs://127.0.0.1:9998?write_port=9999', [], $hook);
$user = $db->table('test.user', ['user_id', 'user_name']);

$db->transaction(static function (Transaction $transaction) use ($user): void {
    $inside = $transaction->table($user);
    $inside->upsert(['user_id' => 102, 'user_name' => 'first']);
    $inside->update(102, ['user_name' => 'second']);
});

$results = $db->pipeline(static function (Pipeline $pipeline) use ($user): void {
    $inside = $pipeline->table($user);
    $inside->get(102);
    $inside->exists(103);
});
foreach ($results as $result) {
    echo $result instanceof HandlerSocket2\Error ? $result->getMessage() : json_encode($result), "\n";
}
print_r($seen);

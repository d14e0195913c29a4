<?php

$autoload = __DIR__ . '/../vendor/autoload.php';
require is_file($autoload) ? $autoload : __DIR__ . '/../src/autoload.php';

$db = HandlerSocket2\Client::connect($argv[1] ?? 'hs://127.0.0.1:9998?write_port=9999');
$user = $db->table('test.user', ['user_id', 'user_name']);
$user->upsert(['user_id' => 101, 'user_name' => 'Yukari Takeba']);
print_r($user->get(101));

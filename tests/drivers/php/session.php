<?php
// One request of a program with PHP's own sessions: session.php HANDLER PLACE ID COMMAND. HANDLER is redis or memcached.

[, $handler, $place, $id, $command] = $argv;
ini_set('session.save_handler', $handler);
ini_set('session.save_path', $place);
ini_set('session.use_cookies', '0');
ini_set('session.gc_maxlifetime', '100');
// Locking of Redis' handler needs EVAL, so it is off, as it is by default.
ini_set('memcached.sess_prefix', 'session:');
ini_set('memcached.sess_lock_wait_min', '10');
ini_set('memcached.sess_lock_wait_max', '10');
ini_set('memcached.sess_lock_retries', '10000');
session_id($id);
if (!session_start()) {
    exit(1);
}
if ($command === 'count') {
    $_SESSION['count'] = ($_SESSION['count'] ?? 0) + 1;
    usleep((int) (getenv('WORK_US') ?: 0));
    echo $_SESSION['count'];
    session_write_close();
} elseif ($command === 'destroy') {
    session_destroy();
}

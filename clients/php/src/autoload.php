<?php

declare(strict_types=1);

// For use without Composer.
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'HandlerSocket2\\')) {
        $file = __DIR__ . '/' . substr($class, 15) . '.php';
        require_once is_file($file) ? $file : __DIR__ . '/errors.php';
    }
});

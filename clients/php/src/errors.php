<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** All errors of this package. */
class Error extends \RuntimeException
{
}

/** An option is unknown, stands twice, or has a value that it cannot have. */
class ConfigurationError extends Error
{
}

/** A value, a name or a number cannot be sent. Nothing was sent. */
class ValueError extends Error
{
}

/** There is no connection, or it broke; `sent`: the request may have been carried out. */
class ConnectionError extends Error
{
    public function __construct(string $what, public bool $sent = false)
    {
        parent::__construct($what);
    }
}

/** It took too long; the connection is closed. */
class TimeoutError extends ConnectionError
{
}

/** What came is no reply of the protocol; the connection is closed. */
class ProtocolError extends ConnectionError
{
    public function __construct(string $what)
    {
        parent::__construct($what, true);
    }
}

/** The server has not the feature that this needs. */
class UnsupportedError extends Error
{
}

/** The server's answer is an error: getCode() 1, 2 or 3, `text` as it came, and SQL's `number`. */
class ServerError extends Error
{
    public readonly ?int $number;

    final public function __construct(int $code, public readonly string $text)
    {
        parent::__construct("$text (code $code)", $code);
        $found = preg_match('/^(?:sql_([0-9]{1,9})(?: |$)|access_denied ([0-9]{1,9})$)/', $text, $parts);
        $this->number = $found === 1 ? (int) ($parts[2] ?? $parts[1]) : null;
    }

    /** The error of an error reply, of the class that its text has. */
    public static function of(int $code, string $text): self
    {
        $word = explode(' ', $text, 2)[0];
        $class = match ($word) {
            '121' => DuplicateKeyError::class,
            '146', 'lock_tables' => LockTimeoutError::class,
            '149' => DeadlockError::class,
            'transaction_lost', '123' => TransactionLostError::class,
            '151', '152' => ForeignKeyError::class,
            'sql_1048', 'sql_1264', 'sql_1265', 'sql_1292',
            'sql_1364', 'sql_1366', 'sql_1406', 'sql_4025' => ConstraintError::class,
            'open_table', 'idxnum', 'fld' => NotFoundError::class,
            'readonly' => ReadOnlyError::class,
            'unauth', 'authtype', 'insecure_transport' => AuthenticationError::class,
            'access_denied' => AccessDeniedError::class,
            'max_memory' => OverloadedError::class,
            'shutdown' => UnavailableError::class,
            default => str_starts_with($word, 'too_many_') ? OverloadedError::class : self::class,
        };
        return new $class($code, $text);
    }
}

/** A row with this key is there already. */
final class DuplicateKeyError extends ServerError
{
}

/** Another one holds the row or the table for too long. */
final class LockTimeoutError extends ServerError
{
}

/** A deadlock; nothing was kept. */
final class DeadlockError extends ServerError
{
}

/** The transaction was rolled back by the server; nothing of it was kept. */
final class TransactionLostError extends ServerError
{
}

/** A foreign key forbids it. */
final class ForeignKeyError extends ServerError
{
}

/** The row is none that the table takes. */
final class ConstraintError extends ServerError
{
}

/** There is no such table, index or column. */
final class NotFoundError extends ServerError
{
}

/** Changes are not taken here. */
final class ReadOnlyError extends ServerError
{
}

/** The login or the secret was refused. */
final class AuthenticationError extends ServerError
{
}

/** The account has not the privilege. */
final class AccessDeniedError extends ServerError
{
}

/** One of the server's bounds is reached. */
final class OverloadedError extends ServerError
{
}

/** The server shuts down. */
final class UnavailableError extends ServerError
{
}

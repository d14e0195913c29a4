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

    /**
     * The same error, which tells where it was that no connection came about.
     * @internal
     */
    public function at(string $place): static
    {
        $hint = $this instanceof ProtocolError ? "; is it HandlerSocket's port, or that of SQL?" : '';
        $this->message = "no connection to $place: $this->message$hint";
        $this->sent = false;
        return $this;
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
    /** What is said behind the server's word, which is short. */
    private const HINTS = [
        '121' => 'a row with this key is there already',
        '123' => 'another session has changed the row meanwhile; try again',
        '146' => 'another session held the row for too long; try again',
        '149' => 'a deadlock; try again',
        '151' => 'the row that a foreign key refers to is not there',
        '152' => 'another row refers to this one by a foreign key',
        'lock_tables' => 'another session held the table for too long, or the server is read-only',
        'transaction_lost' => 'the server has rolled the transaction back; begin it again',
        'open_table' => 'there is no such table, or it cannot be served',
        'idxnum' => 'the table has no such index, or it cannot be searched',
        'fld' => 'the table has no such column',
        'readonly' => 'changes are not taken here, but on the write port, and in transactions that may write',
        'unauth' => 'the port asks for an account or a secret, or the one that was given is refused; '
            . 'accounts of MySQL need tls=verify or a Unix socket',
        'authtype' => 'the port does not take this kind of login',
        'insecure_transport' => 'the server takes connections with TLS only',
        'access_denied' => 'the account has no privilege for this',
        'access_denied 1226' => 'the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later',
        'max_memory' => 'the server has reached handlersocket_max_memory; try again later',
        'shutdown' => 'the server is shutting down',
        'too_many_indexes' => 'the connection has as many open indexes as it may have',
        'too_many_connections' => 'the server has reached handlersocket_max_connections',
        'too_many_rows' => 'one request may not change or give so many rows; use a smaller limit',
        'too_many_keys' => 'the list is longer than handlersocket_max_in_keys',
        'too_many_columns' => 'the list is longer than handlersocket_max_columns',
        'too_many_logins' => 'as many logins wait as the server lets wait; try again later',
        'too_many_waits' => 'as many connections wait for a GTID as the server lets wait; try again later',
        'too_many_transactions' => 'the server has reached handlersocket_max_transactions; try again later',
        'cmd' => 'the server does not know this request: it is no HandlerSocket 2, or an old one',
        'op' => 'the index does not take this operator',
        'kpnum' => 'the key has more values than the index has columns',
        'fldnum' => 'there are more values than columns',
        'filterblob' => 'TEXT and BLOB columns can only be compared with NULL',
        'notimpl' => 'this server does not serve this request',
        'number' => 'an amount, a limit or an offset is no integer, or out of its range',
        'request_too_long' => 'the request is longer than handlersocket_max_request_size',
        'reply_too_long' => 'the reply is longer than handlersocket_max_reply_size; ask for fewer rows',
        'unsupported_table' => 'the table has a feature that is not served on this port; use SQL',
        'interrupted' => 'the request was killed, and nothing of it was done',
        'gtid' => 'this is no list of GTIDs',
        'no_binary_log' => 'the server writes no binary log, so changes have no GTID',
        'in_transaction' => 'this is not taken within a transaction',
        'no_transaction' => 'the connection is in no transaction',
        'not_a_number' => 'the value of the column is no number that can be counted',
    ];

    public readonly ?int $number;

    final public function __construct(int $code, public readonly string $text)
    {
        $hint = self::HINTS[$text] ?? self::HINTS[explode(' ', $text, 2)[0]] ?? null;
        parent::__construct("$text (code $code)" . ($hint === null ? '' : ": $hint"), $code);
        $found = preg_match('/^(?:sql_([0-9]{1,9})(?: |$)|access_denied ([0-9]{1,9})$)/', $text, $parts);
        $this->number = $found === 1 ? (int) ($parts[2] ?? $parts[1]) : null;
    }

    /** Whether the server ends the connection behind this error, or may. @internal */
    public function endsConnection(): bool
    {
        $words = ['insecure_transport', 'max_memory', 'request_too_long', 'shutdown', 'too_many_connections'];
        return in_array($this->text, $words, true);
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

<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** A server: its tables, pipelines and transactions, and what is told of it. */
final class Client extends Runner
{
    private Places $places;
    private Schema $schema;

    /**
     * Nothing is opened before it is needed.
     * @param array<string, mixed> $options those that the URL does not name
     * @param ?\Closure(string, ?string, float, ?\Throwable): void $onRequest told kind, table, seconds and error; one that throws
     *     changes nothing of the call, and goes to PHP's log
     */
    public static function connect(?string $url = null, array $options = [], ?\Closure $onRequest = null): self
    {
        return new self(Options::make($url, $options), $onRequest);
    }

    public function __construct(public readonly Options $options, private ?\Closure $onRequest = null)
    {
        $this->places = new Places($options);
        $this->schema = new Schema();
    }

    /**
     * A table by an index; `$name` is `database.table`. Without columns: all of them. `$raw`: bytes for all values.
     * @param ?list<string> $columns
     */
    public function table(string $name, ?array $columns = null, string $index = 'PRIMARY', bool $raw = false): Table
    {
        return new Table($this, $this, $this->split($name), $columns, $index, $raw);
    }

    /** @return array{string, string} */
    private function split(string $name): array
    {
        $parts = Protocol::splitName($name);
        if (count($parts) === 1) {
            array_unshift($parts, (string) $this->options->database);
        }
        if ($parts[0] === '') {
            throw new ValueError("'$name' does not name a table and its database");
        }
        return [Protocol::name($parts[0]), Protocol::name($parts[1])];
    }

    public function one(Call $call): mixed
    {
        if ($this->onRequest || $call->changes || $this->places->replicas) {
            return parent::one($call);
        }
        $result = $this->places->read($call);
        if ($result instanceof Error) {
            $this->schema->forgettingAltered([$call], [$result]);
            throw $result;
        }
        return $result;
    }

    public function run(array $calls): array
    {
        return $calls ? $this->observe($calls, $this->places->carryOut(...)) : [];
    }

    /**
     * The results of the work, about which the hook is told. Tables that were altered are forgotten.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    public function observe(array $calls, \Closure $work): array
    {
        if (!$this->onRequest || !$calls) {
            return $this->schema->forgettingAltered($calls, $work($calls));
        }
        $begun = Transport::now();
        $error = null;
        try {
            $results = $this->schema->forgettingAltered($calls, $work($calls));
            foreach ($results as $result) {
                $error ??= $result instanceof Error ? $result : null;
            }
            return $results;
        } catch (Error $thrown) {
            $error = $thrown;
            throw $thrown;
        } finally {
            $isOne = count($calls) === 1 || $calls[1]->kind === 'describe'; // as IndexCalls has them
            $kind = $isOne ? $calls[0]->kind : 'pipeline';
            $table = $calls[0]->table ? implode('.', $calls[0]->table) : null;
            $this->tell($kind, $table, Transport::now() - $begun, $error);
        }
    }

    /** Calls the hook. One that throws changes nothing of a call that has ended: it goes to PHP's log. */
    private function tell(string $kind, ?string $table, float $seconds, ?Error $error): void
    {
        try {
            ($this->onRequest)($kind, $table, $seconds, $error);
        } catch (\Throwable $failure) {
            error_log("handlersocket2: onRequest has failed: $failure");
        }
    }

    /** Begins a transaction; isolation RU, RC, RR or SR. */
    public function begin(?string $isolation = null, bool $readOnly = false): Transaction
    {
        return new Transaction($this, $readOnly ? $this->places->read : $this->places->writer(), $isolation, $readOnly);
    }

    /**
     * Calls the block with a transaction, commits at its end and rolls back when it throws. Gives what the block gives.
     * @param \Closure(Transaction): mixed $block
     */
    public function transaction(\Closure $block, ?string $isolation = null, bool $readOnly = false): mixed
    {
        $transaction = $this->begin($isolation, $readOnly);
        try {
            $result = $block($transaction);
        } catch (\Throwable $error) {
            $transaction->rollback();
            throw $error;
        }
        $transaction->commit();
        return $result;
    }

    /** Connects, if need be, and asks the server for its version. */
    public function ping(): void
    {
        $hello = Call::line('ping', Protocol::hello(2, $this->options->name), null, static fn () => null);
        try {
            $this->one($hello);
        } catch (ServerError $error) {
            if ($error->text !== 'cmd') {
                throw $error;
            }
        }
    }

    /**
     * What the server can do; none for one of the original's kind.
     * @return list<string>
     */
    public function features(): array
    {
        $connection = $this->places->read->take(false);
        $this->places->read->giveBack($connection);
        $found = $connection->features;
        sort($found);
        return $found;
    }

    /** The GTID of the client's last change in each domain, with commas between them; empty without one. */
    public function lastGtid(): string
    {
        return $this->places->lastGtid();
    }

    /** Whether it is applied, at most so many seconds later. */
    public function waitForGtid(string $gtid, float $seconds): bool
    {
        return $this->one(Call::waitForGtid($gtid, $seconds));
    }

    /**
     * Databases, the tables of a database, or the columns of `database.table`.
     * @return list<array<string, mixed>>
     */
    public function describe(?string $name = null): array
    {
        return $this->one(Call::describe(...($name === null ? [null] : Protocol::splitName($name))));
    }

    /**
     * The columns of the indexes of `database.table`.
     * @return list<array<string, mixed>>
     */
    public function indexes(string $name): array
    {
        return $this->one(Call::describe(...[...$this->split($name), true]));
    }

    /**
     * One line as it is, to port `read` or `write`: code, number of columns, and values.
     * @param list<string> $tokens
     * @return list<mixed>
     */
    public function raw(string $port, array $tokens): array
    {
        if (array_filter($tokens, is_scalar(...)) !== $tokens) {
            throw new ValueError('a token is a text or a number');
        }
        $line = implode("\t", $tokens);
        if (str_contains($line, "\n") || !in_array($port, ['read', 'write'], true)) {
            throw new ValueError('a line has no LF, and a port is read or write');
        }
        if (preg_match('/\A[0-9APT]/', $line)) {
            throw new ValueError('an index, a login and a transaction are of one connection, which raw has not');
        }
        $decode = static fn (Reply $reply) => [0, $reply->columns, ...$reply->values];
        return $this->one(new Call('raw', static fn () => "$line\n", $decode, null, $port === 'write'));
    }

    /**
     * As `Places`.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    public function writeOn(Connection $connection, array $calls): array
    {
        return $this->places->writeOn($connection, $calls);
    }

    /** What is known of tables. */
    public function schema(): Schema
    {
        return $this->schema;
    }

    /**
     * As `Schema`.
     * @param list<string> $wanted
     * @return array<string, string>
     */
    public function kinds(string $database, string $table, array $wanted = []): array
    {
        return $this->schema->kinds($this, $database, $table, $wanted);
    }

    /**
     * As `Schema`.
     * @return list<array<string, mixed>>
     */
    public function key(string $database, string $table, string $index): array
    {
        return $this->schema->key($this, $database, $table, $index);
    }

    /** As `Schema`. */
    public function forget(string $database, string $table): void
    {
        $this->schema->forget($database, $table);
    }

    /** Closes all connections. */
    public function close(): void
    {
        $this->places->close();
    }
}

<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** Connections to a server: pools, what is sent again, replicas, transactions, schemas. */
final class Client extends Runner
{
    public readonly Options $options;
    private Pool $read;
    private ?Pool $write = null;
    /** @var list<Pool> */
    private array $replicas = [];
    private int $turn = 0;
    private Gtids $gtids;
    private ?\WeakReference $writer = null;
    /** @var array<string, array<string, string>> */
    private array $kinds = [];
    /** @var array<string, list<array<string, mixed>>> */
    private array $indexes = [];
    /** How often a table turned out to have been altered. */
    private int $alterations = 0;

    /**
     * Nothing is opened before it is needed.
     * @param array<string, mixed> $options those that the URL does not name
     * @param ?\Closure(string, ?string, float, ?\Throwable): void $onRequest told kind, table, seconds and error
     */
    public static function connect(?string $url = null, array $options = [], ?\Closure $onRequest = null): self
    {
        return new self(Options::make($url, $options), $onRequest);
    }

    public function __construct(Options $options, private ?\Closure $onRequest = null)
    {
        $this->options = $options;
        $this->gtids = new Gtids();
        [$host, $path] = [$options->host, $options->socket];
        $this->read = new Pool($options, $host, $options->port, $path, $options->secret);
        if ($path === null || $options->write_socket !== null) {
            $secret = $options->write_secret ?? $options->secret;
            $this->write = new Pool($options, $host, $options->write_port, $options->write_socket, $secret);
        }
        foreach ($options->replicas as $replica) {
            $this->replicas[] = new Pool($options, ...[...Options::place($replica), null, $options->secret]);
        }
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
        $parts = explode('.', $name, 2);
        if (count($parts) === 1) {
            array_unshift($parts, (string) $this->options->database);
        }
        if ($parts[0] === '' || $parts[1] === '') {
            throw new ValueError("'$name' does not name a table and its database");
        }
        return [Protocol::name($parts[0]), Protocol::name($parts[1])];
    }

    public function one(Call $call): mixed
    {
        if ($this->onRequest || $call->changes || $this->replicas) {
            return parent::one($call);
        }
        try {
            $result = $this->askOnce($call);
        } catch (ConnectionError $error) {
            $result = $error;
        }
        if (!$result instanceof Error) {
            return $result;
        }
        $again = $result instanceof ConnectionError && !$result instanceof TimeoutError && $this->options->retries > 0;
        if ($again) {
            self::pause(0);
            [$result] = $this->again(fn () => $this->at($this->read, [$call]), false, 1);
        }
        $this->forgettingAltered([$call], [$result]);
        return $result instanceof Error ? throw $result : $result;
    }

    /** The result of one read, which may be an error. */
    private function askOnce(Call $call): mixed
    {
        $connection = $this->read->take(false);
        $whole = false;
        try {
            $result = $connection->ask($call, $this->options->timeout);
            $whole = true;
            return $result;
        } finally {
            $connection->broken = $connection->broken || !$whole;
            $this->read->giveBack($connection);
        }
    }

    public function run(array $calls): array
    {
        return $calls ? $this->observe($calls, $this->carryOut(...)) : [];
    }

    /**
     * The results of the work, about which the hook is told. Tables that were altered are forgotten.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    public function observe(array $calls, \Closure $work): array
    {
        if (!$this->onRequest || !$calls) {
            return $this->forgettingAltered($calls, $work($calls));
        }
        $begun = Transport::now();
        $error = null;
        try {
            $results = $this->forgettingAltered($calls, $work($calls));
            foreach ($results as $result) {
                $error ??= $result instanceof Error ? $result : null;
            }
            return $results;
        } catch (Error $thrown) {
            $error = $thrown;
            throw $thrown;
        } finally {
            $kind = count($calls) === 1 ? $calls[0]->kind : 'pipeline';
            ($this->onRequest)($kind, $calls[0]->table, Transport::now() - $begun, $error);
        }
    }

    /**
     * The results. What is known of tables is forgotten where they say that a table is not as it was.
     * @param list<Call> $calls
     * @param list<mixed> $results
     * @return list<mixed>
     */
    private function forgettingAltered(array $calls, array $results): array
    {
        foreach ($results as $at => $result) {
            if ($result instanceof NotFoundError || $result instanceof ProtocolError) {
                $name = (string) $calls[$at]->table;
                unset($this->kinds[$name], $this->indexes[$name]);
                $this->alterations++;
            }
        }
        return $results;
    }

    /** How often a table turned out to have been altered. */
    public function alterations(): int
    {
        return $this->alterations;
    }

    /**
     * @param list<Call> $calls
     * @return list<mixed>
     */
    private function carryOut(array $calls): array
    {
        foreach ($calls as $call) {
            if ($call->changes) {
                $pool = $this->writer();
                return $this->again(fn () => $this->on($pool, $pool->take(true), $calls, true), true);
            }
        }
        return $this->fromReplicas($calls) ?? $this->again(fn () => $this->at($this->read, $calls), false);
    }

    /**
     * Repeats the work where its results are lost: changes only when nothing of them was sent. So many attempts came
     * before.
     * @param \Closure(): list<mixed> $once
     * @return list<mixed>
     */
    private function again(\Closure $once, bool $changes, int $before = 0): array
    {
        for ($attempt = $before;; $attempt++) {
            $thrown = $lost = null;
            $results = [];
            try {
                $results = $once();
                foreach ($results as $result) {
                    $lost ??= $result instanceof ConnectionError ? $result : null;
                }
            } catch (ConnectionError $thrown) {
                $lost = $thrown;
            }
            $last = $attempt >= $this->options->retries || $lost instanceof TimeoutError;
            if (!$lost || $last || ($changes && $lost->sent)) {
                return $thrown ? throw $thrown : $results;
            }
            self::pause($attempt);
        }
    }

    private static function pause(int $attempt): void
    {
        usleep(random_int(0, (int) (1e6 * min(0.05 * 2 ** $attempt, 2))));
    }

    /**
     * @param list<Call> $calls
     * @return list<mixed>
     */
    private function at(Pool $pool, array $calls): array
    {
        return $this->on($pool, $pool->take(false), $calls);
    }

    /**
     * @param list<Call> $calls
     * @return list<mixed>
     */
    private function on(Pool $pool, Connection $connection, array $calls, bool $commits = false): array
    {
        $whole = false;
        try {
            $results = $commits
                ? $this->writeOn($connection, $calls)
                : $connection->execute($calls, $this->options->timeout);
            $whole = true;
            return $results;
        } finally {
            $connection->broken = $connection->broken || !$whole;
            $pool->giveBack($connection);
        }
    }

    private function writer(): Pool
    {
        return $this->write ?? throw new ConfigurationError('changes need the option write_socket');
    }

    /**
     * The results of calls of which one commits. With read_your_writes their GTID is asked for in the same piece.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    public function writeOn(Connection $connection, array $calls): array
    {
        $this->writer = \WeakReference::create($connection);
        $seconds = $this->options->timeout;
        if (!$this->options->read_your_writes || !in_array('gtid', $connection->features, true)) {
            return $connection->execute($calls, $seconds);
        }
        $results = $connection->execute([...$calls, Call::lastGtid()], $seconds);
        $gtid = array_pop($results);
        $this->gtids->note(is_string($gtid) ? $gtid : '');
        return $results;
    }

    /**
     * @param list<Call> $calls
     * @return ?list<mixed>
     */
    private function fromReplicas(array $calls): ?array
    {
        $turn = $this->turn++;
        $gtids = $this->options->read_your_writes ? $this->gtids->all() : '';
        $wait = $gtids === '' ? [] : [Call::waitForGtid($gtids, $this->options->gtid_timeout)];
        for ($step = 0; $step < count($this->replicas); $step++) {
            $pool = $this->replicas[($turn + $step) % count($this->replicas)];
            try {
                $results = $this->at($pool, [...$wait, ...$calls]);
            } catch (ConnectionError | ServerError) { // the latter is of its login
                continue;
            }
            foreach ($results as $result) {
                if ($result instanceof TimeoutError) { // no time is left for another one
                    return array_slice($results, count($wait));
                }
                if ($result instanceof ConnectionError) {
                    continue 2;
                }
            }
            if ($wait && array_shift($results) !== true) {
                return null;
            }
            return $results;
        }
        return null;
    }

    /** Begins a transaction; isolation RU, RC, RR or SR. */
    public function begin(?string $isolation = null, bool $readOnly = false): Transaction
    {
        return new Transaction($this, $readOnly ? $this->read : $this->writer(), $isolation, $readOnly);
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
        $connection = $this->read->take(false);
        $this->read->giveBack($connection);
        $found = $connection->features;
        sort($found);
        return $found;
    }

    /** The GTID of the client's last change in each domain, with commas between them; empty without one. */
    public function lastGtid(): string
    {
        if ($this->options->read_your_writes) {
            return $this->gtids->all();
        }
        $pool = $this->writer();
        $connection = $pool->take(true);
        if ($connection !== $this->writer?->get()) {
            $pool->giveBack($connection);
            return $this->gtids->all();
        }
        [$result] = $this->on($pool, $connection, [Call::lastGtid()]);
        $this->gtids->note($result instanceof Error ? throw $result : $result);
        return $this->gtids->all();
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
        return $this->one(Call::describe(...($name === null ? [null] : explode('.', $name, 2))));
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
        $line = implode("\t", $tokens);
        if (str_contains($line, "\n") || !in_array($port, ['read', 'write'], true)) {
            throw new ValueError('a line has no LF, and a port is read or write');
        }
        $decode = static fn (Reply $reply) => [0, $reply->columns, ...$reply->values];
        return $this->one(new Call('raw', static fn () => "$line\n", $decode, null, $port === 'write'));
    }

    /**
     * The kinds of a table's columns in their order; none when the server has no D. Asks anew when one of the wanted
     * columns is not known: it may have been added.
     * @param list<string> $wanted
     * @return array<string, string>
     */
    public function kinds(string $database, string $table, array $wanted = []): array
    {
        $name = "$database.$table";
        $known = $this->kinds[$name] ?? null;
        if ($known === null || ($known && array_diff_key(array_flip($wanted), $known))) {
            $found = [];
            try {
                foreach ($this->one(Call::describe($database, $table)) as $row) {
                    $found[$row['column']] = Values::kind($row['type']);
                }
            } catch (UnsupportedError) {
                // Then all is text.
            }
            $this->kinds[$name] = $found;
        }
        return $this->kinds[$name];
    }

    /**
     * The columns of an index, as `indexes` gives them.
     * @return list<array<string, mixed>>
     */
    public function key(string $database, string $table, string $index): array
    {
        $name = "$database.$table";
        $this->indexes[$name] ??= $this->one(Call::describe($database, $table, true));
        $wanted = $index === '' ? 'PRIMARY' : $index;
        $found = array_filter($this->indexes[$name], static fn (array $row) => $row['index'] === $wanted);
        return $found ? array_values($found) : throw ServerError::of(2, 'idxnum');
    }

    /** Closes all connections. */
    public function close(): void
    {
        foreach ([$this->read, $this->write, ...$this->replicas] as $pool) {
            $pool?->close();
        }
    }
}

<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** A transaction on a connection of its own. Nothing in it is sent again. */
final class Transaction extends Runner
{
    private ?Connection $connection;
    private int $process; // to which the connection belongs

    public function __construct(
        private Client $client,
        private Pool $pool,
        ?string $isolation,
        private bool $readOnly,
    ) {
        $line = Protocol::begin($isolation, $readOnly);
        $this->process = (int) getmypid();
        $this->connection = $pool->take(true);
        try {
            $this->one(Call::line('begin', $line, 'transaction'));
        } catch (\Throwable $error) {
            $this->leave(true);
            throw $error;
        }
    }

    public function __destruct()
    {
        if ($this->connection) {
            $this->leave(true);
        }
    }

    /**
     * The table within this transaction: one of the client, or as the client takes its name.
     * @param ?list<string> $columns
     */
    public function table(
        Table|string $table,
        ?array $columns = null,
        string $index = 'PRIMARY',
        bool $raw = false,
    ): Table {
        $named = is_string($table) ? $this->client->table($table, $columns, $index, $raw) : $table;
        return $named->within($this);
    }

    public function run(array $calls): array
    {
        return $this->client->observe($calls, $this->carryOut(...));
    }

    /**
     * @param list<Call> $calls
     * @return list<mixed>
     */
    private function carryOut(array $calls, bool $commits = false): array
    {
        if (!$this->connection) {
            throw new ValueError('the transaction has ended');
        }
        if ($this->process !== getmypid()) {
            throw new ValueError('the transaction is of another process');
        }
        $whole = false;
        try {
            $allowed = array_filter($calls, fn (Call $call) => !($this->readOnly && $call->changes));
            $results = $commits && !$this->readOnly
                ? $this->client->writeOn($this->connection, $calls)
                : $this->connection->execute(array_values($allowed), $this->client->options->timeout);
            $whole = true;
        } finally {
            if ($this->connection->broken || !$whole) {
                $this->connection->close(); // the server rolls back at once
            }
        }
        return array_map(
            static function (int $at) use ($allowed, &$results): mixed {
                return isset($allowed[$at]) ? array_shift($results) : ServerError::of(2, 'readonly');
            },
            array_keys($calls),
        );
    }

    /** Sets a savepoint. */
    public function savepoint(string $name): void
    {
        $this->one(Call::line('savepoint', Protocol::savepoint($name)));
    }

    /** Undoes what was done since the savepoint. */
    public function rollbackTo(string $name): void
    {
        $this->one(Call::line('rollback_to', Protocol::rollbackTo($name)));
    }

    /**
     * Commits. After an error nothing was kept, unless it is a ConnectionError that was sent. Does nothing once the
     * transaction has ended.
     */
    public function commit(): void
    {
        if (!$this->connection) {
            return;
        }
        $commit = [Call::line('commit', Protocol::commit())];
        try {
            [$result] = $this->client->observe($commit, fn (array $calls) => $this->carryOut($calls, true));
            if ($result instanceof Error) {
                throw $result;
            }
        } finally {
            $this->leave(false);
        }
    }

    /** Rolls back. Does nothing once the transaction has ended. */
    public function rollback(): void
    {
        if (!$this->connection) {
            return;
        }
        $broken = true;
        try {
            $this->one(Call::line('rollback', Protocol::rollback()));
            $broken = false;
        } catch (ConnectionError | ServerError | ValueError) {
            // The server rolls back when the connection ends, or it is another process's.
        } finally {
            $this->leave($broken);
        }
    }

    private function leave(bool $broken): void
    {
        $connection = $this->connection;
        $this->connection = null;
        if ($this->process !== getmypid()) {
            $connection?->close(); // this process's end of it
        } elseif ($connection) {
            $connection->broken = $connection->broken || $broken;
            $this->pool->giveBack($connection);
        }
    }
}

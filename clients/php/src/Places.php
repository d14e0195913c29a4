<?php

declare(strict_types=1);

namespace HandlerSocket2;

/**
 * Where calls go: the read port, the write port, the replicas in turns. What is safe to repeat is sent again, and the
 * GTIDs of changes are kept.
 */
final class Places
{
    public readonly Pool $read;
    /** @var list<Pool> */
    public readonly array $replicas;
    private ?Pool $write = null;
    private int $turn = 0;
    private Gtids $gtids;

    public function __construct(private Options $options)
    {
        $this->gtids = new Gtids();
        [$host, $path] = [$options->host, $options->socket];
        $this->read = new Pool($options, $host, $options->port, $path, $options->secret);
        if ($path === null || $options->write_socket !== null) {
            $secret = $options->write_secret ?? $options->secret;
            $this->write = new Pool($options, $host, $options->write_port, $options->write_socket, $secret);
        }
        $pool = static fn (string $replica) => new Pool(
            $options,
            ...[...Options::place($replica), null, $options->secret],
        );
        $this->replicas = array_map($pool, $options->replicas);
    }

    /** The result of one read without replicas, which may be an error. */
    public function read(Call $call): mixed
    {
        try {
            $connection = $this->read->take(false);
            $whole = false;
            try {
                $result = $connection->ask($call, $this->options->timeout);
                $whole = true;
            } finally {
                $connection->broken = $connection->broken || !$whole;
                $this->read->giveBack($connection);
            }
        } catch (ConnectionError $error) {
            $result = $error;
        }
        if ($result instanceof ConnectionError && !$result instanceof TimeoutError && $this->options->retries > 0) {
            self::pause(0);
            [$result] = $this->again(fn () => $this->at($this->read, [$call]), false, 1);
        }
        return $result;
    }

    /**
     * The results of the calls, errors in their places.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    public function carryOut(array $calls): array
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
            $last = $attempt >= $this->options->retries || $lost instanceof TimeoutError || $this->read->isClosed();
            // Calls that were not sent may stand behind others that were carried out.
            $partlySent = $lost?->sent || !($thrown || $lost === $results[0]);
            if (!$lost || $last || ($changes && $partlySent)) {
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

    public function writer(): Pool
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
        $connection->changed = true;
        $seconds = $this->options->timeout;
        if (!$this->options->read_your_writes || !in_array('gtid', $connection->features, true)) {
            return $connection->execute($calls, $seconds);
        }
        $results = $connection->execute([...$calls, Call::lastGtid()], $seconds);
        $gtid = array_pop($results);
        if (is_string($gtid)) {
            $this->learn($connection, $gtid);
        }
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

    private function learn(Connection $connection, string $gtid): void
    {
        $this->gtids->note($gtid);
        $connection->changed = false;
    }

    /** The GTID of the client's last change in each domain, with commas between them; empty without one. */
    public function lastGtid(): string
    {
        $pool = $this->writer();
        while (!$this->options->read_your_writes && ($connection = $pool->takeChanged())) {
            [$result] = $this->on($pool, $connection, [Call::lastGtid()]);
            $this->learn($connection, $result instanceof Error ? throw $result : $result);
        }
        return $this->gtids->all();
    }

    /** Closes all connections. */
    public function close(): void
    {
        foreach ([$this->read, $this->write, ...$this->replicas] as $pool) {
            $pool?->close();
        }
    }
}

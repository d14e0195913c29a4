<?php

declare(strict_types=1);

namespace HandlerSocket2;

use WeakMap;

use function array_pop;
use function count;
use function getmypid;

/** The connections of this process to one place. */
final class Pool
{
    /** @var list<Connection> */
    private array $idle = [];
    /** @var WeakMap<Connection, true> in use; one that is lost by an exception is in use no more */
    private WeakMap $taken;
    private bool $closed = false;
    private int $process;

    public function __construct(
        private Options $options,
        private string $host,
        private int $port,
        private ?string $path,
        private ?string $secret,
    ) {
        $this->process = (int) getmypid();
        $this->taken = new WeakMap();
    }

    /** A connection that is open; the one that was used last, if one is idle. */
    public function take(bool $changes): Connection
    {
        if ($this->process !== getmypid()) {
            $this->leaveParents();
        }
        if ($this->closed) {
            throw new ConnectionError('the client is closed');
        }
        if (count($this->taken) >= $this->options->pool_size) {
            throw new TimeoutError('every connection of the pool is in use');
        }
        while ($found = array_pop($this->idle)) {
            if ($found->alive($changes)) {
                $this->taken[$found] = true;
                return $found;
            }
            $found->close();
        }
        $made = Connection::open($this->options, $this->host, $this->port, $this->path, $this->secret);
        $this->taken[$made] = true;
        return $made;
    }

    /** Those of the process that has forked belong to it. */
    private function leaveParents(): void
    {
        if ($this->process !== getmypid()) {
            $this->process = (int) getmypid();
            $this->idle = [];
            $this->taken = new WeakMap();
        }
    }

    /** An idle connection that has changed something of which the GTID is not known; null: there is none. */
    public function takeChanged(): ?Connection
    {
        $this->leaveParents();
        foreach ($this->idle as $at => $connection) {
            if ($connection->changed) {
                array_splice($this->idle, $at, 1);
                $this->taken[$connection] = true;
                return $connection;
            }
        }
        return null;
    }

    public function isClosed(): bool
    {
        return $this->closed;
    }

    /** Takes back what `take` gave in this process. */
    public function giveBack(Connection $connection): void
    {
        unset($this->taken[$connection]);
        if ($connection->broken || $this->closed) {
            $connection->close();
        } else {
            $this->idle[] = $connection;
        }
    }

    /** Closes what is idle, and the rest as it comes back. */
    public function close(): void
    {
        $this->closed = true;
        foreach ($this->idle as $one) {
            $one->close();
        }
        $this->idle = [];
    }
}

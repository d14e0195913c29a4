<?php

declare(strict_types=1);

namespace HandlerSocket2;

/**
 * The keys of a getMany that one request asks for, and which of its rows is whose.
 *
 * IN finds one row at most for each value, in their order, and skips values without one. So where there are as many
 * rows as keys each row is that of its key. Else the keys that are, byte by byte, those of the rows tell it, if there
 * are as many of these as rows: a key that is a row's own text finds a row. (Other keys may find rows, too, as `A`
 * finds `a` by many collations.)
 */
final class ManyKeys
{
    private const MOST = 1000; // keys of one request
    private const MOST_BYTES = 1 << 20;
    private const OWN_TEXT = ['integer', 'text', 'bytes']; // kinds whose text finds its row again

    /** Gives a row or null for each key, or null when it cannot be told which row is whose. */
    public readonly Call $call;
    /** @var list<string> those that are read */
    private array $columns;
    private int|false $at = false; // of the column of the keys

    /**
     * @param array<string, mixed> $part the first one of the index
     * @param string $kind of its column
     * @param list<?string> $keys
     */
    private function __construct(Calls $calls, array $part, string $kind, private array $keys)
    {
        $this->columns = $calls->columns;
        if (in_array($kind, self::OWN_TEXT, true) && $part['prefix_length'] === null) {
            if (!in_array($part['column'], $this->columns, true)) {
                $this->columns[] = $part['column'];
            }
            $this->at = array_search($part['column'], $this->columns, true);
        }
        $this->call = $calls->listed($keys, $this->columns, $this->decode(...));
    }

    /**
     * Requests for all of the keys, in their order; none when each key needs a request of its own.
     * @param array<string, mixed> $part
     * @param list<mixed> $keys
     * @return list<self>
     */
    public static function requests(Calls $calls, array $part, string $kind, array $keys): array
    {
        $values = $requests = [];
        $bytes = 0;
        foreach ($keys as $key) {
            $key = Values::key($key);
            if (count($key) !== 1 || ($bytes += strlen((string) $key[0])) > self::MOST_BYTES) {
                return [];
            }
            $values[] = $key[0];
        }
        foreach (array_chunk($values, self::MOST) as $some) {
            $requests[] = new self($calls, $part, $kind, $some);
        }
        return $requests;
    }

    /**
     * @param \Closure(list<?string>, int): array<string, mixed> $row makes a row of the values from a place on
     * @return ?list<?array<string, mixed>>
     */
    private function decode(Reply $reply, \Closure $row): ?array
    {
        $width = count($this->columns);
        $values = $reply->with($width, count($this->keys))->values;
        $size = count($values);
        $whole = $size === $width * count($this->keys);
        $found = [];
        $next = 0;
        foreach ($this->keys as $key) {
            $is = $whole || ($next < $size && $this->at !== false && $values[$next + $this->at] === $key);
            $found[] = $is ? $row($values, $next) : null;
            $next += $is ? $width : 0;
        }
        return $next === $size ? $found : null;
    }
}

<?php

declare(strict_types=1);

namespace HandlerSocket2;

/**
 * A range that is read in pages. Each begins at the last row's key, and skips the rows that were given with that key.
 * Behind a key that has one row at most, it begins behind it.
 */
final class Range
{
    /** @var ?list<?string> */
    private ?array $key;
    private int $skip = 0;
    private string $op;

    /** @param list<array{string, string, mixed}> $filters */
    public function __construct(
        private Client $client,
        private Runner $runner,
        private Calls $calls,
        mixed $start,
        private mixed $stop,
        private bool $reverse,
        private array $filters,
        private int $size,
    ) {
        if ($reverse && $start === null) {
            throw new ValueError('a range in reverse needs its start');
        }
        if ($size < 1) {
            throw new ValueError('a page has at least one row');
        }
        $this->key = $start === null ? null : Values::key($start);
        $this->op = $reverse ? '<=' : '>=';
    }

    /** @return \Generator<int, array<string, mixed>> */
    public function rows(): \Generator
    {
        $calls = $this->calls;
        $parts = $this->client->key($calls->database, $calls->table, $calls->index);
        $names = array_column($parts, 'column');
        [$filterColumns, $wire] = Calls::filters($this->filters);
        if ($this->stop !== null) {
            $stop = Values::key($this->stop);
            if (count($stop) !== 1) {
                throw new ValueError('stop is one value, of the first column of the index');
            }
            $wire[] = ['W', $this->reverse ? '>' : '<', count($filterColumns), $stop[0]];
            $filterColumns[] = $names[0];
        }
        $columns = [...$calls->columns, ...array_values(array_diff($names, $calls->columns))];
        $places = array_map(static fn (string $one) => (int) array_search($one, $columns, true), $names);
        $described = array_column(
            $this->client->one(Call::describe($calls->database, $calls->table)),
            null,
            'column',
        );
        $unique = $this->unique($parts, $described);
        $this->key ??= [$this->lowest($described[$names[0]])];
        $prefix = array_filter(array_column($parts, 'prefix_length')) !== [];
        $width = count($calls->columns);
        $decode = $calls->rows($calls->columns);
        do {
            $reply = $this->runner->one($calls->page(
                $this->op,
                $this->key,
                $this->size,
                $this->skip,
                $filterColumns,
                $wire,
                $columns,
            ));
            $page = array_chunk($reply->values, count($columns));
            foreach ($page as $row) {
                yield $decode(new Reply($width, array_slice($row, 0, $width)))[0] ?? [];
            }
            if ($prefix) { // its keys cannot be compared: all pages begin at the same place
                $this->skip += count($page);
            } else {
                $this->goBehind($page, $places, $unique);
            }
        } while (count($page) === $this->size);
    }

    /**
     * Whether a whole key has one row at most.
     * @param list<array<string, mixed>> $parts
     * @param array<string, array<string, mixed>> $described
     */
    private function unique(array $parts, array $described): bool
    {
        foreach ($parts as $part) {
            $nullable = $described[$part['column']]['nullable'] ?? true;
            if (!$part['unique'] || $nullable || $part['prefix_length'] !== null) {
                return false;
            }
        }
        return true;
    }

    /** @param array<string, mixed> $column */
    private function lowest(array $column): ?string
    {
        if (in_array($column['type'], ['uuid', 'inet4', 'inet6'], true)) {
            throw new UnsupportedError("a range of a column of type {$column['type']} needs its start");
        }
        if ($column['nullable']) {
            return null;
        }
        return match (Values::kind($column['type'])) {
            'integer' => '-9223372036854775808',
            'float' => '-1.7976931348623157e308',
            'decimal' => '-' . str_repeat('9', 65),
            'date' => '0000-00-00',
            'datetime' => '0000-00-00 00:00:00',
            'time' => '-838:59:59',
            default => '',
        };
    }

    /**
     * @param list<list<?string>> $page
     * @param list<int> $places
     */
    private function goBehind(array $page, array $places, bool $unique): void
    {
        if (!$page) {
            return;
        }
        $keyOf = static fn (array $row) => array_map(static fn (int $place) => $row[$place], $places);
        $last = $keyOf(end($page));
        if ($unique) {
            [$this->op, $this->key] = [$this->reverse ? '<' : '>', $last];
            return;
        }
        $same = 0;
        for ($at = count($page) - 1; $at >= 0 && $keyOf($page[$at]) === $last; $at--) {
            $same++;
        }
        $this->skip = $same + ($same === count($page) && $last === $this->key ? $this->skip : 0);
        $this->key = $last;
    }
}

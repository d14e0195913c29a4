<?php

declare(strict_types=1);

namespace HandlerSocket2;

/**
 * A range that is read in pages. Each begins behind the last row's key where one row at most can have it, and else with
 * the rows of a key. A page ends in front of a key whose rows may not all be in it: the next page reads them again, so
 * that rows which come or go meanwhile shift no others. Only of a key with more rows than a page has, the rows that were
 * given are skipped by their number.
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
        $described = array_column(
            $this->client->one(Call::describe($calls->database, $calls->table)),
            null,
            'column',
        );
        $index = new RangeIndex($this->runner, $calls, $parts, $described);
        [$filterColumns, $wire] = Calls::filters($this->filters);
        if ($this->stop !== null) {
            $stop = Values::key($this->stop);
            if (count($stop) !== 1) {
                throw new ValueError('stop is one value, of the first column of the index');
            }
            $wire[] = [...$index->end($this->reverse), count($filterColumns), $stop[0]];
            $filterColumns[] = $names[0];
        }
        $columns = [...$calls->columns, ...array_values(array_diff($names, $calls->columns))];
        $places = array_map(static fn (string $one) => (int) array_search($one, $columns, true), $names);
        $keyOf = static fn (array $row) => array_map(static fn (int $place) => $row[$place], $places);
        $this->key ??= $index->lowest();
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
            $ended = count($page) < $this->size;
            $given = $ended ? $page : array_slice($page, 0, $this->goBehind($index, array_map($keyOf, $page)));
            foreach ($given as $row) {
                yield $decode(new Reply($width, array_slice($row, 0, $width), $width))[0] ?? [];
            }
        } while (!$ended);
    }

    /**
     * Where the next page begins; how many rows of this one are given.
     *
     * @param list<list<?string>> $keys
     */
    private function goBehind(RangeIndex $index, array $keys): int
    {
        $last = end($keys);
        if (!$index->canBegin($last)) {
            $this->skip += count($keys); // the next page begins where this one did
            return count($keys);
        }
        if ($index->unique) {
            [$this->op, $this->key, $this->skip] = [$this->reverse ? '<' : '>', $last, 0];
            return count($keys);
        }
        $same = 0;
        $before = $last;
        foreach (array_reverse($keys) as $key) {
            if ($key !== $before && !$index->isSame($last, $key)) {
                break;
            }
            $same++;
            $before = $key;
        }
        if ($same < count($keys)) {
            [$this->key, $this->skip] = [$last, 0];
            return count($keys) - $same;
        }
        $again = $index->isSame($last, $this->key ?? []);
        [$this->key, $this->skip] = [$last, $same + ($again ? $this->skip : 0)];
        return $same;
    }
}

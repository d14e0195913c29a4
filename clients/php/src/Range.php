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
    private bool $hasStart;
    private bool $ended = false;
    private RangeIndex $index;
    /** @var list<string> the table's columns, then those of the index */
    private array $columns;
    /** @var list<int> which of them are the key */
    private array $places;
    /** @var list<string> */
    private array $filterColumns;
    /** @var list<array{string, string, int, ?string}> */
    private array $wire;

    /** @param list<array{string, string, mixed}> $filters */
    public function __construct(
        private Client $client,
        private IndexCalls $at,
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
        $this->hasStart = $start !== null;
    }

    /** @return \Generator<int, array<string, mixed>> */
    public function rows(): \Generator
    {
        $isFirst = true;
        do {
            try {
                if ($isFirst) {
                    $this->prepare();
                }
                $page = $this->page();
            } catch (Altered) {
                if (!$isFirst) {
                    throw ServerError::of(2, 'idxnum'); // what the pages before went along was dropped
                }
                continue;
            }
            $isFirst = false;
            foreach ($page as $row) {
                yield $row;
            }
        } while (!$this->ended);
    }

    private function prepare(): void
    {
        $calls = $this->calls;
        $parts = $this->at->know();
        $names = array_column($parts, 'column');
        $described = array_column(
            $this->client->one(Call::describe($calls->database, $calls->table)),
            null,
            'column',
        );
        $index = $this->index = new RangeIndex($this->at, $calls, $parts, $described);
        [$filterColumns, $wire] = Calls::filters($this->filters);
        if ($this->stop !== null) {
            $stop = Values::key($this->stop);
            if (count($stop) !== 1) {
                throw new ValueError('stop is one value, of the first column of the index');
            }
            $wire[] = [...$index->end($this->reverse), count($filterColumns), $stop[0]];
            $filterColumns[] = $names[0];
        }
        [$this->filterColumns, $this->wire] = [$filterColumns, $wire];
        $this->columns = [...$calls->columns, ...array_values(array_diff($names, $calls->columns))];
        $this->places = array_map(fn (string $one) => (int) array_search($one, $this->columns, true), $names);
        if (!$this->hasStart) {
            $this->key = $index->lowest();
        }
    }

    /** @return list<array<string, mixed>> */
    private function page(): array
    {
        $call = $this->calls->page(
            $this->op,
            $this->key ?? [],
            $this->size,
            $this->skip,
            $this->filterColumns,
            $this->wire,
            $this->columns,
        );
        $page = array_chunk($this->at->one($call)->values, count($this->columns));
        $keyOf = fn (array $row) => array_map(static fn (int $place) => $row[$place], $this->places);
        $this->ended = count($page) < $this->size;
        $given = $this->ended ? $page : array_slice($page, 0, $this->goBehind($this->index, array_map($keyOf, $page)));
        $width = count($this->calls->columns);
        $values = array_merge(...array_map(static fn (array $row) => array_slice($row, 0, $width), $given));
        return $this->calls->rows($this->calls->columns)(new Reply($width, $values, count($values)));
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

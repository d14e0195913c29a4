<?php

declare(strict_types=1);

namespace HandlerSocket2;

/**
 * A table by one of its indexes. A key is a value or a list of values; a row is an array by column names;
 * a filter is [column, operator, value]; with 'while' behind these the first row that fails ends the search.
 * `$returning` is before or after, and then gives rows.
 */
final class Table
{
    private ?Calls $calls = null;
    private int $madeAt = 0;
    private Schema $schema;

    /**
     * @param array{string, string} $name database and table
     * @param ?list<string> $columns
     */
    public function __construct(
        private Client $client,
        private Runner $runner,
        private array $name,
        private ?array $columns,
        private string $index,
        private bool $raw,
    ) {
        if ($columns === []) {
            throw new ValueError('a table needs a column');
        }
        Protocol::open(0, $name[0], $name[1], $index, $columns ?? []);
        $this->schema = $client->schema();
    }

    /** The same table in a transaction. */
    public function within(Runner $runner): self
    {
        return new self($this->client, $runner, $this->name, $this->columns, $this->index, $this->raw);
    }

    /**
     * The calls of this table, for a pipeline. Asks for the columns once, and again when a table turned out to have
     * been altered.
     */
    public function calls(): Calls
    {
        $alterations = $this->schema->alterations;
        if (!$this->calls || $this->madeAt !== $alterations) {
            $asks = !$this->raw || $this->columns === null;
            $kinds = $asks ? $this->client->kinds(...[...$this->name, $this->columns ?? []]) : [];
            if ($this->columns === null && !$kinds) {
                throw new UnsupportedError('the server tells no columns, so name them');
            }
            $columns = $this->columns ?? array_map(strval(...), array_keys($kinds));
            $this->calls = new Calls(...[...$this->name, $columns, $this->index, $kinds, $this->raw]);
            $this->madeAt = $alterations;
        }
        return $this->calls;
    }

    /**
     * The row with this key, or null.
     * @return ?array<string, mixed>
     */
    public function get(mixed $key): ?array
    {
        // Most come without a call of `calls`.
        $calls = $this->madeAt === $this->schema->alterations ? $this->calls : null;
        return $this->runner->one(($calls ?? $this->calls())->get($key));
    }

    /**
     * A row or null for each key, in their order, by few requests.
     * @param list<mixed> $keys
     * @return list<?array<string, mixed>>
     */
    public function getMany(array $keys): array
    {
        $calls = $this->calls();
        $keys = array_values($keys);
        // Within a transaction an error may have ended it, so that nothing could be asked for behind it.
        $found = count($keys) > 1 && $this->runner instanceof Client ? $this->byFewRequests($keys) : null;
        return $found ?? $this->all(array_map($calls->get(...), $keys));
    }

    /**
     * The results; throws the first error of them.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    private function all(array $calls): array
    {
        $results = $this->runner->run($calls);
        foreach ($results as $result) {
            if ($result instanceof Error) {
                throw $result;
            }
        }
        return $results;
    }

    /**
     * The rows; null when each key needs a request of its own. That tells its errors, too.
     * @param list<mixed> $keys
     * @return ?list<?array<string, mixed>>
     */
    private function byFewRequests(array $keys): ?array
    {
        $index = $this->index();
        try {
            $part = $index->know()[0];
            $kind = $this->client->kinds(...$this->name)[$part['column']] ?? '';
            $requests = ManyKeys::requests($this->calls(), $part, $kind, $keys);
            $found = $this->all(array_column($requests, 'call'));
            if (!$found || in_array(null, $found, true)) {
                return null;
            }
            $rows = array_merge(...$found);
            // Which key has no row is told by the column that the index is known to begin with.
            $tells = array_filter($rows) && in_array(null, $rows, true);
            return !$tells || $index->isAsKnown() ? $rows : null;
        } catch (UnsupportedError | ServerError) {
            return null;
        }
    }

    /**
     * A find of a list of values; `$others` are the arguments of `Calls::find` before it.
     * @param list<mixed> $values
     * @return list<array<string, mixed>>
     */
    private function findIn(string $column, array $values, bool $all, mixed ...$others): array
    {
        $values = Values::key($values);
        $index = $this->index();
        while (true) {
            $list = ['part' => $index->part($column), 'values' => $values, 'all' => $all];
            try {
                return $index->one($this->calls()->find(...[...$others, $list]));
            } catch (Altered) {
                continue;
            }
        }
    }

    private function index(): IndexCalls
    {
        return new IndexCalls($this->client, $this->runner, ...[...$this->name, $this->index]);
    }

    /**
     * Rows from the key on. `$in`: a column of the index and a list of its values.
     * @param list<array{string, string, mixed}> $filters
     * @param ?array{string, list<mixed>} $in
     * @return list<array<string, mixed>>
     */
    public function find(
        string $op,
        mixed $key,
        int $limit = 1,
        int $offset = 0,
        array $filters = [],
        ?array $in = null,
    ): array {
        if ($in !== null && (!is_string($in[0] ?? null) || !is_array($in[1] ?? null) || count($in) !== 2)) {
            throw new ValueError('in is a column and a list of its values');
        }
        return $in
            ? $this->findIn($in[0], $in[1], false, $op, $key, $limit, $offset, $filters)
            : $this->runner->one($this->calls()->find($op, $key, $limit, $offset, $filters));
    }

    /**
     * All rows of each value; limit and offset are for each.
     * @param list<mixed> $values
     * @param list<array{string, string, mixed}> $filters
     * @return list<array<string, mixed>>
     */
    public function findAll(
        string $op,
        mixed $key,
        string $inColumn,
        array $values,
        int $limit = 1,
        int $offset = 0,
        array $filters = [],
    ): array {
        return $this->findIn($inColumn, $values, true, $op, $key, $limit, $offset, $filters);
    }

    /**
     * Rows from start to before stop, read page by page.
     * @param list<array{string, string, mixed}> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function range(
        mixed $start = null,
        mixed $stop = null,
        bool $reverse = false,
        array $filters = [],
        int $page = 1000,
    ): \Generator {
        $range = new Range($this->client, $this->index(), $this->calls(), $start, $stop, $reverse, $filters, $page);
        return $range->rows();
    }

    /**
     * How many rows there are; a limit of 0 is none.
     * @param list<array{string, string, mixed}> $filters
     */
    public function count(string $op, mixed $key, int $limit = 0, array $filters = []): int
    {
        return $this->runner->one($this->calls()->count($op, $key, $limit, $filters));
    }

    /** Whether there is a row with this key. */
    public function exists(mixed $key): bool
    {
        return $this->runner->one($this->calls()->exists($key));
    }

    /**
     * Adds a row; the generated id, or null.
     * @param array<string, mixed> $row
     */
    public function insert(array $row, ?string $returning = null): mixed
    {
        return $this->runner->one($this->calls()->insert($row, $returning));
    }

    /**
     * Adds a row if none has its keys: `inserted` and `id`.
     * @param array<string, mixed> $row
     * @return array<int|string, mixed>
     */
    public function insertIgnore(array $row, ?string $returning = null): array
    {
        return $this->runner->one($this->calls()->insertIgnore($row, $returning));
    }

    /**
     * Adds a row, or updates the one with its keys: `did` (inserted, updated, unchanged) and `id`.
     * @param array<string, mixed> $row
     * @param ?array<string, mixed> $update of columns that the row has, too
     * @return array<int|string, mixed>
     */
    public function upsert(array $row, ?array $update = null, ?string $returning = null): array
    {
        return $this->runner->one($this->calls()->upsert($row, $update, $returning));
    }

    /**
     * Adds a row in the place of those with its keys: `replaced` and `id`.
     * @param array<string, mixed> $row
     * @return array<int|string, mixed>
     */
    public function replace(array $row, ?string $returning = null): array
    {
        return $this->runner->one($this->calls()->replace($row, $returning));
    }

    /**
     * How many rows were found and set.
     * @param array<string, mixed> $values
     * @param list<array{string, string, mixed}> $filters
     * @return int|list<array<string, mixed>>
     */
    public function update(
        mixed $key,
        array $values,
        string $op = '=',
        int $limit = 1,
        array $filters = [],
        ?string $returning = null,
    ): int|array {
        return $this->runner->one($this->calls()->update($key, $values, $op, $limit, $filters, $returning));
    }

    /**
     * How many rows were deleted.
     * @param list<array{string, string, mixed}> $filters
     * @return int|list<array<string, mixed>>
     */
    public function delete(
        mixed $key,
        string $op = '=',
        int $limit = 1,
        array $filters = [],
        ?string $returning = null,
    ): int|array {
        return $this->runner->one($this->calls()->delete($key, $op, $limit, $filters, $returning));
    }

    /**
     * Adds to columns; how many rows.
     * @param array<string, int|string> $amounts
     * @return int|list<array<string, mixed>>
     */
    public function increment(mixed $key, array $amounts, ?string $returning = null): int|array
    {
        return $this->runner->one($this->calls()->increment($key, $amounts, $returning));
    }

    /**
     * Subtracts from columns, not across zero; how many rows.
     * @param array<string, int|string> $amounts
     * @return int|list<array<string, mixed>>
     */
    public function decrement(mixed $key, array $amounts, ?string $returning = null): int|array
    {
        return $this->runner->one($this->calls()->decrement($key, $amounts, $returning));
    }

    /**
     * Whether the row was as expected, and so was changed.
     * @param array<string, mixed> $expected
     * @param array<string, mixed> $values
     */
    public function compareAndSet(mixed $key, array $expected, array $values): bool
    {
        return $this->runner->one($this->calls()->compareAndSet($key, $expected, $values));
    }
}

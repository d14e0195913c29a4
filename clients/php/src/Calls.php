<?php

declare(strict_types=1);

namespace HandlerSocket2;

use function count;
use function is_int;

/** The calls of a table: what each sends, and what its reply means. Keys, rows and filters are as Table has them. */
final class Calls
{
    private string $plain; // the line that opens the index with the columns alone
    /** @var array{string, string} */
    private array $name; // database and table
    private \Closure $rows;
    private \Closure $first;
    private Call $get; // of which each get is made

    /**
     * @param list<string> $columns
     * @param array<string, string> $kinds
     */
    public function __construct(
        public readonly string $database,
        public readonly string $table,
        public readonly array $columns,
        public readonly string $index,
        private array $kinds,
        private bool $raw,
    ) {
        $this->plain = $this->line($columns);
        $this->name = [$database, $table];
        $this->rows = $this->rows($columns);
        $this->first = $this->first();
        $this->get = new Call('get', '', $this->first, $this->plain, false, null, $this->name);
    }

    /** The kind of a column's values: integer, float, decimal, date, datetime, time, text or bytes. */
    public function kind(string $column): string
    {
        return $this->raw ? 'bytes' : $this->kinds[$column] ?? 'text';
    }

    /**
     * @param list<string> $columns
     * @param list<string> $filterColumns
     */
    private function call(
        string $kind,
        \Closure $encode,
        \Closure $decode,
        array $columns,
        array $filterColumns = [],
        bool $changes = false,
        ?string $feature = null,
    ): Call {
        $plain = !$filterColumns && $columns === $this->columns;
        $line = $plain ? $this->plain : $this->line($columns, $filterColumns);
        return new Call($kind, $encode, $decode, $line, $changes, $feature, $this->name);
    }

    /**
     * @param list<string> $columns
     * @param list<string> $filterColumns
     */
    private function line(array $columns, array $filterColumns = []): string
    {
        return Protocol::open(0, $this->database, $this->table, $this->index, $columns, $filterColumns);
    }

    /** What turns a reply into its only row, or null. */
    private function first(): \Closure
    {
        $width = count($this->columns);
        $row = $this->row();
        if ($width === 1) { // as most have
            $name = $this->columns[0];
            $decoder = Values::decoder($this->kind($name));
            return static function (Reply $reply) use ($name, $decoder): ?array {
                if ($reply->size !== 1 || $reply->columns !== 1) {
                    $reply->with(1, 0);
                    return null;
                }
                $value = $reply->values[0];
                return [$name => $value === null || $decoder === null ? $value : $decoder($value)];
            };
        }
        return static function (Reply $reply) use ($width, $row): ?array {
            $reply->with($width, 1);
            return $reply->values ? $row($reply->values, 0) : null;
        };
    }

    /** What makes a row of the values from a place on. */
    private function row(): \Closure
    {
        $columns = $this->columns;
        $decoders = array_map(fn (string $one) => Values::decoder($this->kind($one)), $columns);
        return static function (array $values, int $from) use ($columns, $decoders): array {
            $row = [];
            foreach ($columns as $at => $name) {
                $value = $values[$from + $at];
                $decoder = $decoders[$at];
                $row[$name] = $value === null || $decoder === null ? $value : $decoder($value);
            }
            return $row;
        };
    }

    /**
     * What turns a reply into rows with these columns.
     * @param list<string> $columns
     */
    public function rows(array $columns): \Closure
    {
        $kinds = array_map(fn (string $one) => $this->kind($one), $columns);
        return static function (Reply $reply) use ($columns, $kinds): array {
            $reply->with(count($columns));
            $rows = [];
            foreach ($columns ? array_chunk($reply->values, count($columns)) : [] as $values) {
                $rows[] = array_combine($columns, array_map(Values::fromBytes(...), $kinds, $values));
            }
            return $rows;
        };
    }

    /**
     * @param list<array{string, string, mixed}> $filters
     * @return array{list<string>, list<array{string, string, int, ?string}>}
     */
    public static function filters(array $filters): array
    {
        $names = $wire = [];
        foreach (array_values($filters) as $at => $filter) {
            $allowed = is_array($filter) && count($filter) > 2 ? [[], ['while']] : [];
            if (!in_array(array_slice((array) $filter, 3), $allowed, true)) {
                throw new ValueError('a filter is a column, an operator, a value, and maybe while');
            }
            [$names[], $op, $value] = $filter;
            $wire[] = [count($filter) === 3 ? 'F' : 'W', $op, $at, Values::toBytes($value)];
        }
        return [$names, $wire];
    }

    /**
     * @param list<array{string, string, mixed}> $filters
     * @param ?array{part: int, values: list<?string>, all: bool} $in
     */
    public function find(
        string $op,
        mixed $key,
        int $limit = 1,
        int $offset = 0,
        array $filters = [],
        ?array $in = null,
    ): Call {
        [$names, $wire] = self::filters($filters);
        $key = Values::key($key);
        $rows = $this->rows;
        $width = count($this->columns);
        return $this->call(
            'find',
            static fn (int $id) => Protocol::find($id, $op, $key, $limit, $offset, $in, $wire),
            $in ? $rows : static fn (Reply $reply) => $rows($reply->with($width, $limit ?: 1)),
            $this->columns,
            $names,
            false,
            ($in['all'] ?? false) ? 'all' : ($op === '=<' ? 'descending' : null),
        );
    }

    /**
     * A find of a row for each key, which is one value of the index's first column.
     * @param list<?string> $keys
     * @param list<string> $columns the table's, and maybe others behind them
     * @param \Closure(Reply, \Closure): mixed $decode takes what makes a row of values, too
     */
    public function listed(array $keys, array $columns, \Closure $decode): Call
    {
        $in = ['part' => 0, 'values' => $keys, 'all' => false];
        $row = $this->row();
        return $this->call(
            'get_many',
            static fn (int $id) => Protocol::find($id, '=', [''], count($keys), 0, $in),
            static fn (Reply $reply) => $decode($reply, $row),
            $columns,
        );
    }

    public function get(mixed $key): Call
    {
        if (is_int($key)) { // as most are
            $made = clone $this->get; // A constructor takes several times as long.
            $made->encode = "\t=\t1\t$key\n";
            return $made;
        }
        $values = Values::key($key);
        $encode = static fn (int $id) => Protocol::find($id, '=', $values);
        return new Call('get', $encode, $this->first, $this->plain, false, null, $this->name);
    }

    /**
     * A page of a range, with the values as they came.
     * @param list<?string> $key
     * @param list<string> $names
     * @param list<array{string, string, int, ?string}> $wire
     * @param list<string> $columns
     */
    public function page(
        string $op,
        array $key,
        int $limit,
        int $offset,
        array $names,
        array $wire,
        array $columns,
    ): Call {
        return $this->call(
            'range',
            static fn (int $id) => Protocol::find($id, $op, $key, $limit, $offset, null, $wire),
            static fn (Reply $reply) => $reply->with(count($columns), $limit),
            $columns,
            $names,
        );
    }

    /** @param list<array{string, string, mixed}> $filters */
    public function count(string $op, mixed $key, int $limit = 0, array $filters = []): Call
    {
        [$names, $wire] = self::filters($filters);
        $key = Values::key($key);
        return $this->call(
            'count',
            static fn (int $id) => Protocol::count($id, $op, $key, $limit, 0, null, $wire),
            static fn (Reply $reply) => $reply->number(),
            [],
            $names,
            false,
            'count',
        );
    }

    public function exists(mixed $key): Call
    {
        return $this->count('=', $key, 1)->meaning('exists', static fn (Reply $reply) => $reply->number() > 0);
    }

    private static function mark(string $returning): string
    {
        return match ($returning) {
            'before' => '?',
            'after' => '!',
            default => throw new ValueError("returning is before or after, not '$returning'"),
        };
    }

    /**
     * @param array<string, mixed> $row
     * @param ?array<string, mixed> $update
     */
    private function add(string $verb, array $row, ?string $returning, \Closure $decode, ?array $update = null): Call
    {
        if ($row === []) {
            throw new ValueError('a row has a column at least');
        }
        if (array_diff_key($update ?? [], $row)) {
            throw new ValueError('the columns of the update must be among those of the row');
        }
        $all = $update === null ? $row : array_replace($update, $row); // those of the update first
        $names = array_map(strval(...), array_keys($all));
        $values = array_map(Values::toBytes(...), array_values($all));
        $updates = $update === null ? null : array_map(Values::toBytes(...), array_values($update));
        $feature = strlen($verb) > 1 ? 'upsert' : null;
        if ($returning !== null) {
            $verb .= self::mark($returning);
            $names = [...$names, ...array_values(array_diff($this->columns, $names))];
            $decode = $this->rows($names);
            $feature ??= 'returning';
        }
        $encode = static fn (int $id) => Protocol::insert($id, $verb, $values, $updates);
        return $this->call('insert', $encode, $decode, $names, [], true, $feature);
    }

    /** @param array<string, mixed> $row */
    public function insert(array $row, ?string $returning = null): Call
    {
        return $this->add('+', $row, $returning, static fn (Reply $reply) => $reply->generated());
    }

    /** @param array<string, mixed> $row */
    public function insertIgnore(array $row, ?string $returning = null): Call
    {
        return $this->add('+I', $row, $returning, static function (Reply $reply): array {
            [$number, $id] = $reply->numberAndId();
            return ['inserted' => $number === 1, 'id' => $id];
        });
    }

    /**
     * @param array<string, mixed> $row
     * @param ?array<string, mixed> $update
     */
    public function upsert(array $row, ?array $update = null, ?string $returning = null): Call
    {
        return $this->add('+U', $row, $returning, static function (Reply $reply): array {
            [$number, $id] = $reply->numberAndId();
            $did = ['unchanged', 'inserted', 'updated'][$number]
                ?? throw new ProtocolError('the reply is none to an upsert');
            return ['did' => $did, 'id' => $id];
        }, $update);
    }

    /** @param array<string, mixed> $row */
    public function replace(array $row, ?string $returning = null): Call
    {
        return $this->add('+R', $row, $returning, static function (Reply $reply): array {
            [$number, $id] = $reply->numberAndId();
            return ['replaced' => $number - 1, 'id' => $id];
        });
    }

    /**
     * @param array<string, mixed> $values
     * @param list<array{string, string, mixed}> $filters
     */
    private function change(
        string $verb,
        mixed $key,
        array $values,
        string $op = '=',
        int $limit = 1,
        array $filters = [],
        ?string $returning = null,
    ): Call {
        [$names, $wire] = self::filters($filters);
        $key = Values::key($key);
        $columns = array_map(strval(...), array_keys($values));
        if ($verb === 'D') {
            $columns = $returning !== null ? $this->columns : [];
        } elseif (!$values) {
            throw new ValueError('there is nothing to change');
        }
        $new = array_map(Values::toBytes(...), array_values($values));
        $decode = static fn (Reply $reply) => $reply->number();
        if ($returning !== null) {
            $verb .= self::mark($returning);
            $decode = $this->rows($columns);
        }
        return $this->call(
            'change',
            static fn (int $id) => Protocol::change($id, $op, $key, $limit, 0, null, $wire, $verb, $new),
            $decode,
            $columns,
            $names,
            true,
            $returning === 'after' ? 'returning' : null,
        );
    }

    /**
     * @param array<string, mixed> $values
     * @param list<array{string, string, mixed}> $filters
     */
    public function update(
        mixed $key,
        array $values,
        string $op = '=',
        int $limit = 1,
        array $filters = [],
        ?string $returning = null,
    ): Call {
        return $this->change('U', $key, $values, $op, $limit, $filters, $returning);
    }

    /** @param list<array{string, string, mixed}> $filters */
    public function delete(
        mixed $key,
        string $op = '=',
        int $limit = 1,
        array $filters = [],
        ?string $returning = null,
    ): Call {
        return $this->change('D', $key, [], $op, $limit, $filters, $returning);
    }

    /** @param array<string, int|string> $amounts */
    public function increment(mixed $key, array $amounts, ?string $returning = null): Call
    {
        return $this->change('+', $key, $amounts, returning: $returning);
    }

    /** @param array<string, int|string> $amounts */
    public function decrement(mixed $key, array $amounts, ?string $returning = null): Call
    {
        return $this->change('-', $key, $amounts, returning: $returning);
    }

    /**
     * @param array<string, mixed> $expected
     * @param array<string, mixed> $values
     */
    public function compareAndSet(mixed $key, array $expected, array $values): Call
    {
        if ($expected === []) {
            throw new ValueError('there is nothing to compare with');
        }
        $filters = [];
        foreach ($expected as $name => $value) {
            $filters[] = [(string) $name, '=', $value];
        }
        return $this->change('U', $key, $values, filters: $filters)
            ->meaning('compare_and_set', static fn (Reply $reply) => $reply->number() > 0);
    }
}

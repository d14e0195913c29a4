<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** A request, to be sent by a client, a pipeline or a transaction. */
final class Call
{
    private const MOST_PARTS = 4096; // of columns in a table, and of those in its indexes
    /** What D tells of everything. */
    private const NEVER_NULL = [
        'database' => 1, 'table' => 1, 'column' => 1, 'type' => 1, 'nullable' => 1,
        'index' => 1, 'position' => 1, 'unique' => 1,
    ];

    /**
     * Nobody changes a call that was made. Its members are not readonly, so that one can be made of another.
     * @param string|\Closure(int): string $encode what stands behind the id of its index in the line; or takes that
     *     id, 0 without an index, and gives the line
     * @param \Closure(Reply): mixed $decode
     * @param ?array{string, string} $table its database and its name
     * @param ?string $index the line that opens its index, with the id 0
     */
    public function __construct(
        public string $kind,
        public string|\Closure $encode,
        public \Closure $decode,
        public ?string $index = null,
        public bool $changes = false,
        public ?string $feature = null,
        public ?array $table = null,
    ) {
    }

    /** The same request with another meaning of its reply. */
    public function meaning(string $kind, \Closure $decode): self
    {
        return new self($kind, $this->encode, $decode, $this->index, $this->changes, $this->feature, $this->table);
    }

    /** A line that is of no table; without `$decode` there is nothing to tell. */
    public static function line(string $kind, string $line, ?string $feature = null, ?\Closure $decode = null): self
    {
        $decode ??= static fn (Reply $reply) => $reply->nothing();
        return new self($kind, static fn () => $line, $decode, null, false, $feature);
    }

    /** `G L`. */
    public static function lastGtid(): self
    {
        return self::line('last_gtid', Protocol::lastGtid(), 'gtid', static function (Reply $reply): string {
            $found = $reply->with(1, 1)->values[0] ?? '-';
            if ($found !== '' && !Gtids::isOne($found)) {
                throw new ProtocolError('this is no GTID');
            }
            return $found;
        });
    }

    /** `G W`: whether all is applied. */
    public static function waitForGtid(string $gtid, float $seconds): self
    {
        $line = Protocol::waitGtid($gtid, (int) min($seconds * 1000, PHP_INT_MAX >> 1));
        return self::line('wait_for_gtid', $line, 'gtid', static fn (Reply $r) => $r->size === 1 && $r->values === ['1']);
    }

    /** D: databases, tables, columns or indexes. */
    public static function describe(?string $database, ?string $table = null, bool $indexes = false): self
    {
        $names = match (true) {
            $indexes => ['index', 'position', 'column', 'unique', 'direction', 'prefix_length'],
            $table !== null => [
                'column', 'type', 'nullable', 'key', 'default', 'extra', 'character_set', 'comment',
            ],
            $database !== null => ['table', 'comment'],
            default => ['database'],
        };
        return self::line(
            'describe',
            Protocol::describe($database, $table, $indexes),
            'describe',
            static fn (Reply $reply): array => self::schema($reply, $names, $table !== null),
        );
    }

    /**
     * @param list<string> $names
     * @return list<array<string, mixed>>
     */
    private static function schema(Reply $reply, array $names, bool $typed): array
    {
        $rows = [];
        $most = $typed ? self::MOST_PARTS : Protocol::MAX_NUMBER;
        foreach (array_chunk($reply->with(count($names), $most)->values, count($names)) as $values) {
            $row = array_combine($names, $values);
            if (in_array(null, array_intersect_key($row, self::NEVER_NULL), true)) {
                throw new ProtocolError('a name or a type is missing');
            }
            if ($typed && isset($row['position'])) {
                $row['position'] = Values::count($row['position']);
                $row['unique'] = $row['unique'] === '1';
                $row['prefix_length'] = $row['prefix_length'] === null ? null : Values::count($row['prefix_length']);
            } elseif ($typed) {
                $row['nullable'] = $row['nullable'] === 'YES';
            }
            $rows[] = $row;
        }
        return $rows;
    }
}

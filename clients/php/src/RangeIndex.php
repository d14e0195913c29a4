<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** The index that a range goes along. */
final class RangeIndex
{
    /** Whether a whole key has one row at most. */
    public readonly bool $unique;
    /** @var list<string> */
    private array $names;
    /** @var list<string> the names of the types, such as int of int(11) */
    private array $words;
    /** Whether values of other bytes may be the same: texts, and the zeros of DOUBLE. */
    private bool $hasSame;

    /**
     * @param list<array<string, mixed>> $parts as `indexes` gives them
     * @param array<string, array<string, mixed>> $columns as `describe` gives them, by their names
     */
    public function __construct(
        private IndexCalls $at,
        private Calls $calls,
        private array $parts,
        private array $columns,
    ) {
        $this->names = array_column($parts, 'column');
        $types = array_map(static fn (string $name) => $columns[$name]['type'] ?? '', $this->names);
        $this->words = array_map(static fn (string $type) => strtolower(strtok($type, '( ') ?: ''), $types);
        $this->hasSame = (bool) array_intersect(['text', 'float'], array_map(Values::kind(...), $types));
        $unique = true;
        foreach ($parts as $part) {
            $unique = $unique && $part['unique'] && !($columns[$part['column']]['nullable'] ?? true);
        }
        $this->unique = $unique;
    }

    /**
     * Kind and operator of the filter that ends a range. An index of the beginnings of a column has not the order
     * of whole values, so there it does not end the search.
     * @return array{string, string}
     */
    public function end(bool $reverse): array
    {
        $kind = $this->parts[0]['prefix_length'] === null ? 'W' : 'F';
        return [$kind, $reverse !== $this->descends() ? '>' : '<'];
    }

    private function descends(): bool
    {
        return $this->parts[0]['direction'] === 'D';
    }

    /**
     * A key with which the index begins. A NULL finds nothing where there can be none. Texts that begin with
     * control characters may sort before the empty one: then the key is that of the first of them.
     * @return list<?string>
     */
    public function lowest(): array
    {
        if ($this->descends()) {
            throw new ValueError('a range over an index that goes downwards needs its start');
        }
        if ($this->columns[$this->names[0]]['nullable']) {
            return [null];
        }
        $kind = Values::kind($this->words[0]);
        $key = [match ($this->words[0]) {
            'uuid' => '00000000-0000-0000-0000-000000000000',
            'inet4' => '0.0.0.0',
            'inet6' => '::',
            default => match ($kind) {
                'integer' => '-9223372036854775808',
                'float' => '-1.7976931348623157e308',
                'decimal' => '-' . str_repeat('9', 65),
                'date' => '0000-00-00',
                'datetime' => '0000-00-00 00:00:00',
                'time' => '-838:59:59.999999',
                default => '',
            },
        }];
        $below = $key === [''] && $kind === 'text' ? $this->below($key) : 0;
        while ($below > 0) {
            $page = $this->calls->page('<', $key, 1, $below - 1, [], [], [$this->names[0]]);
            $key = $this->at->one($page)->values ?: $key;
            $below = $this->below($key);
        }
        return $key;
    }

    /** @param list<?string> $key */
    private function below(array $key): int
    {
        return $this->at->one($this->calls->count('<', $key));
    }

    /**
     * Whether a page can begin with a row's key. The text of a column of which the index has only a beginning, of
     * a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does not tell the place in the index.
     * @param list<?string> $key
     */
    public function canBegin(array $key): bool
    {
        foreach ($this->parts as $at => $part) {
            $hour = (int) substr($key[$at] ?? '2000-01-01 12', 11, 2);
            $night = $this->words[$at] === 'timestamp' && ($hour < 4 || $hour > 21);
            if ($part['prefix_length'] !== null || $this->words[$at] === 'float' || $night) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether two keys stand at the same place of the index. Where their bytes differ the server knows.
     * @param list<?string> $one
     * @param list<?string> $other
     */
    public function isSame(array $one, array $other): bool
    {
        if ($one === $other || !$this->hasSame || count($one) !== count($other)) {
            return $one === $other;
        }
        $filters = array_map(static fn (string $name, ?string $value) => [$name, '=', $value], $this->names, $other);
        return $this->at->one($this->calls->count('=', $one, 1, $filters)) > 0;
    }
}

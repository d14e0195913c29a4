<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** A reply that is no error: its number of columns, and all values in their order. */
final class Reply
{
    // With defaults, and not readonly: PHP sets them several times as fast.
    public int $columns = 0;
    /** @var list<?string> */
    public array $values = [];
    public int $size = 0;
    private string $tokens = '';

    /**
     * @param list<?string>|string $values those of a long reply as they came: they are listed when they are read, since
     *     the list of what is no answer may take a lot of memory
     * @param int $size how many they are
     */
    public function __construct(int $columns, array|string $values, int $size)
    {
        $this->columns = $columns;
        $this->size = $size;
        if (is_array($values)) {
            $this->values = $values;
        } else {
            $this->tokens = $values;
            unset($this->values); // so that the first one who reads it comes to __get
        }
    }

    /** The values of a long reply. */
    public function __get(string $name): mixed
    {
        $this->values = Reader::values(explode("\t", $this->tokens), $this->tokens);
        $this->tokens = '';
        return $this->values;
    }

    /** This reply, if it has that many columns, and so many rows at most; else a ProtocolError. */
    public function with(int $columns, int $rows = Protocol::MAX_NUMBER): self
    {
        if ($this->columns !== $columns || $this->size > $columns * $rows) {
            throw new ProtocolError('the reply has other columns, or more rows, than asked for');
        }
        return $this;
    }

    /** What is told when there is nothing to tell. */
    public function nothing(): void
    {
        $this->with(1, 0);
    }

    /** The number of a reply that has nothing else. */
    public function number(): int
    {
        return $this->with(1)->numberAndId()[0];
    }

    /**
     * A number, and in a table with AUTO_INCREMENT an id.
     * @return array{int, int|string|null}
     */
    public function numberAndId(): array
    {
        $fits = $this->columns <= 2 && $this->size === $this->columns;
        $number = $fits ? Values::count($this->values[0] ?? null) : null;
        if (!is_int($number)) {
            throw new ProtocolError('the reply is no count');
        }
        return [$number, self::id($this->values[1] ?? '0')];
    }

    /** The id that was generated, if there is one. */
    public function generated(): int|string|null
    {
        return self::id($this->with(1, 1)->values[0] ?? ($this->values ? null : '0'));
    }

    /** An id: null for 0; text beyond PHP_INT_MAX. */
    private static function id(?string $value): int|string|null
    {
        $found = Values::count($value);
        return $found === 0 ? null : $found;
    }
}

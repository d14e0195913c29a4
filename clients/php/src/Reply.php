<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** A reply that is no error: its number of columns, and all values in their order. */
final class Reply
{
    /** @param list<?string> $values */
    public function __construct(public readonly int $columns, public readonly array $values)
    {
    }

    /** The value at this place as a number; ProtocolError when it is none. */
    public function number(int $at = 0): int
    {
        $found = $this->values[$at] ?? '';
        if (preg_match('/^[0-9]{1,19}$/D', $found) !== 1) {
            throw new ProtocolError('the reply has no number');
        }
        return (int) $found;
    }

    /** The id at this place: null for 0 and for none; text beyond PHP_INT_MAX. */
    public function id(int $at): int|string|null
    {
        $found = Values::integer($this->values[$at] ?? '0');
        return $found === 0 ? null : $found;
    }
}

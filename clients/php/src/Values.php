<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** PHP's values and those of columns. */
final class Values
{
    /** The kind of a column's type, as D has the type. */
    public static function kind(string $type): string
    {
        return match (strtolower(explode(' ', explode('(', $type, 2)[0], 2)[0])) {
            'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'year' => 'integer',
            'float', 'double' => 'float',
            'decimal' => 'decimal',
            'date' => 'date',
            'datetime', 'timestamp' => 'datetime',
            'time' => 'time',
            'binary', 'varbinary', 'bit', 'tinyblob', 'blob', 'mediumblob', 'longblob', 'geometry', 'point',
            'linestring', 'polygon', 'multipoint', 'multilinestring', 'multipolygon', 'geometrycollection' => 'bytes',
            default => 'text',
        };
    }

    /** The bytes of a value that is sent: a string is sent as it is. */
    public static function toBytes(mixed $value): ?string
    {
        return match (true) {
            $value === null, is_string($value) => $value,
            is_int($value) => (string) $value,
            is_bool($value) => $value ? '1' : '0',
            is_float($value) => self::float($value),
            $value instanceof \DateTimeInterface => self::time($value),
            $value instanceof \Stringable => (string) $value,
            default => throw new ValueError('a value of type ' . get_debug_type($value) . ' cannot be sent'),
        };
    }

    /**
     * The values of a key: a list, or one value.
     * @return list<?string>
     */
    public static function key(mixed $key): array
    {
        return array_map(self::toBytes(...), is_array($key) ? array_values($key) : [$key]);
    }

    /** The shortest text that reads back the same. */
    private static function float(float $value): string
    {
        if (!is_finite($value)) {
            throw new ValueError("$value cannot be sent");
        }
        foreach ([15, 16, 17] as $digits) {
            $text = sprintf("%.{$digits}H", $value);
            if ((float) $text === $value) {
                break;
            }
        }
        return $text;
    }

    /** The date and time as they are written, without the zone. */
    private static function time(\DateTimeInterface $value): string
    {
        $text = $value->format('Y-m-d H:i:s.u');
        return str_ends_with($text, '.000000') ? substr($text, 0, -7) : $text;
    }

    /** A value of a column of this kind. */
    public static function fromBytes(string $kind, ?string $value): mixed
    {
        $decoder = self::decoder($kind);
        return $value === null || $decoder === null ? $value : $decoder($value);
    }

    /** What makes a value of the bytes of a column of this kind; null: they are the value. */
    public static function decoder(string $kind): ?\Closure
    {
        return match ($kind) {
            'integer' => self::integer(...),
            'float' => self::floating(...),
            'date', 'datetime' => self::moment(...),
            default => null,
        };
    }

    /** A number without a sign, or its digits beyond PHP_INT_MAX; ProtocolError when it is none. */
    public static function count(?string $value): int|string
    {
        return self::integer(str_starts_with($value ?? '-', '-') ? '' : $value);
    }

    private static function floating(string $value): float
    {
        $number = (float) $value;
        if (!is_finite($number) || preg_match('/^-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?$/D', $value) !== 1) {
            throw new ProtocolError('a value is no number');
        }
        return $number;
    }

    /** An integer, or its digits beyond PHP_INT_MAX. */
    public static function integer(string $value): int|string
    {
        if (preg_match('/^-?[0-9]{1,20}$/D', $value) !== 1) {
            throw new ProtocolError('a value is no integer');
        }
        $number = $value + 0;
        return is_int($number) ? $number : $value;
    }

    /** A date or time, in UTC so that no hour of it is missing; text when it is none of the calendar. */
    private static function moment(string $value): \DateTimeImmutable|string
    {
        $format = match (true) {
            strlen($value) === 10 => '!Y-m-d',
            str_contains($value, '.') => '!Y-m-d H:i:s.u',
            default => '!Y-m-d H:i:s',
        };
        if (str_contains($value, "\0")) { // which PHP refuses by an error of its own
            return $value;
        }
        $found = \DateTimeImmutable::createFromFormat($format, $value, new \DateTimeZone('UTC'));
        $same = $found && str_starts_with($found->format('Y-m-d H:i:s.u'), $value);
        return $same ? $found : $value;
    }
}

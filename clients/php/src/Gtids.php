<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** The highest GTID of each domain that a client's changes have. */
final class Gtids
{
    /** @var array<string, string> */
    private array $last = [];

    /** Takes notice of one, as `G L` tells it; empty without one. */
    public function note(string $gtid): void
    {
        if ($gtid === '') {
            return;
        }
        [$domain] = explode('-', $gtid);
        if (self::number($gtid) > self::number($this->last[$domain] ?? '')) {
            $this->last[$domain] = $gtid;
        }
    }

    /** The number in its domain, in a form that compares as text beyond PHP_INT_MAX, too. */
    private static function number(string $gtid): string
    {
        return '#' . str_pad(explode('-', $gtid)[2] ?? '', 20, '0', STR_PAD_LEFT);
    }

    /** With commas between them, as `G W` takes them. */
    public function all(): string
    {
        return implode(',', $this->last);
    }
}

<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** The highest GTID of each source that a client's changes have: of a domain of MariaDB, of a UUID and tag of MySQL. */
final class Gtids
{
    /** The first group numbers the changes, the second is the number: `domain-server-number`, `uuid:number`, `uuid:tag:number`. */
    private const FORMS = [
        '/^([0-9]{1,10})-[0-9]{1,10}-([0-9]{1,20})$/D',
        '/^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[a-z_][a-z0-9_]{0,31})?):([0-9]{1,19})$/D',
    ];

    /** @var array<array-key, string> by their sources */
    private array $last = [];

    /** Whether it is a GTID. */
    public static function isOne(string $gtid): bool
    {
        return self::parts($gtid) !== null;
    }

    /** Takes notice of one, as `G L` tells it; empty without one. */
    public function note(string $gtid): void
    {
        $parts = self::parts($gtid);
        if ($parts === null) {
            return;
        }
        [$source, $number] = $parts;
        if ($number > (self::parts($this->last[$source] ?? '')[1] ?? '')) {
            $this->last[$source] = $gtid;
        }
    }

    /**
     * Its source, and its number in a form that compares as text beyond PHP_INT_MAX, too; null of what is no GTID.
     *
     * @return array{string, string}|null
     */
    private static function parts(string $gtid): ?array
    {
        foreach (self::FORMS as $form) {
            if (preg_match($form, $gtid, $found) === 1) {
                return [$found[1], '#' . str_pad($found[2], 20, '0', STR_PAD_LEFT)];
            }
        }
        return null;
    }

    /** With commas between them, as `G W` takes them. */
    public function all(): string
    {
        return implode(',', $this->last);
    }
}

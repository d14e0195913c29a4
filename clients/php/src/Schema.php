<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** What is known of tables, until one of them turns out to have been altered. */
final class Schema
{
    /** @var array<string, array<string, array<string, string>>> by database and table */
    private array $kinds = [];
    /** @var array<string, array<string, list<array<string, mixed>>>> by database and table */
    private array $indexes = [];
    /** How often a table turned out to have been altered. */
    public int $alterations = 0;

    /**
     * The results. What is known of tables is forgotten where they say that a table is not as it was.
     * @param list<Call> $calls
     * @param list<mixed> $results
     * @return list<mixed>
     */
    public function forgettingAltered(array $calls, array $results): array
    {
        foreach ($results as $at => $result) {
            if ($result instanceof NotFoundError || $result instanceof ProtocolError) {
                [$database, $table] = $calls[$at]->table ?? ['', ''];
                $this->forget($database, $table);
            }
        }
        return $results;
    }

    /** Forgets a table that is not as it was. */
    public function forget(string $database, string $table): void
    {
        unset($this->kinds[$database][$table], $this->indexes[$database][$table]);
        $this->alterations++;
    }

    /**
     * The kinds of a table's columns in their order; none when the server has no D. Asks anew when one of the wanted
     * columns is not known: it may have been added.
     * @param list<string> $wanted
     * @return array<string, string>
     */
    public function kinds(Runner $runner, string $database, string $table, array $wanted = []): array
    {
        $known = $this->kinds[$database][$table] ?? null;
        if ($known === null || ($known && array_diff_key(array_flip($wanted), $known))) {
            $found = [];
            try {
                foreach ($runner->one(Call::describe($database, $table)) as $row) {
                    $found[$row['column']] = Values::kind($row['type']);
                }
            } catch (UnsupportedError) {
                // Then all is text.
            }
            $this->kinds[$database][$table] = $known = $found;
        }
        return $known;
    }

    /**
     * The columns of an index, as `indexes` gives them.
     * @return list<array<string, mixed>>
     */
    public function key(Runner $runner, string $database, string $table, string $index): array
    {
        $known = $this->indexes[$database][$table] ??= $runner->one(Call::describe($database, $table, true));
        return self::of($known, $index) ?: throw ServerError::of(2, 'idxnum');
    }

    /**
     * The columns of an index.
     * @param list<array<string, mixed>> $indexes as `indexes` gives them
     * @return list<array<string, mixed>>
     */
    public static function of(array $indexes, string $index): array
    {
        $wanted = $index === '' ? 'PRIMARY' : $index;
        return array_values(array_filter($indexes, static fn (array $row) => $row['index'] === $wanted));
    }
}

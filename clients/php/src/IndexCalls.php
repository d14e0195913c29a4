<?php

declare(strict_types=1);

namespace HandlerSocket2;

/**
 * Carries out calls that are right for some columns of an index alone. What the server tells of the index is asked for in
 * the same piece, behind each of them.
 */
final class IndexCalls
{
    /** @var list<array<string, mixed>> */
    private array $parts = [];
    private Call $described;

    public function __construct(
        private Client $client,
        private Runner $runner,
        private string $database,
        private string $table,
        private string $index,
    ) {
        $this->described = Call::describe($database, $table, true);
    }

    /**
     * The columns of the index, which the calls from now on are made for.
     * @return list<array<string, mixed>>
     */
    public function know(): array
    {
        return $this->parts = $this->client->key($this->database, $this->table, $this->index);
    }

    /** The place of a column in the index. Asks anew where it is not known: it may be new. */
    public function part(string $column): int
    {
        $part = array_search($column, array_column($this->know(), 'column'), true);
        if ($part === false) {
            $this->client->forget($this->database, $this->table);
            $part = array_search($column, array_column($this->know(), 'column'), true);
        }
        return is_int($part) ? $part : throw new ValueError("'$column' is no column of the index");
    }

    /** The result of a call; throws its error, and Altered when the index is not as it was. */
    public function one(Call $call): mixed
    {
        [$result, $rows] = $this->runner->run([$call, $this->described]);
        if (is_array($rows) && !$this->is($rows)) {
            throw new Altered();
        }
        foreach ([$result, $rows] as $one) {
            if ($one instanceof Error) {
                throw $one;
            }
        }
        return $result;
    }

    /** Whether the index has the columns that it is known to have. */
    public function isAsKnown(): bool
    {
        return $this->is($this->runner->one($this->described));
    }

    /** @param list<array<string, mixed>> $rows of all indexes */
    private function is(array $rows): bool
    {
        $same = Schema::of($rows, $this->index) === $this->parts;
        if (!$same) {
            $this->client->forget($this->database, $this->table);
        }
        return $same;
    }
}

<?php

declare(strict_types=1);

namespace HandlerSocket2;

/**
 * A table whose calls a pipeline collects. It has the calls of `Calls`; each gives its place among the results, from 0.
 * @mixin Calls
 */
final class PipelineTable
{
    public function __construct(private Pipeline $pipeline, private Calls $calls)
    {
    }

    /**
     * A `get` of each key.
     * @param list<mixed> $keys
     * @return list<int> their places among the results
     */
    public function getMany(array $keys): array
    {
        return array_map(fn (mixed $key): int => $this->pipeline->place($this->calls->get($key)), array_values($keys));
    }

    /** @param array<int|string, mixed> $arguments */
    public function __call(string $name, array $arguments): int
    {
        $call = is_callable([$this->calls, $name]) ? $this->calls->$name(...$arguments) : null;
        if (!$call instanceof Call) {
            throw new ValueError("a pipeline has no call $name");
        }
        return $this->pipeline->place($call);
    }
}

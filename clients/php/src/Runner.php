<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** Carries out calls: a client or a transaction. */
abstract class Runner
{
    /**
     * The results of the calls in their order, errors in their places.
     * @param list<Call> $calls
     * @return list<mixed>
     */
    abstract public function run(array $calls): array;

    /** The result of one call; throws its error. */
    public function one(Call $call): mixed
    {
        [$result] = $this->run([$call]);
        return $result instanceof Error ? throw $result : $result;
    }

    /**
     * Collects calls, to be sent in one piece. With a block it sends those of the block, and gives their results.
     * @param ?\Closure(Pipeline): mixed $block
     * @return ($block is null ? Pipeline : list<mixed>)
     */
    public function pipeline(?\Closure $block = null): Pipeline|array
    {
        $pipeline = new Pipeline($this);
        if (!$block) {
            return $pipeline;
        }
        $block($pipeline);
        return $pipeline->run();
    }
}

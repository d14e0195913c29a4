<?php

declare(strict_types=1);

namespace HandlerSocket2;

/** Collects calls, and sends them in one piece. */
final class Pipeline
{
    /** @var list<Call> */
    private array $calls = [];

    public function __construct(private Runner $runner)
    {
    }

    /** The table, whose calls are collected. */
    public function table(Table $table): PipelineTable
    {
        return new PipelineTable($this, $table->calls());
    }

    /** Adds a call of `$table->calls()`. */
    public function add(Call $call): self
    {
        $this->calls[] = $call;
        return $this;
    }

    /** Adds a call, and gives its place among the results. */
    public function place(Call $call): int
    {
        $this->calls[] = $call;
        return count($this->calls) - 1;
    }

    /**
     * Sends what was collected; results in their order, an Error in the place of a call that failed.
     * @return list<mixed>
     */
    public function run(): array
    {
        $calls = $this->calls;
        $this->calls = [];
        return $this->runner->run($calls);
    }
}

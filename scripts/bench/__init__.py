"""./run bench: measures this plugin beside everything that a user would pick instead.

- options, preparation: the command line; installing and building
- servers, processes, tables: MariaDB with either plugin; memcached, Redis, the null server
- load, run, machine: one measurement by hs bench, how busy the machine was; round after round
- lookups, writes, size, threads, rates, mixed: the sections
- about, results: build/bench/results.json, where every measurement goes as it comes in
- figures, summary, goals, markdown, page: docs/benchmarks.md and its goals, from that file alone
- misses_page: docs/benchmarks-misses.md, from what scripts/bench_misses.py measures
- kept: docs/benchmarks.json, what that page shows of the results
- style, bars, plots: docs/plots, likewise
"""

"""./run bench: measures this plugin beside everything that a user would pick instead.

options, preparation   the command line; installing and building
    servers, processes     MariaDB with either plugin; memcached, Redis and the null server
tables                 tables that sections make for themselves
load, run, machine     one measurement: hs-bench, pinned cores, how busy others were; rounds
lookups, writes, size, threads, rates, mixed   the sections
about, results         build/bench/results.json, where every measurement goes as it comes in
figures, goals, markdown, plots, page          docs/benchmarks.md, from that file alone
"""

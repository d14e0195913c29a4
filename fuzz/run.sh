#!/bin/bash
# Builds the fuzzers, shows that each finds the bug that HS_FUZZ_CANARY plants, then runs each fuzzer on its corpus.
#   fuzz/run.sh [seconds of one core per fuzzer, 60 unless given]
# One line per target; exits 1 on a finding, which is then under build/fuzz/findings/<fuzzer>/.
set -euo pipefail

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: $0 [seconds]" >&2; exit 2; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/fuzz
log=$build/fuzz.log

mkdir -p "$build"
if ! { cmake --preset fuzz -S "$root" && cmake --build "$build" --target fuzzers; } >"$log" 2>&1; then
  tail -40 "$log" >&2
  echo "the fuzzers do not build; everything is in $log" >&2
  exit 1
fi

cat "$root/fuzz/handlersocket.dict" "$root/fuzz/batch.dict" >"$build/batch.dict"
rm -rf "$build/seeds"
/usr/bin/python3 "$root/fuzz/transcripts_to_corpus.py" "$build/seeds"

# A fixed seed: from a fresh build directory every run tries the same inputs in the same order.
# Nothing that a few KiB of requests can ask for needs an allocation of MiBs.
options=(-seed=1 -max_len=4096 -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=32 -reload=0
  -print_final_stats=1)
request=("-dict=$root/fuzz/handlersocket.dict" "$root/fuzz/corpus/request")
batch=("-dict=$build/batch.dict" "$root/fuzz/corpus/batch" "$build/seeds")

tls=("$root/fuzz/corpus/tls")
memcached=("-dict=$root/fuzz/memcached.dict" "$root/fuzz/corpus/memcached")
resp=("-dict=$root/fuzz/resp.dict" "$root/fuzz/corpus/resp")

canary() { # canary NAME "how its planted bug is reported" "a line that comes before" OPTION…
  local name=canary_$1 report=$2 before=$3 log=$build/canary_$1.log findings=$build/findings/canary_$1
  local program=$build/fuzz/fuzz_$1
  shift 3
  rm -rf "$findings" && mkdir -p "$findings/corpus"
  if HS_FUZZ_CANARY=yes "$program" "${options[@]}" "-artifact_prefix=$findings/" "$findings/corpus" "$@" \
    >"$log" 2>&1; then
    echo "$name: FAILED, its planted bug was not found; see $log"
    exit 1
  elif ! grep -aq "$before" "$log" || ! grep -aq "$report" "$log"; then
    echo "$name: FAILED, it died of something else than its planted bug; see $log"
    exit 1
  fi
  echo "$name: ok, the planted bug was found"
}

# No line of the corpus meets this bug: it must be found (after INITED), not loaded. A few thousand
# inputs suffice; the bound is on inputs, since time says little on a busy machine.
canary request '^ *#[0-9].* in .*planted_bug' INITED -runs=1000000 "${request[@]}"
# The corpus has this one: that it is seen at all is what is shown.
canary batch 'broken invariant: a request that fails changes nothing' 'seed corpus' -runs=0 \
  "${batch[@]}"
canary resp 'broken invariant: the planted bug' 'seed corpus' -runs=0 "${resp[@]}"
canary memcached 'broken invariant: the planted bug' 'seed corpus' -runs=0 "${memcached[@]}"
# So has this one: a record that was changed on its way.
canary tls 'broken invariant: what is read is what the client wrote' 'seed corpus' -runs=0 \
  "${tls[@]}"

fuzz() { # fuzz NAME OPTION…
  local name=fuzz_$1 runs
  local log=$build/$name.log findings=$build/findings/$name grown=$build/corpus/$name
  shift
  rm -rf "$findings" && mkdir -p "$findings" "$grown"
  if "$build/fuzz/$name" "${options[@]}" "-max_total_time=$longest" "-artifact_prefix=$findings/" \
    "$grown" "$@" >"$log" 2>&1; then
    runs=$(LC_ALL=C awk '/stat::number_of_executed_units/ {print $2}' "$log")
    echo "$name: ok, $runs inputs in $longest s"
  else
    echo "$name: FOUND SOMETHING, see $log and $findings"
    return 1
  fi
}

# All at once, so that no core is idle. Each has one thread: with fewer cores it takes longer, for as many inputs.
fuzzers=(batch memcached request resp tls)
cores=$(nproc)
longest=$((cores < ${#fuzzers[@]} ? seconds * ${#fuzzers[@]} / cores : seconds))
running=()
for name in "${fuzzers[@]}"; do
  declare -n its_options=$name
  fuzz "$name" "${its_options[@]}" &
  running+=($!)
done
failed=0
for job in "${running[@]}"; do
  wait "$job" || failed=1
done
exit $failed

#!/bin/bash
# Builds the fuzzers, shows that the canary dies, then runs each fuzzer on its corpus.
#   fuzz/run.sh [seconds per fuzzer, 60 unless given]
# One line per target; exits 1 on a finding, which is then under build/fuzz/findings/<fuzzer>/.
set -euo pipefail

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: $0 [seconds]" >&2; exit 2; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/fuzz
log=$build/fuzz.log
fuzzers=(fuzz_request)

mkdir -p "$build"
if ! { cmake --preset fuzz -S "$root" && cmake --build "$build" --target fuzzers; } >"$log" 2>&1; then
  tail -40 "$log" >&2
  echo "the fuzzers do not build; everything is in $log" >&2
  exit 1
fi

# A fixed seed: from a fresh build directory every run tries the same inputs in the same order.
options=(-seed=1 -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
  "-dict=$root/fuzz/handlersocket.dict")

# No line of the corpus meets the planted bug: it must be found (after INITED), not loaded.
findings=$build/findings/canary
rm -rf "$findings" && mkdir -p "$findings/corpus"
log=$build/canary.log
if "$build/fuzz/canary" "${options[@]}" -max_total_time=120 "-artifact_prefix=$findings/" \
  "$findings/corpus" "$root/fuzz/corpus/request" >"$log" 2>&1; then
  echo "canary: FAILED, its planted bug was not found; see $log"
  exit 1
elif ! grep -aq INITED "$log" || ! grep -aq planted_bug "$log" ||
  ! grep -aq 'AddressSanitizer: heap-buffer-overflow' "$log"; then
  echo "canary: FAILED, it died of something else than its planted bug; see $log"
  exit 1
fi
echo "canary: ok, the planted bug was found"

failed=0
for fuzzer in "${fuzzers[@]}"; do
  findings=$build/findings/$fuzzer
  grown=$build/corpus/$fuzzer
  log=$build/$fuzzer.log
  rm -rf "$findings" && mkdir -p "$findings" "$grown"
  if "$build/fuzz/$fuzzer" "${options[@]}" "-max_total_time=$seconds" "-artifact_prefix=$findings/" \
    "$grown" "$root/fuzz/corpus/${fuzzer#fuzz_}" >"$log" 2>&1; then
    runs=$(LC_ALL=C awk '/stat::number_of_executed_units/ {print $2}' "$log")
    echo "$fuzzer: ok, $runs inputs in $seconds s"
  else
    echo "$fuzzer: FOUND SOMETHING, see $log and $findings"
    failed=1
  fi
done
exit $failed

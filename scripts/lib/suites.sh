# shellcheck shell=bash
# The suites of ./test. Each runs in a subshell of its own, writes a JUnit file to `results` and
# returns non-zero when something failed. Needs messages.sh, build.sh, `repository` and `python`.

suites=(lint scripts unit tsan fuzz e2e durability fuzz_server conformance differential torture clients)
# Only on demand: they need more than Debian's packages, or take long.
optional_suites=(old_clients drivers newcomers package engines galera)
server_suites=(e2e durability fuzz_server conformance differential torture) # run on any server
optional_server_suites=(clients) # so does this, when it is named
results=$repository/build/test-results
fuzz_seconds=30 # for each fuzzer
# clang's sanitizers look there for llvm-symbolizer, without which their reports name no functions. The fuzzers' canary
# is known by its function's name.
PATH=$PATH:/usr/lib/llvm-14/bin

# Runs checks that are no tests of a framework, and writes their outcome as JUnit.
check() { # check SUITE "name" COMMAND…
  local suite=$1 name=$2 status=0
  shift 2
  "$@" >&2 || status=$?
  if ((status == 0)); then
    printf '<testcase name="%s"/>\n' "$name" >>"$results/$suite.cases"
  else
    printf '<testcase name="%s"><failure message="status %s"/></testcase>\n' "$name" "$status" \
      >>"$results/$suite.cases"
  fi
}

finish_checks() { # finish_checks SUITE
  local cases=$results/$1.cases
  { echo '<testsuite>'; cat "$cases"; echo '</testsuite>'; } >"$results/$1.xml"
  ! grep -q '<failure' "$cases"
}

suite_lint() {
  check lint "includes go down the layers" "$python" "$repository/scripts/check_includes.py"
  check lint "the documentation says what the code says" "$python" "$repository/scripts/check_docs.py"
  check lint "the titles of commits are short" "$python" "$repository/scripts/check_titles.py"
  check lint "the format is clang-format's" check_format
  check lint "clang and clang-tidy find nothing in src" check_tidy
  finish_checks lint
}

check_format() {
  local -a files
  mapfile -t files < <(cd "$repository" && find src tools fuzz -name '*.cc' -o -name '*.h' | sort)
  ((${#files[@]} > 0)) || return 1
  in_repository clang-format-14 --dry-run -Werror "${files[@]}" &&
    say "${#files[@]} files are formatted"
}

# The first time this takes minutes, afterwards only what has changed is looked at.
check_tidy() {
  configure_preset lint
  # Anew where the lists of sources have changed: nothing is built there that would do it.
  in_repository cmake --build build/lint --target build.ninja >/dev/null || return 1
  say "looking through src with clang-tidy"
  "$python" "$repository/scripts/check_tidy.py" "$repository/build/lint"
}

suite_scripts() {
  in_repository "$python" -m pytest tests/scripts -q -p no:cacheprovider --timeout 60 \
    --junitxml "$results/scripts.xml" >&2
}

# Parsing and encoding also as they are optimised for the plugin, which reads many bytes at once.
suite_unit() {
  local status=0
  build_preset dev "building the unit tests (ASan and UBSan)"
  build_preset plain "building some of them as the plugin is built"
  run_ctest dev unit || status=$?
  run_ctest plain unit_plain || status=$?
  return "$status"
}

# TSan of this compiler cannot live with every kernel's address randomisation.
suite_tsan() {
  if setarch -R true 2>/dev/null; then
    command_prefix=(setarch -R)
  fi
  build_preset tsan "building the unit tests (TSan)"
  run_ctest tsan tsan
}

# Each program's tests run in one process: to start one per test takes longer than the tests do.
run_ctest() { # run_ctest PRESET SUITE
  export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
  export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
  rm -rf "${results:?}/$2"
  GTEST_BRIEF=1 GTEST_OUTPUT=xml:$results/$2/ in_repository ctest --preset "$1" --parallel "$(nproc)" \
    --timeout 600 --no-tests=error >"$results/$2.log" 2>&1 || {
    local status=$?
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed |^ *Start +[0-9]+: ' "$results/$2.log" >&2 || true
    return "$status"
  }
  tail -n 4 "$results/$2.log" >&2
}

suite_fuzz() {
  check fuzz "the fuzzers find nothing" "$repository/fuzz/run.sh" "$fuzz_seconds"
  finish_checks fuzz
}

# Four of these run at once, since they wait for much of their time. Each file is in one process, with servers
# of its own; `-n 0`: one at a time.
suite_e2e() { run_pytest e2e -n 4 --dist loadfile "$@"; } # suite_e2e PYTEST_ARGUMENT…

suite_durability() { run_pytest durability -n 4 --dist loadfile "$@"; } # --kills N, --seed S

suite_fuzz_server() { run_pytest fuzz_server "$@"; }

suite_conformance() { # suite_conformance PYTEST_ARGUMENT…
  build_preset dev "building the server on the fake engine (ASan and UBSan)" hs_fake_server
  run_pytest conformance -n 3 --dist loadgroup "$@" # each of the three kinds of server is one group
}

suite_old_clients() { run_pytest old_clients "$@"; }

suite_drivers() { # suite_drivers PYTEST_ARGUMENT…
  "$repository/scripts/provision" --for drivers && run_pytest drivers "$@"
}

suite_newcomers() { # suite_newcomers PYTEST_ARGUMENT…
  ensure_packages "what makes a bare Debian" debootstrap && run_pytest newcomers --timeout 900 "$@"
}

suite_galera() { # suite_galera PYTEST_ARGUMENT…
  "$repository/scripts/provision" --for galera && run_pytest galera "$@"
}

suite_engines() { # suite_engines PYTEST_ARGUMENT…
  "$repository/scripts/provision" --for engines && run_pytest engines "$@"
}

suite_package() { # suite_package PYTEST_ARGUMENT…
  "$repository/package" >&2 && ensure_packages "what the machines of the tests need" buildah debootstrap lintian &&
    in_repository "$python" -m pytest tests/package -q -p no:cacheprovider --timeout 600 \
      --junitxml "$results/package.xml" "$@" >&2
}

# With HS_CLIENTS_BRIEF set, as continuous integration has it, the clients' own checks are left out, and so they are on
# another server than the default one.
suite_clients() { # suite_clients [--brief] [--language LANGUAGE]…
  build_plugin
  [[ -z ${HS_CLIENTS_BRIEF:-}${HS_SERVER:-} ]] || set -- --brief "$@"
  in_repository "$python" scripts/test_clients.py --results "$results" "$@" >&2
}

run_pytest() { # run_pytest SUITE PYTEST_ARGUMENT…
  local suite=$1
  shift
  build_plugin
  in_repository "$python" -m pytest "tests/$suite" -q -p no:cacheprovider --timeout 300 \
    --junitxml "$results/$suite.xml" "$@" >&2
}

# Seed and number are fixed, so that every run does the same; more is for `./test differential --seed`.
suite_differential() { # suite_differential RUN_ARGUMENT…
  build_plugin
  (($# > 0)) || set -- --seed 1 --cases "${HS_DIFFERENTIAL_CASES:-24000}" --seconds 600
  check differential "the port and SQL agree on drawn tables and requests" \
    "$python" "$repository/tests/differential/run.py" "$@"
  finish_checks differential
}

# The seed is fixed here, too; `./test torture --seconds N --seed S` for others.
suite_torture() { # suite_torture RUN_ARGUMENT…
  build_plugin
  (($# > 0)) || set -- --seed 1 --seconds 60
  check torture "a server lives, and loses nothing, whatever is done to it" \
    "$python" "$repository/tests/torture/run.py" "$@"
  finish_checks torture
}

build_plugin() {
  if [[ -z $sanitized ]]; then
    build_preset "$(plugin_preset)" "building the plugin${HS_SERVER:+ for $HS_SERVER}"
    return
  fi
  local preset
  preset=$(plugin_preset)
  build_preset "asan-server${preset#release}" "building the plugin${HS_SERVER:+ for $HS_SERVER} (ASan and UBSan)"
  export HS_ASAN_REPORTS=$results/asan
  mkdir -p "$HS_ASAN_REPORTS"
}

# What a server under the sanitizers has written, whatever became of the tests meanwhile.
no_reports() {
  [[ -n $sanitized ]] || return 0
  ! cat "$results"/asan/report* 2>/dev/null >&2 || return 1
  say "no report of ASan and UBSan"
}

# Whether the repository has what the suite runs.
suite_exists() {
  case $1 in
    tsan) in_repository cmake --list-presets 2>/dev/null | grep -q '"tsan"' ;;
    fuzz) [[ -x $repository/fuzz/run.sh ]] ;;
    *) return 0 ;;
  esac
}

# shellcheck shell=bash
# Configuring and building a preset of CMakePresets.json. Needs messages.sh and `repository`.

command_prefix=()

# Takes `--server NAME` for everything that runs below this script; the first one is the default.
servers=(mariadb-10.11 mariadb-11.8 mysql-9.7)

choose_server() { # choose_server NAME
  [[ " ${servers[*]} " == *" $1 "* ]] || die "--server takes one of ${servers[*]}, not ${1:-nothing}"
  if [[ $1 == "${servers[0]}" ]]; then unset HS_SERVER; else export HS_SERVER=$1; fi
}

# The preset that builds the optimised plugin for the chosen server.
plugin_preset() {
  local server=${HS_SERVER:-${servers[0]}}
  [[ $server == "${servers[0]}" ]] && printf release || printf 'release-%s' "$server"
}

# What a server opens of a build.
plugin_targets=(handlersocket2 handlersocket2_library handlersocket2_tables)

# build_preset PRESET "what is built" [TARGET…]: of the preset these targets, or all. Warm, this is one call of
# ninja that finds nothing to do.
build_preset() {
  local preset=$1 what=$2
  shift 2
  configure_preset "$preset"
  step "$what" in_repository cmake --build --preset "$preset" ${1:+--target "$@"} ||
    die_with_log "cannot build ($preset)"
}

configure_preset() {
  local preset=$1
  local binary_directory=$repository/build/$preset
  local stamp=$binary_directory/server_version version=none
  start_log "$repository/build/$preset.log"
  # Objects made from the headers of another version must never meet this one's: file times of
  # headers behind the links in build/server do not tell.
  case $preset in
    release-* | asan-server-*)
      version=${preset#release-}
      version=$(<"$repository/build/server/${version#asan-server-}/complete")
      ;;
    release | asan-server | lint) version=$(<"$repository/build/server/current/complete") ;;
  esac
  if [[ $version != none && -e $binary_directory && $(cat "$stamp" 2>/dev/null) != "$version" ]]; then
    rm -rf "$binary_directory"
  fi
  # What a preset sets is read by this only, not when ninja configures anew. Without --fresh another compiler makes
  # CMake forget all else that a preset sets.
  if [[ ! -e $binary_directory/build.ninja || $repository/CMakePresets.json -nt $stamp ]]; then
    step "configuring the build ($preset)" in_repository cmake --fresh --preset "$preset" ||
      die_with_log "cannot configure the build ($preset)"
    printf '%s\n' "$version" >"$stamp"
  fi
}

# Runs a command in the repository, behind `command_prefix` if a suite has set one.
in_repository() { (cd "$repository" && "${command_prefix[@]}" "$@"); }

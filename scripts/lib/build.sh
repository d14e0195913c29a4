# shellcheck shell=bash
# Configuring and building a preset of CMakePresets.json. Needs messages.sh and `repository`.

command_prefix=()

# build_preset PRESET "what is built": warm, this is one call of ninja that finds nothing to do.
build_preset() {
  local preset=$1 sentence=$2
  local binary_directory=$repository/build/$preset
  local stamp=$binary_directory/server_version version=none
  start_log "$repository/build/$preset.log"
  if [[ $preset == release || $preset == asan-server || $preset == lint ]]; then
    # Objects made from the headers of another version must never meet this one's: file times of
    # headers behind the link build/server/current do not tell.
    version=$(<"$repository/build/server/current/complete")
  fi
  if [[ $version != none && -e $binary_directory && $(cat "$stamp" 2>/dev/null) != "$version" ]]; then
    rm -rf "$binary_directory"
  fi
  if [[ ! -e $binary_directory/build.ninja ]]; then
    step "configuring the build ($preset)" in_repository cmake --preset "$preset" ||
      die_with_log "cannot configure the build ($preset)"
    printf '%s\n' "$version" >"$stamp"
  fi
  step "$sentence" in_repository cmake --build --preset "$preset" ||
    die_with_log "cannot build ($preset)"
}

# Runs a command in the repository, behind `command_prefix` if a suite has set one.
in_repository() { (cd "$repository" && "${command_prefix[@]}" "$@"); }

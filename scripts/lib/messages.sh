# shellcheck shell=bash
# What ./run, ./test and scripts/provision say: one line per slow step, one sentence per failure.
#
# Sourced by bash scripts that run under `set -euo pipefail` and have set `repository`. Everything
# goes to stderr, because stdout belongs to results (`./run --detach` prints one line of JSON there).

# Output of the commands that steps run. `start_log` empties it; its tail is shown on failure.
log=/dev/null

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

start_log() { # start_log FILE
  log=$1
  { mkdir -p "$(dirname "$log")" && : >"$log"; } || die "cannot write $log: is the disk full?"
}

# step "what it does" COMMAND… : shows the sentence and the seconds it took; output goes to the log.
# Returns the command's status, so that the caller decides what a failure means. The log is in English, whatever
# the machine speaks: what went wrong is looked for there.
step() {
  local sentence=$1 started=$SECONDS status=0
  shift
  printf '%s …' "$sentence" >&2
  LC_ALL=C.UTF-8 LANGUAGE='' "$@" >>"$log" 2>&1 || status=$?
  if ((status == 0)); then
    say " $((SECONDS - started)) s"
  else
    say " failed after $((SECONDS - started)) s"
  fi
  return "$status"
}

# One clear sentence out of the log of a failed command, or the given one when nothing is known.
explain() { # explain "what failed" [FROM_LINE]
  local sentence=$1 text
  text=$(tail -n "+${2:-1}" "$log")
  case $text in
    *"No space left on device"* | *"don't have enough free space"* | *"not enough free space"*)
      sentence+=": the disk is full" ;;
    *"Temporary failure resolving"* | *"Could not resolve"* | *"Could not connect"* | \
      *"Unable to connect"* | *"Connection failed"* | *"Network is unreachable"* | \
      *"connection timed out"* | *"Connection timed out"*)
      sentence+=": the package archive cannot be reached" ;;
    *"Unable to locate package"* | *"has no installation candidate"*)
      sentence+=": the package archive does not have $(missing_package "$text")" ;;
    *"Could not get lock"*)
      sentence+=": another package manager is at work" ;;
    *"NO_PUBKEY"* | *"is not signed"*)
      sentence+=": the package archive's signature is not trusted" ;;
  esac
  printf '%s' "$sentence"
}

missing_package() { # missing_package TEXT
  sed -nE "s/.*(Unable to locate package ([^ ]+)|Package '([^']+)' has no installation).*/\2\3/p" \
    <<<"$1" | head -n 1
}

# Ends with the sentence and the last lines of the log.
die_with_log() { # die_with_log "what failed" [FROM_LINE]
  local sentence
  sentence=$(explain "$@")
  if [[ -s $log ]]; then
    say "--- the last lines of $log"
    tail -n 15 "$log" >&2
    say "---"
  fi
  die "$sentence"
}

log_length() { wc -l <"$log"; }

# Ends the script when the disk is nearly full, before minutes of work are lost.
require_room() { # require_room DIRECTORY MEGABYTES "what for"
  local free
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  ((free >= $2)) || die "the disk is full: $3 needs about $2 MB below $1, and $free MB are free"
}

# shellcheck shell=bash
# Debian packages of the machine: which are missing, and installing those. Needs messages.sh.

# Seconds after which reading the lists of packages is given up: apt waits for ever on a full disk.
list_seconds=900

# Prints those of the given packages that are not installed; costs one dpkg-query.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || printf '%s\n' "$package"
  done
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get -y -q \
    -o Acquire::Retries=2 -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends "$@" </dev/null
}

apt_refresh() {
  timeout --foreground "$list_seconds" apt-get -q -o Acquire::Retries=2 -o DPkg::Lock::Timeout=300 update </dev/null
}

# Installs what is missing of the given packages. With nothing missing it touches no network.
ensure_packages() { # ensure_packages "what for" PACKAGE…
  local purpose=$1 from
  local -a missing
  shift
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} > 0)) || return 0
  if ((EUID != 0)); then
    die "these packages are missing and only root can install them: ${missing[*]}"
  fi
  require_room /var/lib/apt/lists 250 "the list of Debian's packages"
  require_room /usr "$((80 * ${#missing[@]}))" "installing ${missing[*]}"
  from=$(($(log_length) + 1))
  if [[ -z ${package_lists_are_fresh:-} ]]; then
    step "reading the list of Debian's packages" apt_refresh ||
      die_with_log "cannot read the list of Debian's packages" "$from"
    package_lists_are_fresh=yes
  fi
  step "installing $purpose (${#missing[@]} packages: ${missing[*]})" apt_install "${missing[@]}" ||
    die_with_log "cannot install ${missing[*]}" "$from"
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) || die "still missing after the installation: ${missing[*]}"
}

# The same for packages of which some bring a service. The service is not started, neither now nor
# with the machine: the package manager asks policy-rc.d whether it may start one, and 101 is "no".
ensure_without_services() { # ensure_without_services "what for" PACKAGE…
  local policy=/usr/sbin/policy-rc.d made="" package
  local -a missing
  mapfile -t missing < <(missing_packages "${@:2}")
  ((${#missing[@]} > 0)) || return 0
  if ((EUID == 0)) && [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" || die "cannot write $policy"
    made=$policy
    # shellcheck disable=SC2064 # the file of now
    trap "rm -f '$made'" EXIT
  fi
  ensure_packages "$@"
  [[ -z $made ]] || rm -f "$made"
  for package in "${missing[@]}"; do
    [[ ! -e /etc/init.d/$package ]] || update-rc.d "$package" disable >>"$log" 2>&1 ||
      say "the service $package could not be disabled"
  done
}

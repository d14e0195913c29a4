# shellcheck shell=bash
# The private copy of MariaDB: binaries unpacked from Debian's packages, and the private headers from
# the source package of the same version, below build/server/<version>. Nothing is installed
# on the machine except shared libraries. Needs messages.sh, packages.sh and `repository`.
#
#   build/server/apt/, downloads/      apt's private lists, cache and downloads while it works
#   build/server/<version>/root/       the unpacked packages: usr/sbin/mariadbd, usr/bin/mariadb, …
#   build/server/<version>/headers/    source/ (private headers) and generated/ (my_config.h, …)
#   build/server/<version>/complete    the full package version; written last
#   build/server/current               link to the version in use; appears only when all is there

server_home=$repository/build/server
binary_packages=(mariadb-server-core mariadb-server mariadb-client-core mariadb-client libmariadbd-dev)

# The server's own version. Debian adds to it where it has taken something out of the source.
upstream_of() { # 1:10.11.18-0+deb12u1 -> 10.11.18, 1:11.8.9+ds-0+deb13u1 -> 11.8.9
  local version=${1#*:}
  printf '%s' "${version%%[!0-9.]*}"
}

# The names of a version's source file, which has what Debian adds: mariadb_11.8.9+ds.orig.tar.xz
is_source_of() { # is_source_of VERSION FILE
  [[ $(basename "$2") =~ ^mariadb_([0-9.]+)([+~][a-z0-9.+~]+)?\.orig\.tar\.[a-z0-9]+$ ]] &&
    [[ ${BASH_REMATCH[1]} == "$(upstream_of "$1")" ]]
}

downloaded_source() { # downloaded_source VERSION: its path
  local file
  for file in "$server_home"/downloads/mariadb_*; do
    ! is_source_of "$1" "$file" || { printf '%s' "$file"; return; }
  done
  echo "there is no source of $1" >&2
  return 1
}

# Makes apt use its own sources, lists and cache, so that the machine's files stay as they are. The
# signature checks stay those of the machine.
private_apt=(
  -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$server_home/apt/sources"
  -o Dir::State::Lists="$server_home/apt/lists" -o Dir::Cache="$server_home/apt/cache"
  -o Acquire::Languages=none -o Acquire::Retries=2 -o APT::Sandbox::User=""
)

# The machine's own sources in both formats, each asked for packages and for sources.
write_private_sources() {
  local home=$server_home/apt source_list source_parts file name
  mkdir -p "$home/sources" "$home/lists/partial" "$home/cache/archives/partial"
  rm -f "$home"/sources/*
  source_list=$(apt_path Dir::Etc::sourcelist)
  source_parts=$(apt_path Dir::Etc::sourceparts)
  for file in "$source_list" "$source_parts"/*.list "$source_parts"/*.sources; do
    [[ -f $file ]] || continue
    name=$(basename "$file")
    if [[ $name == *.sources ]]; then
      sed -E 's/^Types:.*/Types: deb deb-src/' "$file" >"$home/sources/$name"
    else
      sed -nE 's/^[[:space:]]*deb[[:space:]](.*)/deb \1\ndeb-src \1/p' "$file" >"$home/sources/$name"
    fi
  done
}

apt_path() { # apt_path Dir::Etc::sourcelist -> /etc/apt/sources.list
  local path
  eval "$(apt-config shell path "$1/f")"
  printf '%s' "$path"
}

read_package_lists() {
  local status=0
  write_private_sources
  timeout --foreground "$list_seconds" apt-get "${private_apt[@]}" update --error-on=any \
    </dev/null || status=$?
  # A foreign archive without sources must not stand in the way: what counts is that the packages
  # are known; `candidates` finds nothing otherwise.
  [[ -n $(candidates) ]] || return "$((status == 0 ? 1 : status))"
}

# The versions that the archive offers, newest first.
candidates() {
  apt-cache "${private_apt[@]}" madison mariadb-server-core 2>/dev/null |
    awk -F'|' '$3 ~ /Packages/ { gsub(/ /, "", $2); print $2 }' | sort -Vru
}

# Ends the script when a source file is not whole, or is another version's than its name says.
check_source() { # check_source FILE UPSTREAM
  local version
  version=$(tar -xOf "$1" --anchored --wildcards --no-wildcards-match-slash '*/VERSION' 2>/dev/null) ||
    die "$1 is no complete source of MariaDB: it is damaged, or was cut short when it was fetched"
  version=$(version_of_source <<<"$version")
  [[ $version == "$2" ]] || die "$1 has the source of MariaDB $version, and not of $2"
}

version_of_source() { # version_of_source: of the file VERSION
  sed -nE 's/^MYSQL_VERSION_(MAJOR|MINOR|PATCH)=([0-9]+).*/\2/p' | paste -sd.
}

fetch_source() { # fetch_source VERSION: the upstream tarball alone
  local downloads=$server_home/downloads
  mkdir -p "$downloads" && cd "$downloads" || return 1
  if [[ -n ${source_file:-} ]]; then
    cp "$source_file" "$downloads"
    return
  fi
  apt-get "${private_apt[@]}" source --download-only --tar-only --only-source "mariadb=$1" \
    </dev/null && downloaded_source "$1"
}

fetch_binaries() { # fetch_binaries VERSION
  mkdir -p "$server_home/downloads" && cd "$server_home/downloads" &&
    apt-get "${private_apt[@]}" download "${binary_packages[@]/%/=$1}" </dev/null
}

deb_file() { # deb_file PACKAGE VERSION
  printf '%s' "$server_home/downloads/${1}_${2//:/%3a}_$(dpkg --print-architecture).deb"
}

unpack_headers() { # unpack_headers VERSION
  local version=$1 upstream headers deb archive
  upstream=$(upstream_of "$version")
  archive=$(downloaded_source "$version") || return 1
  headers=$server_home/$upstream/headers
  deb=$(deb_file libmariadbd-dev "$version")
  rm -rf "$headers"
  mkdir -p "$headers/source" "$headers/generated" &&
    tar -xf "$archive" --touch --strip-components=1 \
      -C "$headers/source" --anchored --wildcards --no-wildcards-match-slash \
      '*/include' '*/sql/*.h' '*/wsrep-lib/include' '*/wsrep-lib/wsrep-API/v26' '*/VERSION' &&
    cp "$headers/source/include/probes_mysql_nodtrace.h.in" \
      "$headers/source/include/probes_mysql_nodtrace.h" &&
    dpkg-deb --fsys-tarfile "$deb" |
      tar -x --touch --strip-components=5 -C "$headers/generated" ./usr/include/mariadb/server/ &&
    check_headers "$headers" "$upstream"
}

# A plugin built on the headers of another patch level corrupts the server's memory.
check_headers() { # check_headers DIRECTORY UPSTREAM
  local source generated
  source=$(version_of_source <"$1/source/VERSION")
  generated=$(sed -nE 's/^#define MYSQL_SERVER_VERSION[[:space:]]+"([0-9.]+).*/\1/p' \
    "$1/generated/mysql_version.h")
  [[ $source == "$2" && $generated == "$2" ]] || {
    echo "the headers are of $source (source) and $generated (generated), not of $2"
    return 1
  }
}

unpack_binaries() { # unpack_binaries VERSION
  local version=$1 root package
  root=$server_home/$(upstream_of "$version")/root
  rm -rf "$root"
  mkdir -p "$root"
  for package in "${binary_packages[@]}"; do
    [[ $package == libmariadbd-dev ]] || dpkg -x "$(deb_file "$package" "$version")" "$root" ||
      return 1
  done
  runtime_libraries "$version" >"$root/../libraries"
}

# The shared libraries that the server and its client tools need, apart from MariaDB's own.
runtime_libraries() { # runtime_libraries VERSION
  local package
  for package in mariadb-server-core mariadb-client-core; do
    dpkg-deb -f "$(deb_file "$package" "$1")" Depends
  done | tr ',' '\n' | sed -E 's/^ *([^ :|(]+).*/\1/' | grep -E '^(lib|zlib)' |
    grep -v '^libmariadb' | sort -u
}

# Fetches and unpacks one version. Status 1: it cannot be had. Ends the script when that is not the
# archive's answer but this machine's trouble.
provide_version() { # provide_version VERSION
  local version=$1 upstream home from
  upstream=$(upstream_of "$version")
  home=$server_home/$upstream
  from=$(($(log_length) + 1))
  rm -f "$home/complete"
  step "fetching the source package of MariaDB $upstream (for its headers)" \
    fetch_source "$version" || { stop_unless_absent "$from"; return 1; }
  step "fetching the packages of MariaDB $upstream" \
    fetch_binaries "$version" || { stop_unless_absent "$from"; return 1; }
  step "unpacking the headers of MariaDB $upstream" unpack_headers "$version" ||
    die_with_log "cannot unpack the headers of MariaDB $upstream" "$from"
  step "unpacking the server of MariaDB $upstream" unpack_binaries "$version" ||
    die_with_log "cannot unpack the packages of MariaDB $upstream" "$from"
  rm -rf "$server_home/downloads" "$server_home/apt"
  printf '%s\n' "$version" >"$home/complete.new" && mv "$home/complete.new" "$home/complete"
}

# After a failed download: "404" and "not found" mean that this version cannot be had; anything
# else would hit the next version as well.
stop_unless_absent() { # stop_unless_absent FROM_LINE
  tail -n "+$1" "$log" | grep -qE '404 |Not Found|Unable to find a source package|was not found' ||
    die_with_log "cannot fetch MariaDB" "$1"
}

switch_to() { # switch_to UPSTREAM: atomically
  ln -sfn "$1" "$server_home/current.new" && mv -T "$server_home/current.new" "$server_home/current"
}

# Makes build/server/current; WANTED is a version (10.11.18 or a full package version), or empty
# for the newest whose binary and source can both be fetched.
ensure_server() { # ensure_server WANTED
  local wanted=$1 version from next known=''
  if server_is_ready "$wanted"; then
    return 0
  fi
  require_room "$repository/build" 700 "a private copy of the server's files"
  from=$(($(log_length) + 1))
  step "reading the list of MariaDB's versions" read_package_lists ||
    die_with_log "cannot find MariaDB's packages in the archives this machine uses" "$from"
  while read -r version; do
    [[ -z $wanted || $wanted == "$version" || $wanted == "$(upstream_of "$version")" ]] || continue
    known=yes
    if provide_version "$version"; then
      switch_to "$(upstream_of "$version")"
      return 0
    fi
    next=": trying the next older version"
    [[ -z $wanted ]] || next=""
    say "MariaDB $(upstream_of "$version") is offered, but its packages and its source cannot both" \
      "be fetched, and the plugin needs both$next"
  done < <(candidates)
  [[ -n $known ]] || die "the archives that this machine uses have packages of MariaDB $(candidates | paste -sd ' ')," \
    "and none of $wanted; --source FILE is no help, since the plugin needs both"
  die_with_log "no version of MariaDB${wanted:+ like $wanted} can be fetched with its source (--source FILE takes a source file that you have)" "$from"
}

# mariadb-backup of the same version, which only tests need. The server's libraries suffice for it.
ensure_backup_tool() {
  local home=$server_home/current version
  [[ ! -e $home/root/usr/bin/mariadb-backup && ! -e $home/no_backup_tool ]] || return 0
  version=$(<"$home/complete")
  if ! step "fetching mariadb-backup $(upstream_of "$version")" fetch_backup_tool "$version"; then
    say "mariadb-backup cannot be fetched: tests that need it are skipped"
    touch "$home/no_backup_tool"
  fi
  rm -rf "$server_home/downloads" "$server_home/apt"
}

fetch_backup_tool() { # fetch_backup_tool VERSION
  local downloads=$server_home/downloads
  read_package_lists && mkdir -p "$downloads" && cd "$downloads" &&
    apt-get "${private_apt[@]}" download "mariadb-backup=$1" </dev/null &&
    dpkg -x "$(deb_file mariadb-backup "$1")" unpacked &&
    mv unpacked/usr/bin/mariadb-backup "$server_home/current/root/usr/bin/"
}

# The engines that have packages of their own, of the same version, and the libraries that they need.
engine_packages=(mariadb-plugin-connect mariadb-plugin-mroonga mariadb-plugin-oqgraph
  mariadb-plugin-rocksdb mariadb-plugin-s3 mariadb-plugin-spider)
engine_libraries=(libcurl4 libjudydebian1 liblz4-1 libodbc2 libsnappy1v5 libxml2 libzstd1)

ensure_engines() {
  local version
  ensure_packages "the libraries of the engines" "${engine_libraries[@]}"
  [[ ! -e $server_home/current/has_engines ]] || return 0
  version=$(<"$server_home/current/complete")
  step "fetching the engines of MariaDB $(upstream_of "$version")" fetch_engines "$version" ||
    die_with_log "the packages of the engines cannot be fetched"
  rm -rf "$server_home/downloads" "$server_home/apt"
  touch "$server_home/current/has_engines"
}

fetch_engines() { # fetch_engines VERSION
  local downloads=$server_home/downloads plugins=usr/lib/mysql/plugin package
  read_package_lists && mkdir -p "$downloads" && cd "$downloads" &&
    apt-get "${private_apt[@]}" download "${engine_packages[@]/%/=$1}" </dev/null || return 1
  for package in "${engine_packages[@]}"; do
    dpkg -x "$(deb_file "$package" "$1")" unpacked || return 1
  done
  cp unpacked/$plugins/ha_*.so "$server_home/current/root/$plugins/"
}

# The library by which the server replicates in a cluster, and the arbitrator. They are of no version of the
# server.
ensure_galera() {
  ensure_packages "the library of Galera's arbitrator" libboost-program-options1.74.0
  [[ ! -e $server_home/current/root/usr/bin/garbd ]] || return 0
  step "fetching galera-4 and its arbitrator" fetch_galera || die_with_log "galera-4 cannot be fetched"
  rm -rf "$server_home/downloads" "$server_home/apt"
}

fetch_galera() {
  local downloads=$server_home/downloads library=usr/lib/galera/libgalera_smm.so arbitrator=usr/bin/garbd
  read_package_lists && mkdir -p "$downloads" && cd "$downloads" &&
    apt-get "${private_apt[@]}" download galera-4 galera-arbitrator-4 </dev/null &&
    dpkg -x galera-4_*.deb unpacked && dpkg -x galera-arbitrator-4_*.deb unpacked &&
    install -D "unpacked/$library" "$server_home/current/root/$library" &&
    install -D "unpacked/$arbitrator" "$server_home/current/root/$arbitrator"
}

server_is_ready() { # server_is_ready WANTED
  local complete
  complete=$(cat "$server_home/current/complete" 2>/dev/null) || return 1
  [[ -z $1 || $1 == "$complete" || $1 == "$(upstream_of "$complete")" ]]
}

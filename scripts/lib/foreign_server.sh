# shellcheck shell=bash
# A private copy of a server of another Debian release, with all that it needs to run here: its
# packages and those that they depend on, down to the C library, unpacked below build/server/<version>
# and run by that release's own loader. Nothing of it is installed on the machine. The layout is that
# of server.sh, and build/server/<server> links to the version in use. Needs messages.sh, packages.sh,
# server.sh, mysql_headers.sh and `repository`.

# server -> its release
declare -A release_of=([mariadb-11.8]=trixie [mysql-9.7]=sid)
# server -> its version, whose files are pinned in <server>.sha256: of the newest one that the archive
# lists, the source may be gone
declare -A pinned_version=([mariadb-11.8]=1:11.8.6-0+deb13u1 [mysql-9.7]=9.7.4-2)
# server -> its pinned packages: those that are unpacked to be run, and those that headers are taken from
declare -A run_packages_of=(
  [mariadb-11.8]="mariadb-server-core mariadb-server mariadb-client-core mariadb-client mariadb-backup"
  [mysql-9.7]="mysql-server-core mysql-client-core")
declare -A header_packages_of=([mariadb-11.8]=libmariadbd-dev [mysql-9.7]="libmysqlclient-dev mysql-source")

archive_keys=/usr/share/keyrings/debian-archive-keyring.gpg

is_foreign() { [[ -n ${release_of[$1]:-} ]]; }

# Makes build/server/SERVER.
ensure_foreign_server() { # ensure_foreign_server SERVER
  local server=$1 from
  if [[ -e $server_home/$server/complete ]] && { ! is_mysql "$server" || has_mysql_headers "$server"; }; then
    return 0
  fi
  require_room "$repository/build" 1500 "$server"
  from=$(($(log_length) + 1))
  step "reading the list of ${release_of[$server]}'s packages" read_foreign_lists "$server" ||
    die_with_log "cannot read the list of ${release_of[$server]}'s packages" "$from"
  from=$(($(log_length) + 1))
  step "fetching and unpacking $server (pinned: ${pinned_version[$server]})" provide_foreign "$server" ||
    die_with_log "cannot provide $server" "$from"
  rm -rf "$server_home/downloads" "$server_home/apt"
}

# The archive that this machine uses for Debian itself, of another release.
write_foreign_sources() { # write_foreign_sources SERVER
  local release=${release_of[$1]} home=$server_home/apt
  mkdir -p "$home/sources" "$home/lists/partial" "$home/cache/archives/partial"
  rm -f "$home"/sources/*
  : >"$home/status" # nothing is installed: what is missing is everything
  printf 'deb [signed-by=%s] %s %s main\n' "$archive_keys" "$(debian_archive)" "$release" \
    >"$home/sources/foreign.list"
}

debian_archive() {
  local archive
  archive=$(grep -hsoE 'https?://[^ ]+/debian/?( |$)' "$(apt_path Dir::Etc::sourcelist)" \
    "$(apt_path Dir::Etc::sourceparts)"/* | grep -v snapshot | head -n 1)
  printf '%s' "${archive:-http://deb.debian.org/debian}" | tr -d ' '
}

foreign_apt() {
  timeout --foreground "$list_seconds" \
    apt-get "${private_apt[@]}" -o Dir::State::status="$server_home/apt/status" "$@" </dev/null
}

read_foreign_lists() { write_foreign_sources "$1" && foreign_apt update; }

is_mysql() { [[ $1 == mysql-* ]]; }

# The pinned packages are fetched by their names and sums, and what they depend on from the lists.
provide_foreign() { # provide_foreign SERVER
  local server=$1 version=${pinned_version[$1]} upstream home
  upstream=$(upstream_of "$version")
  home=$server_home/$upstream
  rm -rf "$home" && mkdir -p "$home/root" "$server_home/downloads" || return 1
  fetch_pinned "$server" && fetch_dependencies "$server" && unpack_foreign_headers "$server" &&
    unpack_foreign "$server" "$home/root" && runs_here "$server" "$home/root" || return 1
  printf '%s\n' "$version" >"$home/complete.new" && mv "$home/complete.new" "$home/complete" &&
    ln -sfn "$upstream" "$server_home/$server.new" && mv -T "$server_home/$server.new" "$server_home/$server"
}

fetch_pinned() { # fetch_pinned SERVER
  local sums=$repository/scripts/lib/$1.sha256 sum path archive
  archive=$(debian_archive)
  cd "$server_home/downloads" || return 1
  while read -r sum path; do
    fetch_file "${archive%/}/$path" && printf '%s  %s\n' "$sum" "${path##*/}" | sha256sum -c - || return 1
  done <"$sums"
  # As apt names what it downloads, which differs for versions with an epoch.
  local package file
  for package in ${run_packages_of[$1]} ${header_packages_of[$1]}; do
    file=$(deb_file "$package" "${pinned_version[$1]}")
    [[ -e $file ]] || mv "$package"_*.deb "$file" || return 1
  done
}

# Fetches an address with the machine's own apt, which every Debian has.
fetch_file() { /usr/lib/apt/apt-helper -o Acquire::Retries=2 download-file "$1" "${1##*/}"; }

fetch_dependencies() { # fetch_dependencies SERVER
  foreign_apt -y install --download-only --no-install-recommends "${1%%-*}-server-core" "${1%%-*}-client-core"
}

unpack_foreign_headers() { # unpack_foreign_headers SERVER
  if is_mysql "$1"; then
    unpack_mysql_headers "${pinned_version[$1]}"
  else
    unpack_headers "${pinned_version[$1]}"
  fi
}

unpack_foreign() { # unpack_foreign SERVER ROOT
  local server=$1 root=$2 package
  # A root with usr/ merged, as the releases have it since Debian 12.
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64} && ln -sfn usr/bin "$root/bin" && ln -sfn usr/sbin "$root/sbin" &&
    ln -sfn usr/lib "$root/lib" && ln -sfn usr/lib64 "$root/lib64" || return 1
  # The lists may name later versions of the pinned packages.
  for package in ${run_packages_of[$server]}; do
    rm -f "$server_home/apt/cache/archives/${package}"_*.deb
  done
  for package in "$server_home"/apt/cache/archives/*.deb; do
    unpack_package "$package" "$root" || return 1
  done
  for package in ${run_packages_of[$server]}; do
    unpack_package "$(deb_file "$package" "${pinned_version[$server]}")" "$root" || return 1
  done
}

unpack_package() { dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"; }

# The lists may have moved on to libraries that the pinned server does not run with.
runs_here() { # runs_here SERVER ROOT
  local program=mariadbd
  ! is_mysql "$1" || program=mysqld
  "$2/lib64/ld-linux-x86-64.so.2" --library-path "$2/usr/lib/x86_64-linux-gnu" "$2/usr/sbin/$program" \
    --no-defaults --version
}

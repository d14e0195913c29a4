# shellcheck shell=bash
# The headers of MySQL: Debian's package mysql-source has the source of its server as it was configured,
# so nothing has to be generated here. Needs server.sh.
#
#   build/server/<version>/headers/source/       the server's own headers
#   build/server/<version>/headers/generated/    my_config.h, mysql_version.h, mysqld_error.h

mysql_source_folder=mysql-9.7
# Where the headers are that a plugin comes to, below the source's folder.
mysql_headers=('builddir/include/*.h' 'include/*.h' 'libs/*.h' 'libs/*.hpp' 'mysys/*.h' 'sql/*.h' 'sql/*.hpp'
  'sql-common/*.h' 'strings/*.h' 'vector-common/*.h' 'extra/rapidjson/include/*.h' 'extra/unordered_dense/*.h')

unpack_mysql_headers() { # unpack_mysql_headers VERSION
  local headers dev
  headers=$server_home/$(upstream_of "$1")/headers
  dev=$server_home/downloads/dev
  rm -rf "$headers" "$dev" && mkdir -p "$headers/source" "$dev" &&
    mysql_source_archive "$1" | tar -xz --touch --strip-components=1 -C "$headers/source" \
      --anchored --wildcards --wildcards-match-slash \
      "${mysql_headers[@]/#/$mysql_source_folder/}" "$mysql_source_folder/MYSQL_VERSION" &&
    dpkg -x "$(deb_file libmysqlclient-dev "$1")" "$dev" &&
    mv "$headers/source/builddir/include" "$headers/generated" && rmdir "$headers/source/builddir" &&
    cp "$dev/usr/include/mysql/mysqld_error.h" "$headers/generated/" &&
    check_mysql_headers "$headers" "$(upstream_of "$1")"
}

mysql_source_archive() { # mysql_source_archive VERSION
  dpkg-deb --fsys-tarfile "$(deb_file mysql-source "$1")" | tar -xO ./usr/src/mysql/mysql-source.tar.gz
}

# Whether what is unpacked has all of these headers: an older scripts/provision has unpacked fewer.
has_mysql_headers() { [[ -e $server_home/$1/headers/source/mysys/stream_cipher.h ]]; }

# A plugin built on the headers of another patch level corrupts the server's memory.
check_mysql_headers() { # check_mysql_headers DIRECTORY UPSTREAM
  local source generated
  source=$(sed -nE 's/^MYSQL_VERSION_(MAJOR|MINOR|PATCH)=([0-9]+).*/\2/p' "$1/source/MYSQL_VERSION" | paste -sd.)
  generated=$(sed -nE 's/^#define MYSQL_SERVER_VERSION[[:space:]]+"([0-9.]+).*/\1/p' "$1/generated/mysql_version.h")
  [[ $source == "$2" && $generated == "$2" ]] || {
    echo "the headers are of ${source:-nothing} (source) and ${generated:-nothing} (generated), not of $2"
    return 1
  }
}

"""The package for MySQL on a bare Debian sid with its server: installed, upgraded, removed, purged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from machine import Machine, MysqlMachine
from test_package import OPEN, READ, WRITE, later, row_of

CNF = "/etc/mysql/mysql.conf.d/60-handlersocket2.cnf"
PLUGINS = "/usr/lib/mysql/plugin"
DOCTOR = "hs doctor --sql-socket /run/mysqld/mysqld.sock --sql-user root"


def error_log(machine: Machine) -> str:
    return machine.sh(f"cat {MysqlMachine.LOG}")


def restart(machine: Machine) -> None:
    machine.stop()
    machine.sh(f"truncate -s 0 {MysqlMachine.LOG}")
    machine.start()


@pytest.fixture
def installed(mysql_machine: Machine, mysql_package: Path) -> Machine:
    """A server that was started again behind the installation."""
    mysql_machine.install(mysql_package)
    restart(mysql_machine)
    return mysql_machine


def test_installing_leaves_a_server_as_it_runs_and_its_next_start_opens_the_ports(
    mysql_machine: Machine, mysql_package: Path
) -> None:
    before = mysql_machine.server_pid()
    said = mysql_machine.install(mysql_package)
    assert f"the server reads {CNF} when it is started" in said and "systemctl restart mysql" in said, said
    assert mysql_machine.server_pid() == before
    assert row_of(mysql_machine, 1) == [], "a port without the file's settings would ask for nothing"
    told = " ".join(mysql_machine.sh(f"{DOCTOR} || test $? = 7").split())
    load = re.search(r"as root, (/usr/libexec/handlersocket2/plugin load \S+mysqld\.sock)", told)
    assert load, told
    assert "systemctl restart mysql" in mysql_machine.sh(f"{load[1]} 2>&1")
    restart(mysql_machine)
    assert row_of(mysql_machine, 1) == ["0\t2\t1\tone"]
    assert mysql_machine.sh("hs get shop.user 2").split() == ["id", "name", "2", "two"]
    assert "handlersocket" not in mysql_machine.sql("SELECT * FROM mysql.plugin")
    assert mysql_machine.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_TTL") == "0"


def test_the_settings_are_safe(installed: Machine) -> None:
    assert installed.ask(WRITE, OPEN)[0].endswith("unauth")
    insert = "hs insert shop.user id=3 name=three"
    with pytest.raises(Exception, match="unauth"):
        installed.sh(insert)
    sockets = "--socket /run/mysqld/handlersocket.sock --write-socket /run/mysqld/handlersocket_wr.sock"
    installed.sh(f"HS_PASSWORD='pass word' {insert} --user app {sockets} 2>&1")
    assert installed.sql("SELECT name FROM shop.user WHERE id = 3") == "three"
    listening = installed.sh("cat /proc/net/tcp /proc/net/tcp6")
    local = re.findall(r"^ *\d+: ([0-9A-F]+):(?:270E|270F) \S+ 0A", listening, re.M)
    assert local == ["0100007F", "0100007F"], "9998 and 9999 on 127.0.0.1 alone"
    modes = installed.sh("stat -c '%a %U %G' /run/mysqld/handlersocket.sock /run/mysqld/handlersocket_wr.sock")
    assert modes.splitlines() == ["660 mysql mysql"] * 2
    named = installed.sh(f"grep -o '^[a-z_]*handlersocket[a-z_]*' {CNF}").split()
    assert named and all(name.startswith("loose_handlersocket_") for name in named)
    # The server's profile, as its own parser reads it: without the line the sockets could not be made.
    profile = installed.sh("apparmor_parser --preprocess /etc/apparmor.d/usr.sbin.mysqld")
    assert "@{run}/mysqld/handlersocket*.sock rw," in profile


def test_hs_logs_in_to_the_server_with_a_password_and_without_one(installed: Machine) -> None:
    good = installed.sh(f"{DOCTOR} || test $? = 7")
    assert re.search(r"good +plugin +HandlerSocket 2\.0 runs in the server MySQL 9\.7", good), good
    assert re.search(r"good +accounts +each has a password", good), good
    assert "run the same hs doctor as root" in installed.sh(
        "HS_SQL_PASSWORD='pass word' hs doctor --sql-socket /run/mysqld/mysqld.sock --sql-user app"
    )
    installed.sql("CREATE USER nobody@localhost")
    assert "'nobody'@'localhost' may log in without a password" in installed.sh(f"{DOCTOR} || test $? = 7")


def test_removing_closes_the_ports_of_a_server_that_runs_on(installed: Machine, mysql_package: Path) -> None:
    installed.sh(f"sed -i 's/= 9998/= 9997/' {CNF}")
    before = installed.server_pid()
    installed.apt("remove handlersocket2-mysql")
    assert installed.server_pid() == before
    assert row_of(installed, 1) == []
    assert installed.sql("SELECT COUNT(*) FROM shop.user") == "2"
    restart(installed)
    assert "handlersocket" not in error_log(installed)
    installed.stop()
    assert "it loads the plugin at its next start" in installed.install(mysql_package)
    installed.start()
    assert row_of(installed, 1, port=9997) == ["0\t2\t1\tone"], "the edited option file is back"


def test_a_password_of_root_keeps_the_package_from_nothing(installed: Machine) -> None:
    installed.sql("ALTER USER root@localhost IDENTIFIED WITH caching_sha2_password BY 'secret'")
    before = installed.server_pid()
    installed.apt("remove handlersocket2-mysql")
    assert installed.server_pid() == before
    assert row_of(installed, 1) == []
    with pytest.raises(Exception, match="Access denied"):
        installed.sql("SELECT 1")


def test_purging_leaves_nothing(mysql_machine: Machine, mysql_package: Path) -> None:
    before = mysql_machine.files()
    mysql_machine.install(mysql_package)
    assert mysql_machine.files() > before
    restart(mysql_machine)
    # By hand, as somebody may have done it: these stay in the table mysql.plugin.
    mysql_machine.sql("UNINSTALL PLUGIN handlersocket; INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
    mysql_machine.apt("purge handlersocket2-mysql")
    assert mysql_machine.files() == before
    assert "handlersocket" not in mysql_machine.sql("SELECT * FROM mysql.plugin; SHOW PLUGINS").lower()
    assert "handlersocket2" not in mysql_machine.sh("cat /var/lib/ucf/hashfile /var/lib/ucf/registry; dpkg -l")


def test_an_upgrade_of_the_package_keeps_connections_and_settings(
    installed: Machine, mysql_package: Path, tmp_path: Path
) -> None:
    installed.sh(f"sed -i 's/^#\\(loose_handlersocket_max_connections *=\\).*/\\1 77/' {CNF}")
    before = installed.server_pid()
    said = installed.install(later(mysql_package, tmp_path))
    assert "the plugin runs on as it was; the server takes this one when it is started again" in said, said
    assert installed.server_pid() == before
    assert row_of(installed, 1) == ["0\t2\t1\tone"]
    restart(installed)
    assert installed.sql("SELECT @@handlersocket_max_connections") == "77"


def make_it_for_another_version(machine: Machine, version: str) -> None:
    """Calls the package's library that of the version before: as after an upgrade of the server, of which there
    is one version only."""
    folder = machine.root / PLUGINS.removeprefix("/")
    begin, _, patch = version.rpartition(".")
    (folder / f"handlersocket2-{version}.so").rename(folder / f"handlersocket2-{begin}.{int(patch) - 1}.so")


@pytest.mark.timeout(3600)
def test_a_server_of_another_version_starts_and_says_what_is_missing_and_what_mends_it(
    installed: Machine, mysql_built_for: str, mysql_package: Path
) -> None:
    files = installed.files()
    plugins = "SELECT PLUGIN_NAME FROM information_schema.PLUGINS WHERE PLUGIN_LIBRARY LIKE 'handlersocket2%'"
    loaded = installed.sql(plugins)
    installed.stop()
    make_it_for_another_version(installed, mysql_built_for)
    installed.sh(f"truncate -s 0 {MysqlMachine.LOG}")
    installed.start()
    assert installed.sql("SELECT COUNT(*) FROM shop.user") == "2"
    assert row_of(installed, 1) == []
    missing = f"no port is open: there is no handlersocket2-{mysql_built_for}.so in {PLUGINS}"
    assert f"[ERROR] [MY-000000] [Server] handlersocket: {missing}" in error_log(installed), error_log(installed)
    assert missing in installed.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_message'")
    told = installed.sh(f"{DOCTOR} || test $? = 7")
    assert "as root, handlersocket2-build makes one" in told, told
    # Whatever changes the server's program.
    installed.online("apt-get -y --download-only --reinstall install mysql-server-core")
    said = installed.apt("--reinstall install mysql-server-core")
    assert "there is no library for this server" in said and "building needs: apt install" in said, said
    tools = "--no-install-recommends cmake g++ libssl-dev ninja-build zlib1g-dev"
    installed.fetch(tools)
    installed.apt(f"install {tools}")
    before = installed.server_pid()
    said = installed.online("handlersocket2-build --if-missing 2>&1")
    assert f"{PLUGINS}/handlersocket2-{mysql_built_for}.so is there" in said and "the ports are open" in said, said
    assert installed.server_pid() == before
    assert row_of(installed, 1) == ["0\t2\t1\tone"]
    assert installed.sql(plugins) == loaded
    assert installed.ask(WRITE, OPEN)[0].endswith("unauth")
    assert installed.sh("handlersocket2-build --if-missing 2>&1") == "", "it is there"
    assert installed.sh("ls /var/tmp | grep handlersocket2-build || true") == ""
    assert "handlersocket" not in installed.sql("SELECT * FROM mysql.plugin")
    restart(installed)
    assert row_of(installed, 1) == ["0\t2\t1\tone"]
    installed.apt("purge handlersocket2-mysql")
    assert {name for name in installed.files() - files if "handlersocket" in name} == set()


def test_what_the_build_is_given_is_checked(installed: Machine) -> None:
    with pytest.raises(Exception, match="cannot read /nothing"):
        installed.sh("handlersocket2-build --source /nothing 2>&1")
    with pytest.raises(Exception, match="--source wants a file that is called mysql-source_VERSION_"):
        installed.sh("handlersocket2-build --source /etc/passwd 2>&1")
    with pytest.raises(Exception, match="apt knows no mysql-source of the version 9.7.99"):
        installed.sh("handlersocket2-build --mysql 9.7.99 2>&1")
    with pytest.raises(Exception, match="unknown argument --mariadb"):
        installed.sh("handlersocket2-build --mariadb 10.11.19 2>&1")

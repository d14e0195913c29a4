"""The plugin's package on a bare Debian with the stock server: installed, upgraded, removed, purged."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from machine import Machine, pin

READ, WRITE = 9998, 9999
LOG = "/var/log/mysql-test.log"
CNF = "/etc/mysql/mariadb.conf.d/60-handlersocket2.cnf"
OPEN = "P\t1\tshop\tuser\tPRIMARY\tid,name"


def row_of(machine: Machine, key: int, port: int = READ) -> list[str]:
    """What the port answers to a find; [] when it is closed."""
    return machine.ask(port, OPEN, f"1\t=\t1\t{key}")[1:]


def error_log(machine: Machine) -> str:
    return machine.sh(f"cat {LOG}")


def keep_log(machine: Machine) -> None:
    """Keeps what the server tells the system's log, of which these machines have none."""
    logger = machine.root / "usr/local/bin/logger"
    logger.write_text(f"#!/bin/sh\nexec cat >> {LOG}\n")
    logger.chmod(0o755)
    machine.stop()
    machine.start()
    assert "ready for connections" in error_log(machine)


@pytest.fixture
def machine(machine: Machine) -> Machine:
    keep_log(machine)
    return machine


@pytest.fixture
def next_machine(next_machine: Machine) -> Machine:
    keep_log(next_machine)
    return next_machine


def test_installing_opens_the_ports_of_a_server_that_runs_on(machine: Machine, package: Path) -> None:
    before = machine.server_pid()
    said = machine.install(package)
    assert "the ports are open" in said, said
    assert machine.server_pid() == before
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    assert machine.sh("hs get shop.user 2").split() == ["id", "name", "2", "two"]
    assert machine.sql("SELECT * FROM shop.user") == "1\tone\n2\ttwo"
    machine.stop()
    machine.start()
    assert row_of(machine, 1) == ["0\t2\t1\tone"], "the option file opens the ports, too"
    assert "handlersocket" not in machine.sql("SELECT * FROM mysql.plugin")


def test_the_same_package_serves_the_next_debian(next_machine: Machine, package: Path) -> None:
    before, files = next_machine.server_pid(), next_machine.files()
    said = next_machine.install(package)
    assert "the ports are open" in said, said
    assert next_machine.sql("SELECT VERSION()").startswith("11.8.")
    assert next_machine.server_pid() == before
    assert row_of(next_machine, 1) == ["0\t2\t1\tone"]
    assert next_machine.sh("hs get shop.user 2").split() == ["id", "name", "2", "two"]
    next_machine.sh("HS_PASSWORD='pass word' hs insert shop.user id=3 name=three --user app 2>&1")
    assert next_machine.sql("SELECT name FROM shop.user WHERE id = 3") == "three"
    next_machine.stop()
    next_machine.start()
    assert row_of(next_machine, 3) == ["0\t2\t3\tthree"]
    next_machine.apt("purge handlersocket2")
    assert next_machine.files() == files


def test_the_settings_are_safe(machine: Machine, package: Path) -> None:
    machine.install(package)
    assert machine.ask(WRITE, OPEN)[0].endswith("unauth")
    insert = "hs insert shop.user id=3 name=three"
    with pytest.raises(Exception, match="unauth"):
        machine.sh(insert)
    machine.sh(f"HS_PASSWORD='pass word' {insert} --user app 2>&1")
    assert machine.sql("SELECT name FROM shop.user WHERE id = 3") == "three"
    listening = machine.sh("cat /proc/net/tcp /proc/net/tcp6")
    local = re.findall(r"^ *\d+: ([0-9A-F]+):(?:270E|270F) \S+ 0A", listening, re.M)
    assert local == ["0100007F", "0100007F"], "9998 and 9999 on 127.0.0.1 alone"
    sockets = machine.sh("stat -c '%a %U %G' /run/mysqld/handlersocket.sock /run/mysqld/handlersocket_wr.sock")
    assert sockets.splitlines() == ["660 mysql mysql"] * 2
    named = machine.sh(f"grep -o '^[a-z_]*handlersocket[a-z_]*' {CNF}").split()
    assert named and all(name.startswith("loose_handlersocket_") for name in named)


def test_removing_closes_the_ports_of_a_server_that_runs_on(machine: Machine, package: Path) -> None:
    machine.install(package)
    machine.sh(f"sed -i 's/= 9998/= 9997/' {CNF}")
    before = machine.server_pid()
    machine.apt("remove handlersocket2")
    assert machine.server_pid() == before
    assert row_of(machine, 1) == []
    assert machine.sql("SELECT COUNT(*) FROM shop.user") == "2"
    machine.stop()
    machine.sh(f"truncate -s 0 {LOG}")
    machine.start()
    assert "handlersocket" not in error_log(machine)
    assert "the ports are open" in machine.install(package)
    assert row_of(machine, 1, port=9997) == ["0\t2\t1\tone"], "the edited option file is back"


def test_a_limit_of_the_machine_overrides_that_of_the_package(package: Path) -> None:
    """systemd reads the drop-ins of all folders in the order of their names, and the last one counts."""
    listed = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, check=True, text=True).stdout
    (ours,) = re.findall(r"/mariadb\.service\.d/(\S+\.conf)$", listed, re.M)
    assert ours < min("10-limits.conf", "custom.conf", "override.conf")


def test_purging_leaves_nothing(machine: Machine, package: Path) -> None:
    before = machine.files()
    machine.install(package)
    assert machine.files() > before
    # A build that has failed is tried again.
    assert "handlersocket2-build.timer" in machine.sh("ls /etc/systemd/system/timers.target.wants")
    # As handlersocket2-build leaves it when it is killed in the middle.
    machine.sh("touch /usr/lib/mysql/plugin/.handlersocket2-10.11.99.so.new")
    machine.apt("purge handlersocket2")
    assert machine.files() == before
    assert "handlersocket" not in machine.sql("SELECT * FROM mysql.plugin; SHOW PLUGINS")
    assert "handlersocket2" not in machine.sh("cat /var/lib/ucf/hashfile /var/lib/ucf/registry; dpkg -l")


def test_a_server_that_is_stopped_opens_the_ports_when_it_starts(machine: Machine, package: Path) -> None:
    machine.stop()
    assert "loads the plugin at its next start" in machine.install(package)
    machine.start()
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    machine.stop()
    machine.apt("purge handlersocket2")
    machine.sh(f"truncate -s 0 {LOG}")
    machine.start()
    assert "handlersocket" not in error_log(machine)


def test_a_row_of_a_plugin_that_was_away_does_not_stand_in_the_way(machine: Machine, package: Path) -> None:
    machine.install(package)
    machine.sql("UNINSTALL SONAME 'handlersocket2_tables.so'; UNINSTALL SONAME 'handlersocket2.so';"
                "INSTALL SONAME 'handlersocket2.so'; INSTALL SONAME 'handlersocket2_tables.so'")
    machine.stop()
    machine.apt("remove handlersocket2")
    machine.start()
    said = machine.install(package)
    assert "the ports are open" in said, said
    assert machine.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS") == "0"
    assert "handlersocket" not in machine.sql("SELECT * FROM mysql.plugin")


def test_the_ports_open_again_when_dpkg_does_not_go_on(machine: Machine, package: Path) -> None:
    """It has begun to take away what the package depends on, and puts it back."""
    machine.install(package)
    scripts = "export DPKG_MAINTSCRIPT_PACKAGE=handlersocket2; info=/var/lib/dpkg/info/handlersocket2"
    for step in ("deconfigure", "remove"):
        machine.sh(f"{scripts}; $info.prerm {step} in-favour other 1")
        assert row_of(machine, 1) == []
        machine.sh(f"{scripts}; $info.postinst abort-{step} in-favour other 1")
        assert row_of(machine, 1) == ["0\t2\t1\tone"]


SECOND = "/run/mysqld/second.sock"


def start_second(machine: Machine) -> None:
    """Another server with the same option files, as mariadb@second.service of systemd starts it."""
    as_mysql = "setpriv --reuid mysql --regid mysql --clear-groups"
    option = "--defaults-group-suffix=.second"
    (machine.root / "etc/mysql/mariadb.conf.d/90-second.cnf").write_text(
        "[mariadbd.second]\ndatadir = /var/lib/mysql/second\nport = 3307\n"
        f"socket = {SECOND}\npid_file = /run/mysqld/second.pid\n"
        "loose_handlersocket_port = 9988\nloose_handlersocket_port_wr = 9989\n"
        "loose_handlersocket_socket = /run/mysqld/hs2.sock\nloose_handlersocket_socket_wr = /run/mysqld/hs2_wr.sock\n"
    )
    machine.sh(f"install -d -o mysql /var/lib/mysql/second; {as_mysql} mariadb-install-db {option} --rpm >/dev/null;"
               f"{as_mysql} setsid mariadbd {option} >/dev/null 2>&1 &"
               f"until mariadb --socket={SECOND} -e 'SELECT 1' >/dev/null 2>&1; do sleep 0.1; done")


def test_each_of_two_servers_on_a_machine_gets_its_ports_and_its_own_advice(machine: Machine, package: Path) -> None:
    start_second(machine)
    said = machine.install(package)
    assert f"{SECOND}: the ports are open" in said and "/run/mysqld/mysqld.sock: the ports are open" in said, said

    def are_open() -> list[bool]:
        return [bool(machine.ask(port, "A\t1\t")) for port in (READ, 9988)]

    assert are_open() == [True, True]
    for socket in (SECOND, "/run/mysqld/mysqld.sock"):
        is_second = socket == SECOND
        machine.sh(f"/usr/libexec/handlersocket2/plugin unload {socket}")
        assert are_open() == [is_second, not is_second]
        advice = machine.sh(f"hs doctor --sql-socket {socket} --sql-user root || true")
        command = re.search("as root, (.*), which says", advice)
        assert command, advice
        other = SECOND if not is_second else "/run/mysqld/mysqld.sock"
        machine.sh(f"/usr/libexec/handlersocket2/plugin unload {other}")
        assert "the ports are open" in machine.sh(command[1])
        assert are_open() == [not is_second, is_second]
        machine.sh("/usr/libexec/handlersocket2/plugin load")
        assert are_open() == [True, True]
    machine.sh(f"/usr/libexec/handlersocket2/plugin unload {SECOND}; sed -i s/9988/{READ}/ /etc/mysql/mariadb.conf.d/90-second.cnf")
    assert machine.sh(f"/usr/libexec/handlersocket2/plugin load {SECOND}") == (
        "handlersocket2: the server refuses handlersocket2.so: ERROR 1105 (HY000) at line 1: handlersocket: "
        f"port {READ} on 127.0.0.1 is in use (handlersocket_port)\n")
    machine.apt("purge handlersocket2")
    assert are_open() == [False, False]
    assert "handlersocket" not in machine.sh(f"mariadb --socket={SECOND} -e 'SHOW PLUGINS; SELECT * FROM mysql.plugin'")


def test_the_original_plugin_is_left_alone(machine: Machine, package: Path) -> None:
    (machine.root / "etc/mysql/mariadb.conf.d/70-test.cnf").write_text("[mariadbd]\nplugin_maturity = beta\n")
    machine.stop()
    machine.start()
    machine.sql("INSTALL SONAME 'handlersocket.so'")
    assert "another plugin of that name, handlersocket.so" in machine.install(package)
    machine.apt("purge handlersocket2")
    assert "handlersocket.so" in machine.sql("SHOW PLUGINS")


def test_a_password_of_root_is_told_and_debians_own_account_does_instead(machine: Machine, package: Path) -> None:
    machine.install(package)
    machine.sql("ALTER USER root@localhost IDENTIFIED BY 'secret'; CREATE USER helper@localhost IDENTIFIED BY 'maint';"
                "GRANT ALL ON *.* TO helper@localhost WITH GRANT OPTION")
    assert "its ports stay open until it is started again" in machine.apt("remove handlersocket2")
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    assert "does not answer root" in machine.install(package)
    password = machine.root / "root/.my.cnf"
    password.write_text("[client]\npassword = secret\n")
    # As a service of systemd, which has no HOME.
    assert "the plugin runs on as it was" in machine.sh("env -u HOME /usr/libexec/handlersocket2/plugin load")
    password.unlink()
    (machine.root / "etc/mysql/debian.cnf").write_text("[client]\nuser = helper\npassword = maint\n")
    assert "the plugin runs on as it was" in machine.sh("dpkg-reconfigure handlersocket2 2>&1")
    machine.apt("purge handlersocket2")
    assert row_of(machine, 1) == []


def test_a_plugin_whose_settings_are_gone_is_not_loaded(machine: Machine, package: Path) -> None:
    machine.install(package)
    machine.apt("remove handlersocket2")
    machine.sh(f"mv {CNF}.disabled /var/tmp/settings")
    said = machine.install(package)
    assert f"the plugin is not loaded, since {CNF} does not load it" in said, said
    assert (row_of(machine, 1), row_of(machine, 1, port=WRITE)) == ([], []), "the write port would ask for nothing"
    machine.sh(re.search(r"\((?:it was deleted); (cp .*) brings it back", said)[1])  # type: ignore[index]
    machine.sh(f"sed -i 's/^plugin_load_add/#&/' {CNF}")
    assert "does not load it" in machine.sh("dpkg-reconfigure handlersocket2 2>&1")
    assert row_of(machine, 1) == []
    machine.sh(f"sed -i 's/^#plugin_load_add/plugin_load_add/' {CNF}")
    assert "the ports are open" in machine.sh("dpkg-reconfigure handlersocket2 2>&1")
    assert machine.ask(WRITE, OPEN)[0].endswith("unauth")


def test_a_server_that_does_not_read_the_settings_does_not_keep_the_plugin(machine: Machine, package: Path) -> None:
    machine.stop()
    machine.sh("mariadbd --no-defaults --user=mysql --socket=/run/mysqld/mysqld.sock >/dev/null 2>&1 &"
               "until mariadb -e 'SELECT 1' >/dev/null 2>&1; do sleep 0.1; done")
    said = machine.install(package)
    assert f"the plugin is not loaded: the server does not read {CNF}" in said, said
    assert (row_of(machine, 1), row_of(machine, 1, port=WRITE)) == ([], [])
    assert "handlersocket" not in machine.sql("SHOW PLUGINS; SELECT * FROM mysql.plugin")


def test_a_library_of_another_release_is_none(machine: Machine, package: Path, built_for: str) -> None:
    """As handlersocket2-build has made it before an upgrade of the package."""
    machine.install(package)
    has = "/usr/libexec/handlersocket2/plugin has-library && echo yes || echo no"
    assert machine.sh(has) == "yes\n"
    library = machine.root / f"usr/lib/mysql/plugin/handlersocket2-{built_for}.so"
    before = library.read_bytes()
    note = before.index(b"\x01\0\0\0HandlerSocket 2\0") + 20
    assert before[note:].startswith(b"2.")
    for place in (note, note + 24):  # the release, and the number of the seam
        library.unlink()
        library.write_bytes(before[:place] + bytes([before[place] ^ 1]) + before[place + 1:])
        assert machine.sh(has) == "no\n"
    assert "building needs: apt install" in machine.sh("/usr/libexec/handlersocket2/plugin upgraded 2>&1")


PLUGINS = "/usr/lib/mysql/plugin"
DOCTOR = "hs doctor --sql-socket /run/mysqld/mysqld.sock --sql-user root"


def cut(machine: Machine, name: str, size: int) -> bytes:
    """Cuts a file of the plugin short, as a disk may, and returns what it was."""
    file = machine.root / PLUGINS[1:] / name
    whole = file.read_bytes()
    file.unlink()
    file.write_bytes(whole[:size])
    return whole


def test_a_library_that_the_loader_refuses_is_none(machine: Machine, package: Path, built_for: str) -> None:
    machine.install(package)
    has = "/usr/libexec/handlersocket2/plugin has-library && echo yes || echo no"
    library = machine.root / f"usr/lib/mysql/plugin/handlersocket2-{built_for}.so"
    size = library.stat().st_size
    for end in (0, 1, 63, 2000, size // 2, size - 3000, size - 1):
        whole = cut(machine, library.name, end)
        assert machine.sh(has) == "no\n", end
        library.write_bytes(whole)
        assert machine.sh(has) == "yes\n", "it is whole again"
    # What mends a mode is quick.
    machine.stop()
    library.chmod(0o600)
    machine.start()
    assert machine.sh(has) == "no\n"
    command = re.search("-> as root, (.*) lets the server read it, and then (SET .*) opens the ports",
                        machine.sh(f"{DOCTOR} || true"))
    assert command, machine.sh(f"{DOCTOR} || true")
    machine.sh(command[1])
    machine.sql(command[2])
    assert (machine.sh(has), row_of(machine, 1)) == ("yes\n", ["0\t2\t1\tone"])


@pytest.mark.parametrize("name", ["handlersocket2.so", "handlersocket2_tables.so"])
def test_a_damaged_plugin_is_not_put_into_a_server_and_says_what_mends_it(
    machine: Machine, package: Path, name: str
) -> None:
    """The system's linker ends a process that opens what was cut short."""
    machine.install(package)
    before = machine.server_pid()
    helper = "/usr/libexec/handlersocket2/plugin"
    cut(machine, name, 50000)
    told = f"{PLUGINS}/{name} is damaged"
    assert told in machine.sh(f"{helper} change")
    assert row_of(machine, 1) == ["0\t2\t1\tone"], "it goes on with what it has"
    machine.sh(f"{helper} unload")
    command = re.search("-> as root, (.*), which says", machine.sh(f"{DOCTOR} || true"))
    assert command and told in machine.sh(command[1])
    assert told in machine.sh(f"{helper} upgraded")
    assert told in machine.sh("! handlersocket2-build 2>&1"), "no library mends that"
    mends = re.search("  (apt install --reinstall .*)", machine.sh(command[1]))
    assert mends, "the package has the file"
    (machine.root / "var/tmp" / package.name).rename(machine.root / "root" / package.name)
    assert "the ports are open" in machine.sh(f"cd /root; {mends[1]} -y 2>&1")
    assert (machine.server_pid(), row_of(machine, 1)) == (before, ["0\t2\t1\tone"])


def test_tables_that_are_missing_are_told_and_loaded(machine: Machine, package: Path) -> None:
    """As where the package's script was killed behind the ports."""
    machine.install(package)
    machine.sql("UNINSTALL SONAME 'handlersocket2_tables.so'")
    command = re.search("its tables are not in INFORMATION_SCHEMA\n *-> as root, (.*)", machine.sh(DOCTOR))
    assert command, machine.sh(DOCTOR)
    machine.sh(command[1])
    assert machine.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS") == "0"
    assert "not in INFORMATION_SCHEMA" not in machine.sh(DOCTOR)


def test_a_server_whose_program_was_replaced_is_to_be_restarted(machine: Machine, package: Path) -> None:
    """A library that handlersocket2-build makes is for the new program."""
    machine.stop()
    program = machine.root / "usr/sbin/mariadbd"
    now = program.read_bytes()
    note = now.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
    older = program.with_name("older")
    older.write_bytes(now[:note] + bytes([now[note] ^ 1]) + now[note + 1:])
    older.chmod(0o755)
    newer = program.rename(program.with_name("newer"))
    older.rename(program)
    machine.start()
    assert "handlersocket2-build makes one, and then" in machine.install(package)
    newer.rename(program)
    with pytest.raises(Exception, match="; a restart of the server, whose program is another by now, opens the ports"):
        machine.sql("SET GLOBAL handlersocket_reload = 1")
    assert "-> a restart of the server" in machine.sh(f"{DOCTOR} || true")
    machine.stop()
    machine.start()
    assert row_of(machine, 1) == ["0\t2\t1\tone"]


def test_an_upgrade_of_the_package_keeps_connections_and_settings(
    machine: Machine, package: Path, tmp_path: Path
) -> None:
    machine.install(package)
    machine.sh(f"sed -i 's/^#\\(loose_handlersocket_max_connections *=\\).*/\\1 77/' {CNF}")
    before = machine.server_pid()
    said = machine.install(later(package, tmp_path))
    change = re.search(r"(/usr/libexec/\S+ change)$", said, re.M)
    assert change, said
    assert machine.server_pid() == before
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    assert "the ports are open" in machine.sh(change[1])
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    assert "handlersocket" not in machine.sql("SELECT * FROM mysql.plugin"), "a later start would not find its file"
    assert machine.sql("SELECT @@handlersocket_max_connections") == "77"


def test_an_upgrade_of_the_package_that_brings_the_library_opens_the_ports(
    machine: Machine, package: Path, tmp_path: Path, built_for: str
) -> None:
    machine.install(package)
    machine.stop()
    machine.sh(f"rm /usr/lib/mysql/plugin/handlersocket2-{built_for}.so")
    machine.start()
    assert (status(machine), row_of(machine, 1)) == ("no library", [])
    before = machine.server_pid()
    said = machine.install(later(package, tmp_path))
    assert "the ports are open" in said, said
    assert (machine.server_pid(), row_of(machine, 1)) == (before, ["0\t2\t1\tone"])


def test_a_plugin_without_a_library_for_the_server_does_not_take_the_place_of_one_that_runs(
    machine: Machine, package: Path, tmp_path: Path, built_for: str
) -> None:
    """As a later package is for a later server."""
    library = f"/usr/lib/mysql/plugin/handlersocket2-{built_for}.so"
    machine.install(package)
    machine.sh(f"cp {library} /root/kept")
    assert "building needs: apt install" in machine.install(later(package, tmp_path, without=library))
    change = "/usr/libexec/handlersocket2/plugin change"
    for socket in ("", "/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock"):
        said = machine.sh(f"{change} {socket}")
        assert "the plugin runs on as it was: there is no library for this server" in said, (socket, said)
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    machine.sh(f"install -m 644 /root/kept {library}")
    assert "the ports are open" in machine.sh(change)
    # A server that goes on with a program that was replaced is judged by its own.
    program = machine.root / "usr/sbin/mariadbd"
    bytes_ = program.read_bytes().replace(bytes.fromhex(build_id(program)), bytes(20))
    program.unlink()
    program.write_bytes(bytes_)
    program.chmod(0o755)
    assert "the ports are open" in machine.sh(change)
    assert row_of(machine, 1) == ["0\t2\t1\tone"]


def build_id(program: Path) -> str:
    noted = subprocess.run(["readelf", "-n", program], capture_output=True, check=True, text=True).stdout
    return re.search("Build ID: ([0-9a-f]+)", noted)[1]  # type: ignore[index]


def later(package: Path, folder: Path, without: str = "") -> Path:
    """The same package as the next version, perhaps without a file."""
    tree = folder / "later"
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    if without:
        (tree / without[1:]).unlink()
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*", r"\g<0>+later", control.read_text(), flags=re.M))
    made = folder / "handlersocket2_later.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, made], check=True, capture_output=True)
    return made


def status(machine: Machine) -> str:
    return machine.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_state'").split("\t")[1]


def needed_and_missing(machine: Machine, library: str) -> set[str]:
    """What the library takes of the server's program and the program has not."""

    def symbols(kind: str, file: str) -> set[str]:
        command = ["nm", "-D", kind, machine.root / file]
        listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()
        # What the system's libraries have is behind an @; w is what may be missing.
        return {name for *_, letter, name in map(str.split, listed) if letter != "w" and "@" not in name}

    return symbols("--undefined-only", f"usr/lib/mysql/plugin/{library}") - symbols("--defined-only", "usr/sbin/mariadbd")


def change_server(machine: Machine, pins: dict[str, str]) -> str:
    """Changes the server's packages as unattended-upgrades does: dpkg stops, unpacks and starts it."""
    pin(machine.root, pins)
    words = "-o Dpkg::Options::=--force-confold -o Dpkg::Options::=--force-confdef dist-upgrade"
    machine.online(f"apt-get -y --allow-downgrades --download-only {words}")
    return machine.apt(f"--allow-downgrades {words}")


def test_an_upgrade_of_the_server_closes_the_ports_and_says_so_and_a_downgrade_opens_them(
    machine: Machine, package: Path, built_for: str, pins: dict[str, str]
) -> None:
    machine.install(package)
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    said = change_server(machine, {})
    version = machine.sql("SELECT VERSION()").split("-")[0]
    if version == built_for:
        pytest.skip("the archive has no other version of the server")
    # The server runs, with the plugin and its settings, and without the ports.
    assert machine.sql("SELECT COUNT(*) FROM shop.user") == "2"
    assert row_of(machine, 1) == []
    assert status(machine) == "no library"
    # What would be built for this version calls the same.
    assert needed_and_missing(machine, f"handlersocket2-{built_for}.so") == set()
    missing = f"no port is open: there is no handlersocket2-{version}.so in /usr/lib/mysql/plugin"
    assert missing in machine.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_message'")
    assert "handlersocket2-build" in machine.sh("hs doctor --sql-socket /run/mysqld/mysqld.sock --sql-user root || true")
    # The trigger has tried to build the library, and has said what it lacks.
    assert "building needs: apt install" in said, said
    with pytest.raises(Exception, match=missing):
        machine.sql("SET GLOBAL handlersocket_reload = 1")
    # Settings without loose_ do not keep it from starting either.
    machine.sh(f"sed -i 's/^loose_handlersocket/handlersocket/' {CNF}")
    machine.stop()
    machine.sh(f"truncate -s 0 {LOG}")
    machine.start()
    assert machine.sql("SELECT @@handlersocket_port") == "9998"
    lines = [line for line in error_log(machine).splitlines() if missing in line]
    (line,) = lines
    assert "[ERROR]" in line and "handlersocket2-build" in line
    # Back to the version whose library is there.
    before = row_of(machine, 1)
    change_server(machine, pins)
    assert machine.sql("SELECT VERSION()").split("-")[0] == built_for
    assert (before, row_of(machine, 1)) == ([], ["0\t2\t1\tone"])
    assert status(machine) == "running"
    assert machine.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS") == "0"


def test_builds_take_turns_and_leave_nothing(machine: Machine, package: Path) -> None:
    machine.install(package)
    said = machine.sh("flock /run/handlersocket2-build.lock sleep 2 & sleep 1; handlersocket2-build 2>&1; wait")
    assert said == "waiting for another handlersocket2-build\nthe library is there\n"
    with pytest.raises(Exception, match="there is no library for MariaDB 11.4.5: .* for MariaDB 10.11 and 11.8"):
        machine.sh("handlersocket2-build --mariadb 11.4.5 2>&1")
    with pytest.raises(Exception, match="10.11 is no version of MariaDB with its patch level"):
        machine.sh("handlersocket2-build --mariadb 10.11 2>&1")
    # As one that was killed leaves it.
    machine.sh("mkdir /var/cache/handlersocket2-build; touch /var/log/handlersocket2-build.log")
    # One that goes on is ended, by systemd.
    systemctl = machine.root / "usr/bin/systemctl"
    systemctl.write_text('#!/bin/sh\necho "$@" >>/root/asked\n')
    systemctl.chmod(0o755)
    machine.sh("mkdir -p /run/systemd/system")
    machine.sh("rm /usr/lib/mysql/plugin/handlersocket2-*.so")
    said = machine.sh("/usr/libexec/handlersocket2/plugin upgraded")
    assert "journalctl -fu handlersocket2-build.service\n" in said, "where it tells what it lacks"
    assert machine.sh("cat /root/asked") == "start --no-block handlersocket2-build.service\n"
    machine.apt("purge handlersocket2")
    assert "stop handlersocket2-build.service\n" in machine.sh("cat /root/asked")
    assert machine.sh("ls /var/cache /var/log /run /usr/lib/mysql/plugin | grep handlersocket2 || true") == ""


@pytest.mark.parametrize("signal", ["INT", "TERM", "HUP"])
def test_a_build_that_is_interrupted_ends_what_it_started_and_leaves_nothing(
    machine: Machine, package: Path, signal: str
) -> None:
    machine.install(package)
    before = machine.sh("ls -A /usr/lib/mysql/plugin")
    # Instead of minutes of compilers: one command, which tells its number.
    machine.sh("cat >>/usr/share/handlersocket2/building", stdin="""
        tools=(dpkg)
        provide_headers() {
          touch "$plugins/.handlersocket2-10.11.18.so.new"
          (echo "$BASHPID" >/root/begins && mv /root/begins /root/begun && exec sleep 300)
        }
    """)
    # A shell has what it starts in the background ignore SIGINT.
    run = "perl -e '$SIG{INT} = \"DEFAULT\"; exec @ARGV' handlersocket2-build >/root/said 2>&1"
    machine.sh(f"{run} & until [ -e /root/begun ]; do sleep 0.1; done; kill -{signal} $!; ! wait $!")
    assert f"error: ended by SIG{signal}" in machine.sh("cat /root/said")
    assert machine.sh("ls /proc | grep -x $(cat /root/begun) || true") == "", "it goes on"
    assert machine.sh("ls -A /usr/lib/mysql/plugin") == before
    assert machine.sh("ls /var/cache | grep handlersocket2 || true") == ""


def test_a_build_without_a_place_for_its_library_does_not_begin(
    machine: Machine, package: Path, built_for: str
) -> None:
    machine.install(package)
    machine.sh("cat >>/usr/share/handlersocket2/building", stdin="tools=(dpkg)\nprovide_headers() { die 'it began'; }\n")
    machine.sh(f"mkdir /root/own; cp -p {PLUGINS}/handlersocket2*.so /root/own")
    full = f"-t tmpfs -o size=8m none {PLUGINS}; cp -p /root/own/* {PLUGINS}"
    for place, mount, why in [
        (PLUGINS, f"--bind {PLUGINS} {PLUGINS}; mount -o remount,bind,ro {PLUGINS}", f"error: cannot write below {PLUGINS}"),
        (PLUGINS, full, "the disk is full: the library needs about 10 MB"),
        ("/var/log", "-t tmpfs -o size=8k none /var/log", "the disk is full: the log of the build needs"),
        ("/tmp", "-t tmpfs -o size=1m none /tmp", "the disk is full: what apt and the compiler write meanwhile needs"),
    ]:
        machine.sh(f"mount {mount}")
        said = machine.sh("! handlersocket2-build 2>&1")
        assert why in said and "it began" not in said, said
        machine.sh(f"umount {place}")
    library = f"{PLUGINS}/handlersocket2-{built_for}.so"
    machine.sh(f"rm {library}; mkdir {library}")
    said = machine.sh("! handlersocket2-build 2>&1")
    command = re.search("there is a folder in the library's place: (rm -r .*)", said)
    assert command and "it began" not in said, said
    machine.sh(command[1])
    assert "it began" in machine.sh("! handlersocket2-build 2>&1")
    assert machine.sh("ls /var/cache | grep handlersocket2 || true") == ""


@pytest.mark.timeout(3600)
def test_a_library_that_is_missing_is_built_and_opens_the_ports_of_a_server_that_runs(
    machine: Machine, package: Path, built_for: str
) -> None:
    library = f"/usr/lib/mysql/plugin/handlersocket2-{built_for}.so"
    machine.install(package)
    machine.stop()
    machine.sh(f"rm {library}")
    machine.start()
    assert status(machine) == "no library"
    tools = "--no-install-recommends cmake g++ libssl-dev ninja-build xz-utils"
    machine.fetch(tools)
    machine.apt(f"install {tools}")
    with pytest.raises(Exception, match="cannot read /nothing"):
        machine.sh("handlersocket2-build --source /nothing 2>&1")
    before = machine.server_pid()
    # What is in somebody's environment is for other builds.
    said = machine.online("CXX=false CXXFLAGS=-broken CMAKE_GENERATOR=none handlersocket2-build --if-missing 2>&1")
    assert "the ports are open" in said, said
    assert (machine.server_pid(), status(machine)) == (before, "running")
    assert row_of(machine, 1) == ["0\t2\t1\tone"]
    assert machine.sh("handlersocket2-build --if-missing 2>&1") == "", "it is there"
    assert machine.sh("ls /var/cache | grep handlersocket2-build || true") == ""
    assert "Linking CXX shared module" in machine.sh("cat /var/log/handlersocket2-build.log")
    machine.apt("purge handlersocket2")
    assert machine.sh(f"ls {library} || true").find("No such file") > 0

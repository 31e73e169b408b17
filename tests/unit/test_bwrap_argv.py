"""The command line of the sandbox: pure, no bwrap needed."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pytest_aar.box.bwrap_command import AGENT_USER, Cage, System, bwrap_argv

CAGE = Cage(
    bwrap="/usr/bin/bwrap",
    form="user",
    system=System(links={"/bin": "usr/bin"}, bound=("/usr", "/etc/ssl/certs")),
    workdir="/tmp/aar-1/race",
    server="/site/box/inside",
    socket="/tmp/s/gateway.sock",
    programs=("/opt/agents", "/tmp/tool"),
    masks=("/usr/src/project", "/opt/agents/lib/pytest_aar"),
    files={"/etc/passwd": 7},
    links={"/run/aar/python/bin/python3": "/opt/python/bin/python3.12"},
    info=9,
)
COMMAND = ("python3", "-I")


def words(cage: Cage = CAGE) -> list[str]:
    return bwrap_argv(cage, COMMAND)


def place(argv: Sequence[str], *wanted: str) -> int:
    """Where these words stand in a row."""
    places = [
        index for index in range(len(argv)) if tuple(argv[index : index + len(wanted)]) == wanted
    ]
    assert len(places) == 1, (wanted, places)
    return places[0]


@pytest.mark.parametrize("form", ["user", "root"])
def test_nothing_is_shared_with_the_machine(form: str) -> None:
    argv = words(replace(CAGE, form=form))  # type: ignore[arg-type]
    for what in ("pid", "net", "ipc", "uts", "cgroup-try"):
        place(argv, f"--unshare-{what}")
    place(argv, "--die-with-parent")
    place(argv, "--new-session")
    place(argv, "--as-pid-1")
    place(argv, "--cap-drop", "ALL")
    place(argv, "--hostname", "aar")
    place(argv, "--info-fd", "9")
    assert "--share-net" not in argv
    assert argv[-2:] == [*COMMAND]


def test_a_user_gets_a_user_namespace_that_can_have_none_below() -> None:
    argv = words()
    place(argv, "--unshare-user")
    place(argv, "--disable-userns")
    place(argv, "--assert-userns-disabled")
    place(argv, "--uid", str(AGENT_USER))
    place(argv, "--gid", str(AGENT_USER))
    assert "--cap-add" not in argv
    assert not any("setpriv" in word for word in argv)


def test_root_steps_down_before_anything_of_the_agents_runs() -> None:
    argv = words(replace(CAGE, form="root"))
    assert "--unshare-user" not in argv
    last = argv[place(argv, "--chdir", "/race", "--") + 3 :]
    assert last == [
        *("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
        *("--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--"),
        *COMMAND,
    ]


def test_calls_are_filtered_where_there_is_a_filter() -> None:
    assert "--seccomp" not in words()
    place(words(replace(CAGE, seccomp=11)), "--seccomp", "11")


def test_only_the_race_can_be_written() -> None:
    argv = words()
    place(argv, "--bind", "/tmp/aar-1/race", "/race")
    assert argv.count("--bind") == 1
    for path in ("/", "/proc", "/dev", *CAGE.masks):
        place(argv, "--remount-ro", path)
    for path in ("/tmp", "/dev/shm", "/home/agent"):
        at = place(argv, "--tmpfs", path)
        assert argv[at - 4 : at] == ["--size", argv[at - 3], "--perms", "1777"]
        assert int(argv[at - 3]) <= 512 << 20


def test_the_gateway_is_a_socket() -> None:
    place(words(), "--ro-bind", "/tmp/s/gateway.sock", "/run/aar/gateway.sock")
    assert not any("gateway.sock" in word for word in words(replace(CAGE, socket=None)))


def test_what_is_bound_below_tmp_comes_after_the_private_tmp() -> None:
    argv = words()
    assert place(argv, "--ro-bind", "/tmp/tool", "/tmp/tool") > place(argv, "--tmpfs", "/tmp")


def test_masks_come_after_what_they_hide_and_before_what_lies_in_them() -> None:
    argv = words(replace(CAGE, programs=("/opt/agents", "/usr/src/project/agent.py")))
    project = place(argv, "--tmpfs", "/usr/src/project")
    assert place(argv, "--ro-bind", "/usr", "/usr") < project
    agent = "/usr/src/project/agent.py"
    assert project < place(argv, "--ro-bind", agent, agent)
    package = place(argv, "--tmpfs", "/opt/agents/lib/pytest_aar")
    assert place(argv, "--ro-bind", "/opt/agents", "/opt/agents") < package


def test_parents_are_made_so_that_another_user_can_pass() -> None:
    argv = words(replace(CAGE, programs=("/root/.pyenv/versions/3.11",)))
    for path in ("/root", "/root/.pyenv", "/etc", "/etc/ssl", "/run", "/run/aar", "/home"):
        at = place(argv, "--perms", "0755", "--dir", path)
        below = [
            index
            for index, word in enumerate(argv)
            if word.startswith(f"{path}/") and argv[index - 1] != "--dir"
        ]
        assert all(at < index for index in below), path


def test_system_links_and_files() -> None:
    argv = words()
    place(argv, "--symlink", "usr/bin", "/bin")
    place(argv, "--perms", "0644", "--file", "7", "/etc/passwd")

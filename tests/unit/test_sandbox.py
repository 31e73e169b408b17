"""What a hostile agent may try inside the sandbox. Each line was a hole in some arrangement of these parts."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from box_kinds import new_box, spec

from pytest_aar.agents import read_answer
from pytest_aar.box import Box, Doors

SECRET = "sk-this-is-the-key"


@dataclass
class Scene:
    """A box beside a project with a leg in it; a service listens on the machine's loopback."""

    box: Box
    folder: Path
    project: Path
    port: int

    def sh(self, line: str, **more: object) -> str:
        result = self.box.run(spec(line, self.folder, **more))
        return result.output

    def py(self, code: str) -> str:
        return self.box.run(spec(("python3", "-c", code), self.folder)).output


class Gateway(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"gateway " + self.path.encode())

    def address_string(self) -> str:
        return "socket"

    def log_message(self, *_: object) -> None:
        return


class UnixServer(HTTPServer):
    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        socket.socket.bind(self.socket, self.server_address)
        os.chmod(self.server_address, 0o666)


@pytest.fixture(scope="module", params=["bwrap-user", "bwrap-root"])
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("scene").resolve()
    project = root / "project"
    (project / "legs").mkdir(parents=True)
    (project / "legs/1.json").write_text('{"passcode": "GOLDEN"}')
    (project / "program").mkdir()
    (project / "program/data").write_text("shown")
    path = Path(f"/tmp/aar-t{os.getpid()}.sock")
    path.unlink(missing_ok=True)
    server = UnixServer(str(path), Gateway)  # type: ignore[arg-type]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    local = socket.create_server(("127.0.0.1", 0))
    doors = Doors(http=lambda: "http://127.0.0.1:1/r/T", socket=lambda: path, path="/r/T")
    more = {"doors": doors, "programs": (project / "program",), "hidden": (project / "legs",)}
    before = os.environ.get("OPENAI_API_KEY")
    os.environ["OPENAI_API_KEY"] = SECRET
    box = new_box(request.param, root / "race", **more)
    yield Scene(box=box, folder=root / "race", project=project, port=local.getsockname()[1])
    box.stop()
    local.close()
    server.shutdown()
    server.server_close()
    path.unlink()
    os.environ.pop("OPENAI_API_KEY")
    if before is not None:
        os.environ["OPENAI_API_KEY"] = before


def test_the_project_and_what_else_is_on_the_machine_are_not_there(scene: Scene) -> None:
    places = [
        scene.project / "legs",
        Path(os.path.expanduser("~")) / ".ssh",
        "/var/run/docker.sock",
    ]
    places += [
        "/run/docker.sock",
        "/etc/shadow",
        "/etc/ssl/private",
        "/sys",
        "/var",
        "/boot",
        "/mnt",
    ]
    places += [Path(__file__), Path.cwd() / "legs", "/work", "/etc/machine-id", "/run/systemd"]
    wanted = json.dumps([str(place) for place in places])
    code = f"import os, json; print([p for p in json.loads({wanted!r}) if os.path.lexists(p)])"
    assert scene.py(code) == "[]\n"


def test_the_answer_is_nowhere(scene: Scene) -> None:
    found = scene.sh(
        "grep -rls GOLDEN / --exclude-dir=proc --exclude-dir=usr --exclude-dir=dev | head"
    )
    assert found == ""


def test_programs_can_be_read_and_not_written(scene: Scene) -> None:
    data = scene.project / "program/data"
    assert scene.sh(f"cat {data}") == "shown"
    assert "Read-only file system" in scene.sh(f"echo x > {data}")
    assert scene.sh(f"ls -A {scene.project}") == "program\n"


def test_keys_of_this_process_are_in_no_environment(scene: Scene) -> None:
    found = scene.sh("cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'")
    assert SECRET not in found
    assert "AAR_BOX=" in found


def test_only_its_own_processes_are_there(scene: Scene) -> None:
    count = int(scene.sh("ls -d /proc/[0-9]* | wc -l"))
    assert count <= 4
    assert "No such process" in scene.sh(f"kill -9 {os.getpid()}")


def test_there_are_no_rights_and_no_way_to_get_any(scene: Scene) -> None:
    status = scene.sh("cat /proc/self/status")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0, name
    assert (fields["NoNewPrivs"], fields["Uid"].split()) == ("1", ["65534"] * 4)
    assert fields["Gid"].split() == ["65534"] * 4
    assert scene.sh("id -un; id -gn; hostname").split() == ["agent", "agent", "aar"]
    # a program with the set-user-id bit gives nobody rights
    setuid = (
        "cp /usr/bin/id /tmp/id; chmod u+s /tmp/id; /tmp/id -u; ls /usr/bin/su >/dev/null 2>&1 && "
    )
    assert scene.sh(setuid + "echo x | su -c id 2>&1 | grep -c uid=0").split()[0] == "65534"


@pytest.mark.parametrize(
    "line",
    [
        "umount /usr",
        "umount /tmp",
        "umount /race",
        "mount -t tmpfs none /tmp",
        "mount -o remount,rw /",
        "mount -o remount,rw,bind /usr",
        "chroot /tmp",
        "mknod /tmp/disk b 8 0",
        "hostname other",
        "nsenter -t 1 -m true",
        "touch /usr/x",
        "touch /x",
        "touch /etc/passwd",
        "touch /run/x",
        "touch /run/aar/inside/server.py",
        "touch /proc/sys/kernel/hostname",
        "cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern",
        "touch /proc/sysrq-trigger",
        "cat /proc/kcore",
        "touch /dev/x",
        "unshare -Ur true",
        "unshare -m true",
        "ip link add x type dummy",
        "dmesg",
    ],
)
def test_doors_that_are_shut(line: str, scene: Scene) -> None:
    result = scene.box.run(
        spec(
            f"PATH=$PATH:/usr/sbin:/sbin; ({line}) > /tmp/said 2>&1",
            scene.folder,
        )
    )
    assert result.exit_code != 0


def test_a_user_namespace_below_shows_no_more(scene: Scene) -> None:
    line = "unshare -Urm sh -c 'umount -l /tmp /race /usr; ls -A /work /root/.ssh' 2>&1; echo"
    assert "legs" not in scene.sh(line)
    assert scene.sh(f"unshare -Urm cat {scene.project}/legs/1.json 2>&1; echo").find("GOLDEN") == -1


def test_the_gateway_is_the_only_way_out(scene: Scene) -> None:
    get = "import urllib.request as u; print(u.urlopen({!r}, timeout=3).read().decode())"
    assert scene.py(get.format(scene.box.gateway_url() + "/tools")) == "gateway /r/T/tools\n"
    for address in (f"127.0.0.1:{scene.port}", "169.254.169.254", "1.1.1.1", "localhost:22"):
        assert "Error" in scene.py(get.format(f"http://{address}/")), address
    assert scene.sh("ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c :").strip() == "1"
    name = "import socket; socket.getaddrinfo('example.org', 80)"
    assert "gaierror" in scene.py(name)


def test_the_gateway_is_reached_by_its_socket_too(scene: Scene) -> None:
    path = scene.box.tools_url().split(":")[1]
    code = (
        f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({path!r});"
        "s.sendall(b'GET /r/T/x HTTP/1.0\\r\\n\\r\\n');"
        "print(b''.join(iter(lambda: s.recv(9999), b'')).decode().splitlines()[-1])"
    )
    assert scene.py(code) == "gateway /r/T/x\n"


def test_abstract_sockets_of_the_machine_are_out_of_reach(scene: Scene) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0aar-test-{os.getpid()}")
        listener.listen()
        code = f"import socket; socket.socket(socket.AF_UNIX).connect('\\0aar-test-{os.getpid()}')"
        assert "ConnectionRefusedError" in scene.py(code)


def test_private_folders_are_bounded(scene: Scene) -> None:
    for folder, most in (("/tmp", 512), ("/dev/shm", 64), ("/home/agent", 512)):
        size = scene.py(
            f"import os; s = os.statvfs({folder!r}); print(s.f_blocks * s.f_frsize >> 20)"
        )
        assert int(size) == most
        assert scene.sh(f"echo 1 > {folder}/x && cat {folder}/x && rm {folder}/x") == "1\n"
    shm = scene.sh("head -c 80000000 /dev/zero > /dev/shm/x; rm /dev/shm/x")
    assert "No space left" in shm


def test_a_fork_bomb_is_bounded_in_the_user_form(
    scene: Scene, request: pytest.FixtureRequest
) -> None:
    if "root" in request.node.name or os.geteuid() == 0:
        pytest.skip("the kernel counts no processes of root, nor of one user over all sandboxes")
    code = (
        "import os, time\n"
        "made = 0\n"
        "try:\n"
        "    while made < 3000:\n"
        "        if os.fork() == 0: time.sleep(60)\n"
        "        made += 1\n"
        "except BlockingIOError: pass\n"
        "print(made < 1100)\n"
    )
    assert scene.py(code) == "True\n"


def test_core_dumps_are_off_and_files_bounded(scene: Scene) -> None:
    limits = scene.sh("ulimit -c; ulimit -n; ulimit -Hf")
    assert limits.split() == ["0", "4096", str(1 << 20)]


@pytest.mark.parametrize(
    ("trick", "told"),
    [
        ("ln -s {leg} answer.txt", "symbolic link"),
        ("mkfifo answer.txt", "not a regular file"),
        (
            "truncate -s 1000000000000 answer.txt || truncate -s 1000000000 answer.txt",
            "more than 64",
        ),
        ("mkdir answer.txt", "not a regular file"),
        ("echo 3 > x; ln x answer.txt", "not a regular file with one name"),
        ("ln -s /dev/zero answer.txt", "symbolic link"),
    ],
)
def test_an_answer_file_is_never_followed(trick: str, told: str, scene: Scene) -> None:
    scene.sh("rm -rf answer.txt x")
    scene.sh(trick.format(leg=scene.project / "legs/1.json"))
    finish = read_answer(scene.folder)
    assert finish.answer is None
    assert told in finish.detail
    scene.sh("rm -rf answer.txt x; echo 4 > answer.txt")
    assert read_answer(scene.folder).answer == 4


def test_the_server_is_no_way_out_either(scene: Scene) -> None:
    """Whoever talks to process 1 from inside finds no open file of the machine."""
    links = scene.sh("ls -l /proc/1/fd /proc/1/cwd /proc/1/root /proc/self/fd 2>/dev/null")
    assert str(scene.project) not in links
    code = (
        "import os; print([x for x in os.listdir('/proc/1/root/') if x in ('work', 'boot', 'var')])"
    )
    assert "work" not in scene.py(code)

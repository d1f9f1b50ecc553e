#!/usr/bin/python3
"""The server of `plimsoll view`: who may ask, what it reads, and that it stays alive.

Paths that leave the folder, encoded and double-encoded, links, wrong and missing tokens, foreign Host and Origin,
headers of 1 MB, half a request, 200 connections. Bound to 127.0.0.1 only, by /proc/net/tcp.
"""
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.parse

from common import Checks, arguments, scene_path

SECRET = "a secret of another folder"


@contextlib.contextmanager
def served(program, *words):
    """(port, token) of a server; its output says why when there is none in this build. It ends well, or the sanitizers
    that it was built with have found something."""
    process = subprocess.Popen([program, "view", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if not line:
        complaint = process.stderr.read()
        process.wait()
        if "this build has no" in complaint:
            print(f"skipped: {complaint.strip()}", file=sys.stderr)
            sys.exit(77)
        raise RuntimeError(complaint)
    address = urllib.parse.urlsplit(line.strip())
    try:
        yield address.port, urllib.parse.parse_qs(address.query)["token"][0], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        complaint = process.communicate(timeout=60)[1]
    if process.returncode != 0:
        raise RuntimeError(f"the server ended with {process.returncode}: {complaint[-2000:]}")


def ask(port, path, token=None, host=None, method="GET", headers=None):
    """(status, bytes); status 0 when the connection was closed without an answer."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        link.putrequest(method, path, skip_host=True)
        link.putheader("Host", host if host is not None else f"127.0.0.1:{port}")
        if token is not None:
            link.putheader("X-Plimsoll-Token", token)
        for name, value in (headers or {}).items():
            link.putheader(name, value)
        if method == "POST":
            link.putheader("Content-Length", "0")
        link.endheaders()
        answer = link.getresponse()
        return answer.status, answer.read()
    except (ConnectionError, http.client.HTTPException, OSError):
        return 0, b""
    finally:
        link.close()


def listening(port):
    """Local addresses that listen on the port, as /proc has them."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(table):
            continue
        with open(table, encoding="ascii") as lines:
            for line in list(lines)[1:]:
                fields = line.split()
                address, number = fields[1].split(":")
                if fields[3] == "0A" and int(number, 16) == port:
                    found.append(address)
    return found


def check_answers(checks, port, token):
    status, page = ask(port, f"/?token={token}")
    checks.true("the page comes with the token", status == 200 and b"<canvas" in page)
    status, answer = ask(port, "/run", token)
    run = json.loads(answer)
    checks.true("the run is told", status == 200 and run["frames"] == [0, 1, 2, 3])
    status, answer = ask(port, "/frame?n=2&shapes=1", token)
    checks.true("a frame comes", status == 200 and answer.startswith(b"PLIMPACK"))
    status, answer = ask(port, "/table?name=probes.csv", token)
    checks.true("probes come", status == 200 and answer.startswith(b"time"))
    checks.true("a frame that is not there is refused", ask(port, "/frame?n=77", token)[0] == 400)
    checks.true("starting by GET is refused", ask(port, "/control?do=start", token)[0] == 405)


def check_refusals(checks, port, token):
    for name, given in (("missing", None), ("wrong", "0" * 32), ("short", token[:-1]), ("long", token + "0"), ("empty", "")):
        for path in ("/", "/run", "/frame?n=0", "/table?name=probes.csv"):
            checks.true(f"{name} token at {path}: refused", ask(port, path, given)[0] == 403)
        checks.true(f"{name} token: no run is started", ask(port, "/control?do=step", given, method="POST")[0] == 403)
    for host in ("example.org", f"example.org:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
        checks.true(f"Host '{host}': refused", ask(port, "/run", token, host=host)[0] in (0, 400, 403))
    for origin in ("http://example.org", "null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"):
        checks.true(f"Origin {origin}: refused", ask(port, "/run", token, headers={"Origin": origin})[0] == 403)
    own = {"Origin": f"http://127.0.0.1:{port}"}
    checks.true("our own Origin: answered", ask(port, "/run", token, headers=own)[0] == 200)


def check_paths(checks, port, token):
    escapes = ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%252e%252e%252fsecret.txt", "/..%5csecret.txt",
               "/frame/../../secret.txt", "/scene.yaml", "/frame_00000.h5", "//etc/passwd", "/etc/passwd", "/%00",
               "/table?name=../secret.txt", "/table?name=..%2fsecret.txt", "/table?name=%252e%252e%252fsecret.txt",
               "/table?name=stats.csv", "/frame?n=../../secret", "/frame?n=2%00", "/frame?n=3", "/frame?n=-1",
               "/frame?n=99999999999999999999999"]
    for path in escapes:
        status, answer = ask(port, path, token)
        checks.true(f"{path}: nothing read outside", status != 200 and SECRET.encode() not in answer and b"root:" not in answer)


def check_floods(checks, port, token):
    status, _ = ask(port, "/run", token, headers={"X-Long": "x" * (1 << 20)})
    checks.true("headers of 1 MB: refused", status != 200)
    halves = []
    for _ in range(20):
        half = socket.create_connection(("127.0.0.1", port), timeout=20)
        half.sendall(b"GET /run HTTP/1.1\r\nHost: 127.0.0.1")
        halves.append(half)
    checks.true("alive beside 20 halves of requests", ask(port, "/run", token)[0] == 200)
    for half in halves:
        half.close()
    crowd = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(200)]
    checks.true("alive beside 200 open connections", ask(port, "/run", token)[0] == 200)
    for link in crowd:
        link.close()
    checks.true("alive after 200 connections", ask(port, "/run", token)[0] == 200)


def main():
    options = arguments(__doc__)
    checks = Checks()
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "run")
        subprocess.run([options.program, "run", scene_path("rigid/throw.yaml"), "--out", folder, "--frames", "3", "--quiet",
                        "--threads", "1"], check=True)
        with open(os.path.join(root, "secret.txt"), "w", encoding="ascii") as file:
            file.write(SECRET)
        # Links in the folder that lead out of it: a table, and a frame.
        os.remove(os.path.join(folder, "stats.csv"))
        os.symlink("../secret.txt", os.path.join(folder, "stats.csv"))
        shutil.copy(os.path.join(folder, "frame_00003.h5"), os.path.join(root, "outside.h5"))
        with served(options.program, folder) as (port, token, process):
            check_answers(checks, port, token)
            os.remove(os.path.join(folder, "frame_00003.h5"))
            os.symlink("../outside.h5", os.path.join(folder, "frame_00003.h5"))
            check_refusals(checks, port, token)
            check_paths(checks, port, token)
            checks.true("bound to 127.0.0.1 alone", listening(port) == ["0100007F"])
            check_floods(checks, port, token)
            checks.true("still runs", process.poll() is None)
    checks.finish()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""The html file's size: told before it is written when it is above 50 MB, and about right; nothing is said of a small one.
What the page shows is checked by view_page.py."""
import os
import re
import subprocess
import sys

from common import SWARM, call, run, verify, write_scene

LARGE = 50e6


def exported(options, output, name, *words):
    """The folder that it goes to, and the result."""
    target = os.path.join(output.folder, name)
    result = call(options.program, "export", output.folder, "--to", "html", "--out", target, *words)
    if "this build" in result.stderr:
        print(f"skipped: {result.stderr.strip()}", file=sys.stderr)
        sys.exit(77)
    if result.code != 0:
        raise RuntimeError(result.stderr)
    return os.path.join(target, "run.html"), result


def small_is_not_told(options, checks, folder):
    output = run(options.program, write_scene(folder, "small.yaml", SWARM), os.path.join(folder, "small"), None, "--frames", 3)
    path, result = exported(options, output, "page")
    checks.true("a small page: written, nothing said of its size", os.path.getsize(path) < LARGE and "MB" not in result.stderr)
    checks.true("nothing else is left in its folder", os.listdir(os.path.dirname(path)) == ["run.html"])


def large_is_told(options, checks, folder):
    """Nothing is under its name when the size is told."""
    if options.quickest:
        return
    output = run(options.program, write_scene(folder, "large.yaml", SWARM), os.path.join(folder, "large"),
                 {"params/boxes": 22}, "--frames", 20)
    path = os.path.join(output.folder, "page", "run.html")
    process = subprocess.Popen([options.program, "export", output.folder, "--to", "html", "--out", os.path.dirname(path)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    there = os.path.exists(path)
    process.communicate(timeout=600)
    size, told = os.path.getsize(path), re.search(r"about (\d+) MB", line)
    if checks.true("a large page: its size is told, and --every", bool(told) and "--every" in line, line.strip()):
        checks.near("a large page: the size that was told", float(told[1]), size * 1e-6, 10)
    checks.true("a large page: told before it was there", not there and size > LARGE)
    path, result = exported(options, output, "part", "--every", 20)
    checks.true("with --every it is small, and nothing is said", os.path.getsize(path) < LARGE and "MB" not in result.stderr)


if __name__ == "__main__":
    verify(__doc__, [small_is_not_told, large_is_told])

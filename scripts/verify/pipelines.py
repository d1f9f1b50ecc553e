#!/usr/bin/python3
"""The scripts of docs/pipelines.md that are said to have been tried run as they stand there, on a short run."""
import os
import re
import shutil
import subprocess
import sys

import common
import export_case as case

NEEDS = {"speeds.py": ("vtk", "python3-vtk9"), "heights.py": ("meshio", "python3-meshio")}


def scripts():
    """{name: text} of those that were tried."""
    with open(os.path.join(common.ROOT, "docs", "pipelines.md")) as file:
        blocks = re.findall(r"```python\n(# (\w+\.py), tried .*?)```", file.read(), re.DOTALL)
    return {name: text for text, name in blocks}


def prepare(options, folder):
    output = os.path.join(folder, "out", "crates")
    if not os.path.exists(output):
        common.run(options.program, common.scene_path("float/crates.yaml"), output, {"params/cells": 24}, "--frames", 12)
        for words in (["gltf"], ["ply", "--up", "z", "--out", os.path.join(output, "surfaces")], ["vtk"]):
            result = common.call(options.program, "export", output, "--to", *words)
            if result.code:
                raise RuntimeError(result.stderr)


def check_listed(options, checks, folder):
    checks.true("docs/pipelines.md: scripts that were tried", sorted(scripts()) == ["crates.py", "heights.py", "speeds.py"])


def run_script(folder, name, *program):
    common.write_scene(folder, name, scripts()[name])
    done = subprocess.run([*program, name], cwd=folder, env={**os.environ, "PWD": folder},
                          capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def check_python(options, checks, folder):
    for name, (module, package) in NEEDS.items():
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode:
            raise case.Missing(package)
        prepare(options, folder)
        code, said = run_script(folder, name, sys.executable)
        checks.true(f"{name} runs", code == 0, " ".join(said.split())[-300:])


def check_blender(options, checks, folder):
    if not shutil.which("blender"):
        raise case.Missing("blender")
    prepare(options, folder)
    code, said = run_script(folder, "crates.py", "blender", "-b", "-noaudio", "--python-exit-code", "1", "--python")
    found = re.search(r"(\d+) crates, (\d+) frames", said)
    checks.true("crates.py runs in Blender: crates and frames", code == 0 and found and int(found[1]) > 0 and
                int(found[2]) == 12, found[0] if found else said[-300:])
    checks.true("crates.py: a file is saved", os.path.exists(os.path.join(folder, "out", "crates", "crates.blend")))


if __name__ == "__main__":
    case.verify(__doc__, [check_listed], [check_python, check_blender])

"""What the checks of exports share: a small run that has one of everything, its frames body by body, and readers of
others that may be missing."""
import json
import os
import shutil
import subprocess
import sys

import common
from common import np

SCENE = """\
plimsoll: 1
name: everything
duration: 1
fps: 20
time_step: {max_dt: 0.01}
rigid:
  bodies:
    - {name: ground, motion: static, shape: {half_space: {}}}
    - {name: 7up, shape: {cylinder: {radius: 0.15, height: 0.3, segments: 20}}, position: [-1, 0.9, 0.2], density: 500,
       velocity: [0.7, 1, -0.3], angular_velocity: [3, 9, -5], color: [0.9, 0.3, 0.1]}
    - {name: a-b, shape: {box: {size: [0.2, 0.3, 0.4]}}, motion: kinematic, position: ["=0.3*sin(3*t) - 1", 1.5, -0.7],
       orientation: {axis: [1, 2, 3], angle: "=400*t"}}
    - {name: a_b, shape: {box: {size: [0.4, 0.2, 0.2]}}, motion: static, position: [-1, 0.1, 0.8]}
deformable:
  bodies:
    - {name: jelly, shape: {box: {size: [0.3, 0.3, 0.3]}}, cells: [2, 2, 2], position: [-0.4, 0.25, 1], young: 5000,
       density: 1000, velocity: [0, -1, 0.2]}
    - {name: flag, sheet: {size: [0.5, 0.4], cells: [4, 3]}, position: [-2, 1, 0.5], area_density: 0.2, stretch: 200}
splash:
  - name: spray
    domain: {low: [0.5, 0, 0], high: [1.5, 1.25, 0.5]}
    cells: 16
    sides: {top: open}
    liquids: [{name: column, shape: {box: {size: [0.4, 0.8, 0.5]}}, position: [0.7, 0.4, 0.25]}]
fluid:
  - name: chamber
    domain: {low: [-1, 2, 0], high: [-0.5, 3, 0.375]}
    cells: 16
    sides: {top: open}
    density: 1.2
    smoke: {buoyancy: 0.5}
    sources: [{name: fire, shape: {ball: {radius: 0.12}}, position: [-0.7, 2.2, 0.2], smoke: 1, temperature: 5}]
  - name: pool
    domain: {low: [2, 0, 0], high: [2.75, 1, 0.5]}
    cells: 12
    sides: {top: open}
    liquid: {level: "=y - 0.4 - 0.1*cos(pi*(x - 2))"}
coupling: {fluid: one_way}
probes:
  - {name: 7up, quantities: [position, orientation, velocity, angular_velocity]}
  - {name: a-b, quantities: [position, orientation, velocity]}
"""
FRAMES = 6
RIGID = ("7up", "a-b", "a_b")  # with an end
SERIES = ("spray.liquid", "pool.liquid")
SIZE = 3.0  # m, of the scene


def run(options, folder):
    """The run, made once for all checks of a program."""
    output = common.Output(os.path.join(folder, "everything"))
    if not os.path.exists(output.folder):
        scene = common.write_scene(folder, "everything.yaml", SCENE)
        common.run(options.program, scene, output.folder, None, "--frames", FRAMES)
    return output


def export(options, output, to, *words):
    """The path that the program prints."""
    result = common.call(options.program, "export", output.folder, "--to", to, *words)
    if result.code != 0:
        raise RuntimeError(f"export --to {to}: {result.stderr}")
    return result.stdout.strip()


def frames(output):
    return range(FRAMES + 1)


class Frame:
    """A frame file: its arrays by name, its time."""

    def __init__(self, output, number):
        self.arrays = common.datasets(output.frame(number))
        with common.h5py.File(output.frame(number), "r") as file:
            self.time = float(file.attrs["time"])
            self.groups = {name: dict(file[name].attrs) for name in file}

    def __getitem__(self, name):
        return self.arrays[name]

    def __contains__(self, name):
        return name in self.arrays

    def names(self, group):
        return [bytes(row).split(b"\0")[0].decode() for row in self[f"{group}/names"]]

    def body(self, group, name):
        """(vertices, velocities, triangles) of one body, its vertices in the order of the frame."""
        triangles = self[f"{group}/triangles"][self[f"{group}/objects"] == self.names(group).index(name)]
        order = np.unique(triangles)
        number = np.full(len(self[f"{group}/vertices"]), -1)
        number[order] = np.arange(len(order))
        return self[f"{group}/vertices"][order], self[f"{group}/velocities"][order], number[triangles]


def probe_row(output, time):
    probes = output.probes()
    return probes, int(np.argmin(np.abs(probes["time"] - time)))


def apart(points, others):
    """The farthest that a point of either set is from the other set, by its largest component; the order of points and
    how often each stands there do not count."""
    a, b = np.unique(points, axis=0), np.unique(others, axis=0)
    nearest = lambda x, y: max(np.abs(part[:, None] - y).max(axis=2).min(axis=1).max()
                               for part in np.array_split(x, 1 + len(x) // 300))
    return max(nearest(a, b), nearest(b, a))


# ---- programs of others ----


class Missing(Exception):
    """A program or module of others is not there."""


def verify(description, own, others):
    """Our own checks in every tier; those by programs of others in all but --quick. Where one is missing, the rest is
    checked, and ctest is told that the program was skipped."""
    missing = []

    def guarded(check):
        def run_it(options, checks, folder):
            try:
                if not options.quickest:
                    check(options, checks, folder)
            except Missing as what:
                missing.append(str(what))
        run_it.__name__ = check.__name__
        return run_it

    try:
        common.verify(description, own + [guarded(check) for check in others])
    except SystemExit as end:
        if not missing or end.code:
            raise
        print(f"skipped: {', '.join(dict.fromkeys(missing))} not installed; scripts/setup --tools", file=sys.stderr)
        sys.exit(77)


def node(script, *words):
    """What a script of scripts/verify/readers prints; it is told where scripts/setup --tools has put packages of npm."""
    modules = os.path.join(common.ROOT, "build", "readers", "node_modules")
    if not os.path.isdir(modules) or not shutil.which("node"):
        raise Missing("the npm packages of scripts/verify/readers")
    path = os.path.join(common.ROOT, "scripts", "verify", "readers", script)
    done = subprocess.run(["node", path, modules, *words], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{script}: {done.stderr[-500:]}")
    return done.stdout


def blender(folder, frames, *files):
    """What scripts/verify/readers/blender.py finds in the files."""
    if not shutil.which("blender"):
        raise Missing("blender")
    answer = os.path.join(folder, "blender.json")
    script = os.path.join(common.ROOT, "scripts", "verify", "readers", "blender.py")
    done = subprocess.run(["blender", "-b", "--factory-startup", "-noaudio", "--python-exit-code", "1", "--python", script,
                           "--", answer, "20", ",".join(map(str, frames)), *files],
                          capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"blender: {done.stdout[-300:]} {done.stderr[-500:]}")
    with open(answer) as file:
        return json.load(file)

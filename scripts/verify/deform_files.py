#!/usr/bin/python3
"""Deformable solids and files: pins and loads on groups of OBJ files, elements for ParaView."""
import os

import common
import deform
from common import np

# ---- groups of OBJ files ----

HALF = np.array([0.5, 0.2, 0.2])  # of the bar, m
# The sides of a box by axis and sign, and the names they get in the file.
SIDES = {"left": (0, -1), "right": (0, 1), "bottom": (1, -1), "top": (1, 1), "back": (2, -1), "front": (2, 1)}


def side_corners(side):
    """Four corners, outward."""
    axis, sign = SIDES[side]
    u, v = (axis + 1) % 3, (axis + 2) % 3
    turns = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    points = np.zeros((4, 3))
    for point, (a, b) in zip(points, turns if sign > 0 else turns[::-1]):
        point[axis], point[u], point[v] = sign * HALF[axis], a * HALF[u], b * HALF[v]
    return points


def write_bar(folder, name="bar.obj", scale=1.0):
    """A box of six faces, each in a group of its name; `g` has two names for the top, the front is an object."""
    lines, count = ["o bar"], 0
    for side in SIDES:
        lines += [f"v {x / scale!r} {y / scale!r} {z / scale!r}" for x, y, z in side_corners(side).tolist()]
        lines.append({"top": "g lid top", "front": "g\no front"}.get(side, f"g {side}"))
        lines.append("f " + " ".join(str(count + k) for k in (1, 2, 3, 4)))
        count += 4
    return common.write_scene(folder, name, "\n".join(lines) + "\n")


def distance(points, side):
    """To a rectangle."""
    axis, sign = SIDES[side]
    off = np.maximum(np.abs(points) - HALF, 0)
    off[:, axis] = np.abs(points[:, axis] - sign * HALF[axis])
    return np.linalg.norm(off, axis=1)


BAR = """\
plimsoll: 1
name: groups
params: {{side: left, E: 1.0e+6}}
gravity: [0, 0, 0]
duration: 1
fps: 1
deformable:
  integrator: static
  tolerance: 1.0e-10
  bodies:
    - name: bar
      {shape}
      {more}
      model: linear
      young: "=E"
      poisson: 0
      pins: [{{name: held, group: "=side"}}]
      loads: [{{name: pull, group: right, force: [100, 0, 0]}}]
      points: [{{name: tip, near: [0, 0, 0], group: right}}]
probes:
  - {{name: held, quantities: [force]}}
  - {{name: pull, quantities: [force]}}
  - {{name: tip, quantities: [position]}}
"""


def write_case(folder, name, path, kind):
    filled = f"shape: {{file: {{path: {path}, scale: 2, repair: true}}}}"
    block = "shape: {box: {size: [1, 0.4, 0.4]}}"
    shape, more = {"filled": (filled, "spacing: 0.1"),
                   "skin": (block, f"cells: [10, 4, 4]\n      skin: {{path: {path}, scale: 2}}")}[kind]
    return common.write_scene(folder, name, BAR.format(shape=shape, more=more))


def outer(rest, spacing):
    """Nodes of the surface: those of the bar's nodes that are less than a third of an element deep."""
    return np.min(HALF - np.abs(rest), axis=1) < spacing / 3


def check_groups(options, checks, folder):
    """Exactly the nodes of the surface that are nearest to the group's face are held."""
    path = write_bar(folder, scale=2.0)
    for kind in ("filled", "skin"):
        scene = write_case(folder, f"{kind}.yaml", path, kind)
        for side in ("left", "top", "front") if kind == "filled" or not options.quickest else ("left",):
            label = f"{kind}, {side}"
            output = deform.run(options, folder, f"groups {label}", scene, {"params/side": side}, "--keep-states")
            rest, now = deform.nodes(output, 0), deform.nodes(output)
            still = np.all(rest == now, axis=1)
            gaps = {name: distance(rest, name) for name in SIDES}
            nearest = np.min(list(gaps.values()), axis=0)
            wanted = (gaps[side] <= nearest + 1e-9) & outer(rest, 0.1)
            checks.true(f"{label}: nodes held are those nearest to the face", np.array_equal(still, wanted),
                        f"{np.sum(still)} held, {np.sum(wanted)} wanted, {np.sum(still != wanted)} differ")
            probes = output.probes()
            held, pull = (deform.vector(probes, f"{name}.force")[-1] for name in ("held", "pull"))
            checks.below(f"{label}: load and pin, N of 100", np.abs(held + pull).max(), 1e-5)
            tip = deform.vector(probes, "tip.position")[0]
            on = rest[(gaps["right"] <= nearest + 1e-9) & outer(rest, 0.1)]
            least = np.min(np.linalg.norm(on, axis=1))
            checks.below(f"{label}: point nearest within the group, off, m", abs(np.linalg.norm(tip) - least), 1e-12)
            if kind == "skin" and side == "left":  # corners of the filled shape are cut
                longer = np.mean((now - rest)[gaps["right"] < 1e-9, 0])
                checks.near(f"{label}: longer by F L/(E A), m", longer, 100 / (1e6 * 0.16), 0.01)


def check_refusals(options, checks, folder):
    path = write_bar(folder, scale=2.0)
    scene = write_case(folder, "refused.yaml", path, "filled")
    plain = common.write_scene(folder, "plain.yaml", BAR.format(shape="shape: {box: {size: [1, 0.4, 0.4]}}", more=""))
    hollow = common.write_scene(folder, "hollow.obj", open(path, encoding="utf-8").read() + "g empty\n")
    corner = "v 0.01 0.1 0.01\nv 0.011 0.1 0.01\nv 0.01 0.1 0.011\ng speck\nf -3 -2 -1\n"  # on the top, of 2 mm
    speck = common.write_scene(folder, "speck.obj", open(path, encoding="utf-8").read() + corner)
    pin = "deformable/bodies/bar/pins/held"
    file = "deformable/bodies/bar/shape/file/path"
    cases = [
        ("unknown group", scene, {"params/side": "lft"}, ["no group 'lft'", "did you mean 'left'", "bar, left, right"]),
        ("group unlike any", scene, {"params/side": "wheels"}, ["no group 'wheels'", "it has: bar, left"]),
        ("group of a box", plain, {}, ["'held'", "neither the shape nor the skin"]),
        ("group without faces", scene, {"params/side": "empty", file: hollow}, ["group 'empty' has no faces"]),
        ("group that no node is on", scene, {"params/side": "speck", file: speck},
         ["'held' has no nodes", "group 'speck'", "smaller 'spacing'"]),
        ("group and shape", scene, {f"{pin}/in": "{ball: {}}"}, ["exactly one of 'in', 'near' and 'group'"]),
        ("group and point", scene, {f"{pin}/near": "[0, 0, 0]"}, ["exactly one of 'in', 'near' and 'group'"]),
    ]
    for name, case, values, says in cases:
        out = os.path.join(folder, "refused")
        result = common.call(options.program, "run", case, "--out", out, *common.overrides(values))
        missing = [words for words in says if words not in result.stderr]
        checks.true(f"{name}: exit 2, says why", result.code == 2 and not missing,
                    f"exit {result.code}: {result.last_words()}")


# ---- elements in VTK files ----

VTK_CORNERS = {10: 4, 5: 3}


class VtkGrid:
    """A binary legacy VTK unstructured grid of cells of one type: points, cells, values by name."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.at, self.values = 0, {}
        for wanted in (b"# vtk DataFile Version 3.0", None, b"BINARY", b"DATASET UNSTRUCTURED_GRID"):
            line = self.line()
            if wanted and line != wanted:
                raise RuntimeError(f"{path}: {line!r} in place of {wanted!r}")
        while self.at < len(self.data):
            words = self.line().decode().split()
            if words:
                self.section(*words)
        self.type = self.types[0]
        self.cells = self.cells.reshape(-1, VTK_CORNERS[self.type] + 1)
        if not np.all(self.types == self.type) or not np.all(self.cells[:, 0] == VTK_CORNERS[self.type]):
            raise RuntimeError(f"{path}: cells of several types")
        self.cells = self.cells[:, 1:]

    def line(self):
        end = self.data.index(b"\n", self.at)
        line, self.at = self.data[self.at:end], end + 1
        return line

    def array(self, kind, count):
        array = np.frombuffer(self.data, kind, count, self.at)
        self.at += 4 * count
        return array

    def section(self, what, name, *more):
        if what == "POINTS":
            self.points = self.array(">f4", 3 * int(name)).reshape(-1, 3).astype(float)
        elif what == "CELLS":
            self.cells = self.array(">i4", int(more[0]))
        elif what == "CELL_TYPES":
            self.types = self.array(">i4", int(name))
        elif what in ("CELL_DATA", "POINT_DATA"):
            self.count = int(name)
        elif what == "SCALARS":
            self.line()
            self.values[name] = self.array({"int": ">i4", "float": ">f4"}[more[0]], self.count)
        elif what == "VECTORS":
            self.values[name] = self.array(">f4", 3 * self.count).reshape(-1, 3)
        else:
            raise RuntimeError(f"a section {what}")

    def volumes(self):
        corners = self.points[self.cells]
        sides = corners[:, 1:] - corners[:, :1]
        return np.linalg.det(sides) / 6 if self.type == 10 else np.linalg.det(sides[:, :, :2]) / 2


def exported(options, output, number):
    result = common.call(options.program, "export", output.folder, "--to", "vtk", "--frame", number)
    if result.code:
        raise RuntimeError(result.last_words())
    return VtkGrid(output.path(f"export/deformable_elements_{number:05d}.vtk"))


def check_volumes(options, checks, folder):
    """The elements of a file fill their body: their volumes are the probe's, none is turned inside out."""
    flag = {"params/static": 0, "params/n": 3, "probes": "[{name: flag, quantities: [volume]}]"}
    cases = [("knot", "knot", {"params/spacing": 0.15}, 12), ("ball", "squash", {"params/spacing": 0.2}, 12),
             ("flag", "hanging_flag", flag, 8)]
    for body, scene, values, last in cases:
        output = deform.run(options, folder, f"elements {scene}", scene, values, "--frames", last)
        probes = output.probes()
        for number in (0, last):
            grid = exported(options, output, number)
            label = f"{scene}, frame {number}"
            volumes = grid.volumes()
            with common.h5py.File(output.frame(number), "r") as frame:
                at = np.argmin(np.abs(probes["time"] - frame.attrs["time"]))
            probe = deform.column(probes, f"{body}.volume")[at]
            checks.below(f"{label}: {len(volumes)} elements: volume off the probe's, part of it",
                         abs(volumes.sum() / probe - 1), 1e-5)
            checks.above(f"{label}: least volume of an element, m^3", volumes.min(), 0)
            stretch, stress = grid.values["stretch"], grid.values["stress"]
            deforms = stretch.max() > 1.001 and stress.max() > 1
            checks.true(f"{label}: stretch and stress of each element",
                        len(stretch) == len(stress) == len(volumes) and np.all(np.isfinite(stress)) and
                        deforms == (number > 0), f"up to {stretch.max():.4g}, {stress.max():.4g} Pa")
        wanted = greatest_stretch(exported(options, output, 0), grid)
        checks.below(f"{scene}: stretch off that of the nodes in the file", np.abs(wanted - stretch).max(), 1e-4)


def greatest_stretch(rest, now):
    """Greatest singular value of each cell's deformation gradient, from two files."""
    dim = 3 if now.type == 10 else 2
    sides = [(grid.points[grid.cells][:, 1:] - grid.points[grid.cells][:, :1])[:, :, :dim] for grid in (rest, now)]
    gradient = np.transpose(np.linalg.solve(sides[0], sides[1]), (0, 2, 1))
    return np.linalg.norm(gradient, 2, axis=(1, 2))


def check_left_out(options, checks, folder):
    """Smaller frames without elements, and surfaces are still exported."""
    output = deform.run(options, folder, "surface alone", "knot", {"params/spacing": 0.15, "deformable/frame_elements": "false"},
                        "--frames", 1)
    common.call(options.program, "export", output.folder, "--to", "vtk", "--frame", 1)
    checks.true("frame_elements false: the surface alone", os.path.exists(output.path("export/deformable_00001.vtk")) and
                not os.path.exists(output.path("export/deformable_elements_00001.vtk")))


if __name__ == "__main__":
    common.verify(__doc__, (check_groups, check_refusals, check_volumes, check_left_out))

#!/usr/bin/python3
"""Deformable bodies and files: pins and loads on groups of OBJ files, elements and sheets for ParaView."""
import os

import common
import deform
import vtk_xml
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

def exported(options, output, number, name="deformable_elements"):
    result = common.call(options.program, "export", output.folder, "--to", "vtk", "--frame", number)
    if result.code:
        raise RuntimeError(result.last_words())
    return vtk_xml.Grid(output.path(f"export/{name}_{number:05d}.vtu"))


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


# ---- sheets: groups and triangles ----

SHEETS = """\
plimsoll: 1
name: sheets
duration: 0.2
fps: 20
time_step: {{max_dt: 0.01}}
deformable:
  integrator: backward_euler
  collisions: false
  bodies:
    - name: cloth
      sheet: {{path: {path}, scale: 2}}
      map: ["=x", 0, "=z + 3"]  # groups are those of the file
      area_density: 0.2
      stretch: 200
      pins: [{{name: held, group: band}}]
      loads: [{{name: pull, group: tail, force: [0.3, 0, 0]}}]
      points: [{{name: tip, near: [-9, 0, 3], group: tail}}]
    - name: taut
      sheet: {{size: [0.6, 0.4], cells: [6, 4]}}
      start: ["=1.1*x", 0, "=z"]
      position: [0, 0, -3]
      area_density: 0.2
      stretch: 200
      poisson: 0
      model: st_venant_kirchhoff
      strain_limit: 0
    - name: block
      shape: {{box: {{size: [0.4, 0.2, 0.2]}}}}
      cells: [4, 2, 2]
      density: 1000
      young: 1.0e+5
probes:
  - {{name: pull, quantities: [force]}}
  - {{name: tip, quantities: [position]}}
  - {{name: cloth, quantities: [volume]}}
  - {{name: taut, quantities: [volume]}}
"""


def write_cloth(folder):
    """8 x 3 cells of two triangles; the first column of cells is the group `band`, the last `tail`. Half the size."""
    lines = [f"v {0.05 * i!r} 0 {0.05 * k!r}" for i in range(9) for k in range(4)]
    groups = {}
    for i in range(8):
        name = {0: "band", 7: "tail"}.get(i, "middle")
        lines.append(f"g {name}")
        for k in range(3):
            a = 4 * i + k
            for t in ((a, a + 1, a + 5), (a, a + 5, a + 4)):
                lines.append("f " + " ".join(str(c + 1) for c in t))
                groups.setdefault(name, set()).update(t)
    return common.write_scene(folder, "cloth.obj", "\n".join(lines) + "\n"), groups


def check_sheets(options, checks, folder):
    """Groups name the nodes of their triangles; triangles of sheets are cells with stretch and stress of their own."""
    path, groups = write_cloth(folder)
    scene = common.write_scene(folder, "sheets.yaml", SHEETS.format(path=path))
    output = deform.run(options, folder, "sheets", scene, {}, "--keep-states")
    rest, now, probes = deform.nodes(output, 0)[:36], deform.nodes(output)[:36], output.probes()
    still = set(np.flatnonzero(np.all(rest == now, axis=1)).tolist())
    checks.true("sheet: nodes held are those of the group's triangles", still == groups["band"],
                f"{len(still)} held, {len(groups['band'])} wanted")
    checks.below("sheet: load on a group, N off 0.3", abs(deform.vector(probes, "pull.force")[-1][0] - 0.3), 1e-12)
    tip = rest[sorted(groups["tail"])].tolist()
    wanted = min(tip, key=lambda x: np.linalg.norm(np.array(x) - [-9, 0, 3]))
    checks.below("sheet: point nearest within the group, off, m",
                 np.linalg.norm(deform.vector(probes, "tip.position")[0] - wanted), 1e-12)
    start, end = (exported(options, output, number, "deformable_sheets") for number in (0, 4))
    taut = start.values["object"] == 1
    checks.true("sheets: 96 triangles, the block's tetrahedra apart",
                start.type == 5 and len(start.cells) == 96 and exported(options, output, 0).type == 10)
    for number, grid in ((0, start), (4, end)):
        for k, name in enumerate(("cloth", "taut")):
            area = grid.areas()[grid.values["object"] == k].sum()
            with common.h5py.File(output.frame(number), "r") as frame:
                at = np.argmin(np.abs(probes["time"] - frame.attrs["time"]))
            probe = deform.column(probes, f"{name}.volume")[at]
            checks.below(f"sheets, frame {number}: area of {name} off the probe's, part", abs(area / probe - 1), 1e-5)
    # S = K (s^2 - 1)/2 along x; per length of the stretched sheet s S
    checks.below("sheets: stretch at the start, off 1.1", np.abs(start.values["stretch"][taut] - 1.1).max(), 1e-5)
    stress = 1.1 * 200 * (1.1**2 - 1) / 2
    checks.below(f"sheets: stress at the start, off {stress:g} N/m",
                 np.abs(start.values["stress"][taut] / stress - 1).max(), 1e-5)
    own = ~taut
    metric = [np.einsum("eik,ejk->eij", grid.sides()[own], grid.sides()[own]) for grid in (start, end)]
    wanted = np.sqrt(np.linalg.eigvals(np.linalg.solve(*metric)).real.max(axis=1))
    checks.below("sheets: stretch off that of the nodes in the file", np.abs(wanted - end.values["stretch"][own]).max(), 1e-4)
    for name, key, value, says in (("unknown group of a sheet", "cloth/pins/held/group", "bands", "did you mean 'band'"),
                                   ("a sheet that yields", "taut/yield_stretch", 1.5, "a sheet does not yield")):
        result = common.call(options.program, "run", scene, "--out", os.path.join(folder, "refused"),
                             *common.overrides({f"deformable/bodies/{key}": value}))
        checks.true(f"{name}: exit 2, says why", result.code == 2 and says in result.stderr,
                    f"exit {result.code}: {result.last_words()}")


def check_left_out(options, checks, folder):
    """Smaller frames without elements, and surfaces are still exported."""
    output = deform.run(options, folder, "surface alone", "knot", {"params/spacing": 0.15, "deformable/frame_elements": "false"},
                        "--frames", 1)
    common.call(options.program, "export", output.folder, "--to", "vtk", "--frame", 1)
    checks.true("frame_elements false: the surface alone", os.path.exists(output.path("export/deformable_00001.vtu")) and
                not os.path.exists(output.path("export/deformable_elements_00001.vtu")))


if __name__ == "__main__":
    common.verify(__doc__, (check_groups, check_refusals, check_volumes, check_sheets, check_left_out))

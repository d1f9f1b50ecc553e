#!/usr/bin/python3
"""What is seen of deformable solids: stress and stretch in frames, exports and pictures; skins that elements carry."""
import os
import xml.dom.minidom

import common
import deform
import ply
import vtk_xml
from common import np

# A bar under tension: 1 x 0.2 x 0.2 m, held on the left along x, at two corners along y and z, pulled on the right.
BAR = """\
plimsoll: 1
name: bar
params: {E: 1.0e+6, stress: 2.0e+4, dim: 3}
dim: "=dim"
gravity: [0, 0, 0]
duration: 1
fps: 1
deformable:
  integrator: static
  tolerance: 1.0e-10
  bodies:
    - name: bar
      shape: {box: {size: [1, 0.2, "=if(dim == 3, 0.2, 1)"]}}
      cells: [10, 2, 2]
      model: linear
      young: "=E"
      poisson: 0
      pins:
        - {name: wall, in: {place: {shape: {box: {size: [1.0e-4, 1, 2]}}, position: [-0.5, 0, 0]}}}
      loads:
        - name: pull
          in: {place: {shape: {box: {size: [1.0e-4, 1, 2]}}, position: [0.5, 0, 0]}}
          force: ["=stress*0.2*if(dim == 3, 0.2, 1)", 0, 0]
"""
STRESS, STRETCH = 2e4, 1.02


def run_bar(options, folder, dim):
    scene = common.write_scene(folder, "bar.yaml", BAR)
    return deform.run(options, folder, f"bar {dim}", scene, {"params/dim": dim})


def frame(output, number, group="deformable"):
    return {name.split("/")[-1]: array for name, array in common.datasets(output.frame(number)).items()
            if name.startswith(f"{group}/")}


def check_values(options, checks, folder):
    """Uniform tension: the same stress and stretch at every vertex."""
    for dim in (2, 3):
        values = frame(run_bar(options, folder, dim), 1)
        checks.below(f"{dim}D: stress, off {STRESS:g} Pa", np.abs(values["stress"] / STRESS - 1).max(), 1e-5)
        checks.below(f"{dim}D: stretch, off {STRETCH}", np.abs(values["stretch"] - STRETCH).max(), 1e-6)
        elements = frame(run_bar(options, folder, dim), 1, "deformable_elements")
        checks.below(f"{dim}D: stress of elements, off {STRESS:g} Pa", np.abs(elements["stress"] / STRESS - 1).max(), 1e-5)
        checks.below(f"{dim}D: stretch of elements, off {STRETCH}", np.abs(elements["stretch"] - STRETCH).max(), 1e-6)
        rest = frame(run_bar(options, folder, dim), 0)
        checks.below(f"{dim}D: stress at rest, Pa", np.abs(rest["stress"]).max(), 1e-6 * STRESS)


# ---- files for others ----


def check_exports(options, checks, folder):
    output = deform.run(options, folder, "exported", "squash", {"params/time": 0.5, "params/spacing": 0.2})
    number = output.numbered("frame")[-1]
    wanted = frame(output, number)
    for kind in ("ply", "vtk"):
        result = common.call(options.program, "export", output.folder, "--to", kind, "--frame", number)
        checks.true(f"export --to {kind}", result.code == 0, result.last_words() if result.code else "")
    ball = ply.read(output.path(f"export/ball_{number:05d}.ply"))[0]
    rigid = ply.read(output.path(f"export/lower_{number:05d}.ply"))[0]
    for name in ("stretch", "stress"):
        same = np.array_equal(ball[name], wanted[name].ravel())
        checks.true(f"PLY: {name} as in the frame", same and wanted[name].max() > 0)
        vtk = vtk_xml.Grid(output.path(f"export/deformable_{number:05d}.vtu")).values[name]
        checks.true(f"VTK: {name} as in the frame", np.array_equal(vtk, wanted[name].ravel()))
        checks.true(f"PLY: rigid bodies have no {name}", name not in rigid.dtype.names)
    check_index(checks, output)


def check_index(checks, output):
    """frames.xdmf names arrays that are there, of these sizes."""
    index = xml.dom.minidom.parse(output.path("frames.xdmf"))
    files, wrong = {}, 0
    items = index.getElementsByTagName("DataItem")
    for item in items:
        name, dataset = item.firstChild.data.strip().split(":/")
        if name not in files:
            files[name] = common.datasets(output.path(name))
        size = np.prod([int(n) for n in item.getAttribute("Dimensions").split()])
        wrong += dataset not in files[name] or files[name][dataset].size != size
    checks.true(f"frames.xdmf: {len(items)} arrays are there", wrong == 0 and len(items) > 0, f"{wrong} are not")
    names = [(a.getAttribute("Name"), a.getAttribute("Center")) for a in index.getElementsByTagName("Attribute")]
    frames = len(output.numbered("frame"))
    for center in ("Node", "Cell"):  # of surfaces, of elements
        counts = [names.count((name, center)) for name in ("stretch", "stress")]
        checks.true(f"frames.xdmf: stretch and stress in every frame ({center})", counts == [frames, frames], str(counts))


# ---- pictures ----


def check_pictures(options, checks, folder):
    """A bar of one stress, in the middle of the range: the colour of the bar's middle is that of the legend's."""
    width, height = 320, 180
    for dim in (2, 3):
        output = run_bar(options, folder, dim)
        for show, low, high in (("stress", 0, 2 * STRESS), ("stretch", 1, 2 * STRETCH - 1)):
            result = common.call(options.program, "render", output.folder, "--show", show, "--range", f"{low},{high}",
                                 "--frame", 1, "--width", width, "--height", height, "--threads", 1)
            checks.true(f"{dim}D: render --show {show}", result.code == 0, result.last_words() if result.code else "")
            if result.code:
                continue
            picture = common.read_png(output.path(f"frame_00001-{show}.png")).astype(int)
            body, legend = picture[height // 2 - 8, width // 2], picture[height - 7, width // 2]
            checks.below(f"{dim}D: {show}: colour off the legend's, of 255", np.abs(body - legend).max(), 40)
            ends = np.abs(picture[height - 7, width // 3 + 3] - picture[height - 7, 2 * width // 3 - 3]).max()
            checks.above(f"{dim}D: {show}: ends of the legend differ by, of 255", ends, 100)


def check_refusals(options, checks, folder):
    bar = run_bar(options, folder, 3).folder
    net = deform.run(options, folder, "net", "spring_cube", {"params/time": 0.1}, "--frames", 1).folder
    rigid = common.run(options.program, common.scene_path("rigid/confetti.yaml"), os.path.join(folder, "rigid"), {},
                       "--frames", 1).folder
    cases = [
        ("no deformable body", rigid, ["--show", "stress"], "no stress to show"),
        ("no deformable body, stretch", rigid, ["--show", "stretch"], "no stretch to show"),
        ("range without values", bar, ["--range", "0,1"], "--range"),
        ("range turned round", bar, ["--show", "stress", "--range", "2,1"], "A < B"),
        ("range of one number", bar, ["--show", "stress", "--range", "2"], "A < B"),
        ("range of no numbers", bar, ["--show", "stress", "--range", "nan,inf"], "A < B"),
        ("unknown quantity", bar, ["--show", "strain"], "stress or stretch"),
        ("no fluid", bar, ["--show", "speed"], "no fluid"),
    ]
    for name, run, words, says in cases:
        result = common.call(options.program, "render", run, *words)
        checks.true(f"{name}: exit 2, says why", result.code == 2 and says in result.stderr,
                    f"exit {result.code}: {result.last_words()}")
    result = common.call(options.program, "render", net, "--show", "stress", "--frame", 1, "--width", 64, "--height", 64)
    checks.true("springs: exit 0 or 2", result.code in (0, 2), f"exit {result.code}: {result.last_words()}")


# ---- skins ----


def read_obj(path):
    with open(path) as file:
        return np.array([line.split()[1:4] for line in file if line.startswith("v ")], float)


def check_skin(options, checks, folder):
    """In free fall the skin is the file, turned and moved with the centre of mass."""
    output = deform.run(options, folder, "knot", "knot", {"params/spacing": 0.15}, "--frames", 4)
    file = read_obj(common.scene_path("meshes/trefoil.obj"))
    turned = common.to_world(common.quat_about([1, 0, 0], -50), file)
    probes = output.probes()
    center = deform.vector(probes, "knot.center")
    for number in (0, 2, 4):
        at = np.argmin(np.abs(probes["time"] - number / 24))
        wanted = turned + [0, 0.85, 0] + center[at] - center[0]
        seen = frame(output, number)
        checks.true(f"frame {number}: as many vertices as the file", len(seen["vertices"]) == len(file))
        checks.below(f"frame {number}: farthest vertex from the file's, m", np.abs(seen["vertices"] - wanted).max(), 2e-5)
        checks.below(f"frame {number}: greatest stretch less 1", np.abs(seen["stretch"] - 1).max(), 1e-4)
    for name, skin, says in (("no file", "{path: nowhere.obj}", "no file"), ("no surface", "{path: a.msh}", ".obj"),
                             ("no number", "{path: ../meshes/trefoil.obj, scale: -1}", "scale"),
                             ("too large", "{path: ../meshes/trefoil.obj, scale: 10}", "scale")):
        result = common.call(options.program, "run", common.scene_path("deform/knot.yaml"), "--out",
                             os.path.join(folder, "bad"), "--frames", 1,
                             *common.overrides({"deformable/bodies/knot/skin": skin}))
        checks.true(f"{name}: exit 2, says why", result.code == 2 and says in result.stderr,
                    f"exit {result.code}: {result.last_words()}")


if __name__ == "__main__":
    common.verify(__doc__, (check_values, check_exports, check_pictures, check_refusals, check_skin))

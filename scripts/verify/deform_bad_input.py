#!/usr/bin/python3
"""Deformable solids that make no sense are refused with a message that names them; and the same bits every time."""
import os
import shutil

import bad_input
import common
import deform

GOOD = """\
plimsoll: 1
name: odd
duration: 0.2
fps: 10
time_step: {max_dt: 0.02}
materials:
  - {name: rubber, density: 1100, friction: 0.6}
rigid:
  bodies:
    - {name: floor, motion: static, shape: {half_space: {}}}
deformable:
  bodies:
    - name: block
      shape: {box: {size: [0.4, 0.2, 0.2]}}
      cells: [4, 2, 2]
      position: [0, 0.3, 0]
      material: rubber
      young: 1.0e+5
      damping: 0.01
      pins: [{name: held, in: {place: {shape: {box: {size: [0.02, 1, 1]}}, position: [-0.2, 0, 0]}}}]
      loads: [{name: pull, near: [0.2, 0, 0], force: [1, 0, 0]}]
      points: [{name: tip, near: [0.2, 0, 0]}]
    - name: ball
      shape: {ball: {radius: 0.15}}
      spacing: 0.1
      position: [1, 0.3, 0]
      young: 1.0e+5
    - {name: net, lattice: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2], stiffness: 1000}, mass: 1, position: [2, 0.3, 0]}
    - {name: dot, particle: {}, mass: 1, position: [3, 0.3, 0]}
    - {name: truss, shape: {box: {size: [0.2, 0.2, 0.2]}}, cells: [2, 2, 2], position: [4, 0.3, 0], springs: {edges: 100}}
probes:
  - {name: tip, quantities: [position, velocity]}
  - {name: held, quantities: [force, torque]}
  - {name: pull, quantities: [force, torque]}
  - {name: block, quantities: [center, velocity, volume, stretch, energy, momentum, angular_momentum]}
  - {name: net, quantities: [center, energy]}
  - {name: dot, quantities: [center, velocity]}
"""

BLOCK = "deformable/bodies/block"
NOT_FINITE = r"finite"
BOX = "{box: {size: [0.4, 0.2, 0.2]}}"

# what is wrong, what is set, what the message must say
REFUSED = [
    # numbers out of range, key by key
    ("unknown integrator", {"deformable/integrator": "verlet"}, r"integrator.*not one of: newmark"),
    ("unknown elastic", {"deformable/elastic": "first"}, r"elastic.*not one of: mean"),
    ("step fraction 0", {"deformable/step_fraction": 0}, r"step_fraction.*above 0"),
    ("step fraction above 1", {"deformable/step_fraction": 1.5}, r"step_fraction.*(1\.5|at most 1)"),
    ("tolerance 0", {"deformable/tolerance": 0}, r"tolerance.*at least"),
    ("tolerance not finite", {"deformable/tolerance": ".nan"}, NOT_FINITE),
    ("no iterations", {"deformable/iterations": 0}, r"iterations.*at least 1"),
    ("half an iteration", {"deformable/iterations": 1.5}, r"iterations.*whole"),
    ("contact that is a word", {"deformable/contact": "maybe"}, r"contact.*true"),
    ("misspelt key", {"deformable/integrater": "static"}, r"did you mean 'integrator'"),
    ("misspelt key of a body", {f"{BLOCK}/yuong": 1}, r"did you mean 'young'"),
    ("bodies that are no list", {"deformable/bodies": "{name: one}"}, r"bodies.*list"),
    ("body without a name", {"deformable/bodies": f"[{{shape: {BOX}, young: 1}}]"}, r"'name' is missing"),
    ("two of one name", {"deformable/bodies/ball/name": "block"}, r"block"),
    ("name of a rigid body", {"deformable/bodies/ball/name": "floor"}, r"floor"),
    ("body of nothing", {"deformable/bodies/dot/particle": "~"}, r"exactly one of 'shape'|particle"),
    ("body of two things", {f"{BLOCK}/particle": "{}"}, r"exactly one of 'shape'"),
    ("cells below 0", {f"{BLOCK}/cells": "[-1, 2, 2]"}, r"cells.*at least 0"),
    ("cells not whole", {f"{BLOCK}/cells": "[1.5, 2, 2]"}, r"cells.*whole"),
    ("cells of a ball", {"deformable/bodies/ball/cells": "[2, 2, 2]"}, r"ball.*(cells|box)|cells"),
    ("spacing 0", {"deformable/bodies/ball/spacing": 0}, r"spacing.*above 0"),
    ("spacing not finite", {"deformable/bodies/ball/spacing": ".nan"}, NOT_FINITE),
    ("spacing larger than the ball", {"deformable/bodies/ball/spacing": 10}, r"bodies/1.*spacing"),
    ("unknown cut", {f"{BLOCK}/cut": "diagonal"}, r"not one of: crosswise"),
    ("map that is flat", {f"{BLOCK}/map": '["=x", "=0*y", "=z"]'}, r"block.*(flat|volume)"),
    ("map that turns inside out", {f"{BLOCK}/map": '["=-x", "=y", "=z"]'}, r"block.*(flat|volume|inside|invert|turn)"),
    ("map without a value", {f"{BLOCK}/map": '["=1/(x*0)", "=y", "=z"]'}, r"block|map"),
    ("start without a value", {f"{BLOCK}/start": '["=sqrt(-1 - x*x)", "=y", "=z"]'}, r"block|start"),
    ("start not finite", {f"{BLOCK}/start": "[.nan, 0, 0]"}, NOT_FINITE),
    ("scramble below 0", {f"{BLOCK}/scramble": -0.1}, r"scramble.*at least 0"),
    ("position not finite", {f"{BLOCK}/position": "[0, .inf, 0]"}, NOT_FINITE),
    ("axis of length zero", {f"{BLOCK}/orientation": "{axis: [0, 0, 0], angle: 10}"}, r"axis"),
    ("orientation with t", {f"{BLOCK}/orientation": '{angle: "=t"}'}, r"\bt\b"),
    ("velocity not finite", {f"{BLOCK}/velocity": "[.nan, 0, 0]"}, NOT_FINITE),
    ("spin not finite", {f"{BLOCK}/angular_velocity": "[.nan, 0, 0]"}, NOT_FINITE),
    ("unknown material", {f"{BLOCK}/material": "steel"}, r"steel"),
    ("density 0", {f"{BLOCK}/density": 0}, r"density.*above 0"),
    ("mass below 0", {f"{BLOCK}/mass": -1}, r"mass.*above 0"),
    ("particle without mass", {"deformable/bodies/dot": "{name: dot, particle: {}}"}, r"dot.*mass|mass"),
    ("lattice without mass", {"deformable/bodies/net": "{name: net, lattice: {stiffness: 1}}"}, r"net.*mass|mass"),
    ("lattice without stiffness", {"deformable/bodies/net/lattice": "{}"}, r"'stiffness' is missing"),
    ("lattice of negative stiffness", {"deformable/bodies/net/lattice/stiffness": -1}, r"stiffness.*above 0"),
    ("lattice of negative damping", {"deformable/bodies/net/lattice/damping": -1}, r"damping.*at least 0"),
    ("lattice without cells", {"deformable/bodies/net/lattice/cells": "[0, 1, 1]"}, r"cells.*at least 1"),
    ("lattice without size", {"deformable/bodies/net/lattice/size": "[0, 1, 1]"}, r"size.*above 0"),
    ("particle without radius", {"deformable/bodies/dot/particle": "{radius: 0}"}, r"radius.*above 0"),
    ("unknown model", {f"{BLOCK}/model": "hooke"}, r"not one of: linear"),
    ("E of 0", {f"{BLOCK}/young": 0}, r"young.*above 0"),
    ("E below 0", {f"{BLOCK}/young": -1e5}, r"young.*above 0"),
    ("E not a number", {f"{BLOCK}/young": ".nan"}, r"young.*finite"),
    ("E and springs left out", {"deformable/bodies/ball": "{name: ball, shape: {ball: {radius: 0.15}}}"}, r"ball.*young|young"),
    ("nu of a half", {f"{BLOCK}/poisson": 0.5}, r"block.*0\.5|poisson"),
    ("nu above a half", {f"{BLOCK}/poisson": 0.6}, r"poisson.*0\.5"),
    ("nu below 0", {f"{BLOCK}/poisson": -0.1}, r"poisson.*at least 0"),
    ("nu not a number", {f"{BLOCK}/poisson": ".nan"}, NOT_FINITE),
    ("unknown plane", {f"{BLOCK}/plane": "both"}, r"not one of: strain, stress"),
    ("least stretch 0", {f"{BLOCK}/least_stretch": 0}, r"least_stretch.*at least"),
    ("least stretch 1", {f"{BLOCK}/least_stretch": 1}, r"least_stretch.*at most|least_stretch"),
    ("damping below 0", {f"{BLOCK}/damping": -0.1}, r"damping.*at least 0"),
    ("damping not finite", {f"{BLOCK}/damping": ".inf"}, NOT_FINITE),
    ("unknown form of damping", {f"{BLOCK}/damping_form": "rayleigh"}, r"not one of: green, diagonal"),
    ("yield stretch of 1", {f"{BLOCK}/yield_stretch": 1}, r"yield_stretch.*above 1"),
    ("yield stretch below 1", {f"{BLOCK}/yield_stretch": 0.8}, r"yield_stretch.*above 1"),
    ("yield stretch not finite", {f"{BLOCK}/yield_stretch": ".nan"}, NOT_FINITE),
    ("springs that yield", {"deformable/bodies/truss/yield_stretch": 1.5}, r"yield_stretch.*young"),
    ("lattice that yields", {"deformable/bodies/net/yield_stretch": 1.5}, r"yield_stretch.*young"),
    ("springs below 0", {"deformable/bodies/truss/springs/edges": -1}, r"edges.*at least 0"),
    ("springs of nothing", {"deformable/bodies/truss/springs": "{}"}, r"truss.*(young|springs)|young|edges"),
    ("altitudes not finite", {"deformable/bodies/truss/springs/altitudes": ".nan"}, NOT_FINITE),
    ("unknown altitudes", {"deformable/bodies/truss/springs/which": "longest"}, r"not one of: all, shortest"),
    ("overdamping below 0", {"deformable/bodies/truss/springs/damping": -1}, r"damping.*at least 0"),
    ("springs of a particle", {"deformable/bodies/dot/springs": "{edges: 1}"}, r"dot|springs"),
    ("wind of no density", {f"{BLOCK}/wind": "{density: 0}"}, r"density.*above 0"),
    ("wind of negative drag", {f"{BLOCK}/wind": "{drag: -1}"}, r"drag.*at least 0"),
    ("wind not finite", {f"{BLOCK}/wind": "{velocity: [.inf, 0, 0]}"}, NOT_FINITE),
    ("friction below 0", {f"{BLOCK}/friction": -0.5}, r"friction.*at least 0|friction"),
    ("kinetic above static", {f"{BLOCK}/friction": "{static: 0.2, kinetic: 0.3}"}, r"kinetic"),
    ("color above 1", {f"{BLOCK}/color": "[2, 0, 0]"}, r"color.*at most 1|color"),
    # pins, loads, points
    ("pin without nodes", {f"{BLOCK}/pins/held/in": "{place: {shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [9, 0, 0]}}"},
     r"held.*no node|no node.*held|held.*nodes"),
    ("pin on nothing", {f"{BLOCK}/pins": "[{name: held}]"}, r"pins/0.*exactly one of 'in', 'near' and 'group'"),
    ("pin on two things", {f"{BLOCK}/pins/held/near": "[0, 0, 0]"}, r"pins/0.*exactly one of 'in', 'near' and 'group'"),
    ("pin without a name", {f"{BLOCK}/pins": "[{near: [0, 0, 0]}]"}, r"'name' is missing"),
    ("pin along an unknown axis", {f"{BLOCK}/pins/held/axes": "xw"}, r"axes.*(x, y|xw|w)"),
    ("pin along no axis", {f"{BLOCK}/pins/held/axes": '""'}, r"axes"),
    ("pin near no point", {f"{BLOCK}/pins": "[{name: held, near: [.nan, 0, 0]}]"}, NOT_FINITE),
    ("pin of an unknown shape", {f"{BLOCK}/pins": "[{name: held, in: {cube: {}}}]"}, r"cube"),
    ("path without a value at the start", {f"{BLOCK}/pins/held/move": '["=1/t", 0, 0]'}, r"division"),
    ("path not finite", {f"{BLOCK}/pins/held/move": "[.nan, 0, 0]"}, NOT_FINITE),
    ("turn about nothing", {f"{BLOCK}/pins/held/turn": "{axis: [0, 0, 0], angle: 1}"}, r"axis"),
    ("turn not finite", {f"{BLOCK}/pins/held/turn": "{angle: .nan}"}, NOT_FINITE),
    ("turn about a point that is none", {f"{BLOCK}/pins/held/turn": "{about: [.inf, 0, 0]}"}, NOT_FINITE),
    ("pin with an unknown body", {f"{BLOCK}/pins/held/with": "crane"}, r"crane"),
    ("pin with a free body", {f"{BLOCK}/pins/held/with": "free", "rigid/bodies/floor": "{name: free, shape: {box: {}}, position: [9, 9, 9]}"}, r"free"),
    ("two pins of one name", {f"{BLOCK}/pins": "[{name: held, near: [0, 0, 0]}, {name: held, near: [0.2, 0, 0]}]"}, r"held"),
    ("load without nodes", {f"{BLOCK}/loads": "[{name: pull, in: {place: {shape: {ball: {radius: 0.1}}, position: [9, 0, 0]}}, "
                                              "force: [1, 0, 0]}]"}, r"pull.*nodes?|node.*pull"),
    ("load on nothing", {f"{BLOCK}/loads": "[{name: pull, force: [1, 0, 0]}]"}, r"loads/0.*exactly one of 'in', 'near' and 'group'"),
    ("load not finite", {f"{BLOCK}/loads/pull/force": "[.inf, 0, 0]"}, NOT_FINITE),
    ("load with two numbers", {f"{BLOCK}/loads/pull/force": "[1, 0]"}, r"three numbers"),
    ("pressure not finite", {f"{BLOCK}/loads/pull/pressure": ".nan"}, NOT_FINITE),
    ("pressure without a surface", {f"{BLOCK}/loads/pull/pressure": 10}, r"pull.*(surface|span)"),
    ("point near nothing", {f"{BLOCK}/points": "[{name: tip}]"}, r"'near' is missing"),
    ("point not finite", {f"{BLOCK}/points/tip/near": "[0, .nan, 0]"}, NOT_FINITE),
    ("probe misspelt", {"probes": "[{name: block, quantities: [centre]}]"}, r"centre.*center|block.*has: center"),
    ("probe of a pin misspelt", {"probes": "[{name: held, quantities: [position]}]"}, r"held.*has: force"),
    ("probe on nothing", {"probes": "[{name: tipp, object: tipp, quantities: [position]}]"}, r"tipp"),
    # sizes
    ("1e9 tets by cells", {f"{BLOCK}/cells": "[1000, 1000, 200]"}, r"block.*memory|memory"),
    ("1e9 tets by spacing", {"deformable/bodies/ball/spacing": 0.0003}, r"ball.*memory|memory"),
    ("1e18 cells", {f"{BLOCK}/cells": "[1000000, 1000000, 1000000]"}, r"memory"),
    ("1e12 links", {"deformable/bodies/net/lattice/cells": "[10000, 10000, 10000]"}, r"memory"),
    ("1e12 copies", {"deformable/bodies/dot/repeat": "{count: 1000000000000}"}, r"memory"),
    # two dimensions
    ("velocity out of a plane", {"dim": 2, f"{BLOCK}/velocity": "[0, 0, 1]"}, r"two dimensions"),
    ("spin out of a plane", {"dim": 2, f"{BLOCK}/angular_velocity": "[1, 0, 0]"}, r"two dimensions"),
    ("load out of a plane", {"dim": 2, f"{BLOCK}/loads/pull/force": "[0, 0, 1]"}, r"two dimensions"),
]

# The same on the way: exit code 1.
STOPPED = [
    ("load that ends to have a value", {f"{BLOCK}/loads/pull/force": '["=sqrt(0.1 - t)", 0, 0]'}, r"pull.* t = |pull"),
    ("path that ends to have a value", {f"{BLOCK}/pins/held/move": '["=sqrt(0.1 - t)", 0, 0]'}, r"held.* t = |held"),
    ("wind that ends to have a value", {f"{BLOCK}/wind": '{velocity: ["=sqrt(0.1 - t)", 0, 0]}'}, r"block.*wind|wind"),
]

# ---- files ----

MESH = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
{count}
{nodes}
$EndNodes
$Elements
{elements}
$EndElements
"""


def gmsh(points, tets):
    lines = "\n".join(f"{i + 1} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points))
    elements = "\n".join([str(len(tets))] + [f"{i + 1} 4 0 {' '.join(str(c + 1) for c in tet)}"
                                             for i, tet in enumerate(tets)])
    return MESH.format(count=len(points), nodes=lines, elements=elements)


CORNERS = [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1), (0.1, 0.1, 0.1)]
NAN = float("nan")


def check_files(options, checks, folder, scene):
    """Meshes from files: a good one, then flat tets, NaN and files that are none."""
    body = lambda path, more="": f"[{{name: part, mesh: {{path: {path}{more}}}, young: 1.0e+5}}]"
    files = {
        "good.msh": gmsh(CORNERS, [(0, 1, 2, 3), (1, 2, 3, 4)]),
        "flat.msh": gmsh([*CORNERS[:4], (0.05, 0.05, 0.0)], [(0, 1, 2, 3), (0, 1, 2, 4)]),
        "nearly_flat.msh": gmsh([*CORNERS[:4], (0.05, 0.05, 1e-15)], [(0, 1, 2, 3), (0, 1, 2, 4)]),
        "nan.msh": gmsh([*CORNERS[:3], (0.0, NAN, 0.1)], [(0, 1, 2, 3)]),
        "beyond.msh": gmsh(CORNERS[:4], [(0, 1, 2, 7)]),
        "empty.msh": "",
        "words.msh": "this is no mesh\n",
    }
    for name, text in files.items():
        common.write_scene(folder, name, text)
    path = lambda name: os.path.join(folder, name)
    bodies = lambda name, more="": {"deformable/bodies": body(path(name), more), "probes": "[]"}
    result, output = bad_input.run_odd(options, folder, scene, bodies("good.msh"))
    checks.true("mesh from a file runs", result is not None and result.code == 0 and len(deform.nodes(output)) == 5,
                result.last_words() if result and result.code else "")
    bad_input.check_all(options, checks, folder, scene, [
        ("flat tet", bodies("flat.msh"), r"part.*(flat|volume)"),
        ("nearly flat tet", bodies("nearly_flat.msh"), r"part.*(flat|volume)"),
        ("node that is no number", bodies("nan.msh"), r"bodies/0.*msh.* line \d"),
        ("tet of a node that is not there", bodies("beyond.msh"), r"bodies/0.*msh.* line \d"),
        ("empty file", bodies("empty.msh"), r"bodies/0.*msh.* line \d"),
        ("file of words", bodies("words.msh"), r"bodies/0.*msh.* line \d"),
        ("file that is not there", bodies("nowhere.msh"), r"nowhere\.msh"),
        ("file scaled by 0", bodies("good.msh", ", scale: 0"), r"scale.*above 0"),
        ("file of tets in a plane", {**bodies("good.msh"), "dim": 2}, r"part|triangle|good\.msh"),
    ])


def check_fine(options, checks, folder, scene):
    """Odd but right: runs to its end with finite figures."""
    plane = {"dim": 2, "deformable/bodies/net/lattice": "{stiffness: 1000, cells: [2, 2, 1], size: [0.2, 0.2, 1]}"}
    cases = [
        ("nu of 0.499", {f"{BLOCK}/poisson": 0.499}), ("nu of 0", {f"{BLOCK}/poisson": 0}),
        ("all nodes pinned", {f"{BLOCK}/pins/held/in": BOX}), ("E of 1e12", {f"{BLOCK}/young": 1e12}),
        ("E of 1e-3", {f"{BLOCK}/young": 1e-3}), ("all nodes at one point", {f"{BLOCK}/start": "[0, 0, 0]"}),
        ("in the floor", {"deformable/bodies/ball/position": "[1, 0.05, 0]"}),
        ("under the floor", {"deformable/bodies/ball/position": "[1, -1, 0]"}),
        ("no contact", {"deformable/contact": "false"}), ("far away", {f"{BLOCK}/position": "[1.0e+6, 0.3, 0]"}),
        ("fast", {f"{BLOCK}/velocity": "[1000, 0, 0]", f"{BLOCK}/pins": "[]", "probes": "[]", "duration": 0.02, "fps": 100}),
        ("in a plane", plane), ("newmark", {"deformable/integrator": "newmark"}),
        ("newmark in a plane", {**plane, "deformable/integrator": "newmark"}),
        ("backward Euler", {"deformable/integrator": "backward_euler"}),
        ("a step a frame", {"time_step/max_dt": 0}),
    ]
    for name, values in cases[::2] if options.quickest else cases:
        result, output = bad_input.run_odd(options, folder, scene, values)
        checks.true(f"{name}: runs", result is not None and result.code == 0 and bad_input.finite(output),
                    "hangs" if result is None else f"exit {result.code}: {result.last_words()}" if result.code else "")
        shutil.rmtree(os.path.join(folder, "odd"), ignore_errors=True)


# ---- the same bits ----

# scene, values, frames; --quick takes the first four, for fewer frames
BITS = [
    ("blob", {"params/spacing": 0.25, "fps": 20, "params/damping": 0.002}, 6),                            # newmark
    ("rubber_ball", {"params/spacing": 0.13, "params/time": 0.6, "fps": 10}, 6),       # midpoint, contact
    ("squash", {"params/spacing": 0.2, "fps": 10, "params/time": 0.8}, 8),                                # backward Euler, contact
    ("yield", {"params/fps": 10, "params/time": 0.6}, 6),                                                 # plasticity
    ("incline", {"fps": 10, "params/time": 1.2}, 12),                                                     # a stop, a particle
    ("spring_cube", {"fps": 10, "params/time": 0.8}, 8),                                                  # springs
    ("cantilever", {"params/static": 0, "params/n": 4}, 6),                                               # triangles, a load
    ("torsion", {"params/across": 6, "params/frames": 2}, 2),                                             # static
    ("jelly", {"fps": 10}, 5),                                                                            # more elements
]


def figures(output):
    """stats.csv but for wall times, bit for bit."""
    stats = output.stats()
    return {name: stats[name].tobytes() for name in stats.names if not name.startswith("wall.")}


def check_bits(options, checks, folder, _scene):
    """For 1, 2 and 4 threads, and after resume from the middle."""
    for name, values, frames in [(*case[:2], 4) for case in BITS[:4]] if options.quickest else BITS:
        runs = {n: deform.run(options, folder, f"bits {name} {n}", name, values, "--frames", frames, "--threads", n)
                for n in (1, 2, 4)}
        half = deform.run(options, folder, f"bits {name} half", name, values, "--frames", frames // 2, "--threads", 1)
        result = common.call(options.program, "resume", half.folder, "--frames", frames, "--quiet", "--threads", 2)
        checks.true(f"{name}: resume ends", result.code == 0, result.last_words() if result.code else "")
        runs["resume"] = half
        last = runs[1].numbered("state")[-1]
        table = lambda output: open(output.path("probes.csv")).read()
        for n in (2, 4, "resume"):
            label = f"{name}: {n} threads" if n != "resume" else f"{name}: after resume"
            if n == "resume" and result.code != 0:
                continue
            names = common.different(runs[1].state(last), runs[n].state(last))
            names += common.different(runs[1].frame(last), runs[n].frame(last))
            checks.true(f"{label}: the same state and frame", not names, " ".join(names)[:80])
            checks.true(f"{label}: the same probes", table(runs[1]) == table(runs[n]))
            a, b = figures(runs[1]), figures(runs[n])
            bad = [key for key in a if a[key] != b.get(key)]
            checks.true(f"{label}: the same figures in stats.csv", not bad, " ".join(bad)[:80])


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, STOPPED, more=(check_files, check_fine, check_bits))

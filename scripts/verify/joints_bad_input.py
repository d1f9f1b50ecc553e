#!/usr/bin/python3
"""Joints that make no sense are refused with a message that names them; joints that break; the same bits every time."""
import math
import os
import re

import bad_input
import common
from common import np

GOOD = """\
plimsoll: 1
name: odd
duration: 0.2
fps: 10
time_step: {max_dt: 0.02}
rigid:
  bodies:
    - {name: floor, motion: static, shape: {half_space: {}}, position: [0, -9, 0]}
    - {name: shelf, motion: static, shape: {box: {}}, position: [0, 5, 0]}
    - {name: bar, shape: {box: {size: [0.2, 1, 0.2]}}, mass: 2, position: [0, 1, 0]}
    - {name: link, shape: {box: {size: [0.1, 0.2, 0.1]}}, mass: 1, position: ["=0.5 + n", 1, 0], repeat: {count: 3, spacing: [0, 0, 0]}}
    - {name: pinned, shape: {ball: {}}, position: [8, 1, 0], pin: [8, 1.4, 0]}
joints:
  - {name: pivot, kind: hinge, bodies: [world, bar], at: [0, 1.5, 0], axis: [0, 0, 1]}
  - {name: rod, kind: distance, bodies: [link, link], copies: [0, 1]}
  - {name: ball, kind: point, bodies: [link, link], copies: [1, 2], at: [2, 1, 0]}
probes:
  - {name: pivot, quantities: [angle, force, gap]}
  - {name: bar, quantities: [velocity]}
"""

REFUSED = [
    ("an unknown body", {"joints/0/bodies/1": "bra"}, r"joints/0.*no rigid body 'bra'.*did you mean 'bar'"),
    ("an unknown copy", {"joints/1/copies/1": 7}, r"joints/1.*no rigid body 'link_7'"),
    ("two immovable bodies", {"joints/0/bodies/1": "shelf"}, r"pivot.*neither 'world' nor 'shelf'.*dynamic"),
    ("the world twice", {"joints/0/bodies/1": "world"}, r"pivot.*one of them must be dynamic"),
    ("one body twice", {"joints/1/copies/1": 0}, r"rod.*both of its bodies are 'link_0'"),
    ("three bodies", {"joints/0/bodies": "[world, bar, floor]"}, r"two bodies, 3 are named"),
    ("a pinned body", {"joints/0/bodies/1": "pinned"}, r"'pinned' has a pin.*kind point"),
    ("an unknown kind", {"joints/0/kind": "hinges"}, r"joints/0/kind.*hinge"),
    ("a zero axis", {"joints/0/axis": "[0, 0, 0]"}, r"joints/0/axis.*no length"),
    ("crossed limits", {"joints/0/limits": "[30, -30]"}, r"joints/0/limits.*30.*must be below.*-30"),
    ("limits without the start", {"joints/0/limits": "[10, 30]"}, r"pivot.*0 is not within"),
    ("crossed limits of twist", {"joints/2/twist": "[1, 0]"}, r"joints/2/twist.*must be below"),
    ("limits of a point joint", {"joints/2/limits": "[-1, 1]"}, r"ball.*not for point"),
    ("swing of a hinge", {"joints/0/swing": 20}, r"pivot.*use limits"),
    ("a spring that pushes", {"joints/0/spring": "{stiffness: -1}"}, r"joints/0/spring/stiffness"),
    ("a motor and control", {"joints/0/motor": "{speed: 1}", "joints/0/control": "{target: 1, strength: 1}"},
     r"joints/0/motor.*one or the other"),
    ("control without strength", {"joints/0/control": "{target: 1}"}, r"joints/0/control.*strength"),
    ("an anchor far off", {"joints/0/at": "[0, 5000, 0]"}, r"pivot.*5e\+03 m|pivot.*4999.*m from the centre of 'bar'"),
    ("no anchor", {"joints/0": "{name: pivot, kind: hinge, bodies: [world, bar]}"}, r"joints/0.*'at'"),
    ("a rope to no place of the world", {"joints/0": "{name: pivot, kind: rope, bodies: [world, bar]}"},
     r"pivot.*the world has no centre"),
    ("a length of a hinge", {"joints/0/length": 1}, r"joints/0/length.*distance"),
    ("axes that are not square",
     {"joints/0/kind": "universal", "joints/0/second_axis": "[0, 0.5, 1]"}, r"pivot.*square to each other"),
    ("a second axis of a hinge", {"joints/0/second_axis": "[1, 0, 0]"}, r"joints/0/second_axis.*universal"),
    ("a loop that cannot close",
     {"joints/2": "{name: rod2, kind: distance, bodies: [link, world], copies: [1, 0], to: [9, 1, 0], length: 0.3}",
      "joints/0": "{name: rod1, kind: distance, bodies: [link, world], copies: [0, 0], to: [-9, 1, 0], length: 0.3}",
      "probes": "[]"}, r"cannot close.*open by [\d.]+ m"),
    ("a name twice", {"joints/1/name": "pivot"}, r"two joints are named 'pivot'"),
    ("the name of a body", {"joints/1/name": "bar"}, r"joint 'bar': a rigid body has that name"),
    ("a copy that is no number", {"joints/1/copies/1": 0.5}, r"whole numbers"),
    ("a quantity that joints do not have", {"probes/0/quantities/0": "mass"}, r"'pivot' has: .*angle"),
    ("an unknown key", {"joints/0/axes": 1}, r"joints/0.*axes.*axis"),
]

FLAT = [
    ("a hinge about x", {"joints/0/axis": "[1, 0, 0]"}, r"pivot.*in two dimensions.*about z alone.*\(1, 0, 0\)"),
    ("a hinge about a slanted axis", {"joints/0/axis": "[0, 0.6, 0.8]"}, r"pivot.*about z alone.*\(0, 0.6, 0.8\)"),
    ("a twist about the line between bodies", {"joints/1/kind": "twist", "joints/1/at": "[1, 1, 0]"}, r"rod.*about z alone"),
    ("a slider along z", {"joints/0/kind": "slider"}, r"pivot.*slides in the plane"),
    ("a plane across z", {"joints/0/kind": "plane"}, r"pivot.*axis of a plane"),
    ("a slanted cylindrical joint", {"joints/0/kind": "cylindrical", "joints/0/axis": "[0, 1, 1]"}, r"pivot.*a hinge about z"),
    ("limits of an angle that cannot turn",
     {"joints/0/kind": "cylindrical", "joints/0/axis": "[0, 1, 0]", "joints/0/limits": "[-9, 9]"}, r"pivot.*use a slider"),
    ("a universal joint without z",
     {"joints/0/kind": "universal", "joints/0/axis": "[1, 0, 0]", "joints/0/second_axis": "[0, 1, 0]"}, r"pivot.*must be z"),
    ("swing about z", {"joints/2/swing": 20}, r"ball.*swing is about an axis in the plane"),
    ("twist about x", {"joints/2/twist": "[-9, 9]", "joints/2/axis": "[1, 0, 0]"}, r"ball.*twist is about z"),
]

FREE_IN_PLANE = [  # kind, axis, second axis
    ("hinge", [0, 0, -2], None), ("twist", [0, 0, 1], None), ("slider", [0, 1, 0], None), ("slider", [2, 1, 0], None), ("plane", [1, 1, 0], None),
    ("cylindrical", [0, 0, 1], None), ("cylindrical", [1, 0, 0], None), ("universal", [0, 0, 1], [1, 0, 0]),
    ("universal", [0, 1, 0], [0, 0, 1]), ("point", [0, 0, 1], None),
]

STOPPED = [
    ("a target without value", {"joints/0/control": '{target: "=sqrt(0.05 - t)", strength: 10}'},
     r"joint 'pivot': its target at t ="),
]


def check_plane(options, checks, folder, scene):
    """In two dimensions axes that would weld, or hold nothing, are refused; with the others bodies move."""
    flat = {"dim": 2, "gravity": "[9.81, -9.81, 0]"}
    for name, values, words in FLAT:
        bad_input.check(options, checks, folder, scene, (f"in the plane: {name}", {**flat, **values}, words))
    for kind, axis, second in FREE_IN_PLANE:
        values = {**flat, "joints/0/kind": kind, "joints/0/axis": axis, **({"joints/0/second_axis": second} if second else {})}
        output = common.run(options.program, scene, os.path.join(folder, "flat_" + kind + "".join(map(str, axis))),
                            values)
        probes = output.probes()
        moves = np.linalg.norm(probes.vector("bar.velocity")[-1])
        checks.true(f"in the plane: {kind} about {axis} leaves motion, gap {probes['pivot.gap'].max():.1e} m",
                    moves > 0.1 and probes["pivot.gap"].max() < 1e-9, f"{moves:.3g} m/s")


def check_break(options, checks, folder, _scene):
    """A hinge that carries more than it can lets go; the bar then falls freely."""
    scene = common.scene_path("joints/pendulum.yaml")
    out = common.run(options.program, scene, os.path.join(folder, "break"),
                     {"joints/0/break": "{force: 30}", "duration": 1.5, "params/dt": 1 / 240})
    probes, stats = out.probes(), out.stats()
    broken = np.nonzero(stats["joints.broken"] > 0)[0]
    checks.true("break: the hinge breaks on the way down", len(broken) > 0 and stats["time"][broken[0]] > 0.1)
    after = probes["time"] > probes["time"][broken[0]] + 0.01
    t, y = probes["time"][after], probes["bar.velocity.y"][after]
    checks.near("break: then the bar falls freely, m/s^2", np.polyfit(t, y, 1)[0], -9.81, 1e-6)
    force = np.linalg.norm(probes.vector("pivot.force"), axis=1)
    checks.below("break: until then it carried, N", force[:broken[0]].max(), 30)


TROLLEY = """\
plimsoll: 1
name: trolley
duration: 0.2
fps: 50
time_step: {{max_dt: 0.005}}
rigid:
  bodies:
    - {{name: trolley, motion: kinematic, shape: {{box: {{size: [0.4, 0.1, 0.2]}}}}, position: [{path}, 0, 0]}}
    - {{name: load, shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, mass: 1, position: [0, -0.5, 0], velocity: [{speed}, 0, 0]}}
joints:
  - {{name: hold, kind: {kind}, bodies: [trolley, load], at: [0, 0, 0], break: {{force: {most}}}}}
probes:
  - {{name: hold, quantities: [force]}}
"""


def check_trolley(options, checks, folder, _scene):
    """What a body on a path carries is known from the start, also where it moves then: no joint breaks by mistake."""
    cases = [("steady, hung", "distance", "=0.9*t", 0.9, 9.81), ("steady, fixed", "rigid", "=0.9*t", 0.9, 9.81),
             ("speeding up, fixed", "rigid", "=0.9*t + 4*t^2", 0.9, math.hypot(8, 9.81)),
             ("to and fro, fixed", "rigid", "=0.3*sin(3*t)", 0.9, 9.81)]
    for name, kind, path, speed, expected in cases:
        text = TROLLEY.format(kind=kind, path=f'"{path}"', speed=speed, most=15)
        scene = common.write_scene(folder, "trolley.yaml", text)
        output = common.run(options.program, scene, os.path.join(folder, "trolley_" + bad_input.file_name(name)), None)
        force = np.linalg.norm(output.probes().vector("hold.force"), axis=1)
        checks.near(f"trolley, {name}: force at the start, N", force[0], expected, 1e-3)
        checks.true(f"trolley, {name}: the joint holds", not output.stats()["joints.broken"].any())


def check_length(options, checks, folder, scene):
    """A length other than the distance at the start is told; ropes may be slack."""
    cases = [("distance", 0.7, True), ("distance", 1, False), ("rope", 0.7, True), ("rope", 1.2, False)]
    for kind, length, told in cases:
        result, _ = bad_input.run(options, os.path.join(folder, f"length_{kind}_{length}"), scene,
                                  {"joints/1/kind": kind, "joints/1/length": length})
        words = r"joint 'rod' has the length 0.7 m.*ends are 1 m apart.*moved by the 0.3 m"
        checks.true(f"a {kind} of {length} m between ends 1 m apart: {'a warning' if told else 'none'}",
                    result is not None and result.code == 0 and bool(re.search(words, result.stderr)) == told,
                    "hangs" if result is None else result.last_words())


BITS = [("figure", {}, 24), ("chain", {"params/push": 2}, 4), ("arm", {}, 12), ("swimmer", {"params/n": 48}, 4), ("cart", {}, 12),
        ("figures", {"params/figures": 6}, 16), ("loops", {"params/rings": 16}, 14), ("slider_crank", {}, 12)]


def figures(output):
    """stats.csv but for wall times, bit for bit."""
    stats = output.stats()
    return {name: stats[name].tobytes() for name in stats.names if not name.startswith("wall.")}


def same_bits(options, checks, folder, name, scene, values, frames):
    """For 1, 2 and 4 threads, and after resume from the middle."""
    go = lambda n, end, label: common.run(options.program, scene, os.path.join(folder, f"bits_{name}_{label}"),
                                          values, "--frames", end, "--threads", n)
    runs = {n: go(n, frames, n) for n in (1, 2, 4)}
    half = runs["resume"] = go(1, frames // 2, "half")
    result = common.call(options.program, "resume", half.folder, "--frames", frames, "--quiet", "--threads", 2)
    checks.true(f"{name}: resume ends", result.code == 0, result.last_words() if result.code else "")
    table = lambda output: open(output.path("probes.csv")).read()
    for n in (2, 4, "resume"):
        label = f"{name}: {n} threads" if n != "resume" else f"{name}: after resume"
        names = common.different(runs[1].state(frames), runs[n].state(frames))
        names += common.different(runs[1].frame(frames), runs[n].frame(frames))
        checks.true(f"{label}: the same state and frame", not names, " ".join(names)[:80])
        checks.true(f"{label}: the same probes", table(runs[1]) == table(runs[n]))
        a, b = figures(runs[1]), figures(runs[n])
        bad = [key for key in a if a[key] != b.get(key)]
        checks.true(f"{label}: the same figures in stats.csv", not bad, " ".join(bad)[:80])


def check_bits(options, checks, folder, _scene):
    for name, values, frames in BITS[:4] if options.quickest else BITS:
        same_bits(options, checks, folder, name, common.scene_path(f"joints/{name}.yaml"), values, frames)


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, STOPPED, more=(check_plane, check_break, check_trolley, check_length, check_bits))

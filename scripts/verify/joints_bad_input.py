#!/usr/bin/python3
"""Joints that make no sense are refused with a message that names them; joints that break; the same bits every time."""
import os

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
  - {name: pivot, quantities: [angle, force]}
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

STOPPED = [
    ("a target without value", {"joints/0/control": '{target: "=sqrt(0.05 - t)", strength: 10}'},
     r"joint 'pivot': its target at t ="),
]


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


BITS = [("figure", {}, 24), ("chain", {"params/push": 2}, 4), ("arm", {}, 12), ("cart", {}, 12),
        ("figures", {"params/figures": 6}, 16), ("loops", {"params/rings": 16}, 14), ("slider_crank", {}, 12)]


def figures(output):
    """stats.csv but for wall times, bit for bit."""
    stats = output.stats()
    return {name: stats[name].tobytes() for name in stats.names if not name.startswith("wall.")}


def check_bits(options, checks, folder, _scene):
    """For 1, 2 and 4 threads, and after resume from the middle."""
    for name, values, frames in BITS[:3] if options.quickest else BITS:
        scene = common.scene_path(f"joints/{name}.yaml")
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


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, STOPPED, more=(check_break, check_bits))

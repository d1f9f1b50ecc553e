#!/usr/bin/python3
"""Contact that makes no sense: refused with a message, or a run that ends with finite, bounded motion."""
import os
import re

import bad_input
import common
import rigid_piles
from common import np

G = 9.81

HEAD = """\
plimsoll: 1
name: odd
duration: {duration}
fps: 24
gravity: {gravity}
time_step: {{max_dt: 0.00833333333333333}}
rigid:
  contact: {{}}
  bodies:
    - {{name: floor, motion: static, shape: {{half_space: {{}}}}, position: [0, {floor}, 0]}}
"""


def scene(bodies, duration=2, gravity="[0, -9.81, 0]", floor=0):
    text = HEAD.format(duration=duration, gravity=gravity, floor=floor)
    return text + "".join(f"    - {{{body}}}\n" for body in bodies)


CUBE = "shape: {box: {size: [0.5, 0.5, 0.5]}}"
GOOD = scene([f"name: crate, {CUBE}, position: [0, 0.25, 0]", f"name: other, {CUBE}, position: [2, 0.25, 0]"])

# what is wrong, what is set, what the message must say
REFUSED = [
    ("restitution above 1", {"rigid/bodies/crate/restitution": 1.2}, r"restitution.*(1|energy)"),
    ("restitution below 0", {"rigid/bodies/crate/restitution": -0.1}, r"restitution"),
    ("restitution not finite", {"rigid/bodies/crate/restitution": ".nan"}, r"restitution.*finite|finite"),
    ("friction below 0", {"rigid/bodies/crate/friction": -0.1}, r"friction"),
    ("friction not finite", {"rigid/bodies/crate/friction": ".inf"}, r"finite"),
    ("rolling friction below 0", {"rigid/bodies/crate/rolling_friction": -1}, r"rolling_friction"),
    ("spinning friction not finite", {"rigid/bodies/crate/spinning_friction": ".nan"}, r"finite"),
    ("zero thickness", {"rigid/bodies/crate/shape": "{box: {size: [0.5, 0, 0.5]}}"}, r"above 0|thick"),
    ("zero radius", {"rigid/bodies/crate/shape": "{ball: {radius: 0}}"}, r"above 0"),
    ("position not finite", {"rigid/bodies/crate/position": "[.nan, 0, 0]"}, r"finite"),
    ("velocity not finite", {"rigid/bodies/crate/velocity": "[0, .inf, 0]"}, r"finite"),
    ("angular velocity not finite", {"rigid/bodies/crate/angular_velocity": "[0, .nan, 0]"}, r"finite"),
    ("a half space that falls", {"rigid/bodies/crate/shape": "{half_space: {}}"}, r"half_space|half space"),
    ("unknown sequence", {"rigid/contact/sequence": "backwards"}, r"not one of"),
    ("unknown pairs", {"rigid/contact/pairs": "all"}, r"not one of"),
    ("negative iterations", {"rigid/contact/contact_iterations": -1}, r"contact_iterations.*at least|at least"),
    ("half an iteration", {"rigid/contact/collision_iterations": 1.5}, r"whole"),
    ("negative travel", {"rigid/contact/travel": -0.1}, r"travel|at least"),
    ("force not finite", {"rigid/bodies/crate/forces": "[{force: [.nan, 0, 0]}]"}, r"force.*finite"),
    ("force with two numbers", {"rigid/bodies/crate/forces": "[{force: [1, 0]}]"}, r"three numbers"),
    ("force that has no value at the start", {"rigid/bodies/crate/forces": '[{force: ["=1/t", 0, 0]}]'}, r"division"),
    ("force along unknown axes", {"rigid/bodies/crate/forces": "[{axes: local}]"}, r"not one of: world, body"),
    ("force at no point", {"rigid/bodies/crate/forces": "[{force: [1, 0, 0], at: [0, .inf, 0]}]"}, r"finite"),
    ("force misspelt", {"rigid/bodies/crate/forces": "[{forc: [1, 0, 0]}]"}, r"did you mean 'force'"),
    ("force that is no list", {"rigid/bodies/crate/forces": "{force: [1, 0, 0]}"}, r"a list"),
    ("force on a static body", {"rigid/bodies/floor/forces": "[{force: [1, 0, 0]}]"}, r"forces.*dynamic"),
    ("force out of a plane", {"dim": 2, "rigid/bodies/crate/forces": "[{force: [0, 0, 1]}]"}, r"two dimensions"),
    ("torque out of a plane", {"dim": 2, "rigid/bodies/crate/forces": '[{torque: ["=t", 0, 0]}]'}, r"two dimensions"),
    ("damping below 0", {"rigid/bodies/crate/linear_damping": -1}, r"linear_damping.*at least 0"),
    ("damping not finite", {"rigid/bodies/crate/angular_damping": ".nan"}, r"angular_damping.*finite"),
    ("damping of a static body", {"rigid/bodies/floor/linear_damping": 1}, r"linear_damping.*dynamic"),
    ("belt not finite", {"rigid/bodies/floor/surface_velocity": "[.inf, 0, 0]"}, r"surface_velocity.*finite"),
    ("belt out of a plane", {"dim": 2, "rigid/bodies/floor/surface_velocity": "[0, 0, 1]"}, r"two dimensions"),
    ("kinetic above static", {"rigid/bodies/crate/friction": "{static: 0.2, kinetic: 0.3}"}, r"kinetic.*0.3.*0.2"),
    ("kinetic below 0", {"rigid/bodies/crate/friction": "{static: 0.2, kinetic: -0.3}"}, r"kinetic.*at least 0"),
    ("kinetic alone", {"rigid/bodies/crate/friction": "{kinetic: 0.3}"}, r"'static' is missing"),
    ("unknown rule of restitution", {"rigid/contact/restitution": "mean"}, r"not one of: min, max, product"),
    ("pair of unknown materials", {"material_pairs": "[{materials: [ice, steel]}]"}, r"no material 'ice'"),
    ("glass of less than air", {"materials": "[{name: ice, glass: {index: 0.5}}]"}, r"index.*1"),
    ("glass that gives light", {"materials": "[{name: ice, glass: {absorption: [0, -1, 0]}}]"}, r"absorption.*0"),
    ("pair of one", {"materials": "[{name: ice}]", "material_pairs": "[{materials: [ice]}]"}, r"two materials, has 1"),
    ("pair without materials", {"material_pairs": "[{friction: 1}]"}, r"'materials' is missing"),
    ("pair twice", {"materials": "[{name: ice}, {name: oak}]",
                    "material_pairs": "[{materials: [ice, oak]}, {materials: [oak, ice]}]"}, r"twice"),
    ("pair with restitution above 1", {"materials": "[{name: ice}]",
                                       "material_pairs": "[{materials: [ice, ice], restitution: 2}]"}, r"above 1"),
    ("pair with kinetic above static", {"materials": "[{name: ice}]", "material_pairs":
                                        "[{materials: [ice, ice], friction: {static: 0, kinetic: 1}}]"}, r"kinetic"),
    ("unknown group", {"rigid/bodies/crate/collides_with": "[ghosts]"}, r"no body is of the group 'ghosts'"),
    ("group that is no name", {"rigid/bodies/crate/group": "a/b"}, r"/group"),
    ("groups that are no list", {"rigid/bodies/crate/collides_with": "default"}, r"a list of names"),
    ("second axis of length zero", {"rigid/bodies/crate/orientation": "{angle: 1, then: [{axis: [0, 0, 0]}]}"},
     r"then.*axis must not be zero"),
    ("second rotation with t", {"rigid/bodies/crate/orientation": '{angle: 1, then: [{angle: "=t"}]}'}, r"kinematic"),
    ("probe of contact misspelt", {"probes": "[{name: crate, quantities: [contact_forces]}]"}, r"contact_force"),
    ("misspelt key", {"rigid/contact/colision_iterations": 4}, r"collision_iterations"),
]

# The same on the way: exit code 1.
STOPPED = [
    ("force that ends to have a value", {"rigid/bodies/crate/forces": '[{force: ["=sqrt(1 - t)", 0, 0]}]'},
     r"crate.*force at t = "),
]


class Motion:
    """Speeds and places in the frames of a run."""

    def __init__(self, folder):
        bodies = common.Bodies(common.Output(folder))
        self.finite, self.fastest, self.lowest, self.times = True, [], [], []
        self.bodies = bodies
        for number in bodies.numbers:
            vertices, velocities = bodies.read(number), bodies.read(number, "velocities")
            self.finite &= bool(np.all(np.isfinite(vertices)) and np.all(np.isfinite(velocities)))
            self.fastest.append(np.max(np.linalg.norm(velocities, axis=1)))
            self.lowest.append(np.min(vertices[:, 1]))
            self.times.append(bodies.time(number))


# what is odd; the scene; bound on speeds in m/s, or None: free fall and 0.5 m/s; what must be said on stderr.
# Where what is pushed apart falls by 0.1 m, that fall is added to 0.5 m/s.
def odd_scenes(quick):
    box = lambda name, place, more="": f"name: {name}, {CUBE}, position: {place}{more}"
    still = "[0, 0, 0]"
    crowd = 200 if quick else 1000
    yield "two boxes overlap, no gravity", scene([box("left", "[0, 0, 0]"), box("right", "[0.4, 0.05, 0.02]")],
                                                 gravity=still, floor=-9), 0.5, r"left.*right|right.*left"
    yield "two boxes overlap on the floor", scene([box("left", "[0, 0.25, 0]"), box("right", "[0.35, 0.25, 0.1]")]), \
        0.5, r"left.*right|right.*left"
    yield "two balls overlap", scene([f"name: {n}, shape: {{ball: {{radius: 0.3}}}}, position: [{x}, 0.3, 0]"
                                      for n, x in (("left", 0), ("right", 0.4))]), 0.5, r"left.*right|right.*left"
    yield "two rings overlap", scene([f"name: {n}, shape: {{torus: {{radius: 0.4, tube: 0.1}}}}, position: "
                                      f"[0, {y}, 0]" for n, y in (("lower", 0.1), ("upper", 0.2))]), 1.9, \
        r"lower.*upper|upper.*lower"
    yield "a box sunk in the floor", scene([box("crate", "[0, 0.15, 0]")]), 0.5, r"crate.*floor|floor.*crate"
    yield "one box inside another", scene([
        "name: inner, shape: {box: {size: [0.3, 0.3, 0.3]}}, position: [0.05, 0.62, 0.02]",
        "name: outer, shape: {box: {size: [1, 1, 1]}}, position: [0, 0.5, 0]"]), None, r"inner.*outer|outer.*inner"
    yield "a ball in the middle of a ball", scene([
        "name: inner, shape: {ball: {radius: 0.1}}, position: [0, 0.5, 0]",
        "name: outer, shape: {ball: {radius: 0.5}}, position: [0, 0.5, 0]"]), None, r"inner.*outer|outer.*inner"
    for label, place in (("a body inside a static one", "[0.1, 0.7, 0.02]"),
                         ("a body in the very middle of a static one", "[0, 0.5, 0]")):
        yield label, scene([
            f"name: inner, shape: {{box: {{size: [0.3, 0.3, 0.3]}}}}, position: {place}",
            "name: outer, motion: static, shape: {box: {size: [1, 1, 1]}}, position: [0, 0.5, 0]"]), None, \
            r"inner.*outer|outer.*inner"
    yield f"{crowd} boxes at one point", scene([box("many", "[0, 2, 0]", f", repeat: {{count: {crowd}, spacing: "
                                                                      "[0, 0, 0]}")], duration=1), 12, r"many"
    yield f"{crowd} balls at one point", scene([
        f"name: many, shape: {{ball: {{radius: 0.1}}}}, position: [0, 2, 0], repeat: {{count: {crowd}, spacing: "
        "[0, 0, 0]}"], duration=1), 12, r"many"
    yield "heavy on light, 1e6", scene([box("light", "[0, 0.25, 0]", ", mass: 0.001"),
                                        box("heavy", "[0, 0.75, 0]", ", mass: 1000")]), 0.5, None
    yield "light on heavy, 1e6", scene([box("heavy", "[0, 0.25, 0]", ", mass: 1000"),
                                        box("light", "[0, 0.75, 0]", ", mass: 0.001")]), 0.5, None
    yield "heavy falls on light, 1e6", scene([box("light", "[0, 0.25, 0]", ", mass: 0.001"),
                                              box("heavy", "[0.1, 2, 0.05]", ", mass: 1000")]), 60, None
    yield "a sheet of 1 micrometre", scene([
        "name: sheet, shape: {box: {size: [0.5, 1.0e-6, 0.5]}}, position: [0, 0.5, 0]"]), None, None
    yield "a needle", scene([
        "name: needle, shape: {box: {size: [1.0e-5, 1, 1.0e-5]}}, position: [0, 0.9, 0], orientation: "
        "{axis: [0, 0, 1], angle: 30}"]), 60, None
    yield "a ball of 1 micrometre", scene([
        "name: dust, shape: {ball: {radius: 1.0e-6}}, position: [0, 1.0e-5, 0]"], duration=0.2), 4, None
    yield "a ball of 1000 km", scene([
        "name: moon, shape: {ball: {radius: 1.0e+6}}, position: [0, 1.0e+6, 0]"], duration=1), None, None
    yield "a bullet of 100 km/s", scene([
        box("crate", "[0, 0.25, 0]"), "name: bullet, shape: {ball: {radius: 0.01}}, position: [-5, 0.25, 0], velocity: "
        "[1.0e+5, 0, 0]"], duration=0.1), 1.1e5, None
    yield "a spin of 1e6 rad/s", scene([box("top", "[0, 0.6, 0]", ", angular_velocity: [1.0e+5, 3.0e+5, 1.0e+6]")],
                                       duration=0.1), 2e6, None
    yield "crushed between walls", scene([
        box("nut", "[0, 0.25, 0]"),
        "name: jaw, motion: kinematic, shape: {box: {size: [1, 1, 1]}}, position: [\"=-1.2 + 0.5*min(t, 2)\", 0.5, 0]",
        "name: wall, motion: static, shape: {box: {size: [1, 1, 1]}}, position: [0.75, 0.5, 0]"]), 12, None
    yield "no floor, nothing to touch", scene([box("crate", "[0, 0.25, 0]")], floor=-1e6), None, None
    yield "one iteration of nothing", scene([box("crate", "[0, 0.25, 0]"), box("other", "[0.1, 0.75, 0]")]).replace(
        "contact: {}", "contact: {collision_iterations: 0, contact_iterations: 0, level_iterations: 0, "
        "shock_iterations: 0, push_out: false}"), None, None


def out_of(folder, name):
    return os.path.join(folder, "out_" + bad_input.file_name(name))


def odd(options, checks, folder, name, text, bound, words):
    path = common.write_scene(folder, bad_input.file_name(name) + ".yaml", text)
    out = out_of(folder, name)
    result, _ = bad_input.run(options, out, path, None, "--threads", 2, limit=100)
    if result is None:
        checks.true(f"{name}: ends", False, "hangs: not done after 100 s")
        return
    clean = bad_input.clean(result, "plimsoll|warning|note")
    said = result.stderr.strip().splitlines()
    if result.code == 2 or result.code == 1:
        checks.true(f"{name}: message", clean and said, f"exit {result.code}: {' '.join(said)[:200]}")
        return
    if not checks.true(f"{name}: ends", result.code == 0 and clean, f"exit {result.code} in "
                       f"{result.seconds:.1f} s" + (f": {said[0][:160]}" if said else "")):
        return
    motion = Motion(out)
    fall = np.array(motion.times) * G + 0.5
    limits = fall if bound is None else np.full(len(fall), bound)
    worst = int(np.argmax(np.array(motion.fastest) - limits))
    checks.true(f"{name}: finite", motion.finite)
    checks.below(f"{name}: fastest m/s at t = {motion.times[worst]:.2f} s", motion.fastest[worst], limits[worst])
    checks.note(f"{name}: fastest of all {max(motion.fastest):.3g} m/s, at the end {motion.fastest[-1]:.3g}; lowest "
                f"point at the end {motion.lowest[-1]:.3g} m")
    if words:
        log = open(os.path.join(out, "log.txt")).read() if os.path.exists(os.path.join(out, "log.txt")) else ""
        checks.true(f"{name}: named in a warning", re.search(words, result.stderr + log),
                    (said or ["nothing"])[0][:200])


def check_apart(_options, checks, folder, _scene):
    """What overlapped lies apart at the end, to 3% of the smaller one."""
    for name in ("two boxes overlap, no gravity", "two boxes overlap on the floor", "one box inside another",
                 "a body inside a static one", "two balls overlap", "a ball in the middle of a ball"):
        out = out_of(folder, name)
        if not os.path.exists(os.path.join(out, "frame_00048.h5")):
            continue
        bodies = common.Bodies(common.Output(out))
        first, last = bodies.read(0), bodies.read(bodies.numbers[-1])
        solid = [part for part in bodies.parts if np.ptp(first[part][:, 1]) > 0]
        sizes = [np.min(np.ptp(first[part], axis=0)) for part in solid]
        if "ball" in name:
            centres = bodies.centres(last)[[bodies.owner[part[0]] for part in solid]]
            depth = sum(sizes) / 2 - np.linalg.norm(centres[1] - centres[0])
        else:
            depth = rigid_piles.deepest_corner(last, solid)
        checks.below(f"{name}: overlap at the end over the size", max(0.0, depth) / min(sizes), 0.03)
        checks.below(f"{name}: depth in the floor at the end over the size",
                     max(0.0, -min(last[part][:, 1].min() for part in solid)) / min(sizes)
                     if "no gravity" not in name else 0.0, 0.03)


def check_odd(options, checks, folder, _):
    for name, text, bound, words in odd_scenes(options.quick):
        odd(options, checks, folder, name, text, bound, words)


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, STOPPED, more=(check_odd, check_apart), is_fine=lambda output: True, limit=60)

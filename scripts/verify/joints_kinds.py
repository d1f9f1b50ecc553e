#!/usr/bin/python3
"""Joints, kind by kind and limit by limit, moving in space; what drives do; the impulse dropped; loops and the cart.

Gaps, angles, energies and accelerations are formed here from places in probes.csv and states.
"""
import json
import math
import os

import common
import joints
from common import np
from joints import G, States, turn


def run(options, folder, name, bodies, joint_list, probes, duration, dt=1 / 240, rigid=None, **keys):
    scene = {"plimsoll": 1, "name": name, "duration": duration, "fps": 60, "time_step": {"max_dt": dt},
             "rigid": {"bodies": bodies, **(rigid or {})}, "joints": joint_list,
             "probes": [{"name": name, "quantities": words} for name, words in probes.items()], **keys}
    path = os.path.join(folder, f"{name}_{len(os.listdir(folder))}.json")
    with open(path, "w") as file:
        json.dump(scene, file)
    return common.run(options.program, path, path[:-5], None)


def bar(name="bar", half=0.5, mass=2.0, **keys):
    return {"name": name, "shape": {"box": {"size": [2 * half, 0.1, 0.2]}}, "mass": mass, **keys}


PLACE = ["position", "orientation", "velocity", "angular_velocity"]


def unit(v):
    return np.asarray(v, float) / np.linalg.norm(v)


def carried(q, v):
    """A direction of the world at the start as the body carries it."""
    return turn(q, turn(q[:1] * [1, -1, -1, -1], v)[0])


def between(a, b):
    """Degrees, row by row; by the sine and the cosine, so that small angles keep their digits."""
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), (a * b).sum(1)))


# ---- what drains, what breaks, what collides ----


def dropped(options, checks, folder):
    """The document drops the impulse of pre-stabilisation: a bar of 1 m let go at 90 degrees loses 38% in 5 swings."""
    for how, low, high in (("dropped", 0.33, 0.43), ("kept", -1e-3, 1e-3)):
        length, inertia = 1.0, 2 * (1 + 0.01) / 12 + 2 * 0.25
        period = 4 * math.sqrt(inertia / (2 * G * 0.5 * length)) * joints.ellipk(0.5)
        probes = run(options, folder, "drop", [bar(position=[0.5, 0, 0])],
                     [{"name": "pin", "kind": "hinge", "bodies": ["world", "bar"], "at": [0, 0, 0], "axis": [0, 0, 1]}],
                     {"bar": PLACE}, 5.2 * period, rigid={"joint_impulse": how}).probes()
        energy = (probes.vector("bar.velocity")**2).sum(1) + probes["bar.angular_velocity.z"]**2 * (1 + 0.01) / 12 \
            + 2 * G * (probes["bar.position.y"] + 0.5)
        lost = 1 - energy[np.searchsorted(probes["time"], 5 * period)] / energy[0]
        checks.true(f"joint_impulse: {how}: energy lost in 5 swings", low <= lost <= high, f"{lost:.4f} in {low} to {high}")


def collides(options, checks, folder):
    """Joined bodies meet where it is asked for."""
    base = {"name": "base", "shape": {"box": {"size": [1, 0.2, 1]}}, "motion": "static", "position": [0, -0.1, 0]}
    ball = {"name": "ball", "shape": {"ball": {"radius": 0.1}}, "mass": 1, "position": [0, 0.3, 0]}
    for collide in (True, False):
        rail = {"name": "rail", "kind": "slider", "bodies": ["base", "ball"], "at": [0, 0.3, 0], "axis": [0, 1, 0], "collide": collide}
        y = run(options, folder, "collide", [base, ball], [rail], {"ball": PLACE}, 1).probes()["ball.position.y"]
        if collide:
            checks.below("collide: true: the ball rests on what it is joined to, off by m", abs(y[-10:] - 0.1).max(), 1e-4)
        else:
            checks.below("collide: false: the ball falls through, m", y[-1], -1)


def breaks(options, checks, folder):
    """An arm welded to the world breaks off where its weight turns it by more than break: {torque}."""
    torque = 2 * G * 0.5
    for part in (0.95, 1.05):
        stats = run(options, folder, "break", [bar(position=[0.5, 0, 0])],
                    [{"name": "weld", "kind": "rigid", "bodies": ["world", "bar"], "at": [0, 0, 0], "break": {"torque": part * torque}}],
                    {"bar": PLACE}, 0.2).stats()
        checks.true(f"weld with {part:g} of the torque that it needs: {'holds' if part > 1 else 'breaks'}",
                    bool(stats["joints.broken"][-1]) == (part < 1))


def power(options, checks, folder):
    """A motor turns a bar at a steady speed: its power is what gravity takes."""
    probes = run(options, folder, "power", [bar(position=[0.5, 0, 0])],
                 [{"name": "pin", "kind": "hinge", "bodies": ["world", "bar"], "at": [0, 0, 0], "axis": [0, 0, 1], "motor": {"speed": 2}}],
                 {"bar": PLACE, "pin": ["power", "motor_torque", "speed"]}, 1.5).probes()
    t, y = probes["time"], probes["bar.position.y"]
    work = np.cumsum(probes["pin.power"][1:] * np.diff(t))
    checks.below("motor at a steady speed: work against the potential energy, of the greatest",
                 abs(work - work[10] - 2 * G * (y[1:] - y[11]))[11:].max() / (2 * G * np.ptp(y)), 1e-3)
    checks.below("motor: power against torque times speed, W",
                 abs(probes["pin.power"] - probes["pin.motor_torque"] * probes["pin.speed"]).max(), 1e-9)


# ---- limits ----


def limits(options, checks, folder):
    """Of twist, slide and swing: hardly passed, then at rest."""
    steps = (1 / 120,) if options.quickest else (1 / 60, 1 / 120, 1 / 240)
    for dt in steps:
        label = f"at 1/{1 / dt:.0f} s"
        rod = {"name": "rod", "shape": {"cylinder": {"radius": 0.1, "height": 0.6}}, "mass": 1, "position": [0, -0.3, 0],
               "angular_velocity": [0, 5, 0]}
        probes = run(options, folder, "twist", [rod], [{"name": "j", "kind": "point", "bodies": ["world", "rod"], "at": [0, 0, 0],
                                                       "axis": [0, 1, 0], "twist": [-30, 20]}], {"rod": PLACE}, 2, dt).probes()
        x = carried(probes.vector("rod.orientation", "wxyz"), [1, 0, 0])
        angle, late = np.degrees(np.arctan2(-x[:, 2], x[:, 0])), probes["time"] > 1.5
        checks.below(f"twist limit {label}: overshoot, degrees", angle.max() - 20, 0.1)
        checks.above(f"twist limit {label}: reached, degrees", angle.max(), 19.9)
        checks.below(f"twist limit {label}: then at rest, rad/s", abs(probes["rod.angular_velocity.y"][late]).max(), 1e-9)
        block = {"name": "block", "shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 3, "position": [0, 0, 0]}
        axis = unit([1, 2, 0.5])
        probes = run(options, folder, "slide", [block], [{"name": "j", "kind": "slider", "bodies": ["world", "block"], "at": [0, 0, 0],
                                                          "axis": list(axis), "limits": [-0.4, 0.1]}], {"block": PLACE}, 2, dt).probes()
        way = probes.vector("block.position") @ axis
        checks.below(f"slide limit {label}: overshoot, m", -0.4 - way.min(), 1e-6)
        checks.below(f"slide limit {label}: then at rest there, m away", abs(way[probes["time"] > 1.5] + 0.4).max(), 1e-6)
        checks.below(f"slide limit {label}: and its speed, m/s",
                     np.linalg.norm(probes.vector("block.velocity")[probes["time"] > 1.5], axis=1).max(), 1e-9)
        probes = run(options, folder, "swing", [bar(position=[0.5, 0, 0])],
                     [{"name": "j", "kind": "point", "bodies": ["world", "bar"], "at": [0, 0, 0], "axis": [1, 0, 0], "swing": 50}],
                     {"bar": PLACE}, 3, dt).probes()
        lean = between(carried(probes.vector("bar.orientation", "wxyz"), [1, 0, 0]), np.array([[1.0, 0, 0]]))
        late = probes["time"] > 2
        checks.below(f"swing cone {label}: overshoot, degrees", lean.max() - 50, 0.1)
        checks.below(f"swing cone {label}: then at rest on it, degrees away", abs(lean[late] - 50).max(), 1e-6)
        checks.below(f"swing cone {label}: and its speed, rad/s",
                     np.linalg.norm(probes.vector("bar.angular_velocity")[late], axis=1).max(), 1e-9)


# ---- kinds in space ----


def kinds(options, checks, folder):
    """twist, plane and cylindrical, in directions that no axis of the world has."""
    axis, duration = unit([0.3, 1, 0.5]), 0.5 if options.quickest else 2
    # A twist joint with an axis is a hinge.
    places = []
    for kind in ("twist", "hinge"):
        probes = run(options, folder, kind, [bar(position=[0.5, 0, 0], angular_velocity=list(3 * axis), velocity=list(
            np.cross(3 * axis, [0.5, 0, 0])))], [{"name": "j", "kind": kind, "bodies": ["world", "bar"], "at": [0, 0, 0], "axis": list(axis)}],
                     {"bar": PLACE}, duration).probes()
        places.append(probes.vector("bar.position"))
    checks.below("twist with an axis against hinge, m", abs(places[0] - places[1]).max(), 1e-9)
    checks.above("twist with an axis: it swings, m", np.ptp(places[0], axis=0).max(), 0.2)
    # Without one it is the line between the centres.
    way = unit([1, 0.4, -0.3])
    pair = [bar("a", 0.2, position=[0, 0, 0], angular_velocity=[0.4, 1, -2]),
            bar("b", 0.2, position=list(0.7 * way), velocity=list(np.cross([0.4, 1, -2], 0.7 * way)), angular_velocity=list(
                np.array([0.4, 1, -2]) + 4 * way))]
    probes = run(options, folder, "twist_line", pair, [{"name": "j", "kind": "twist", "bodies": ["a", "b"], "at": list(0.35 * way)}],
                 {"a": PLACE, "b": PLACE}, duration, gravity=[0, 0, 0]).probes()
    q = [probes.vector(f"{n}.orientation", "wxyz") for n in "ab"]
    x = [probes.vector(f"{n}.position") for n in "ab"]
    lines = [carried(each, way) for each in q]
    ends = x[0] + 0.35 * lines[0] - x[1] + 0.35 * lines[1]
    checks.below("twist between two bodies: gap, m", np.linalg.norm(ends, axis=1).max(), 1e-9)
    checks.below("twist between two bodies: its axes apart, degrees", between(*lines).max(), 1e-6)
    rate = ((probes.vector("b.angular_velocity") - probes.vector("a.angular_velocity")) * lines[0]).sum(1)
    checks.above("twist between two bodies: it still turns, rad/s", abs(rate).min(), 0.5)
    # A ball in a plane falls along it and spins on.
    n = unit([0.5, 1, -0.4])
    ball = {"name": "ball", "shape": {"ball": {"radius": 0.1}}, "mass": 2, "position": [0, 0, 0], "angular_velocity": [1, 2, 3]}
    probes = run(options, folder, "plane", [ball], [{"name": "j", "kind": "plane", "bodies": ["world", "ball"], "at": [0, 0, 0],
                                                    "axis": list(n)}], {"ball": PLACE, "j": ["force"]}, duration).probes()
    pull = np.array([0, -G, 0])
    slope, t = pull - (pull @ n) * n, probes["time"][:, None]
    checks.below("plane: fallen along it, off by m", abs(probes.vector("ball.position") - 0.5 * t**2 * slope).max(), 1e-9)
    checks.below("plane: spins on, off by rad/s", abs(probes.vector("ball.angular_velocity") - [1, 2, 3]).max(), 1e-9)
    checks.below("plane: force against m g across it, N", abs(probes.vector("j.force") + 2 * (pull @ n) * n)[1:].max(), 1e-6)
    # Cylindrical: along the axis and about it.
    probes = run(options, folder, "cylindrical", [{**ball, "angular_velocity": list(5 * axis)}],
                 [{"name": "j", "kind": "cylindrical", "bodies": ["world", "ball"], "at": [0, 0, 0], "axis": list(axis)}],
                 {"ball": PLACE, "j": ["angle", "slide"]}, duration).probes()
    fallen = 0.5 * probes["time"]**2 * (pull @ axis)
    checks.below("cylindrical: fallen along its axis, off by m",
                 abs(probes.vector("ball.position") - fallen[:, None] * axis).max(), 1e-9)
    checks.below("cylindrical: turned about it, off by rad", abs(probes["j.angle"] - 5 * probes["time"]).max(), 1e-9)
    checks.below("cylindrical: slide against its place, m", abs(probes["j.slide"] - fallen).max(), 1e-9)


# ---- scenes ----


def loops(options, checks, folder):
    """Rings of six beads on pegs: closed in every step, no energy from nowhere."""
    rings = 4 if options.quickest else 16 if options.quick else 160
    scene = joints.load("loops")
    scene["params"]["rings"] = rings
    output = joints.run(options, folder, "loops", {"rings": rings}, scene, ("--state-every", 1, "--keep-states"),
                        duration=1.5 if options.quickest else 4)
    index = np.arange(6 * rings)
    bead = 26 + index # after the floor and 25 pegs
    after = 26 + index + 1 - 6 * ((index + 1) // 6 - index // 6)
    own = joints.inertia({"capsule": {"radius": 0.03, "height": 0.07}}, 0.3)
    energies, gaps, arms = [], [], None
    for frame in output.numbered("state"):
        with common.h5py.File(output.state(frame), "r") as file:
            x, q, v, momentum = (file["rigid/" + name][()] for name in ("position", "orientation", "velocity", "angular_momentum"))
        x, q, v, momentum = x.reshape(-1, 3), q.reshape(-1, 4), v.reshape(-1, 3), momentum.reshape(-1, 3)
        if arms is None: # knots are on the corners of a hexagon, halfway in angle between its beads
            b = np.arange(6 * rings)
            r = b // 6
            at = np.stack([0.55 * (r - 4 * (b // 24) - 1.5) + 0.24 / math.sqrt(3) * np.cos(math.pi / 3 * (b + 0.5)) + 0.04 * np.sin(r),
                           1.3 + 0.22 * (b // 96),
                           0.55 * (b // 24 - 4 * (b // 96) - 1.5) + 0.24 / math.sqrt(3) * np.sin(math.pi / 3 * (b + 0.5)) + 0.04 * np.cos(2 * r)], 1)
            arms = [turn(q[i] * [1, -1, -1, -1], at - x[i]) for i in (bead, after)]
        ends = [x[i] + turn(q[i], arm) for i, arm in zip((bead, after), arms)]
        gaps.append(np.linalg.norm(ends[1] - ends[0], axis=1).max())
        spin = turn(q[bead] * [1, -1, -1, -1], momentum[bead])
        kinetic = 0.15 * (v[bead]**2).sum() + 0.5 * (spin**2 / own).sum()
        energies.append((kinetic, kinetic + 0.3 * G * x[bead, 1].sum()))
    energies = np.array(energies)
    checks.below(f"{rings} rings: gap, m", max(gaps), 1e-6)
    checks.below(f"{rings} rings: greatest gap of all steps, m", output.stats()["joints.gap.max"].max(), 1e-6)
    checks.below(f"{rings} rings: energy above that of the start, over the greatest kinetic one",
                 (energies[:, 1].max() - energies[0, 1]) / energies[:, 0].max(), 1e-3)


def cart(options, checks, folder):
    """It drives over its bumps, wheels on their hubs."""
    output = joints.run(options, folder, "cart", None, joints.watch_all(joints.load("cart")), duration=1.5 if options.quickest else 5)
    probes = output.probes()
    way = probes["all_chassis.position.x"]
    checks.above("cart: driven, m", way[-1] - way[0], 1.5 if options.quickest else 10)
    checks.above("cart: upright, its chassis at least, m", probes["all_chassis.position.y"].min(), 0.3)
    worst = 0
    for corner in ("front_left", "front_right", "back_left", "back_right"):
        hub, wheel = (f"all_{part}_{corner}" for part in ("hub", "wheel"))
        arm = probes.vector(wheel + ".position") - probes.vector(hub + ".position")
        worst = max(worst, np.linalg.norm(arm - carried(probes.vector(hub + ".orientation", "wxyz"), arm[0]), axis=1).max())
    checks.below("cart: wheels off their hubs, m", worst, 1e-9)
    checks.below("cart: greatest gap of all steps, m", output.stats()["joints.gap.max"].max(), 1e-9)


if __name__ == "__main__":
    common.verify(__doc__, [dropped, collides, breaks, power, limits, kinds, loops, cart])

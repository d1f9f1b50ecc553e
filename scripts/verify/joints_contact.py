#!/usr/bin/python3
"""Joints whose loads come through contact: motors that press and lift, limits and ropes that carry, figures on floors.

Forces and places come from probes.csv; statics and impacts are worked out here.
"""
import json
import math
import os

import common
from common import np

G = 9.81


def run(options, folder, name, dt, bodies, joints, probes, duration=2, gravity=G):
    scene = {"plimsoll": 1, "name": name, "duration": duration, "fps": 24, "gravity": [0, -gravity, 0],
             "time_step": {"max_dt": dt}, "rigid": {"bodies": bodies}, "joints": joints,
             "probes": [{"name": key, "quantities": value} for key, value in probes.items()]}
    path = os.path.join(folder, f"{name}_{round(1 / dt)}.json")
    with open(path, "w") as file:
        json.dump(scene, file)
    return common.run(options.program, path, path[:-5], None)


def box(name, size, mass, position, **keys):
    return {"name": name, "shape": {"box": {"size": size}}, "position": position,
            **({"mass": mass} if mass else {"motion": "static"}), **keys}


def hinge(bodies, at, **keys):
    return {"name": "h", "kind": "hinge", "bodies": bodies, "at": at, "axis": [0, 0, 1], **keys}


def steps(options):
    return [1 / 240] if options.quickest else [1 / 96, 1 / 240, 1 / 960]


# ---- motors ----


def press(options, checks, folder):
    """A motor presses a body into a wall that it reaches on the way: the wall bears what the motor has."""
    ball = {"name": "f", "shape": {"ball": {"radius": 0.05}}, "mass": 1, "position": [0, 0, 0]}
    for what, body in (("ball", ball), ("box", box("f", [0.1, 0.1, 0.1], 1, [0, 0, 0]))):
        for most in (5, 200):
            for dt in steps(options):
                probes = run(options, folder, f"press_{what}_{most}", dt, [body, box("wall", [0.2, 0.4, 0.4], 0, [0.23, 0, 0])],
                             [{"name": "j", "kind": "slider", "bodies": ["world", "f"], "at": [0, 0, 0], "axis": [1, 0, 0],
                               "motor": {"speed": 0.2, "max_torque": most}}],
                             {"j": ["slide", "speed"], "f": ["contact_force"]}, 1, 0).probes()
                name = f"press {what} with {most} N, 1/{round(1 / dt)} s"
                checks.within(f"{name}: the wall bears, N", -probes["f.contact_force.x"][-1], most, 1e-6 * most)
                checks.below(f"{name}: past the wall, m", probes["j.slide"].max() - 0.08, 1e-6)
                checks.below(f"{name}: speed there, m/s", abs(probes["j.speed"][-1]), 1e-6)


def press_limit(options, checks, folder):
    """A motor that presses its own joint's limit gives all it has, in every step."""
    for dt in steps(options):
        probes = run(options, folder, "own_limit", dt, [box("arm", [1, 0.1, 0.1], 2, [0.5, 0, 0])],
                     [hinge(["world", "arm"], [0, 0, 0], limits=[-30, 20], motor={"speed": 1, "max_torque": 10})],
                     {"h": ["angle", "motor_torque", "torque"]}, 1, 0).probes()
        rests = probes["time"] > 0.5
        checks.below(f"motor on its own limit, 1/{round(1 / dt)} s: torque away from 10 N m, the worst of all steps",
                     abs(probes["h.motor_torque"][rests] - 10).max(), 1e-6)
        checks.below(f"motor on its own limit, 1/{round(1 / dt)} s: torque of motor and limit, N m",
                     abs(probes["h.torque.z"][rests]).max(), 1e-6)


def first_touch(options, checks, folder):
    """What a motor gives to a heavy body that it runs into is its own momentum and its force times time."""
    for dt in steps(options):
        probes = run(options, folder, "heavy", dt, [box("w", [0.2, 0.2, 0.2], 1000, [0.2, 0, 0]),
                                                    box("f", [0.04, 0.1, 0.1], 0.2, [0, 0, 0])],
                     [{"name": "j", "kind": "slider", "bodies": ["world", "f"], "at": [0, 0, 0], "axis": [1, 0, 0],
                       "motor": {"speed": 0.2, "max_torque": 2}}],
                     {"w": ["velocity"], "j": ["motor_torque"]}, 2, 0).probes()
        given = 1000 * probes["w.velocity.x"]
        checks.below(f"first touch, 1/{round(1 / dt)} s: momentum of the block over what the motor can give",
                     (given / (2 * probes["time"] + 0.2 * 0.2)).max(), 1)
        checks.within(f"first touch, 1/{round(1 / dt)} s: it gains at the end, N", (given[-1] - given[-12]) /
                     (probes["time"][-1] - probes["time"][-12]), 2, 0.02)


def held_load(options, checks, folder):
    """A plank that carries a box, held by a motor, by its lower limit, or tilted onto it."""
    load, plank, at = 60, 25, 1.5
    for dt in steps(options):
        for what, center, keys in (("motor", 1.0, {"motor": {"speed": 0}}), ("limit", 0.0, {"limits": [0, 12]}),
                                   ("limit off the middle", 0.3, {"limits": [0, 12]})):
            probes = run(options, folder, "plank_" + what.replace(" ", "_"), dt,
                         [box("plank", [4 if center < 1 else 2, 0.1, 0.6], plank, [center, 1, 0], friction=0.8),
                          box("load", [0.4, 0.4, 0.4], load, [at, 1.25, 0], friction=0.8)],
                         [hinge(["world", "plank"], [0, 1, 0], **keys)],
                         {"h": ["angle", "force", "torque", "motor_torque"], "load": ["position", "contact_force"]}).probes()
            name = f"plank on its {what}, 1/{round(1 / dt)} s"
            moment = G * (load * probes["load.position.x"][-1] + plank * center)
            checks.within(f"{name}: force, N", probes["h.force.y"][-1], G * (load + plank), 0.01)
            checks.within(f"{name}: torque, N m", probes["h.torque.z"][-1], moment, 2e-3 * moment)
            checks.within(f"{name}: the box stands on it, N", probes["load.contact_force.y"][-1], G * load, 0.01)
            checks.below(f"{name}: turned, rad", abs(probes["h.angle"][-1]), 1e-4)


def weak_motor(options, checks, folder):
    """Half of the torque that the load asks for does not hold it."""
    for dt in steps(options):
        probes = run(options, folder, "weak", dt, [box("plank", [2, 0.1, 0.6], 25, [1, 1, 0], friction=0.8),
                                                   box("load", [0.4, 0.4, 0.4], 60, [1.5, 1.25, 0], friction=0.8)],
                     [hinge(["world", "plank"], [0, 1, 0], motor={"speed": 0, "max_torque": 564})],
                     {"h": ["angle", "motor_torque"]}, 0.5).probes()
        checks.below(f"motor of half the torque, 1/{round(1 / dt)} s: angle after 0.5 s, rad", probes["h.angle"][-1], -0.3)
        checks.below(f"motor of half the torque, 1/{round(1 / dt)} s: most that it gave after the first step over what it has",
                     abs(probes["h.motor_torque"][2:]).max() / 564, 1 + 1e-6)


def loose_base(options, checks, folder):
    """Control of an arm on a base that stands on the floor, loose or fixed to the world as well."""
    floor = {"name": "floor", "shape": {"half_space": {}}, "motion": "static"}
    for fixed in (False, True):
        for dt in steps(options):
            joints = [hinge(["base", "arm"], [0, 0.45, 0], control={"target": 60, "strength": 50})]
            if fixed:
                joints.append({"name": "g", "kind": "rigid", "bodies": ["world", "base"], "at": [0, 0, 0]})
            probes = run(options, folder, f"base_{fixed}", dt, [floor, box("base", [1, 0.4, 1], 50, [0, 0.2, 0]),
                                                               box("arm", [0.1, 1, 0.1], 2, [0, 0.9, 0])], joints,
                         {"h": ["angle", "motor_torque"]}, 3).probes()
            name = f"arm on a base {'fixed to the world' if fixed else 'on the floor'}, 1/{round(1 / dt)} s"
            checks.within(f"{name}: angle, rad", probes["h.angle"][-1], math.pi / 3, 1e-4)
            checks.within(f"{name}: torque, N m", -probes["h.motor_torque"][-1], 2 * G * 0.45 * math.sin(math.pi / 3), 0.02)


def car(options, checks, folder):
    """Four driven wheels up a slope: floor and motors bear what the weight asks; weak ones let it roll back."""
    slope, radius, body_mass, wheel_mass, speed = 15, 0.3, 200, 10, 2
    a = math.radians(slope)
    place = lambda x, y, z: [x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a), z]
    tilt = {"axis": [0, 0, 1], "angle": slope}
    for most in (300, 10):
        for dt in steps(options):
            bodies = [{"name": "hill", "shape": {"half_space": {}}, "motion": "static", "friction": 0.9, "orientation": tilt},
                      box("chassis", [2, 0.3, 0.8], body_mass, place(0, 0.5, 0), orientation=tilt)]
            joints, names = [], []
            for x, z in ((0.8, 0.55), (0.8, -0.55), (-0.8, 0.55), (-0.8, -0.55)):
                names.append(f"wheel{len(names)}")
                bodies.append({"name": names[-1], "shape": {"cylinder": {"radius": radius, "height": 0.15}}, "friction": 0.9,
                               "mass": wheel_mass, "position": place(x, radius, z),
                               "orientation": {"axis": [1, 0, 0], "angle": 90, "then": [tilt]}})
                joints.append({"name": "axle_" + names[-1], "kind": "hinge", "bodies": ["chassis", names[-1]],
                               "at": place(x, radius, z), "axis": [0, 0, 1],
                               "motor": {"speed": f"=-{speed / radius}*min(1,t)", "max_torque": most}})
            probes = run(options, folder, f"car_{most}", dt, bodies, joints,
                         {"hill": ["contact_force"], "chassis": ["velocity"],
                          **{"axle_" + name: ["motor_torque"] for name in names}}, 2).probes()
            name, weight = f"car of {most} N m a wheel, 1/{round(1 / dt)} s", G * (body_mass + 4 * wheel_mass)
            torque = -sum(probes[f"axle_{wheel}.motor_torque"] for wheel in names)
            if most == 10:
                checks.below(f"{name}: it rolls back, m/s", probes["chassis.velocity.x"][-1], -1)
                checks.within(f"{name}: its motors give all they have, N m", torque[-1], 40, 1e-3)
                continue
            checks.within(f"{name}: speed, m/s", probes["chassis.velocity.x"][-1] / math.cos(a), speed, 0.01)
            checks.within(f"{name}: motors in the last second, N m", torque[probes["time"] > 1.2].mean(),
                          weight * math.sin(a) * radius, 2)
            checks.within(f"{name}: the hill bears in the last second, N",
                          -probes["hill.contact_force.y"][probes["time"] > 1.2].mean(), weight, 0.005 * weight)


# ---- limits and ropes ----


def ladder(options, checks, folder):
    """Two legs on a smooth floor, a tie between them."""
    lean, half, mass, radius, height = math.radians(20), 1.0, 10, 0.02, 0.52
    c, s = math.cos(lean), math.sin(lean)
    foot, top = half * s, half * c + radius  # the middle of a leg: (foot, top); its end stands on the floor
    apart = (2 * top - radius - height) * math.tan(lean)
    bodies = [{"name": "floor", "shape": {"half_space": {}}, "motion": "static", "friction": 0}]
    for name, sign in (("left", -1), ("right", 1)):
        bodies.append({"name": name, "shape": {"capsule": {"radius": radius, "height": 2 * half}}, "mass": mass, "friction": 0,
                       "position": [sign * foot, top, 0], "orientation": {"axis": [0, 0, 1], "angle": sign * 20}})
    for kind in ("rope", "distance"):
        for dt in steps(options):
            joints = [{"name": "h", "kind": "hinge", "bodies": ["left", "right"], "at": [0, 2 * half * c + radius, 0],
                       "axis": [0, 0, 1]},
                      {"name": "tie", "kind": kind, "bodies": ["left", "right"], "at": [-apart, height, 0],
                       "to": [apart, height, 0]}]
            probes = run(options, folder, "ladder_" + kind, dt, bodies, joints,
                         {"tie": ["force"], "left": ["contact_force"]}).probes()
            pull = mass * G * foot / (2 * half * c + radius - height)
            name = f"ladder tied by a {kind}, 1/{round(1 / dt)} s"
            checks.within(f"{name}: tie, N", abs(probes["tie.force.x"][-1]), pull, 1e-3 * pull)
            checks.within(f"{name}: floor, N", probes["left.contact_force.y"][-1], mass * G, 1e-3 * mass * G)


def taut_rope(options, checks, folder):
    """Ropes just taut at the start pull at once, what is missing and no more, and never push."""
    a, mass = math.radians(30), 100
    place = lambda x, y: [x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a), 0]
    tilt = {"axis": [0, 0, 1], "angle": 30}
    for dt in steps(options):
        for friction in (0, 0.2):
            probes = run(options, folder, f"slope_{round(10 * friction)}", dt,
                         [{"name": "hill", "shape": {"half_space": {}}, "motion": "static", "friction": friction,
                           "orientation": tilt}, box("b", [0.4, 0.4, 0.4], mass, place(0, 0.2), orientation=tilt,
                                                     friction=friction)],
                         [{"name": "tie", "kind": "rope", "bodies": ["world", "b"], "at": place(1.2, 0.2),
                           "to": place(0.2, 0.2)}], {"tie": ["force"]}, 0.25).probes()
            pull = probes["tie.force.x"] * math.cos(a) + probes["tie.force.y"] * math.sin(a)
            name, most = f"box on a slope of friction {friction}, 1/{round(1 / dt)} s", mass * G * math.sin(a)
            checks.below(f"{name}: the rope pulls too much, N", pull.max() - most, 1e-3 * most)
            checks.below(f"{name}: the rope pulls too little, N",
                         most - friction * mass * G * math.cos(a) - pull.min(), 1e-3 * most)
        lean, half, radius, friction = math.radians(30), 1.0, 0.02, 0.5
        s, c = math.sin(lean), math.cos(lean)
        walls = [{"name": name, "shape": {"half_space": {}}, "motion": "static", "friction": friction if name == "floor" else 0,
                  "orientation": {"axis": [0, 0, 1], "angle": turn}} for name, turn in (("floor", 0), ("wall", -90))]
        board = {"name": "board", "shape": {"capsule": {"radius": radius, "height": 2 * half}}, "mass": 30, "friction": friction,
                 "position": [half * s + radius, half * c + radius, 0], "orientation": {"axis": [0, 0, 1], "angle": 30}}
        probes = run(options, folder, "leaning", dt, walls + [board],
                     [{"name": "tie", "kind": "rope", "bodies": ["world", "board"], "at": [0, radius, 0],
                       "to": [2 * half * s + radius, radius, 0]}], {"tie": ["force"]}, 0.25).probes()
        checks.below(f"board that leans and would stand without its rope, 1/{round(1 / dt)} s: that pushes, N",
                     probes["tie.force.x"].max(), 1e-9)


def struck(options, checks, folder):
    """A ball thrown at a lever that rests on its limit, from below, bounces off the lever and not off the limit; from
    above, off the limit."""
    at, lever, mass = 0.8, 2, 2
    inertia = lever * (1 / 3 + 0.05**2 / 12)
    free = inertia / at**2
    for below in (True, False):
        for dt in steps(options):
            side = -1 if below else 1
            ball = {"name": "ball", "shape": {"ball": {"radius": 0.05}}, "mass": mass, "position": [at, 1 + side * 0.3, 0],
                    "velocity": [0, -side * 5, 0], "restitution": 1}
            probes = run(options, folder, f"struck_{below}", dt, [box("lever", [1, 0.05, 0.3], lever, [0.5, 1, 0], restitution=1,
                                                                      friction=0), {**ball, "friction": 0}],
                         [hinge(["world", "lever"], [0, 1, 0], limits=[0, 90])],
                         {"ball": ["position", "velocity"], "h": ["speed"]}, 0.125, 1e-3).probes()
            speed = probes["ball.velocity.y"][-1]
            wanted = 5 * (mass - free) / (mass + free) if below else 5
            checks.within(f"lever struck from {'below' if below else 'above'}, 1/{round(1 / dt)} s: the ball after it, m/s",
                         speed, wanted, 0.02)


# ---- loads that swing ----


def hang(kind, x, y):
    """Links and joints by which a seat at (x, y) hangs at its corners on rods, ropes or chains of three links."""
    bodies, joints = [], []
    links = 3 if kind == "chains" else 0
    for n, (side, depth) in enumerate(((-0.3, -0.2), (-0.3, 0.2), (0.3, -0.2), (0.3, 0.2))):
        if not links:
            joints.append({"name": f"hold_{n}", "kind": "rope" if kind == "ropes" else "distance", "bodies": ["world", "seat"],
                           "at": [side, 0, depth], "to": [side + x, y, depth]})
            continue
        names = ["world"] + [f"link_{n}_{i}" for i in range(links)] + ["seat"]
        for i in range(links):
            part = (i + 0.5) / links
            bodies.append({"name": names[i + 1], "shape": {"capsule": {"radius": 0.015, "height": 1.2 / links}}, "mass": 0.1,
                           "position": [side + x * part, y * part, depth], "orientation": {"axis": [0, 0, 1], "angle": 30}})
        for i in range(links + 1):
            joints.append({"name": f"hold_{n}_{i}", "kind": "point", "bodies": names[i:i + 2],
                           "at": [side + x * i / links, y * i / links, depth]})
    return bodies, joints


def child_on_swing(options, checks, folder):
    """A box that rests on a swinging seat takes no energy from it: the seat hangs on rods, on ropes, on a hinge with which it
    turns, or on chains whose links weigh little beside it."""
    angle, arm, seat, child = math.radians(30), 2.0, 4, 30
    drop, x, y = (seat + child) * G * arm * (1 - math.cos(angle)), arm * math.sin(angle), -arm * math.cos(angle)
    for kind in ("ropes", "hinge") if options.quickest else ("rods", "ropes", "hinge", "chains"):
        lean = angle if kind == "hinge" else 0
        above = [x - 0.175 * math.sin(lean), y + 0.175 * math.cos(lean), 0]
        keys = {"friction": 0.8, "orientation": {"axis": [0, 0, 1], "angle": math.degrees(lean)}}
        bodies, joints = ([], [hinge(["world", "seat"], [0, 0, 0])]) if kind == "hinge" else hang(kind, x, y)
        bodies += [box("seat", [0.6, 0.05, 0.4], seat, [x, y, 0], **keys), box("child", [0.3, 0.3, 0.3], child, above, **keys)]
        for dt in [1 / 96] if options.quickest or kind == "chains" else [1 / 96, 1 / 400]:
            stats = run(options, folder, "swing_" + kind, dt, bodies, joints, {"seat": ["position"]},
                        3 if options.quickest else 12).stats()
            energy, name = stats["energy.total"], f"child on a swing on {kind}, 1/{round(1 / dt)} s"
            checks.below(f"{name}: energy lost or gained, of the swing's", abs(energy - energy[0]).max() / drop, 0.01)
            checks.below(f"{name}: gap, m", stats["joints.gap.max"].max(), 1e-9)


# ---- heavy loads ----


def heavy_load(options, checks, folder):
    """Light links that carry a thousand times their mass and swing, at steps that the program chooses."""
    for links in (2, 5) if options.quickest else (2, 5, 20):
        for mass in (30, 100):
            bodies = [{"name": f"l{n}", "shape": {"capsule": {"radius": 0.02, "height": 0.1}}, "mass": 0.1,
                       "position": [0, -0.15 * n - 0.075, 0]} for n in range(links)]
            bodies.append({"name": "w", "shape": {"ball": {"radius": 0.2}}, "mass": mass,
                           "position": [0, -0.15 * links - 0.2, 0], "velocity": [1, 0, 0.5]})
            names = ["world"] + [body["name"] for body in bodies]
            joints = [{"name": f"j{n}", "kind": "point", "bodies": names[n:n + 2], "at": [0, -0.15 * n, 0]}
                      for n in range(links + 1)]
            stats = run(options, folder, f"heavy_{links}_{mass}", 1 / 240, bodies, joints, {"w": ["position"]}, 4).stats()
            energy, first = stats["energy.total"], 0.5 * mass * 1.25
            name = f"{mass} kg under {links} links of 0.1 kg, pushed"
            checks.below(f"{name}: energy gained or lost, of what it was given",
                         abs(energy - energy[1]).max() / first, 0.01)
            checks.below(f"{name}: gap, m", stats["joints.gap.max"].max(), 1e-9)


if __name__ == "__main__":
    common.verify(__doc__, [press, press_limit, first_touch, held_load, weak_motor, loose_base, car, ladder, taut_rope, struck,
                            child_on_swing, heavy_load])

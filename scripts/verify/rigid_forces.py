#!/usr/bin/python3
"""What acts on bodies, by formulas: forces, damping, belts, static and kinetic friction, grip, contact forces, groups."""
import math
import os
import shutil

import common
import rigid_contact
from common import np
from rigid_contact import G, scene_text

STILL = (0, 0, 0)
BOX = "shape: {box: {size: [0.2, 0.2, 0.2]}}"
FLOOR = "name: floor, motion: static, shape: {half_space: {}}"


def run(study, name, text, **keywords):
    """A scene of our own; forces and belts do work, so that energy may grow."""
    path = common.write_scene(study.folder, name.replace(" ", "_") + ".yaml", text)
    return study.run(name, path, None, mover=True, **keywords)


def steps(study):
    return (1 / 30, 1 / 240) if study.options.quick else (1 / 10, 1 / 30, 1 / 60, 1 / 240, 1 / 1000)


# ---- forces ----


def own_flight(mass, inertia, arm, force_at, spin_about, end, parts=20000):
    """A body of a plane under a force along its own axes at a point of it: Runge and Kutta."""
    def rate(t, s):
        angle = s[4]
        push = force_at(t)
        c, n = math.cos(angle), math.sin(angle)
        world = np.array([c * push[0] - n * push[1], n * push[0] + c * push[1]])
        torque = arm[0] * push[1] - arm[1] * push[0] + spin_about(t)
        return np.array([s[2], s[3], *(world / mass), s[5], torque / inertia])
    s, h = np.zeros(6), end / parts
    for k in range(parts):
        t = k * h
        a = rate(t, s)
        b = rate(t + h / 2, s + h / 2 * a)
        c = rate(t + h / 2, s + h / 2 * b)
        s = s + h / 6 * (a + 2 * b + 2 * c + rate(t + h, s + h * c))
    return s


def check_forces(study):
    """In the air, along the world's axes: the integrals of the expressions."""
    checks = study.checks
    mass, side, w = 2.5, 0.4, 7.0
    inertia = mass * side**2 / 6
    shape = f"shape: {{box: {{size: [{side}, {side}, {side}]}}}}, mass: {mass}"
    bodies = [f"name: steady, {shape}, forces: [{{force: [3, 0, 0]}}, {{force: [1, -2, 0.5]}}]",
              f'name: swings, {shape}, position: [3, 0, 0], forces: [{{force: ["=10*sin({w}*t)", 0, 0]}}]',
              f'name: grows, {shape}, position: [6, 0, 0], forces: [{{torque: [0, "=0.3*t*t", 0]}}]',
              f"name: beside, {shape}, position: [9, 0, 0], lock_rotation: true, "
              "forces: [{force: [0, 2, 0], at: [0.2, 0, 0]}]"]
    for dt in steps(study):
        probes = run(study, f"forces dt={dt:.4g}", scene_text(
            bodies, 1, dt, gravity=(0, -1, 0), fps=10, probes=("steady", "swings", "grows", "beside"))).probes()
        t = probes["time"][-1]
        moved = probes.vector("steady.position")[-1] - probes.vector("steady.position")[0]
        a = np.array([4, -2, 0.5]) / mass + np.array([0, -1, 0])
        label = f"forces, step {dt:.4g} s"
        checks.below(f"{label}: constant, way", np.linalg.norm(moved - a * t * t / 2) / np.linalg.norm(a / 2), 1e-3)
        checks.below(f"{label}: constant, velocity",
                     np.linalg.norm(probes.vector("steady.velocity")[-1] - a * t) / np.linalg.norm(a), 1e-3)
        checks.near(f"{label}: 10 sin(7 t), velocity", probes["swings.velocity.x"][-1],
                    10 / mass / w * (1 - math.cos(w * t)), 0.1)
        checks.near(f"{label}: 10 sin(7 t), way", probes["swings.position.x"][-1] - 3,
                    10 / mass / w * (t - math.sin(w * t) / w), 0.1)
        checks.near(f"{label}: torque 0.3 t^2, angular velocity", probes["grows.angular_velocity.y"][-1],
                    0.1 * t**3 / inertia, 0.1)
        checks.near(f"{label}: at a point of a body that does not turn", probes["beside.velocity.y"][-1],
                    (2 / mass - 1) * t, 0.1)


def check_body_axes(study):
    """A thruster beside the centre: against our own integrator."""
    mass, side = 2.0, 0.4
    expected = own_flight(mass, mass * side**2 / 6, (0.2, 0.0), lambda t: (1.0, 0.4 * math.cos(3 * t)),
                          lambda t: 0.02, 2.0)
    body = (f"name: craft, shape: {{box: {{size: [{side}, {side}, {side}]}}}}, mass: {mass}, forces: "
            '[{force: [1, "=0.4*cos(3*t)", 0], torque: [0, 0, 0.02], axes: body, at: [0.2, 0, 0]}]')
    for dt in (1 / 240,) if study.options.quick else (1 / 240, 1 / 1000):
        probes = run(study, f"thruster dt={dt:.4g}", scene_text([body], 2, dt, gravity=STILL, fps=10,
                                                                probes=("craft",))).probes()
        found = [probes[f"craft.{q}"][-1] for q in ("position.x", "position.y", "velocity.x", "velocity.y")]
        label = f"along the body's axes, step {dt:.4g} s"
        study.checks.below(f"{label}: way", math.dist(found[:2], expected[:2]) / math.hypot(*expected[:2]), 1e-3)
        study.checks.below(f"{label}: velocity", math.dist(found[2:], expected[2:4]) / math.hypot(*expected[2:4]), 1e-3)
        study.checks.near(f"{label}: angular velocity", probes["craft.angular_velocity.z"][-1], expected[5], 0.1)


def check_pinned(study):
    """A wheel on its axle under a torque, and one that a force at the rim turns; the first velocity of a pinned body."""
    mass, r = 3.0, 0.5
    about = mass * (r**2 / 4 + 0.1**2 / 12)
    disc = f"shape: {{cylinder: {{radius: {r}, height: 0.1}}}}, mass: {mass}, friction: 0"
    turn = mass * r * r / 2
    bodies = [f"name: wheel, {disc}, pin: [0, 0, 0], forces: [{{torque: [0, 2, 0]}}]",
              f"name: rim, {disc}, position: [3, 0, 0], pin: [3, 0, 0], "
              f"forces: [{{force: [0, 0, -4], axes: body, at: [{r}, 0, 0]}}]",
              f"name: swing, {disc}, position: [6, 0, 0], pin: [7, 0, 0], angular_velocity: [0, 0, 2]"]
    probes = run(study, "pinned", scene_text(bodies, 1, 1 / 240, gravity=STILL, fps=10,
                                             probes=("wheel", "rim", "swing"))).probes()
    study.checks.near("wheel on its axle, torque", probes["wheel.angular_velocity.y"][-1], 2 / turn, 0.1)
    study.checks.near("wheel on its axle, force at the rim", probes["rim.angular_velocity.y"][-1], 4 * r / turn, 0.1)
    study.checks.near("pin with angular velocity: starts with it", probes["swing.angular_velocity.z"][0], 2, 1e-9)
    study.checks.near("and with the velocity that fits", probes["swing.velocity.y"][0], -2, 1e-9)
    energy = 0.5 * (about + mass) * 4
    study.checks.near("and keeps its energy", probes["swing.kinetic_energy"][-1], energy, 0.1)


# ---- damping ----


def check_damping(study):
    checks, d, e = study.checks, 3.0, 5.0
    bodies = [f"name: slows, {BOX}, velocity: [2, 0, 0], angular_velocity: [0, 0, 4], linear_damping: {d}, "
              f"angular_damping: {e}",
              f"name: falls, {BOX}, position: [9, 0, 0], linear_damping: {d}",
              f"name: pushed, {BOX}, mass: 2, position: [18, 0, 0], linear_damping: {d}, forces: [{{force: [6, 20, 0]}}]",
              f"name: swings, {BOX}, position: [25, 0, 0], pin: [25, 0, 0], angular_velocity: [0, 3, 0], "
              f"angular_damping: {e}"]
    for dt in steps(study) + (0.5,):
        probes = run(study, f"damping dt={dt:.4g}", scene_text(
            bodies, 1, dt, fps=2 if dt > 0.1 else 10, probes=("slows", "falls", "pushed", "swings"))).probes()
        keep, mean = math.exp(-d), (1 - math.exp(-d)) / d
        label = f"damping, step {dt:.4g} s"
        checks.near(f"{label}: velocity", probes["slows.velocity.x"][-1], 2 * keep, 0.1)
        checks.near(f"{label}: way", probes["slows.position.x"][-1], 2 * mean, 0.1)
        checks.near(f"{label}: turning", probes["slows.angular_velocity.z"][-1], 4 * math.exp(-e), 0.1)
        checks.near(f"{label}: turning about a pin", probes["swings.angular_velocity.y"][-1], 3 * math.exp(-e), 0.1)
        checks.near(f"{label}: fall", probes["falls.velocity.y"][-1], -G * mean, 0.1)
        checks.near(f"{label}: way fallen", probes["falls.position.y"][-1], -G * (1 - mean) / d, 0.1)
        checks.near(f"{label}: pushed", probes["pushed.position.x"][-1] - 18, 3 * (1 - mean) / d, 0.1)


# ---- rest under forces, sleep ----


def check_held(study):
    """Friction holds a block below mu m g; above it slides by the difference; sleep holds nothing back."""
    checks, mass, mu = study.checks, 2.0, 0.5
    limit = mu * mass * G
    body = lambda name, x, force: (f"name: {name}, {BOX}, mass: {mass}, friction: {mu}, position: [{x}, 0.1, 0], "
                                   f"forces: [{{force: {force}}}]")
    bodies = [FLOOR, body("held", 0, f"[{0.9 * limit}, 0, 0]"), body("slides", 0, f"[0, 0, {1.2 * limit}]").replace(
        "[0, 0.1, 0]", "[3, 0.1, 0]"), body("late", 6, f'["=if(t < 1, 0, {2 * limit})", 0, 0]'),
              body("ramp", 16, f'["={limit}*t", 0, 0]')]
    for sleep in ("true", "false"):
        output = run(study, f"held sleep={sleep}", scene_text(
            bodies, 1.5, 1 / 240, contact=f"{{sleep: {sleep}}}", fps=10, probes=("held", "slides", "late", "ramp"),
            quantities="position, velocity, contact_force"))
        probes = output.probes()
        time = probes["time"]
        label = f"block under a force, sleep {sleep}"
        moved = np.ptp(probes.vector("held.position"), axis=0)
        checks.below(f"{label}: held at 0.9 of the limit, moves, m", np.max(moved), 1e-9)
        checks.near(f"{label}: slides at 1.2", probes["slides.velocity.z"][-1], 0.2 * mu * G * time[-1], 0.1)
        checks.near(f"{label}: a force that begins at 1 s", probes["late.velocity.x"][-1], mu * G * 0.5, 1)
        slip = time[np.argmax(probes["ramp.velocity.x"] > 1e-6)]
        checks.within(f"{label}: a force that grows, slips at, s", slip, 1, 2 / 240)
        if sleep == "true":
            checks.above(f"{label}: asleep at the end", output.stats()["asleep"][-1], 1)


# ---- belts ----


def time_to_speed(time, speed, end):
    """When a speed that rises in a line would be at `end`: through the points between 10 and 90%."""
    part = (speed > 0.1 * end) & (speed < 0.9 * end)
    slope, start = np.polyfit(time[part], speed[part], 1)
    return (end - start) / slope


def check_belt(study):
    checks = study.checks
    cases = [(1.5, 0.5), (3, 0.3)] if study.options.quick else [(0.5, 0.5), (1.5, 0.5), (3, 0.3), (1.5, 0.1)]
    for speed, mu in cases:
        name = f"belt v={speed} mu={mu}"
        output = study.run(name, "rigid/belt.yaml", {"params/speed": speed, "params/mu": mu, "duration": 1.8
                                                     if mu < 0.2 else 1.1}, mover=True)
        probes = output.probes()
        checks.near(f"{name}: time to speed", time_to_speed(probes["time"], probes["box.velocity.x"], speed),
                    speed / (mu * G), 1)
        checks.near(f"{name}: then its speed", probes["box.velocity.x"][-1], speed, 0.1)
        checks.near(f"{name}: way", probes["box.position.x"][-1],
                    speed * (probes["time"][-1] - speed / (2 * mu * G)), 1)
        sliding = (probes["time"] > 0.02) & (probes["box.velocity.x"] < 0.9 * speed)
        checks.near(f"{name}: force while it slides", np.mean(probes["box.contact_force.x"][sliding]),
                    mu * probes["box.contact_force.y"][-1], 0.1)
        checks.below(f"{name}: leaves the belt by, m", np.max(np.abs(probes["box.position.y"] - 0.15)), 1e-6)


def check_belt_dropped(study):
    """Falls onto a belt that is tilted and turned; a body that carries its own belt drives itself."""
    mu, speed = 0.4, 2.0
    bodies = ["name: belt, motion: static, shape: {box: {size: [1, 0.2, 9]}}, position: [0, -0.1, 0], "
              f"orientation: {{axis: [0, 1, 0], angle: 90}}, surface_velocity: [0, 0, {speed}], friction: {mu}",
              f"name: box, {BOX}, position: [-3, 0.3, 0], friction: {mu}",
              "name: ground, motion: static, shape: {half_space: {}}, position: [0, -5, 0], friction: 0.6",
              f"name: tracked, {BOX}, position: [0, -4.9, 0], surface_velocity: [-1, 0, 0], friction: 0.6"]
    probes = run(study, "belt dropped", scene_text(bodies, 1.5, 1 / 240, fps=10, probes=("box", "tracked"))).probes()
    study.checks.near("dropped on a belt: its speed", probes["box.velocity.x"][-1], speed, 0.1)
    study.checks.below("dropped on a belt: turns, rad/s", np.abs(probes["box.angular_velocity.y"][-1]), 1e-6)
    study.checks.near("a body with a belt of its own drives off", probes["tracked.velocity.x"][-1], 1, 0.1)


# ---- friction ----


def check_stick_slip(study):
    checks = study.checks
    cases = [(0.4, 0.25)] if study.options.quick else [(0.4, 0.25), (0.2, 0.1), (0.7, 0.6)]
    for static, kinetic in cases:
        name = f"stick_slip static={static} kinetic={kinetic}"
        probes = study.run(name, "rigid/stick_slip.yaml",
                           {"params/static": static, "params/kinetic": kinetic}, mover=True).probes()
        time, last = probes["time"], math.degrees(math.atan(static)) + 0.5
        angle = -2 * np.arctan2(probes["floor.orientation.z"], probes["floor.orientation.w"])
        place, v = probes.vector("block.position"), probes.vector("block.velocity")
        along = np.cos(angle) * place[:, 0] - np.sin(angle) * place[:, 1]
        slip = np.argmax(along - along[0] > 1e-5)
        checks.near(f"{name}: slips at", math.degrees(angle[slip]), math.degrees(math.atan(static)), 0.5)
        late = time > 6.1
        speed = np.cos(angle) * v[:, 0] - np.sin(angle) * v[:, 1]
        pull = np.polyfit(time[late], speed[late], 1)[0]
        a = math.radians(last)
        checks.near(f"{name}: then accelerates by", pull, G * (math.sin(a) - kinetic * math.cos(a)), 0.5)
        name += " stops short"
        probes = study.run(name, "rigid/stick_slip.yaml",
                           {"params/static": static, "params/kinetic": kinetic, "params/beyond": -0.2},
                           mover=True).probes()
        a = math.radians(math.degrees(math.atan(static)) - 0.2)
        place = probes.vector("block.position")
        along = math.cos(a) * place[-1, 0] - math.sin(a) * place[-1, 1]
        checks.below(f"{name}: moves, m", abs(along), 1e-5)


def check_pairs(study):
    """The table of materials counts before what bodies say, for the pairs that it names."""
    table = ("materials:\n  - {name: ice, friction: 0.9}\n  - {name: steel, friction: {static: 0.8, kinetic: 0.6}}\n"
             "  - {name: wood}\nmaterial_pairs:\n  - {materials: [steel, ice], friction: 0.05, restitution: 0.5}\nrigid:")
    bodies = [FLOOR + ", material: ice"] + [
        f"name: {name}, {BOX}, material: {name}, position: [0, 0.1, {z}], velocity: [3, 0, 0]"
        for name, z in (("steel", 0), ("wood", 3))] + [
            f"name: drops, shape: {{ball: {{radius: 0.1}}}}, material: steel, position: [0, 1.1, 6]"]
    text = scene_text(bodies, 0.9, 1 / 2016, fps=10, probes=("steel", "wood", "drops")).replace("rigid:", table)
    probes = run(study, "pairs", text).probes()
    t = probes["time"][-1]
    study.checks.near("steel on ice, of the table", probes["steel.velocity.x"][-1], 3 - 0.05 * G * t, 0.1)
    study.checks.near("wood on ice, the greater of both", probes["wood.position.x"][-1], 9 / (2 * 0.9 * G), 0.5)
    after = probes["time"] > 0.5
    study.checks.near("restitution of the table: height of the rebound", np.max(probes["drops.position.y"][after]) - 0.1,
                      0.25, 1)


def check_restitution(study):
    """min, max and product; and a warning where a body bounces off nothing."""
    for rule, floor, e in (("min", 0.5, 0.5), ("max", 0.5, 0.8), ("product", 0.5, 0.4), ("max", 0, 0.8), ("min", 0, 0)):
        bodies = [FLOOR + f", restitution: {floor}",
                  "name: ball, shape: {ball: {radius: 0.1}}, position: [0, 1.1, 0], restitution: 0.8"]
        name = f"restitution {rule} {floor}"
        output = run(study, name, scene_text(bodies, 0.9, 1 / 2016, contact=f"{{restitution: {rule}}}", fps=10,
                                             probes=("ball",)))
        probes = output.probes()
        height = np.max(probes["ball.position.y"][probes["time"] > 0.5]) - 0.1
        study.checks.within(f"{name}: rebounds to, m", height, e * e, 0.01)
        log = open(os.path.join(output.folder, "log.txt")).read()
        study.checks.true(f"{name}: warning that it will not bounce", ("will not bounce" in log) == (e == 0))


# ---- grip ----


def check_gripper(study):
    checks = study.checks
    for rise in (0.2, 1) if study.options.quick else (0.2, 1, 3):
        for grip in (1.05, 0.95):
            name = f"gripper grip={grip} rise={rise}"
            probes = study.run(name, "rigid/gripper.yaml",
                               {"params/grip": grip, "params/rise": rise, "duration": 0.5}, mover=True).probes()
            slipped = (probes["left.position.y"] - probes["box.position.y"])[-1] - 0.03
            t = probes["time"][-1]
            if grip > 1:
                checks.below(f"{name}: slips, m", abs(slipped), 1e-5)
                checks.near(f"{name}: rises by", probes["box.position.y"][-1] - 0.15, rise * t * t / 2, 0.1)
                checks.near(f"{name}: force of a jaw", -probes["left.contact_force.x"][-1],
                            grip * 2 * (G + rise) / 0.8, 0.1)
            else:
                checks.above(f"{name}: slips, m", slipped, 1e-2)


# ---- contact forces ----


def weights(probes, names, masses):
    return max(abs(probes[f"{n}.contact_force.y"][-1] / (m * G) - 1) for n, m in zip(names, masses))


def check_contact_forces(study):
    """The weight, awake and asleep; on what carries it, all of it; the balance of momentum in a bounce."""
    checks = study.checks
    names, masses = ("one", "two", "three", "tilted"), (3.0, 4.0, 50.0, 2.0)
    bodies = [FLOOR] + [f"name: {n}, {BOX}, mass: {m}, position: [0, {0.1 + 0.2 * k}, 0]"
                        for k, (n, m) in enumerate(zip(names[:3], masses))]
    bodies += ["name: slope, motion: static, shape: {box: {size: [2, 0.2, 2]}}, position: [5, 0.5, 0], orientation: "
               "{axis: [0, 0, 1], angle: 15}",
               f"name: tilted, {BOX}, mass: 2, position: [{5 - 0.2 * math.sin(math.radians(15))}, "
               f"{0.5 + 0.2 * math.cos(math.radians(15))}, 0], orientation: {{axis: [0, 0, 1], angle: 15}}"]
    for sleep in ("true", "false"):
        output = run(study, f"weights sleep={sleep}", scene_text(
            bodies, 1, 1 / 120, contact=f"{{sleep: {sleep}}}", fps=10, probes=(*names, "floor", "slope"),
            quantities="contact_force, contact_torque, contacts"))
        probes, label = output.probes(), f"contact forces, sleep {sleep}"
        checks.above(f"{label}: bodies asleep", output.stats()["asleep"][-1], 4 if sleep == "true" else 0)
        checks.below(f"{label}: force over the weight - 1", weights(probes, names, masses), 1e-6)
        checks.below(f"{label}: on the floor, over the weight of all - 1",
                     abs(-probes["floor.contact_force.y"][-1] / (57 * G) - 1), 1e-6)
        checks.below(f"{label}: on the slope - 1", abs(-probes["slope.contact_force.y"][-1] / (2 * G) - 1), 1e-6)
        torque = max(np.max(np.abs(probes.vector(f"{n}.contact_torque")[-1])) for n in names)
        checks.below(f"{label}: torque about the centre, N m", torque, 1e-5)
        checks.true(f"{label}: points", [probes[f"{n}.contacts"][-1] for n in names[:3]] == [8, 8, 4] and
                    probes["floor.contacts"][-1] == 4, "8, 8, 4 and 4 on the floor")
    check_balance(study)


def check_balance(study):
    """m dv = (m g + F) dt in every step, however bodies meet: bounces, slides, piles."""
    pile = [FLOOR + ", restitution: 0.6"] + [
        f"name: b{k}, {BOX}, mass: {k + 1}, position: [{0.03 * k}, {0.3 + 0.35 * k}, {0.02 * k}], restitution: 0.6, "
        f"orientation: {{axis: [1, 2, 3], angle: {20 * k}}}" for k in range(6)]
    names = [f"b{k}" for k in range(6)]
    probes = run(study, "balance", scene_text(pile, 3, 1 / 120, probes=names, quantities="velocity, contact_force, mass, "
                                              "angular_momentum, contact_torque")).probes()
    dt = np.diff(probes["time"])[:, None]
    worst = [0.0, 0.0]
    for n in names:
        m = probes[f"{n}.mass"][0]
        change = m * np.diff(probes.vector(f"{n}.velocity"), axis=0)
        given = dt * (probes.vector(f"{n}.contact_force")[1:] + m * np.array([0, -G, 0]))
        worst[0] = max(worst[0], np.max(np.abs(change - given)) / (m * G * np.max(dt)))
        turned = np.diff(probes.vector(f"{n}.angular_momentum"), axis=0)
        worst[1] = max(worst[1], np.max(np.abs(turned - dt * probes.vector(f"{n}.contact_torque")[1:])) /
                       (m * G * np.max(dt) * 0.2))
    study.checks.below("pile of six: worst balance of momentum in a step, over m g dt", worst[0], 1e-6)
    study.checks.below("pile of six: the same of angular momentum", worst[1], 1e-6)


# ---- groups, rotations, the plane ----


def check_groups(study):
    bodies = [FLOOR, f"name: ghost, {BOX}, position: [0, 1, 0], group: ghosts, collides_with: [ghosts]",
              f"name: other, {BOX}, position: [0, 2, 0], group: ghosts, collides_with: [ghosts, default]",
              f"name: plain, {BOX}, position: [3, 0.1, 0]",
              f"name: picky, {BOX}, position: [3, 0.6, 0], group: picky, collides_with: [default]"]
    names = ("ghost", "other", "plain", "picky")
    probes = run(study, "groups", scene_text(bodies, 2, 1 / 120, fps=10, probes=names)).probes()
    t = probes["time"][-1]
    study.checks.near("meets its own group alone: falls through the floor", probes["ghost.position.y"][-1],
                      1 - G * t * t / 2, 0.1)
    study.checks.within("meets the floor", probes["other.position.y"][-1], 0.1, 1e-3)
    study.checks.within("meets what meets it", probes["picky.position.y"][-1], 0.3, 1e-3)


def check_rotations(study):
    """Rotations one after the other: orientation against products of matrices, spin against differences."""
    text = scene_text([
        f"name: arm, {BOX}, motion: kinematic, orientation: {{axis: [1, 0, 0], angle: 30, then: ["
        '{axis: [0, 0, 1], angle: "=50*t"}, {axis: [0, 1, 0], angle: "=80*sin(t)"}]}',
        f"name: still, {BOX}, position: [3, 0, 0], orientation: {{axis: [1, 0, 0], angle: 30, then: "
        "[{axis: [0, 0, 1], angle: 40}]}"], 1, 1 / 100, gravity=STILL, fps=100, probes=("arm", "still"),
                      quantities="orientation, angular_velocity")
    probes = run(study, "rotations", text).probes()
    about = lambda axis, degrees: common.quat_matrix(common.quat_about(axis, degrees))
    path = lambda t: (about((0, 1, 0), 80 * math.sin(t)) @ about((0, 0, 1), 50 * t) @ about((1, 0, 0), 30))
    worst, spin_off = 0.0, 0.0
    for row, t in enumerate(probes["time"]):
        q = np.array([probes[f"arm.orientation.{c}"][row] for c in "wxyz"])
        worst = max(worst, np.max(np.abs(common.quat_matrix(q) - path(t))))
        h = 1e-4
        rate = (path(t + h) - path(t - h)) / (2 * h) @ path(t).T
        spin = np.array([rate[2, 1], rate[0, 2], rate[1, 0]])
        spin_off = max(spin_off, np.max(np.abs(spin - probes.vector("arm.angular_velocity")[row])))
    study.checks.below("three rotations: orientation off by", worst, 1e-12)
    study.checks.below("three rotations: angular velocity off by, rad/s", spin_off, 1e-6)
    q = np.array([probes[f"still.orientation.{c}"][0] for c in "wxyz"])
    study.checks.below("two rotations of a dynamic body off by",
                       np.max(np.abs(common.quat_matrix(q) - about((0, 0, 1), 40) @ about((1, 0, 0), 30))), 1e-12)


def check_plane(study):
    """Two dimensions without a fluid: a force, a belt, a weight."""
    text = scene_text([FLOOR + ", surface_velocity: [1, 0, 0], friction: 0.5",
                       f"name: box, {BOX}, position: [0, 0.1, 0], density: 500, friction: 0.5",
                       f"name: pushed, {BOX}, position: [0, 5, 0], density: 500, forces: "
                       "[{force: [30, 196.2, 0], torque: [0, 0, 1]}]"],
                      1, 1 / 120, fps=10, probes=("box", "pushed"),
                      quantities="position, velocity, angular_velocity, contact_force").replace(
                          "name: own", "name: own\ndim: 2")
    probes = run(study, "plane forces", text).probes()
    checks = study.checks
    checks.near("plane: box on a belt", probes["box.velocity.x"][-1], 1, 0.1)
    checks.near("plane: its weight, of 1 m of depth", probes["box.contact_force.y"][-1], 20 * G, 1e-4)
    checks.near("plane: pushed", probes["pushed.velocity.x"][-1], 30 / 20, 0.1)
    checks.near("plane: turned", probes["pushed.angular_velocity.z"][-1], 1 / (20 * 0.04 / 6), 0.1)


# ---- the same bits ----

CROWD = """\
plimsoll: 1
name: crowd
duration: 1
fps: 10
time_step: {max_dt: 0.00833333333333333}
materials:
  - {name: rough, friction: {static: 0.7, kinetic: 0.4}, restitution: 0.3}
  - {name: smooth, friction: 0.2}
material_pairs:
  - {materials: [rough, smooth], friction: {static: 0.5, kinetic: 0.1}}
rigid:
  contact: {restitution: max}
  bodies:
    - {name: floor, motion: static, shape: {half_space: {}}, material: smooth, surface_velocity: [0.5, 0, 0.2]}
    - {name: shelf, motion: static, shape: {box: {size: [3, 0.2, 3]}}, position: [5, 0.4, 0], material: smooth}
    - {name: rests, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [5, 0.6, 0], material: rough}
    - name: crate
      shape: {box: {size: [0.2, 0.2, 0.2]}}
      position: [0, 0.8, 0]
      material: rough
      linear_damping: 0.3
      angular_damping: 0.5
      forces:
        - {force: ["=2*sin(5*t + n)", 0, 0], axes: body, at: [0.1, 0, 0]}
        - {torque: [0, 0.1, 0]}
      repeat: {grid: [4, 4, 4], spacing: [0.3, 0.3, 0.3], jitter: [0.03, 0.03, 0.03]}
probes:
  - {name: crate_0, quantities: [position, velocity, contact_force, contact_torque, contacts]}
  - {name: floor, quantities: [contact_force, contacts]}
  - {name: rests, quantities: [contact_force]}
  - {name: shelf, quantities: [contact_force, contact_torque, contacts]}
"""


def check_bits(study):
    """For 1, 2 and 4 threads, and after resume from the middle."""
    path = common.write_scene(study.folder, "crowd.yaml", CROWD)
    runs = {n: study.run(f"crowd threads={n}", path, None, "--keep-states", mover=True, threads=n) for n in (1, 2, 4)}
    last = runs[1].numbered("state")[-1]
    table = lambda output: open(output.path("probes.csv")).read()
    for n in (2, 4):
        names = common.different(runs[1].state(last), runs[n].state(last))
        study.checks.true(f"{n} threads: the same state", not names, " ".join(names)[:80])
        study.checks.true(f"{n} threads: the same probes", table(runs[1]) == table(runs[n]))
    half = study.run("crowd half", path, None, "--frames", 5, mover=True, threads=1)
    moved = os.path.join(study.folder, "crowd moved")
    shutil.copytree(half.folder, moved)
    result = common.call(study.options.program, "resume", moved, "--frames", last, "--quiet", "--threads", 2)
    study.checks.true("resume ends", result.code == 0, result.last_words())
    resumed = common.Output(moved)
    names = common.different(runs[1].state(last), resumed.state(last))
    study.checks.true("after resume: the same state", not names, " ".join(names)[:80])
    study.checks.true("after resume: the same probes", table(runs[1]) == table(resumed))


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        study = rigid_contact.Study(options, checks, folder)
        for check in (check_forces, check_body_axes, check_pinned, check_damping, check_held, check_belt,
                      check_belt_dropped, check_stick_slip, check_pairs, check_restitution, check_gripper,
                      check_contact_forces, check_groups, check_rotations, check_plane, check_bits):
            study.attempt(check)
    checks.finish()


if __name__ == "__main__":
    main()

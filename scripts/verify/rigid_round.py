#!/usr/bin/python3
"""Round bodies against closed forms: barrels, wheels, cones, coins, planks on rollers, balls in bowls, cans at rest."""
import math

import common
import rigid_contact
from common import np
from rigid_contact import G, scene_text, vector_text
from rigid_friction import Slope

# ---- what the checks share ----


def turn_of(axes):
    """The quaternion of the turn whose columns are these axes."""
    m = np.array(axes).T
    w = 0.5 * math.sqrt(max(0.0, 1 + m[0, 0] + m[1, 1] + m[2, 2]))
    if w > 0.1:
        return np.array([w, *(np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]) / (4 * w))])
    i = int(np.argmax(np.diag(m)))
    j, k = (i + 1) % 3, (i + 2) % 3
    q = np.zeros(4)
    q[1 + i] = 0.5 * math.sqrt(max(0.0, 1 + m[i, i] - m[j, j] - m[k, k]))
    q[0] = (m[k, j] - m[j, k]) / (4 * q[1 + i])
    q[1 + j] = (m[j, i] + m[i, j]) / (4 * q[1 + i])
    q[1 + k] = (m[k, i] + m[i, k]) / (4 * q[1 + i])
    return q


def axes_of(probes, name):
    """The own y axis of a body at every row."""
    w, x, y, z = (probes[f"{name}.orientation.{c}"] for c in "wxyz")
    return np.stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], axis=1)


def crossings(time, value):
    """Times at which a curve passes zero, by straight lines between its rows."""
    at = np.flatnonzero(value[:-1] * value[1:] < 0)
    return time[at] - value[at] * (time[at + 1] - time[at]) / (value[at + 1] - value[at])


def peaks(value):
    """Heights of the tops of |value|, by parabolas through three rows."""
    a = np.abs(value)
    at = np.flatnonzero((a[1:-1] >= a[:-2]) & (a[1:-1] > a[2:])) + 1
    low, here, high = a[at - 1], a[at], a[at + 1]
    return here - 0.125 * (high - low)**2 / (high - 2 * here + low)


def add(study, cases, name, text):
    cases[name] = (common.write_scene(study.folder, name.replace(" ", "_").replace("/", "_") + ".yaml", text), None)


# ---- barrels and wheels ----


def judge_rolling(checks, label, probes, slope, name, radius, v0=0.0):
    """A solid cylinder that rolls down a slope: 2/3 of what a block without friction does; it keeps its heading."""
    time = probes["time"]
    moved = (probes.vector(f"{name}.position") - probes.vector(f"{name}.position")[0]) @ slope.down
    pull = 2 / 3 * G * math.sin(math.radians(slope.angle))
    if pull > 0:
        checks.near(f"{label}: acceleration", 2 * (moved[-1] - v0 * time[-1]) / time[-1]**2, pull, 1)
    turns = moved[-1] / (2 * math.pi * radius)
    axis = axes_of(probes, name)
    yaw = np.degrees(np.arccos(np.clip(np.abs(axis @ axis[0]), -1, 1)))
    # arccos knows no angle below 1e-6 degrees.
    within = moved <= 10 * 2 * math.pi * radius
    checks.below(f"{label}: turns from its heading within 10 turns of {turns:.1f}, degrees", np.max(yaw[within]), 0.1)
    height = (probes.vector(f"{name}.position") - slope.origin) @ slope.out
    checks.below(f"{label}: hops by, of its radius", np.max(np.abs(height / radius - 1)), 2e-3)


def barrel_scene(slope, radius, length, v0=0.0, duration=3.0, dt=1 / 120, ground="half_space: {}", depth=0.0, mu=0.8):
    across = np.cross(slope.down, slope.out)
    q = turn_of((slope.down, across, np.cross(slope.down, across)))
    place = slope.origin + radius * slope.out
    spin = np.cross(slope.out, v0 * slope.down) / radius
    bodies = [f"name: slope, motion: static, shape: {{{ground}}}, friction: {mu!r}, position: "
              f"{vector_text(slope.origin - depth * slope.out)}, orientation: {common.axis_angle(slope.turn)}",
              f"name: barrel, shape: {{cylinder: {{radius: {radius!r}, height: {length!r}}}}}, friction: {mu!r}, "
              f"position: {vector_text(place)}, orientation: {common.axis_angle(q)}, "
              f"velocity: {vector_text(v0 * slope.down)}, angular_velocity: {vector_text(spin)}"]
    return scene_text(bodies, duration, dt, slope.gravity, probes=("barrel",))


def check_barrels(study):
    quick = study.options.quick
    cases, meaning = {}, {}
    for angle, heading in ((10, 0), (25, 37)) if quick else ((2, 0), (10, 0), (10, 37), (25, 123), (35, 200)):
        name = f"barrel angle={angle} heading={heading}"
        cases[name] = ("rigid/barrel.yaml", {"params/angle": angle, "params/heading": heading})
        meaning[name] = (Slope(angle, heading), "barrel", 0.3, 0.0)
    plate = {"ground": "box: {size: [80, 1, 8]}", "depth": 0.5}
    own = [("on a box", Slope(10, 23, (3.1, -2.2, 7.7)), 0.25, 0.6, plate),
           ("thin", Slope(15, 71), 0.4, 0.05, {}),
           ("long and far", Slope(12, 301, (512.3, 100.1, -77.7)), 0.05, 2.0, {}),
           ("step 1/60", Slope(10, 11), 0.3, 0.8, {"dt": 1 / 60}),
           ("10 turns", Slope(10, 61, (1.0, 2.0, 3.0)), 0.3, 0.8, {"duration": 6.0})]
    if not quick:
        own += [("step 1/1000", Slope(10, 11), 0.3, 0.8, {"dt": 1 / 1000}),
                ("tilted gravity", Slope(20, 50, gravity_tilts=True), 0.3, 0.5, {}),
                ("on a thick box turned", Slope(20, 190, (0, 5, 0)), 0.7, 0.3, plate)]
    for label, slope, radius, length, keywords in own:
        name = f"barrel {label}"
        add(study, cases, name, barrel_scene(slope, radius, length, **keywords))
        meaning[name] = (slope, "barrel", radius, 0.0)
    for name, output in study.run_all(cases).items():
        slope, body, radius, v0 = meaning[name]
        judge_rolling(study.checks, name, output.probes(), slope, body, radius, v0)


def check_wheels(study):
    """Without rolling friction nothing slows a wheel."""
    cases, meaning = {}, {}
    for v0 in (1, 10, 30) if study.options.quick else (1, 3, 10, 20, 30):
        duration = 10.2 * 2 * math.pi * 0.3 / v0
        name = f"wheel v0={v0}"
        cases[name] = ("rigid/wheel.yaml", {"params/v0": v0, "duration": duration})
        meaning[name] = (Slope(0), "wheel", v0)
        slope = Slope(0, 17 * v0, (10.5, 3.0, -4.0))
        name = f"wheel v0={v0} on a box, turned"
        add(study, cases, name, barrel_scene(slope, 0.3, 0.1, v0, duration, ground="box: {size: [90, 1, 90]}", depth=0.5))
        meaning[name] = (slope, "barrel", v0)
    name = "wheel downhill"
    cases[name] = ("rigid/wheel.yaml", {"params/v0": 2, "params/angle": 5})
    meaning[name] = (Slope(5), "wheel", 2)
    for name, output in study.run_all(cases).items():
        slope, body, v0 = meaning[name]
        judge_rolling(study.checks, name, output.probes(), slope, body, 0.3, v0)
        energy = output.stats()["energy.total"]
        study.checks.below(f"{name}: energy lost or gained, of the kinetic at first",
                           np.max(np.abs(energy - energy[0])) / output.stats()["energy.kinetic"][0], 0.01)


# ---- cones ----


def cone_period(half, height, slope):
    a, b = math.radians(half), math.radians(slope)
    return 2 * math.pi / math.sqrt(5 * G * math.sin(b) * math.cos(a) / (height * (1 + 5 * math.cos(a)**2)))


def cone_scene(slope, half, height, swing, duration, dt=1 / 120, ground="half_space: {}", depth=0.0):
    """Apex at the slope's origin, the line of contact `swing` degrees from the steepest way down."""
    a, f = math.radians(half), math.radians(swing)
    across = np.cross(slope.down, slope.out)
    axis = math.cos(a) * (math.cos(f) * slope.down + math.sin(f) * across) + math.sin(a) * slope.out
    side = np.cross(axis, slope.out) / np.linalg.norm(np.cross(axis, slope.out))
    q = turn_of((np.cross(-axis, side), -axis, side))
    bodies = [f"name: slope, motion: static, shape: {{{ground}}}, friction: 1, position: "
              f"{vector_text(slope.origin - depth * slope.out)}, orientation: {common.axis_angle(slope.turn)}",
              f"name: cone, friction: 1, shape: {{cone: {{radius: {height * math.tan(a)!r}, height: {height!r}}}}}, "
              f"position: {vector_text(slope.origin + 0.5 * height * axis)}, orientation: {common.axis_angle(q)}"]
    return scene_text(bodies, duration, dt, slope.gravity, probes=("cone",))


def judge_cone(checks, label, probes, slope, half, height):
    across = np.cross(slope.down, slope.out)
    aside = (probes.vector("cone.position") - slope.origin) @ across
    times = crossings(probes["time"], aside)
    checks.true(f"{label}: swings", len(times) >= 5, f"{len(times)} passes of the middle")
    if len(times) < 3:
        return
    last = len(times) - 1 - (len(times) - 1) % 2
    checks.near(f"{label}: period", 2 * (times[last] - times[0]) / last, cone_period(half, height, slope.angle), 1)


def check_cones(study):
    cases, meaning = {}, {}
    for slope, half in ((10, 20), (25, 12)) if study.options.quick else ((10, 20), (5, 20), (25, 12), (10, 35)):
        name = f"cone slope={slope} half={half}"
        duration = 3 * cone_period(half, 0.3, slope)
        cases[name] = ("rigid/cone.yaml", {"params/slope": slope, "params/half": half, "duration": duration})
        meaning[name] = (Slope(slope), half, 0.3)
    plate = {"ground": "box: {size: [20, 1, 20]}", "depth": 0.5}
    own = [("turned, on a box", Slope(12, 77, (1.3, 2.2, -0.7)), 25, 0.5, plate),
           ("small", Slope(15, 140, (0.1, 0.2, 0.3)), 15, 0.08, {"dt": 1 / 240})]
    if not study.options.quick:
        own += [("large", Slope(8, 200), 30, 2.0, {}), ("step 1/60", Slope(10, 33), 20, 0.5, {"dt": 1 / 60}),
                ("step 1/1000", Slope(10, 33), 20, 0.3, {"dt": 1 / 1000})]
    for label, slope, half, height, keywords in own:
        name = f"cone {label}"
        add(study, cases, name, cone_scene(slope, half, height, 3.0, 3 * cone_period(half, height, slope.angle),
                                           **keywords))
        meaning[name] = (slope, half, height)
    for name, output in study.run_all(cases).items():
        judge_cone(study.checks, name, output.probes(), *meaning[name])


# ---- coins ----


def judge_coin(checks, label, probes, radius, tilt):
    time, axis = probes["time"], axes_of(probes, "coin")
    lean = np.degrees(np.arctan2(np.hypot(axis[:, 0], axis[:, 2]), np.abs(axis[:, 1])))
    round_angle = np.unwrap(np.arctan2(axis[:, 2], axis[:, 0]))
    checks.above(f"{label}: tilt after {time[-1]:g} s, from {tilt:g} degrees", lean[-1], 5.0)
    for part in range(5): # a fifth of the run each
        rows = slice(part * len(time) // 5, (part + 1) * len(time) // 5)
        rate = abs(np.polyfit(time[rows], round_angle[rows], 1)[0])
        law = math.sqrt(4 * G / (radius * math.sin(math.radians(np.mean(lean[rows])))))
        checks.near(f"{label}: rate about {np.mean(time[rows]):.1f} s", rate, law, 5)


def check_coins(study):
    cases = {"coin": ("rigid/coin.yaml", None), "coin 40 degrees": ("rigid/coin.yaml", {"params/tilt": 40}),
             "coin radius 0.3": ("rigid/coin.yaml", {"params/radius": 0.3, "params/thick": 0.006})}
    meaning = {"coin": (0.1, 20), "coin 40 degrees": (0.1, 40), "coin radius 0.3": (0.3, 20)}
    if not study.options.quick:
        cases["coin 12 degrees"], meaning["coin 12 degrees"] = ("rigid/coin.yaml", {"params/tilt": 12}), (0.1, 12)
        cases["coin step 1/1000"] = ("rigid/coin.yaml", {"params/dt": 0.001})
        meaning["coin step 1/1000"] = (0.1, 20)
    for name, output in study.run_all(cases).items():
        judge_coin(study.checks, name, output.probes(), *meaning[name])


# ---- rollers ----


def rollers_scene(mu, apart, radius, thick, length, width, overhang, dt, speed=10.0, start=0.1):
    """Rollers on paths. The axis of a path's turn is fixed, so it is the cylinders' own, y, and gravity is along -z."""
    bodies = []
    for side in (-1, 1):
        bodies.append(f"name: roller{side + 1}, motion: kinematic, friction: {mu!r}, shape: {{cylinder: {{radius: "
                      f"{radius!r}, height: {width + 2 * overhang!r}}}}}, position: [{0.5 * side * apart!r}, 0, 0], "
                      f"orientation: {{axis: [0, 1, 0], angle: \"={-side * math.degrees(speed)!r}*t\"}}")
    bodies.append(f"name: plank, friction: {mu!r}, shape: {{box: {{size: {vector_text((length, width, thick))}}}}}, "
                  f"position: [{start!r}, 0, {radius + 0.5 * thick!r}]")
    return scene_text(bodies, 2.3 * rollers_period(mu, apart, thick), dt, (0, 0, -G), probes=("plank",))


def rollers_period(mu, apart, thick):
    return 2 * math.pi / math.sqrt(2 * mu * G / (apart - mu * thick))


def judge_rollers(checks, label, output, mu, apart, thick):
    probes = output.probes()
    times = crossings(probes["time"], probes["plank.position.x"])
    checks.true(f"{label}: two swings", len(times) >= 4, f"{len(times)} passes of the middle")
    period = rollers_period(mu, apart, thick)
    for first in range(min(len(times) - 2, 2)):
        checks.near(f"{label}: period from pass {first}", times[first + 2] - times[first], period, 1)


def check_rollers(study):
    cases, meaning = {}, {}
    steps = (60, 250) if study.options.quick else (60, 120, 250, 500, 1000)
    for overhang in (0, 0.2):
        for step in steps:
            name = f"rollers overhang={overhang} step 1/{step}"
            cases[name] = ("rigid/rollers.yaml", {"params/overhang": overhang, "params/dt": 1 / step})
            meaning[name] = (0.3, 1.5, 0.06)
    own = [("on paths", (0.25, 1.2, 0.15, 0.05, 2.5, 0.25, 0.1, 1 / 120)),
           ("on paths, no overhang", (0.4, 1.0, 0.1, 0.08, 2.0, 0.4, 0.0, 1 / 120))]
    if not study.options.quick:
        own += [("on paths, step 1/1000", (0.25, 1.2, 0.15, 0.05, 2.5, 0.25, 0.1, 1 / 1000)),
                ("shorter than the plank is wide", (0.3, 1.5, 0.2, 0.06, 3.0, 0.5, -0.1, 1 / 120))]
    for label, values in own:
        name = f"rollers {label}"
        add(study, cases, name, rollers_scene(*values))
        meaning[name] = (values[0], values[1], values[3])
    outputs = {name: study.run(name, *case, mover=True) for name, case in cases.items()}
    for name, output in outputs.items():
        judge_rollers(study.checks, name, output, *meaning[name])


# ---- bowls ----


def pendulum_period(length, degrees):
    """Of any amplitude, by the arithmetic-geometric mean; `length` over g in place of the length of a string."""
    a, b = 1.0, math.cos(0.5 * math.radians(degrees))
    for _ in range(8):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return 2 * math.pi * math.sqrt(length / G) / a


def check_bowls(study):
    cases, meaning = {}, {}
    for radius in (0.3, 1):
        for mu in (0, 0.5):
            name = f"bowl radius={radius} mu={mu}"
            cases[name] = ("rigid/bowl.yaml", {"params/radius": radius, "params/mu": mu})
            meaning[name] = (0.9 * radius, 30, 7 / 5 if mu else 1)
    if not study.options.quick:
        for radius, angle, ball in ((0.3, 60, 0.1), (1, 10, 0.02), (2, 30, 0.3)):
            name = f"bowl radius={radius} angle={angle} ball={ball}"
            cases[name] = ("rigid/bowl.yaml", {"params/radius": radius, "params/angle": angle, "params/ball": ball})
            meaning[name] = (radius - ball, angle, 1)
    for name, output in study.run_all(cases).items():
        arm, angle, slower = meaning[name]
        probes = output.probes()
        swing = np.arctan2(probes["ball.position.x"], -probes["ball.position.y"])
        tops = np.degrees(peaks(swing))
        worst = np.max(1 - (tops[2:] / tops[:-2])) if len(tops) > 2 else 1.0
        study.checks.below(f"{name}: loss of amplitude a swing, worst of {len(tops) // 2}", worst, 0.01)
        times = crossings(probes["time"], swing)
        last = len(times) - 1 - (len(times) - 1) % 2
        study.checks.near(f"{name}: period", 2 * (times[last] - times[0]) / last,
                          pendulum_period(slower * arm, angle), 1)


# ---- rest ----


def check_rest(study):
    """Cans stand and lie, stacks of cans and coins stand, and nothing moves once it does."""
    floor = "name: floor, motion: static, shape: {half_space: {}}"
    table = "name: floor, motion: static, shape: {box: {size: [4, 1, 4]}}, position: [0, -0.5, 0]"
    can = "shape: {cylinder: {radius: 0.1, height: 0.3}}"
    coin = "shape: {cylinder: {radius: 0.1, height: 0.01}}"
    stack = [f"name: b{i}, {can}, position: [{0.005 * (i % 2)!r}, {0.15 + 0.3 * i!r}, 0], orientation: {{angle: {37 * i}}}"
             for i in range(5)]
    coins = [f"name: b{i}, {coin}, position: [{0.03 * math.cos(i)!r}, {0.005 + 0.01 * i!r}, {0.03 * math.sin(i)!r}]"
             for i in range(10)]
    lying = ["name: b0, shape: {cylinder: {radius: 0.1, height: 0.3}}, position: [0.3, 0.1, 0], orientation: "
             "{axis: [0, 0, 1], angle: 90}",
             "name: b1, shape: {cone: {radius: 0.1, height: 0.2}}, position: [-0.5, 0.1, 0.3]",
             "name: b2, shape: {cylinder: {radius: 0.1, height: 0.01}}, position: [0, 0.005, 0.9]"]
    over = ["name: b0, shape: {cylinder: {radius: 0.1, height: 0.05}}, position: [2.09, 0.025, 0.3]",
            "name: b1, shape: {cylinder: {radius: 0.1, height: 0.05}}, position: [-0.3, 0.025, 1.95]"]
    cases, counts = {}, {}
    for label, ground, bodies in (("stack of cans", floor, stack), ("stack of cans on a box", table, stack),
                                  ("pile of coins", floor, coins), ("single ones", floor, lying),
                                  ("single ones on a box", table, lying), ("over the edge", table, over)):
        add(study, cases, label, scene_text([ground, *bodies], 3.0, 1 / 120, contact="{sleep: false}",
                                            probes=[f"b{i}" for i in range(len(bodies))]))
        counts[label] = len(bodies)
    for name, output in study.run_all(cases).items():
        probes = output.probes()
        late = probes["time"] >= 1
        moved, late_moved = 0.0, 0.0
        for i in range(counts[name]):
            if name == "over the edge" and i == 0:
                continue # its middle is beyond the edge
            x = probes.vector(f"b{i}.position")
            moved = max(moved, np.max(np.linalg.norm(x - x[0], axis=1)))
            late_moved = max(late_moved, np.max(np.linalg.norm(x[late] - x[late][0], axis=1)))
        study.checks.below(f"{name}: moves in all, m", moved, 1e-3)
        study.checks.below(f"{name}: moves after the first second, m", late_moved, 1e-6)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        study = rigid_contact.Study(options, checks, folder)
        for check in (check_barrels, check_wheels, check_cones, check_coins, check_rollers, check_bowls, check_rest):
            study.attempt(check)
    study.finish()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Friction against closed forms: inclines, tilting floor, pucks, slide to roll, rolling and spinning, cards."""
import math
import os

import common
import rigid_contact
from common import np
from rigid_contact import G, scene_text, vector_text

# ---- inclines ----


def slope_axes(angle):
    """Down the slope and out of it; the slope is tilted about z and goes down to +x."""
    a = math.radians(angle)
    return np.array([math.cos(a), -math.sin(a), 0]), np.array([math.sin(a), math.cos(a), 0])


def travel(probes, down, out, name="block"):
    """Distance down the slope and out of it, and what is across, at every row."""
    moved = probes.vector(f"{name}.position") - probes.vector(f"{name}.position")[0]
    return moved @ down, moved @ out, moved @ np.cross(down, out)


def distance_at(t, v0, pull):
    """From speed v0 with acceleration `pull` (m/s^2) that, where negative, is friction's and ends in rest."""
    if pull < 0:
        t = np.minimum(t, v0 / -pull)
    return v0 * t + 0.5 * pull * t * t


def pull_of(angle, mu, g=G):
    a = math.radians(angle)
    return g * (math.sin(a) - mu * math.cos(a))


def judge_incline(checks, label, probes, angle, mu, v0, axes=None, pull=None, name="block"):
    """One incline run against the closed form. `axes`: down the slope and out of it."""
    down, out = axes if axes is not None else slope_axes(angle)
    pull = pull_of(angle, mu) if pull is None else pull
    time = probes["time"]
    along, off, across = travel(probes, down, out, name)
    if v0 == 0 and pull < 0:
        moved = np.max(np.linalg.norm(np.stack([along, off, across]), axis=0))
        checks.below(f"{label}: at rest, moves in {time[-1]:g} s, m", moved, 1e-6)
        return
    expected = distance_at(time[-1], v0, pull)
    checks.near(f"{label}: distance after {time[-1]:g} s", along[-1], expected, 0.5)
    if pull < 0:
        stop = v0 / -pull
        later = np.flatnonzero(time >= 1.02 * stop + 0.05)
        if time[-1] - time[later[0]] < 10:
            raise RuntimeError(f"{label}: the run ends less than 10 s after the stop")
        still = np.stack([along, off, across])[:, later]
        checks.below(f"{label}: moves after the stop in {time[-1] - time[later[0]]:.1f} s, m",
                     np.max(np.linalg.norm(still - still[:, :1], axis=0)), 1e-4)
        # A time is known to a step.
        checks.within(f"{label}: stops after, s", time[np.argmax(along >= along[-1] - 1e-6)], stop,
                      max(0.01 * stop, np.max(np.diff(time))))
    checks.below(f"{label}: leaves the slope by, m", np.max(np.abs(off)), 1e-3)
    checks.below(f"{label}: drifts across by, over the distance", np.max(np.abs(across)) / expected, 5e-3)


def incline_pairs(quick):
    """Angles and coefficients of the gate: 5 to 60 degrees, 0 to 0.9, not within 0.05 of the limit."""
    angles = (5, 20, 38, 60) if quick else (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60)
    mus = (0, 0.25, 0.5, 0.9) if quick else (0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    pairs = [(a, m) for a in angles for m in mus if abs(math.tan(math.radians(a)) - m) > 0.05]
    # and right beside the limit
    for angle in angles:
        limit = math.tan(math.radians(angle))
        pairs += [(angle, round(limit + side, 6)) for side in (-0.051, 0.051) if 0 <= limit + side <= 0.9]
    return pairs


def check_inclines(study):
    cases, meaning = {}, {}
    for angle, mu in incline_pairs(study.options.quick):
        name = f"incline_accelerate angle={angle} mu={mu}"
        cases[name] = ("rigid/incline_accelerate.yaml", {"params/angle": angle, "params/mu": mu})
        meaning[name] = (angle, mu, 0)
        v0, pull = 1.25, pull_of(angle, mu)
        name = f"incline_decelerate angle={angle} mu={mu} v0={v0}"
        duration = 1 if pull >= 0 else math.ceil(1.02 * v0 / -pull + 10.1)
        cases[name] = ("rigid/incline_decelerate.yaml",
                       {"params/angle": angle, "params/mu": mu, "params/v0": v0, "duration": duration})
        meaning[name] = (angle, mu, v0)
    for name, output in study.run_all(cases).items():
        judge_incline(study.checks, name, output.probes(), *meaning[name])


def check_incline_rest(study):
    checks = study.checks
    cases = {f"incline_rest angle={angle} mu={mu}": ("rigid/incline_rest.yaml",
                                                     {"params/angle": angle, "params/mu": mu})
             for angle, mu in ((20, 0.5), (0, 0.5), (5, 0.2), (40, 0.9))}
    for name, output in study.run_all(cases).items():
        probes = output.probes()
        checks.above(f"{name}: lasts, s", probes["time"][-1], 10 - 1e-9)
        moved = probes.vector("block.position") - probes.vector("block.position")[0]
        checks.below(f"{name}: restitution 1, moves in 10 s, m", np.max(np.linalg.norm(moved, axis=1)), 1e-6)
    output = study.run("incline_rest standard", "rigid/incline_rest.yaml",
                       {"rigid/contact/sequence": "standard"}, wrong=True)
    along, off, _ = travel(output.probes(), *slope_axes(20))
    checks.true("incline_rest, sequence standard: bounces down", np.max(along) > 0.1,
                f"{np.max(along):.3g} m down, {np.max(off):.3g} m off the slope")


# ---- other cases of the same kind: own scenes ----


class Slope:
    """A slope through `origin` whose steepest way down has the heading `heading` (degrees about y)."""

    def __init__(self, angle, heading=0.0, origin=(0, 0, 0), gravity_tilts=False):
        self.angle, self.origin = angle, np.asarray(origin, dtype=float)
        turn = common.quat_about((0, 1, 0), heading)
        self.gravity = np.array([0, -G, 0])
        if gravity_tilts: # a level floor, and a pull that is not straight down
            self.turn = turn
            a = math.radians(angle)
            self.gravity = G * common.to_world(turn, np.array([math.sin(a), -math.cos(a), 0]))
        else:
            self.turn = common.quat_multiply(turn, common.quat_about((0, 0, 1), -angle))
        self.down, self.out = (common.to_world(self.turn, np.array(v)) for v in ([1.0, 0, 0], [0, 1.0, 0]))
        self.axes = (self.down, self.out)


def slope_scene(slope, shape, height, mu, v0, duration, own_turn=None, ground="half_space: {}", dt=1 / 120,
                extra="", depth=0.0):
    """A body whose lowest point is `height` below its origin, on the slope; restitution 1."""
    q = slope.turn if own_turn is None else common.quat_multiply(slope.turn, own_turn)
    place = slope.origin + height * slope.out
    material = f"friction: {mu!r}, restitution: 1"
    bodies = [f"name: slope, motion: static, shape: {{{ground}}}, position: "
              f"{vector_text(slope.origin - depth * slope.out)}, orientation: {common.axis_angle(slope.turn)}, "
              f"{material}",
              f"name: block, shape: {{{shape}}}, position: {vector_text(place)}, orientation: "
              f"{common.axis_angle(q)}, velocity: {vector_text(v0 * slope.down)}, {material}{extra}"]
    return scene_text(bodies, duration, dt, slope.gravity, probes=("block",))


BLOCK = ("box: {size: [0.4, 0.1, 0.4]}", 0.05)
ALONG = common.quat_about((0, 0, 1), 90) # a capsule's axis from y to the slope's way down
ACROSS = common.quat_about((1, 0, 0), 90)


def variations(quick):
    """(label, slope keywords, shape, height, further keywords of the scene)."""
    block, height = BLOCK
    found = [("about x", {"heading": 90}, block, height, {}),
             ("heading 37", {"heading": 37}, block, height, {}),
             ("block turned by 30", {}, block, height, {"own_turn": common.quat_about((0, 1, 0), 30)}),
             ("1000 m away", {"origin": (1000, 1000, -1000)}, block, height, {}),
             ("a fraction away", {"origin": (0.12345, 0.777, -0.31)}, block, height, {}),
             ("on a box", {}, block, height, {"ground": "box: {size: [60, 1, 4]}", "depth": 0.5}),
             ("tilted gravity", {"gravity_tilts": True, "heading": 50}, block, height, {}),
             ("4 cm block", {}, "box: {size: [0.04, 0.01, 0.04]}", 0.005, {}),
             ("4 m block", {}, "box: {size: [4, 1, 4]}", 0.5, {}),
             ("cube", {}, "box: {size: [0.2, 0.2, 0.2]}", 0.1, {}),
             ("standing cylinder", {}, "cylinder: {radius: 0.2, height: 0.1}", 0.05, {}),
             ("capsule lying along", {}, "capsule: {radius: 0.1, height: 0.6}", 0.1, {"own_turn": ALONG}),
             ("flat ring", {}, "torus: {radius: 0.4, tube: 0.1}", 0.1, {})]
    if not quick:
        found += [("heading 200, 30 m away", {"heading": 200, "origin": (30.1, -7.3, 2.2)}, block, height, {}),
                  ("heavy", {}, block, height, {"extra": ", density: 20000"}),
                  ("light", {}, block, height, {"extra": ", density: 1"}),
                  ("step 1/30", {}, block, height, {"dt": 1 / 30}),
                  ("step 1/60", {}, block, height, {"dt": 1 / 60}),
                  ("step 1/1000", {}, block, height, {"dt": 1 / 1000}),
                  ("long plank", {}, "box: {size: [2, 0.05, 0.3]}", 0.025, {}),
                  ("tall box across", {}, "box: {size: [0.3, 0.3, 2]}", 0.15, {}),
                  ("standing cone", {}, "cone: {radius: 0.3, height: 0.3}", 0.15, {}),
                  ("turned capsule along", {"heading": 61}, "capsule: {radius: 0.05, height: 0.9}", 0.05,
                   {"own_turn": ALONG}),
                  ("cylinder on a box", {"heading": 0}, "cylinder: {radius: 0.2, height: 0.1}", 0.05,
                   {"ground": "box: {size: [60, 1, 4]}", "depth": 0.5})]
    return found


def check_variations(study):
    cases, meaning = {}, {}
    motions = (("speeds up", 20, 0.25, 0, 1), ("stops", 20, 0.5, 1.25, 12), ("rests", 20, 0.5, 0, 10))
    for label, placing, shape, height, keywords in variations(study.options.quick):
        for what, angle, mu, v0, duration in motions:
            slope = Slope(angle, **placing)
            name = f"{label} {what}"
            path = common.write_scene(study.folder, name.replace(" ", "_").replace("/", "_") + ".yaml",
                                      slope_scene(slope, shape, height, mu, v0, float(duration), **keywords))
            cases[name], meaning[name] = (path, None), (angle, mu, v0, slope.axes)
    for name, output in study.run_all(cases).items():
        judge_incline(study.checks, name, output.probes(), *meaning[name])


def check_rolling_down(study):
    """A ball and a capsule lying across: they roll where friction holds, and slip where it does not."""
    cases, meaning = {}, {}
    inertia = 0.4 * 0.1**2
    for angle, mu, heading in ((10, 0.3, 0), (20, 0.5, 25), (40, 0.1, 0), (30, 0.05, 110)):
        slope = Slope(angle, heading=heading)
        a = math.radians(angle)
        for shape, height, k, extra in (
                ("ball: {radius: 0.1}", 0.1, 0.4, f", mass: 1, inertia: [{inertia}, {inertia}, {inertia}]"),
                ("capsule: {radius: 0.1, height: 0.5}", 0.1, 0.45, ", mass: 1, inertia: [0.06, 0.0045, 0.06]")):
            holds = math.tan(a) <= mu * (1 + 1 / k)
            pull = G * math.sin(a) / (1 + k) if holds else pull_of(angle, mu)
            name = f"{shape[:shape.index(':')]} angle={angle} mu={mu} {'rolls' if holds else 'slips'} down"
            path = common.write_scene(study.folder, name.replace(" ", "_") + ".yaml", slope_scene(
                slope, shape, height, mu, 0.0, 1.0, own_turn=ACROSS, extra=extra))
            cases[name], meaning[name] = (path, None), (angle, mu, 0, slope.axes, pull)
    for name, output in study.run_all(cases).items():
        angle, mu, v0, axes, pull = meaning[name]
        along, off, across = travel(output.probes(), *axes)
        expected = 0.5 * pull * output.probes()["time"][-1]**2
        study.checks.near(f"{name}: distance", along[-1], expected, 0.5)
        study.checks.below(f"{name}: leaves the slope by, m", np.max(np.abs(off)), 1e-3)
        study.checks.below(f"{name}: drifts across by, over the distance", np.max(np.abs(across)) / expected, 5e-3)


# ---- tilting floor ----


def slip_angle(probes):
    """Degrees of tilt at which the block begins to slide on the floor, by the time at which it has slid 1 mm:
    from rest with a pull that grows evenly, s = g w (t - t0)^3 / (6 cos). And how far it had crept before
    98% of that angle."""
    time = probes["time"]
    q = probes.vector("floor.orientation", "wxyz")
    # The floor turns about the origin.
    place = common.to_body(q, probes.vector("block.position"))
    slid = np.linalg.norm((place - place[0])[:, [0, 2]], axis=1)
    tilt = common.quat_angle(q[0], q)
    beyond = np.flatnonzero(slid > 1e-3)
    if not len(beyond):
        return math.nan, math.nan
    at = beyond[0]
    rate = (tilt[at] - tilt[at - 1]) / (time[at] - time[at - 1])
    onset = tilt[at] - rate * (6 * slid[at] * math.cos(tilt[at]) / (G * rate))**(1 / 3)
    return math.degrees(onset), np.max(slid[tilt < 0.98 * onset])


def check_tilting_floor(study):
    values = (0.1, 0.15, 0.2, 0.3, 0.4) if study.options.quick else (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
    cases = {f"tilting_floor mu={mu}": ("rigid/tilting_floor.yaml", {"params/mu": mu}, "--state-every", 10000)
             for mu in values}
    # The floor moves the block: its energy grows.
    outputs = {}
    for name, case in cases.items():
        outputs[name] = study.run(name, *case, mover=True, timeout=200)
    for (name, output), mu in zip(outputs.items(), values):
        onset, crept = slip_angle(output.probes())
        study.checks.near(f"{name}: slips at, degrees", onset, math.degrees(math.atan(mu)), 1)
        study.checks.below(f"{name}: crept before 98% of that, m", crept, 1e-4)


# ---- R10, R5: pucks and balls on a level floor ----


def check_pucks(study):
    checks = study.checks
    directions = (0, 30, 45, 77, 180, 233.3) if study.options.quick else range(0, 360, 15)
    values = ((0.3, 2),) if study.options.quick else ((0.3, 2), (0.1, 1), (0.8, 5))
    for mu, v0 in values:
        cases = {f"puck mu={mu} v0={v0} direction={d}":
                 ("rigid/puck.yaml", {"params/mu": mu, "params/v0": v0, "params/direction": d,
                                      "duration": math.ceil(v0 / (mu * G)) + 1}) for d in directions}
        found, headings = [], []
        expected = v0**2 / (2 * mu * G)
        for name, output in study.run_all(cases).items():
            path = output.probes().vector("puck.position")
            way = path[-1] - path[0]
            found.append(np.hypot(way[0], way[2]))
            start = output.probes().vector("puck.velocity")[0]
            headings.append(abs(math.degrees(math.asin(np.cross(start, way)[1] /
                                                        (np.linalg.norm(start) * np.linalg.norm(way))))))
            checks.near(f"{name}: stops after, m", found[-1], expected, 1)
        checks.below(f"puck mu={mu} v0={v0}: spread of {len(found)} directions, percent",
                     (max(found) - min(found)) / expected * 100, 0.5)
        checks.note(f"puck mu={mu} v0={v0}: turned from its heading by at most {max(headings):.3g} degrees")


def rolling_start(probes, radius, way):
    """Time from which on the ball rolls: where the line through its slip, from 90% to 10% of the start, ends.
    And the distance until then, the speed at the end, and the slip left at the end."""
    time, velocity = probes["time"], probes.vector("ball.velocity")
    contact = velocity + np.cross(probes.vector("ball.angular_velocity"), [0, -radius, 0])
    slip = contact @ way
    part = np.flatnonzero((slip < 0.9 * slip[0]) & (slip > 0.1 * slip[0]))
    line = np.polyfit(time[part], slip[part], 1)
    start = -line[1] / line[0]
    moved = (probes.vector("ball.position") - probes.vector("ball.position")[0]) @ way
    return start, np.interp(start, time, moved), (velocity @ way)[-1], np.linalg.norm(contact[-1])


def check_slide_to_roll(study):
    checks = study.checks
    values = ((0.2, 2), (0.1, 1), (0.6, 3)) if study.options.quick else tuple(
        (mu, v0) for mu in (0.05, 0.1, 0.2, 0.4, 0.8) for v0 in (0.5, 1, 2, 4))
    cases, meaning = {}, {}
    for mu, v0 in values:
        end = 2 * v0 / (7 * mu * G)
        # A slide of some steps at least, or there is no line to fit.
        values_set = {"params/mu": mu, "params/v0": v0, "duration": max(1.0, 1.3 * end),
                      "time_step/max_dt": min(1 / 120, end / 10)}
        name = f"slide_to_roll mu={mu} v0={v0}"
        cases[name], meaning[name] = ("rigid/slide_to_roll.yaml", values_set), (mu, v0, end, np.array([1.0, 0, 0]))
    way = np.array([math.cos(0.7), 0, -math.sin(0.7)])
    name = "slide_to_roll mu=0.2 v0=2 in another direction"
    cases[name] = ("rigid/slide_to_roll.yaml", {"rigid/bodies/ball/velocity": vector_text(2 * way)})
    meaning[name] = (0.2, 2, 4 / (1.4 * G), way)
    for name, output in study.run_all(cases).items():
        mu, v0, end, way = meaning[name]
        start, distance, speed, slip = rolling_start(output.probes(), 0.1, way)
        checks.near(f"{name}: rolls at 5/7 v0", speed, 5 / 7 * v0, 1)
        checks.near(f"{name}: from, s", start, end, 1)
        checks.near(f"{name}: after, m", distance, 12 * v0**2 / (49 * mu * G), 1)
        checks.below(f"{name}: slip at the end over v0", slip / v0, 0.01)


def slowing(time, speed):
    """Deceleration by a line through the samples between 90% and 20% of the start."""
    part = np.flatnonzero((speed < 0.9 * speed[0]) & (speed > 0.2 * speed[0]))
    return -np.polyfit(time[part], speed[part], 1)[0]


def check_rolling_friction(study):
    """A lever arm c: the ball rolls slower by c g / (r (1 + 2/5)), and spins slower by c g / (2/5 r^2)."""
    checks = study.checks
    cases, meaning = {}, {}
    for arm in (0.002, 0.004) if study.options.quick else (0.0005, 0.001, 0.002, 0.004, 0.01):
        for radius in (0.1,) if study.options.quick else (0.1, 0.25):
            pull = arm * G / (radius * 1.4)
            name = f"roll_stop arm={arm} radius={radius}"
            cases[name] = ("rigid/roll_stop.yaml", {"params/arm": arm, "params/radius": radius,
                                                    "duration": math.ceil(1.2 * 0.5 / pull)})
            meaning[name] = (radius, pull)
            pull = arm * G / (0.4 * radius**2)
            name = f"spin_stop arm={arm} radius={radius}"
            cases[name] = ("rigid/spin_stop.yaml", {"params/arm": arm, "params/radius": radius,
                                                    "duration": math.ceil(1.2 * 10 / pull)})
            meaning[name] = (radius, pull)
    for name, output in study.run_all(cases).items():
        radius, pull = meaning[name]
        probes = output.probes()
        if name.startswith("roll"):
            speed, unit = np.linalg.norm(probes.vector("ball.velocity")[:, [0, 2]], axis=1), "m/s"
            turning = np.linalg.norm(probes.vector("ball.angular_velocity")[:, [0, 2]], axis=1)
            rolling = speed > 0.2 * speed[0]
            checks.below(f"{name}: rolls all the while, slip over the speed",
                         np.max(np.abs(turning * radius / speed - 1)[rolling]), 0.01)
        else:
            speed, unit = np.abs(probes["ball.angular_velocity.y"]), "rad/s"
        checks.near(f"{name}: slows by, {unit}^2", slowing(probes["time"], speed), pull, 1)
        checks.below(f"{name}: stands at the end, {unit}", speed[-1], 1e-6)


# ---- R13: cards ----


def card_motion(output):
    """Farthest that a vertex of the cards has gone from where it was, over the length of a card."""
    bodies = common.Bodies(output)
    first = bodies.read(0)
    names = [part for part in bodies.parts if len(part)]
    moved, length = 0.0, 0.0
    for part in names:
        extent = np.linalg.norm(np.ptp(first[part], axis=0)[:2])
        steps = max(np.max(np.linalg.norm(bodies.read(n)[part] - first[part], axis=1)) for n in bodies.numbers)
        if steps > 0:
            moved, length = max(moved, steps), extent
    return moved / length if length else 0.0


def check_cards(study):
    checks = study.checks
    cases, stands = {}, {}
    for angle, mu in ((25, 0.30), (25, 0.18)):
        cases[f"cards angle={angle} mu={mu}"] = ("rigid/cards.yaml", {"params/angle": angle, "params/mu": mu})
        stands[f"cards angle={angle} mu={mu}"] = mu > 0.2
    for angle in (15, 35) if study.options.quick else (10, 15, 20, 25, 30, 35, 45):
        for side in (0.9, 1.1):
            mu = round(side * math.tan(math.radians(angle)) / 2, 6)
            name = f"cards angle={angle} mu={mu}"
            cases[name], stands[name] = ("rigid/cards.yaml", {"params/angle": angle, "params/mu": mu}), side > 1
    for name, output in study.run_all(cases).items():
        moved = card_motion(output)
        checks.above(f"{name}: lasts, s", output.stats()["time"][-1], 10 - 1e-9)
        if stands[name]:
            checks.below(f"{name}: stands, moves over the length", moved, 0.01)
        else:
            checks.above(f"{name}: falls, moves over the length", moved, 0.1)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        study = rigid_contact.Study(options, checks, folder)
        for check in (check_inclines, check_incline_rest, check_variations, check_rolling_down, check_tilting_floor,
                      check_pucks, check_slide_to_roll, check_rolling_friction, check_cards):
            study.attempt(check)
    study.finish()


if __name__ == "__main__":
    main()

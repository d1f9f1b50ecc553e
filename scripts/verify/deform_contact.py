#!/usr/bin/python3
"""Deformable solids that meet rigid ones: slopes with friction, a stop that lasts, and plates that squeeze."""
import math

import common
import deform
from common import h5py, np
from deform import column, vector

G = 9.81
BODIES = ("box", "dot") # a soft box, a single particle


def along(probes, body, angle):
    """Where a body is and how fast it is down the slope; how fast it leaves the slope."""
    down = np.array([math.cos(math.radians(angle)), -math.sin(math.radians(angle)), 0])
    up = np.array([math.sin(math.radians(angle)), math.cos(math.radians(angle)), 0])
    place, speed = vector(probes, f"{body}.center"), vector(probes, f"{body}.velocity")
    return (place - place[0]) @ down, speed @ down, (place - place[0]) @ up


# ---- gate 7: slopes ----

SLOPES = [ # degrees, friction, speed at the start, seconds
    (20, 0.25, 0, 1), (60, 0.5, 0, 1), (5, 0.5, 3.5, 0.7), (45, 0, 0, 1),
    (5, 0, 0, 1), (5, 0.05, 0, 1), (10, 0.1, 0, 1), (30, 0.5, 0, 1), (30, 0.9, 3, 1), (45, 0.8, 0, 1), (60, 1.2, 0, 1),
    (60, 0, 0, 1)]


def check_slopes(options, checks, folder):
    """Both gain g (sin a - mu cos a), to 2% of g sin a."""
    for angle, mu, v0, time in SLOPES[:4] if options.quickest else SLOPES[:7] if options.quick else SLOPES:
        name = f"slope {angle} degrees, mu {mu:g}, {v0:g} m/s"
        probes = deform.run(options, folder, name, "incline",
                            {"params/angle": angle, "params/mu": mu, "params/v0": v0, "params/time": time}).probes()
        t = column(probes, "time")
        pull = G * math.sin(math.radians(angle))
        expected = pull - mu * G * math.cos(math.radians(angle))
        for body in BODIES:
            place, speed, lift = along(probes, body, angle)
            rows = t >= 0.2 * time
            found = np.polyfit(t[rows], speed[rows], 1)[0]
            checks.below(f"{name}: {body} gains {found:.5f} expected {expected:.5f} m/s^2, off by over g sin a",
                         abs(found - expected) / pull, 0.02)
            moved = v0 * t[-1] + expected * t[-1] ** 2 / 2
            checks.below(f"{name}: {body} moved {place[-1]:.5f} expected {moved:.5f} m, off by over g sin a t^2/2",
                         abs(place[-1] - moved) / (pull * t[-1] ** 2 / 2), 0.02)
            checks.below(f"{name}: {body} leaves the slope by, m", np.max(lift), 1e-3)


def check_stop(options, checks, folder):
    """R3: as R2's rigid box, within 2%; then it stays: creep below 1e-6 m/s."""
    cases = [(20, 0.5, 1.25, 1e6)]
    if not options.quick:
        cases += [(20, 0.5, 1.25, 1e5), (10, 0.3, 1.0, 1e6), (40, 1.0, 1.0, 1e6)]
    for angle, mu, v0, young in cases:
        loss = G * (mu * math.cos(math.radians(angle)) - math.sin(math.radians(angle)))
        time = v0 / loss + (1.5 if options.quickest else 5 if options.quick else 10)
        name = f"stop at {angle} degrees, mu {mu:g}, {v0:g} m/s, E {young:g}"
        probes = deform.run(options, folder, name, "incline",
                            {"params/angle": angle, "params/mu": mu, "params/v0": v0, "params/time": time,
                             "params/E": young}).probes()
        t = column(probes, "time")
        for body in BODIES:
            place, speed, _ = along(probes, body, angle)
            # Where the line through the falling speed meets zero.
            rows = (speed > 0.1 * v0) & (t < v0 / loss * 1.5)
            slope, start = np.polyfit(t[rows], speed[rows], 1)
            checks.near(f"{name}: {body} stops at, s", -start / slope, v0 / loss, 2)
            end = np.searchsorted(t, v0 / loss + 0.5)
            checks.near(f"{name}: {body} stops after, m", place[end], v0 ** 2 / (2 * loss), 2)
            creep = abs(place[-1] - place[end]) / (t[-1] - t[end])
            checks.below(f"{name}: {body} creeps over {t[-1] - t[end]:.1f} s at, m/s", creep, 1e-6)


# ---- gate 7: squash ----


def check_squash(options, checks, folder):
    """No node deeper than 1e-3 of the body in the plates."""
    cases = [{}] if options.quickest else [{}, {"mu": 0}, {"gap": 0.25}]
    if not options.quick:
        cases += [{"spacing": 0.08}, {"nu": 0.2, "gap": 0.3}, {"integrator": "midpoint"}, {"integrator": "newmark"}]
    for case in cases:
        values = {(f"deformable/{key}" if key == "integrator" else f"params/{key}"): value for key, value in case.items()}
        name = "squash" + "".join(f" {key} {value}" for key, value in case.items())
        if options.quickest:
            values["params/spacing"] = 0.17
        output = deform.run(options, folder, name, "squash", values)
        probes, stats = output.probes(), output.stats()
        t = column(probes, "time")
        size, deepest, gap = 1.0, 0.0, math.inf
        for number in output.numbered("frame"):
            with h5py.File(output.frame(number), "r") as file:
                y = file["deformable/vertices"][()].astype(float)[:, 1]
                row = int(np.argmin(np.abs(t - float(file.attrs["time"]))))
            floor = column(probes, "lower.position.y")[row] + 0.05
            top = column(probes, "upper.position.y")[row] - 0.05
            deepest, gap = max(deepest, floor - y.min(), y.max() - top), min(gap, top - floor)
        checks.below(f"{name}: deepest node in a plate in the frames, over the size (gap down to {gap:.3f} m)",
                     deepest / size, 1e-3)
        checks.below(f"{name}: deepest in any step as the program counts, over the size",
                     np.max(column(stats, "penetration.deform")) / size, 1e-3)
        checks.true(f"{name}: it was pressed", np.max(column(probes, "ball.energy")) > 100,
                    f"{np.max(column(probes, 'ball.energy')):.1f} J, least volume over the first "
                    f"{np.min(column(probes, 'ball.volume')) / column(probes, 'ball.volume')[0]:.4f}")


# ---- edges and seams ----

TILES = """\
plimsoll: 1
name: tiles
duration: 0.9
fps: 60
time_step: {{max_dt: "=1/240"}}
rigid:
  bodies:
    - {{name: tile, motion: static, shape: {{box: {{size: [0.4, 0.2, 2]}}}}, position: ["=-1.2 + 0.4*n", -0.1, 0], friction: 0.3,
       repeat: {{count: 8, spacing: [0, 0, 0]}}}}
deformable:
  bodies:
    - {{name: soft, shape: {{box: {{size: [0.3, 0.1, 0.3]}}}}, cells: [4, 2, 4], position: [-0.73, 0.0501, 0],
       orientation: {{axis: [0, 1, 0], angle: {yaw}}}, velocity: [2, 0, 0], density: 300, young: {young}, friction: 0.3,
       damping: 0.01}}
probes:
  - {{name: soft, quantities: [center]}}
"""

BED = """\
plimsoll: 1
name: bed
duration: 0.6
fps: 60
time_step: {{max_dt: "=1/480"}}
gravity: ["=9.81*sin({angle}*pi/180)", "=-9.81*cos({angle}*pi/180)", 0]
rigid:
  bodies:
    - {{name: crate, shape: {{box: {{size: [0.2, 0.1, 0.2]}}}}, mass: 1, position: [-0.5, 0.152, 0], friction: {mu}}}
deformable:
  bodies:
    - {{name: bed, shape: {{box: {{size: [1.6, 0.1, 0.4]}}}}, cells: [32, 2, 8], position: [0, 0.05, 0], density: 500,
       young: 2.0e+6, friction: {mu}, damping: 0.005,
       pins: [{{name: under, in: {{place: {{position: [0, -0.05, 0], shape: {{box: {{size: [2, 0.01, 1]}}}}}}}}}}]}}
probes:
  - {{name: crate, quantities: [position, velocity]}}
"""


def check_seams(options, checks, folder):
    """A soft block slides over flush tiles as over one slab."""
    for yaw, young in [(23, 2e4)] if options.quickest else [(0, 1e5), (23, 1e5), (0, 2e4), (23, 2e4), (45, 2e4)]:
        name = f"soft block over tiles, turned by {yaw} degrees, E {young:g}"
        path = common.write_scene(folder, "tiles.yaml", TILES.format(yaw=yaw, young=young))
        center = vector(deform.run(options, folder, name.replace(" ", "_"), path).probes(), "soft.center")
        checks.near(f"{name}: way, m", center[-1, 0] - center[0, 0], 2**2 / (2 * 0.3 * G), 1)
        checks.below(f"{name}: aside, m", float(np.max(np.abs(center[:, 2]))), 1e-3)
        checks.below(f"{name}: hops by, m", float(np.max(center[:, 1]) - center[0, 1]), 1e-4)


def check_bed(options, checks, folder):
    """A crate slides down a soft bed: it gains g (sin a - mu cos a), and does not run into what it presses in."""
    for angle, mu in [(25, 0.2)] if options.quickest else [(25, 0.2), (35, 0.4)]:
        name = f"crate on a soft bed at {angle} degrees, mu {mu:g}"
        path = common.write_scene(folder, "bed.yaml", BED.format(angle=angle, mu=mu))
        probes = deform.run(options, folder, name.replace(" ", "_"), path).probes()
        t, speed, a = column(probes, "time"), vector(probes, "crate.velocity")[:, 0], math.radians(angle)
        rows = (t > 0.15) & (t < 0.55)
        found, expected = np.polyfit(t[rows], speed[rows], 1)[0], G * (math.sin(a) - mu * math.cos(a))
        checks.below(f"{name}: gains {found:.4f} expected {expected:.4f} m/s^2, off by over g sin a",
                     abs(found - expected) / (G * math.sin(a)), 0.03)


if __name__ == "__main__":
    common.verify(__doc__, (check_slopes, check_stop, check_squash, check_seams, check_bed))

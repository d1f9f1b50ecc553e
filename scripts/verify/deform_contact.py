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


if __name__ == "__main__":
    common.verify(__doc__, (check_slopes, check_stop, check_squash))

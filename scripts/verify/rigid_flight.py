#!/usr/bin/python3
"""Free flight against the parabola, and prescribed motion against its derivatives."""
import math
import os

import common
from common import np

G = 9.81


def landing(time, x, y):
    """Where the parabola through the three samples around the last fall through y = 0 has its root."""
    after = next(i for i in range(len(y) - 1, 0, -1) if y[i] < 0 <= y[i - 1])
    three = slice(after - 2, after + 1)
    t = time[three] - time[after - 1]
    # Newton's form, then Newton's method from the straight line: no large numbers are subtracted.
    slope = (y[after] - y[after - 1]) / t[2]
    curve = (slope - (y[after - 1] - y[after - 2]) / -t[0]) / (t[2] - t[0])
    height = lambda s: y[after - 1] + s * (slope + (s - t[2]) * curve)
    root = -y[after - 1] / slope
    for _ in range(10):
        root -= height(root) / (slope + (2 * root - t[2]) * curve)
    forward = (x[after] - x[after - 1]) / t[2]
    bend = (forward - (x[after - 1] - x[after - 2]) / -t[0]) / (t[2] - t[0])
    return x[after - 1] + root * (forward + (root - t[2]) * bend)


def check_throw(options, checks, folder):
    cases = [(10, 45, 0, 0.01), (10, 30, 0, 0.01), (10, 60, 0, 0.02), (25, 15, 0, 0.04),
             (3, 80, 0, 0.005), (40, 50, 0, 0.02), (10, 45, 5, 0.01), (12, 0, 20, 0.0025),
             (7.3, 33.3, 1.7, 0.013)]
    for case, (v0, elevation, h0, dt) in enumerate(cases[:4] if options.quick else cases):
        label = f"throw v0={v0} elevation={elevation} h0={h0} dt={dt}"
        output = common.run(options.program, common.scene_path("rigid/throw.yaml"),
                            os.path.join(folder, f"throw{case}"),
                            {"params/v0": v0, "params/elevation": elevation, "params/h0": h0,
                             "params/dt": dt}, "--threads", 1)
        probes, stats = output.probes(), output.stats()
        t = probes["time"]
        vx, vy = v0 * math.cos(math.radians(elevation)), v0 * math.sin(math.radians(elevation))
        position = np.stack([vx * t, h0 + vy * t - 0.5 * G * t * t, 0 * t], axis=1)
        velocity = np.stack([vx + 0 * t, vy - G * t, 0 * t], axis=1)
        checks.true(f"{label} steps", np.max(np.diff(t)) <= dt * (1 + 1e-8) and
                    len(t) > t[-1] / dt, f"{len(t) - 1} of at most {dt} s")
        checks.below(f"{label} position", np.max(np.abs(probes.vector("ball.position") - position)),
                     1e-12)
        checks.below(f"{label} velocity", np.max(np.abs(probes.vector("ball.velocity") - velocity)),
                     1e-12)
        expected = (v0**2 * math.sin(2 * math.radians(elevation)) / G if h0 == 0 else
                    vx * (vy + math.sqrt(vy**2 + 2 * G * h0)) / G)
        found = landing(t, probes["ball.position.x"], probes["ball.position.y"])
        checks.below(f"{label} landing {found:.12g} expected {expected:.12g}",
                     abs(found / expected - 1), 1e-12)
        energy = stats["energy.total"]
        checks.near(f"{label} energy at the start", energy[0], 0.43 * (0.5 * v0**2 + G * h0), 1e-10)
        checks.below(f"{label} energy.total", np.max(np.abs(energy / energy[0] - 1)), 1e-12)
        checks.below(f"{label} times of both tables", np.max(np.abs(stats["time"] - t)), 0.0)
        checks.below(f"{label} dt column", np.max(np.abs(stats["dt"][1:] - np.diff(t))), 1e-15)


def check_pose(checks, label, probes, name, position, velocity, angle, rate):
    """A body at position(t) that has turned by angle about y."""
    zero = np.zeros_like(probes["time"])
    spin = np.stack([zero, zero + rate, zero], axis=1)
    turn = np.stack([np.cos(angle / 2), zero, np.sin(angle / 2), zero], axis=1)
    q = probes.vector(f"{name}.orientation", "wxyz")
    q = q * np.sign(np.sum(q * turn, axis=1))[:, None]
    for what, found, expected in (
            ("position", probes.vector(f"{name}.position"), position),
            ("velocity", probes.vector(f"{name}.velocity"), velocity),
            ("angular_velocity", probes.vector(f"{name}.angular_velocity"), spin),
            ("orientation", q, turn)):
        checks.below(f"{label} {name} {what}", np.max(np.abs(found - expected)), 1e-12)


def check_carousel(options, checks, folder):
    for case, (rate, stroke) in enumerate(((0.1, 0.4), (0.37, 1.1))):
        label = f"carousel rate={rate} stroke={stroke}"
        output = common.run(options.program, common.scene_path("rigid/carousel.yaml"),
                            os.path.join(folder, f"carousel{case}"),
                            {"params/rate": rate, "params/stroke": stroke}, "--threads", 1)
        probes = output.probes()
        t = probes["time"]
        zero, tau = 0 * t, 2 * math.pi
        checks.true(f"{label} rows", len(t) == 241, f"{len(t)}")
        still = np.stack([zero, zero, zero], axis=1)
        check_pose(checks, label, probes, "platform", still + [0, 0.1, 0], still,
                   tau * rate * t, tau * rate)
        for n in (0, 2):
            a, b = tau * (rate * t + n / 6), tau * (0.5 * t + 2 * n / 6)
            position = np.stack([2 * np.cos(a), 0.9 + 0.2 * np.sin(b), -2 * np.sin(a)], axis=1)
            velocity = np.stack([-2 * tau * rate * np.sin(a), 0.2 * tau * 0.5 * np.cos(b),
                                 -2 * tau * rate * np.cos(a)], axis=1)
            check_pose(checks, label, probes, f"horse_{n}", position, velocity, a, tau * rate)
        c = tau * 0.7
        check_pose(checks, label, probes, "piston",
                   np.stack([zero + 4, 0.7 + stroke * np.sin(c * t), zero], axis=1),
                   np.stack([zero, stroke * c * np.cos(c * t), zero], axis=1), zero, 0.0)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        check_throw(options, checks, folder)
        check_carousel(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()

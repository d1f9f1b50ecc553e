#!/usr/bin/python3
"""Rotation of free rigid bodies: gates R6 and R7, and the orders of the orientation updates.

References: Euler's equations integrated here by extrapolation of the midpoint rule, and the period of
the body-frame motion from the complete elliptic integral.
"""
import math
import os

import common
from common import np

# ---- own numerics ----


def ellipk(k2):
    """Complete elliptic integral of the first kind, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1.0 - k2)
    while abs(a - b) > 1e-15 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return math.pi / (a + b)


def free_top_period(inertia, omega):
    """Period of the body-frame angular velocity, and the modulus k^2 of its elliptic functions."""
    order = np.argsort(inertia)
    i1, i2, i3 = np.asarray(inertia, dtype=float)[order]
    w = np.asarray(omega, dtype=float)[order]
    twice_energy = i1 * w[0]**2 + i2 * w[1]**2 + i3 * w[2]**2
    momentum2 = (i1 * w[0])**2 + (i2 * w[1])**2 + (i3 * w[2])**2
    if momentum2 < twice_energy * i2:  # around the axis of least inertia: the axes change roles
        i1, i3 = i3, i1
    p = (i3 - i2) * (momentum2 - twice_energy * i1)
    k2 = (i2 - i1) * (twice_energy * i3 - momentum2) / p
    return 4.0 * ellipk(k2) * math.sqrt(i1 * i2 * i3 / p), k2


def free_top_rate(inertia, y):
    """Euler's equations in body axes and dq/dt = q omega / 2. y: omega, then w, x, y, z."""
    i1, i2, i3 = inertia
    a, b, c, w, x, yy, z = y
    return ((i2 - i3) / i1 * b * c, (i3 - i1) / i2 * c * a, (i1 - i2) / i3 * a * b,
            0.5 * (-x * a - yy * b - z * c), 0.5 * (w * a + yy * c - z * b),
            0.5 * (w * b + z * a - x * c), 0.5 * (w * c + x * b - yy * a))


def midpoint_steps(inertia, y, length, n):
    """Gragg's smoothed midpoint rule with n (even) substeps; its error is a series in (length/n)^2."""
    h = length / n
    before = y
    now = tuple(u + h * d for u, d in zip(y, free_top_rate(inertia, y)))
    for _ in range(n - 1):
        before, now = now, tuple(
            u + 2 * h * d for u, d in zip(before, free_top_rate(inertia, now)))
    after = free_top_rate(inertia, now)
    return tuple(0.5 * (v + u + h * d) for u, v, d in zip(before, now, after))


def extrapolated_step(inertia, y, length):
    counts = (2, 4, 6, 8, 10, 12, 14)
    rows = []
    for j, n in enumerate(counts):
        row = [midpoint_steps(inertia, y, length, n)]
        for k in range(1, j + 1):
            factor = 1.0 / ((n / counts[j - k])**2 - 1.0)
            row.append(tuple(u + (u - v) * factor for u, v in zip(row[k - 1], rows[-1][k - 1])))
        rows.append(row)
    return rows[-1][-1]


def free_top(inertia, omega_body, orientation, times):
    """Body-frame omega and orientation at ascending times, from t = 0. Steps of 0.1 rad at most."""
    inertia = tuple(float(i) for i in inertia)
    y = (*map(float, omega_body), *map(float, orientation))
    longest = 0.1 / max(1e-3, math.sqrt(sum(u * u for u in y[:3])))
    omegas, orientations, now = [], [], 0.0
    for time in times:
        pieces = max(1, math.ceil((time - now) / longest)) if time > now else 0
        for _ in range(pieces):
            y = extrapolated_step(inertia, y, (time - now) / pieces)
        now = time
        omegas.append(y[:3])
        orientations.append(y[3:])
    q = np.array(orientations)
    return np.array(omegas), q / np.linalg.norm(q, axis=1, keepdims=True)


def crossings(time, value):
    """Times at which samples go upward through zero, by the cubic through four of them."""
    found = []
    for i in range(1, len(value) - 2):
        if not value[i] < 0 <= value[i + 1]:
            continue
        cubic = np.polyfit(time[i - 1:i + 3] - time[i], value[i - 1:i + 3], 3)
        low, high = 0.0, time[i + 1] - time[i]
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.polyval(cubic, middle) < 0 else (low, middle)
        found.append(time[i] + low)
    return np.array(found)


# ---- what the files say ----


class Motion:
    """Probe columns of one body, with energy and momentum computed from orientation and velocity."""

    def __init__(self, output, name, inertia):
        table = output.probes()
        self.time = table["time"]
        self.orientation = table.vector(f"{name}.orientation", "wxyz")
        self.omega = table.vector(f"{name}.angular_velocity")
        self.body_omega = common.to_body(self.orientation, self.omega)
        inertia = np.asarray(inertia, dtype=float)
        self.energy = 0.5 * np.sum(inertia * self.body_omega**2, axis=1)
        self.momentum = common.to_world(self.orientation, inertia * self.body_omega)
        self.said_energy = table[f"{name}.kinetic_energy"]
        self.said_momentum = table.vector(f"{name}.angular_momentum")
        self.position = table.vector(f"{name}.position")

    def energy_drift(self):
        """Largest relative change, over own and reported figures."""
        return max(np.max(np.abs(e / self.energy[0] - 1)) for e in (self.energy, self.said_energy))

    def momentum_drift(self):
        start = self.momentum[0]
        return max(np.max(np.linalg.norm(m - start, axis=1)) / np.linalg.norm(start)
                   for m in (self.momentum, self.said_momentum))


def tumble(options, folder, name, inertia, omega, values=None):
    values = {**dict(zip(("params/i1", "params/i2", "params/i3"), map(float, inertia))),
              **dict(zip(("params/wx", "params/wy", "params/wz"), map(float, omega))),
              **(values or {})}
    output = common.run(options.program, common.scene_path("rigid/tumble.yaml"),
                        os.path.join(folder, name), values, "--threads", 1)
    return Motion(output, "top", inertia)


# ---- the gates ----


def period_of(motion, inertia):
    """From the component along the axis of middle inertia, which swings about zero in every case."""
    times = crossings(motion.time, motion.body_omega[:, np.argsort(inertia)[1]])
    return (times[-1] - times[0]) / (len(times) - 1), len(times) - 1


def check_r6(options, checks, folder):
    inertia, omega = (1, 2, 3), (1, 1, 1)
    expected, _ = free_top_period(inertia, omega)
    checks.near("R6 own elliptic integral", expected, 6.422703, 1e-4)
    output = common.run(options.program, common.scene_path("rigid/tumble.yaml"),
                        os.path.join(folder, "r6"), None, "--threads", 1)
    motion = Motion(output, "top", inertia)
    checks.below("R6 step is 0.01 s", np.max(np.abs(np.diff(motion.time) - 0.01)), 1e-12)
    checks.true("R6 a frame is ten steps", output.numbered("frame") == list(range(201))
                and len(motion.time) == 2001, f"{len(motion.time)} rows")
    period, rounds = period_of(motion, inertia)
    checks.near(f"R6 period ({rounds} rounds)", period, 6.422703, 0.5)
    checks.below("R6 L^2 = 14", np.max(np.abs(np.sum(motion.momentum**2, axis=1) / 14 - 1)), 1e-9)
    checks.below("R6 2E = 6", np.max(np.abs(2 * motion.energy / 6 - 1)), 1e-9)
    checks.below("R6 the centre stays", np.max(np.abs(motion.position)), 0.0)
    checks.below("R6 |q| = 1", np.max(np.abs(np.linalg.norm(motion.orientation, axis=1) - 1)), 1e-14)
    stats = output.stats()
    checks.below("R6 energy.kinetic in stats.csv",
                 np.max(np.abs(stats["energy.kinetic"] / 3 - 1)), 1e-9)
    checks.below("R6 angular_momentum in stats.csv",
                 np.max(np.abs(stats.vector("angular_momentum") - motion.momentum[0])) /
                 math.sqrt(14), 1e-9)

    long_run = tumble(options, folder, "r6_long", inertia, omega, {"duration": 100, "fps": 0.1})
    checks.true("R6 10000 steps", len(long_run.time) == 10001, f"{len(long_run.time) - 1} steps")
    checks.below("R6 drift of energy, 10000 steps", long_run.energy_drift(), 1e-9)
    checks.below("R6 drift of L, 10000 steps", long_run.momentum_drift(), 1e-9)


def random_top(random):
    """Inertias of a real body (sums of second moments) and a spin whose period is not too long."""
    while True:
        a, b, c = random.uniform(0.3, 2.0, 3)
        inertia, omega = (b + c, c + a, a + b), random.uniform(-1.5, 1.5, 3)
        if np.min(np.diff(np.sort(inertia))) < 0.2 or np.min(np.abs(omega)) < 0.1:
            continue
        period, k2 = free_top_period(inertia, omega)
        if k2 < 0.9 and period < 30:
            return inertia, omega, period


def check_random_tops(options, checks, folder):
    random = np.random.default_rng(6)
    for case in range(2 if options.quick else 6):
        inertia, omega, expected = random_top(random)
        label = (f"R6 random {case} I=({', '.join(f'{i:.2f}' for i in inertia)})"
                 f" w=({', '.join(f'{w:.2f}' for w in omega)})")
        frames = math.ceil(3.3 * expected)
        motion = tumble(options, folder, f"random{case}", inertia, omega,
                        {"duration": frames, "fps": 1})
        period, rounds = period_of(motion, inertia)
        checks.near(f"{label} period ({rounds} rounds)", period, expected, 0.5)
        some = slice(0, None, 10)
        reference, _ = free_top(inertia, omega, (1, 0, 0, 0), motion.time[some])
        own_drift = np.max(np.abs(np.sum(np.array(inertia) * reference**2, axis=1) /
                                  np.sum(np.array(inertia) * np.array(omega)**2) - 1))
        away = np.linalg.norm(motion.body_omega[some] - reference, axis=1)
        first_round = motion.time[some] <= expected
        scale = np.linalg.norm(omega)
        checks.below(f"{label} own integrator keeps energy", own_drift, 1e-12)
        checks.below(f"{label} body omega along one round", np.max(away[first_round]) / scale, 5e-3)
        drift = tumble(options, folder, f"drift{case}", inertia, omega,
                       {"duration": 100, "fps": 0.1})
        checks.below(f"{label} drift of energy, 10000 steps", drift.energy_drift(), 1e-9)
        checks.below(f"{label} drift of L, 10000 steps", drift.momentum_drift(), 1e-9)


def check_r7_motion(checks, label, motion, initial_energy, initial_momentum):
    checks.below(f"{label}: energy, every step", np.max(np.abs(motion.energy / initial_energy - 1)),
                 1e-8)
    checks.below(f"{label}: energy as reported",
                 np.max(np.abs(motion.said_energy / initial_energy - 1)), 1e-8)
    for what, momentum in (("", motion.momentum), (" as reported", motion.said_momentum)):
        away = np.max(np.linalg.norm(momentum - initial_momentum, axis=1))
        checks.below(f"{label}: L{what}", away / np.linalg.norm(initial_momentum), 1e-8)
    angles = common.quat_angle(motion.orientation[:-1], motion.orientation[1:])
    checks.above(f"{label}: it does turn, largest rad a step", np.max(angles), 0.1)


def check_sliver(options, checks, folder):
    size = np.array([1, 0.06, 0.08])
    mass = 2500 * np.prod(size)
    inertia = mass / 12 * (np.sum(size**2) - size**2)
    checks.within("R7 sliver: inertia ratio", np.max(inertia) / np.min(inertia), 100, 2)
    for order in (1, 2, 3):
        for spin in (100, 1000):
            omega = spin * np.array([2, 3, 6]) / 7
            energy, momentum = 0.5 * np.sum(inertia * omega**2), inertia * omega
            label = f"R7 sliver order {order} spin {spin}"
            motions = {}
            for correct in (1, 0):
                output = common.run(options.program, common.scene_path("rigid/sliver.yaml"),
                                    os.path.join(folder, f"sliver{order}_{spin}_{correct}"),
                                    {"params/order": order, "params/spin": spin,
                                     "params/correct": correct}, "--threads", 1)
                motions[correct] = Motion(output, "sliver", inertia)
            checks.below(f"{label}: step is 1/24 s",
                         np.max(np.abs(np.diff(motions[1].time) - 1 / 24)), 1e-12)
            check_r7_motion(checks, label, motions[1], energy, momentum)
            growth = np.max(motions[0].energy[1:] / motions[0].energy[:-1])
            checks.above(f"{label}: uncorrected energy grows in one step by", growth, 10)
        if options.quick:
            break


def check_r7(options, checks, folder):
    check_sliver(options, checks, folder)
    random = np.random.default_rng(77)
    inertias = ((1, 2, 3), (1, 100, 100.5), (1, 60, 100), (0.01, 0.7, 1))
    for inertia in inertias:
        directions = random.normal(size=(1 if options.quick else 3, 3))
        for case, direction in enumerate(directions):
            omega = 100 * direction / np.linalg.norm(direction)
            energy = 0.5 * np.sum(np.array(inertia) * omega**2)
            momentum = np.array(inertia) * omega
            for order in (1, 2, 3):
                label = f"R7 I={inertia} direction {case} order {order}"
                values = {"params/dt": "=1/24", "params/order": order, "fps": 1, "duration": 20}
                name = f"r7_{inertia[1]}_{case}_{order}"
                motion = tumble(options, folder, name, inertia, omega, values)
                checks.below(f"{label}: step is 1/24 s",
                             np.max(np.abs(np.diff(motion.time) - 1 / 24)), 1e-12)
                check_r7_motion(checks, label, motion, energy, momentum)
                loose = tumble(options, folder, name + "_loose", inertia, omega,
                               {**values, "params/correct": 0})
                # Far more than the gate: what the correction removes is there to be removed.
                checks.above(f"{label}: uncorrected change of energy", loose.energy_drift(), 1e-2)


def check_orders(options, checks, folder):
    steps = (0.04, 0.02, 0.01, 0.005)
    end = 2.0
    tilt = math.radians(40)
    axis = np.array([1, 2, 3]) / math.sqrt(14)
    poses = (("upright", None, np.array([1.0, 0, 0, 0])),
             ("tilted", "{axis: [1, 2, 3], angle: 40}",
              np.array([math.cos(tilt / 2), *(math.sin(tilt / 2) * axis)])))
    tops = (((1, 2, 3), (1, 1, 1)), ((2.5, 1.2, 1.9), (-0.7, 1.1, 1.4)))
    for inertia, omega in tops:
        for pose, text, start in poses:
            body_omega = common.to_body(start, np.array(omega, dtype=float))
            _, reference = free_top(inertia, body_omega, start, [end])
            for correct in (0,) if options.quick else (0, 1):
                for order in (1, 2, 3):
                    errors = []
                    for dt in steps:
                        values = {"params/dt": dt, "params/order": order, "params/correct": correct,
                                  "duration": end}
                        if text:
                            values["rigid/bodies/0/orientation"] = text
                        name = f"order{inertia[0]}{pose}{order}{correct}{dt}"
                        motion = tumble(options, folder, name, inertia, omega, values)
                        if abs(motion.time[-1] - end) > 1e-12:
                            raise RuntimeError(f"the run ends at {motion.time[-1]}, not {end}")
                        errors.append(float(common.quat_angle(motion.orientation[-1],
                                                              reference[0])))
                    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
                    last = math.log2(errors[-2] / errors[-1])
                    label = f"order {order} I={inertia} {pose}" + (" corrected" if correct else "")
                    if correct:
                        checks.note(f"{label}: slope {slope:.3f}, finest pair {last:.3f}, errors "
                                    + " ".join(f"{e:.2e}" for e in errors))
                    else:
                        checks.within(f"{label} slope", slope, order, 0.2)
                        checks.within(f"{label} finest pair", last, order, 0.2)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        check_r6(options, checks, folder)
        check_random_tops(options, checks, folder)
        check_r7(options, checks, folder)
        check_orders(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""A cylinder that falls in a narrow box (002 section 5.11.2): table 5.1, and what a solve costs."""
import math

import common
import fsi
import fsi_solve
from common import np

GRAVITY, RADIUS, HALF_WIDTH = 9.8, 0.005, 0.02


def terminal_speed(mu, density=2000.0, fluid_density=1000.0):
    """The document's formula. It leaves out inertia, and terms of its series: the next two are
    2.4056 k^6 - 4.5913 k^8."""
    k = RADIUS / HALF_WIDTH
    return (density - fluid_density) * GRAVITY * RADIUS**2 / (4 * mu) * \
        (-math.log(k) - 0.9157 + 1.7244 * k**2 - 1.7302 * k**4)


# ---- table 5.1 ----

SIZES = [40, 80, 160]
# Equation, mu, speeds of the table at 40, 80, 160, how long to run, from when on the speed is steady.
# In that time the cylinder crosses two cells of the coarsest grid at least: the speed changes a bit
# with its place on the grid.
ROWS = [("N-S", 0.1, (0.1716, 0.1882, 0.1966), 0.5, 0.35), ("N-S", 0.2, (0.1254, 0.1359, 0.1417), 0.55, 0.35),
        ("N-S", 0.5, (0.05983, 0.06438, 0.06721), 0.6, 0.35), ("N-S", 1, (0.03052, 0.03264, 0.03399), 0.5, 0.3),
        ("N-S", 2, (0.01533, 0.01635, 0.01702), 0.5, 0.25),
        ("N-S", 5, (0.006148, 0.006547, 0.006828), 0.6, 0.25),
        ("N-S", 10, (0.003013, 0.003279, 0.003417), 0.9, 0.3),
        ("Stokes", 0.1, (0.2945, 0.3241, 0.3390), 2, 1.8)]


def mean_over(times, values, start, end):
    """In time, by straight lines."""
    at = np.linspace(start, end, 801)
    return np.mean(np.interp(at, times, values))


class Fall:
    """A run, and its speed where that is steady."""

    def __init__(self, options, folder, row, n, surface):
        equation, mu, _, duration, start = row
        values = {"params/n": n, "params/mu": mu, "params/T": duration, "coupling/surface": surface}
        if equation == "Stokes": # nothing is carried along: any step will do
            values.update({"params/stokes": 1, "fluid/cfl": 20})
        output = fsi.run(options, folder, "fall", "fsi/falling_cylinder.yaml", values)
        probes = output.probes()
        time, speed = probes["time"], -probes["cylinder.velocity.y"]
        middle = 0.5 * (start + duration)
        self.n, self.speed, self.stats = n, mean_over(time, speed, start, duration), output.stats()
        halves = (mean_over(time, speed, start, middle), mean_over(time, speed, middle, duration))
        self.drift = abs(halves[1] - halves[0]) / self.speed
        self.jitter = np.ptp(speed[time >= start]) / self.speed


def check_limit_row(checks, label, row, falls, surface):
    """A row whose limit is known: errors no worse than the table's, and an order."""
    exact = terminal_speed(row[1])
    errors = [abs(fall.speed / exact - 1) for fall in falls]
    for fall, error, seed in zip(falls, errors, row[2]):
        theirs = abs(seed / exact - 1)
        checks.true(f"{label} n = {fall.n} error against the formula", error <= theirs + 0.02,
                    f"{100 * (fall.speed / exact - 1):+.2f}% the table's {100 * theirs:.2f}% + 2% "
                    f"({fall.speed:.6g} m/s, formula {exact:.6g}, table {seed:g})")
    for i in range(len(falls) - 1):
        order = math.log2(errors[i] / errors[i + 1])
        name = f"{label} order against the formula, n = {falls[i].n} to {falls[i + 1].n}"
        if order >= 0.8 or max(errors[i:i + 2]) >= 0.02:
            checks.above(name, order, 0.8)
            continue
        limit, own = fsi.limit_of_three([fall.speed for fall in falls]) if len(falls) > 2 else \
            (2 * falls[1].speed - falls[0].speed, 1.0)
        checks.expected_failure(
            name, f"{order:.2f} at least 0.8; both errors are below 2% ({100 * errors[i]:.2f}%, "
            f"{100 * errors[i + 1]:.2f}%), where the formula's own count: our limit is {limit:.6g} m/s (order "
            f"{own:.2f}), formula {exact:.6g}, with the next two terms of its series "
            f"{with_more_terms(row[1]):.6g}")


def with_more_terms(mu):
    k = RADIUS / HALF_WIDTH
    return terminal_speed(mu) + 1000 * GRAVITY * RADIUS**2 / (4 * mu) * (2.4056 * k**6 - 4.5913 * k**8)


def check_inertia_row(checks, label, row, falls):
    """A row where inertia counts: the limit of our figures against the limit of the table's."""
    theirs, order = fsi.limit_of_three(row[2])
    if len(falls) > 2:
        ours, own = fsi.limit_of_three([fall.speed for fall in falls])
    else: # two grids have no order of their own: 1, that of the document's scheme
        ours, own = 2 * falls[1].speed - falls[0].speed, 1.0
    if math.isnan(own): # our differences do not fall evenly; the finest grid then stands for the limit
        ours = falls[-1].speed
    checks.near(f"{label} limit (order {own:.2f}) against that of the table (order {order:.2f})", ours, theirs, 4)
    for fall, seed in zip(falls, row[2]):
        away = abs(fall.speed - theirs)
        checks.note(f"{label} n = {fall.n}: {fall.speed:.6g} m/s, {100 * away / theirs:.2f}% from the table's limit; "
                    f"table {seed:g}, {100 * abs(seed - theirs) / theirs:.2f}%")


def check_table(options, checks, folder):
    for surface in ("cut", "faces"):
        for row in ROWS:
            if options.quick and (row[1] not in (0.2, 1) or row[0] != "N-S"):
                continue
            label = f"falling_cylinder {surface} {row[0]} mu {row[1]:g}"
            sizes = [20, 40] if options.quick else SIZES if options.finest >= 160 else SIZES[:2]
            if options.quickest and row[1] < 0.5: # not compared with the table
                sizes = [16, 24]
            falls = [Fall(options, folder, row, n, surface) for n in sizes]
            checks.note(f"{label}: " + ", ".join(
                f"n {f.n}: {f.speed:.6g} m/s, drift {f.drift:.1g}, jitter {f.jitter:.1g}" for f in falls))
            for fall in falls:
                checks.below(f"{label} n = {fall.n} steady: halves of the time differ by, relative", fall.drift, 0.01)
                fsi_solve.check_energy(checks, f"{label} n = {fall.n}", fall.stats)
            if options.quick: # not the table's grids: only the finer one is, and it has no order
                falls = falls[1:]
                if row[1] >= 0.5:
                    check_limit_row(checks, label, row, falls, surface)
                continue
            if row[0] == "N-S" and row[1] < 0.5:
                check_inertia_row(checks, label, row, falls)
            else:
                check_limit_row(checks, label, row, falls, surface)


# ---- iterations ----


def cost(options, checks, folder, label, values):
    """Mean iterations of the steps of a short fall at the CFL step; stability checked on the way."""
    duration = values.pop("T", 0.08)
    result, output = fsi.attempt(options, folder, "cost", "fsi/falling_cylinder.yaml",
                                 {"params/T": duration, "fps": 4 / duration, "params/surface": "cut", **values})
    if result.code != 0:
        checks.true(f"{label} runs", False, result.stderr.strip()[:200])
        return math.nan
    stats, probes = output.stats(), output.probes()
    speed, time = np.abs(probes["cylinder.velocity.y"]), probes["time"]
    # never faster than in free fall; what it displaces flows past it in the other direction
    checks.true(f"{label} stable: speed at most that of a free fall",
                np.all(np.isfinite(probes.values)) and np.all(speed <= GRAVITY * time * (1 + 1e-9)),
                f"{speed[-1]:.3g} m/s after {time[-1]:g} s and {len(time) - 1} steps, free fall "
                f"{GRAVITY * time[-1]:.3g} m/s")
    fsi_solve.check_energy(checks, label, stats)
    return float(np.mean(stats["solve.coupled.iterations"][1:]))


def print_table(checks, title, columns, rows):
    checks.note(f"{title}: iterations a step, by " + ", ".join(columns))
    for name, found in rows:
        checks.note(f"  {name:12}" + "".join(f"{value:8.1f}" for value in found))


def check_cost_by_ratio(options, checks, folder):
    """Each against the benign cases at the same grid: ratio 2, mu 0.1 and 1."""
    ratios = [1e-9, 2, 1e9] if options.quick else [1e-9, 1e-6, 1e-3, 0.5, 2, 1e3, 1e6, 1e9]
    viscosities = [1e-4, 1e3] if options.quick else [0, 1e-4, 1e-2, 0.1, 1, 10, 100, 1e3]
    n = 24 if options.quickest else 32
    benign = {mu: cost(options, checks, folder, f"n {n} ratio 2 mu {mu:g}", {"params/n": n, "params/mu": mu})
              for mu in (0.1, 1)}
    checks.note(f"n {n} ratio 2: {benign[0.1]:.1f} iterations a step at mu 0.1, {benign[1]:.1f} at mu 1")
    rows = []
    for ratio in ratios:
        found = []
        for mu in viscosities:
            label = f"n {n} ratio {ratio:g} mu {mu:g}"
            mean = cost(options, checks, folder, label,
                        {"params/n": n, "params/mu": mu, "params/density": 1000 * ratio})
            checks.below(f"{label} iterations a step, of those of ratio 2, mu 0.1", mean / benign[0.1], 3)
            checks.below(f"{label} iterations a step, of those of ratio 2, mu 1", mean / benign[1], 3)
            found.append(mean)
        rows.append((f"ratio {ratio:g}", found))
    print_table(checks, f"n {n}", [f"mu {mu:g}" for mu in viscosities], rows)
    for density in (1e-3, 1e6): # the fluid's density, at a ratio of 2 and the kinematic viscosity of the scene
        label = f"n {n} fluid of {density:g} kg/m^3"
        mean = cost(options, checks, folder, label,
                    {"params/n": n, "params/mu": 1e-4 * density, "params/fluid_density": density,
                     "params/density": 2 * density})
        checks.below(f"{label} iterations a step, of those of 1000 kg/m^3", mean / benign[0.1], 1.2)


def check_long_steps(options, checks, folder):
    """Steps of a second, whatever the cfl."""
    for mu in (10, 1e3):
        for ratio in (1e-9, 2, 1e9):
            n = 24 if options.quickest else 32
            label = f"n {n} ratio {ratio:g} mu {mu:g} steps of 1 s"
            values = {"params/n": n, "params/mu": mu, "T": 4.0, "params/density": 1000 * ratio, "fluid/cfl": 1e6}
            if ratio > 1e8: # it would be through the bottom
                values["coupling/positions"] = "hold"
            mean = cost(options, checks, folder, label, values)
            checks.note(f"{label}: {mean:.1f} iterations a step")


def check_cost_by_size(options, checks, folder):
    if options.quick:
        cases, sizes, more = [(1e-9, 1e-4), (1e9, 1e3)], [24, 48] if options.quickest else [32, 64], {}
    elif options.finest >= 160:
        cases = [(r, mu) for r in (1e-9, 2, 1e9) for mu in (1e-4, 0.1, 1, 1e3)]
        sizes, more = [64, 128, 256, 512], {"T": 0.03, "fluid/domain/high": "[0.16, 0.16, 1]",
                                            "rigid/bodies/cylinder/position": "[0.08, 0.1, 0]"}
    else:
        cases = [(r, mu) for r in (1e-9, 2, 1e9) for mu in (1e-4, 0.1, 1, 1e3)]
        sizes, more = [32, 64, 128], {}
    rows = []
    for ratio, mu in cases:
        found = []
        for n in sizes:
            values = {"params/mu": mu, "params/density": 1000 * ratio, **more}
            values.update({"fluid/cells": n} if more else {"params/n": n})
            found.append(cost(options, checks, folder, f"{n} cells ratio {ratio:g} mu {mu:g}", values))
        rows.append((f"{ratio:g}, {mu:g}", found))
        checks.below(f"ratio {ratio:g} mu {mu:g} growth of iterations from {sizes[0]} to {sizes[-1]} cells"
                     + (" along each side" if more else " across"), found[-1] / found[0], 2)
    print_table(checks, "ratio, mu", [f"{n} cells" for n in sizes], rows)


def main():
    options = common.arguments(__doc__, lambda parser: parser.add_argument(
        "--finest", type=int, default=160, metavar="CELLS",
        help="160 (default): all of the table and squares of 512 cells, some hours; 80: without"))
    checks = common.Checks()
    with common.temporary() as folder:
        for check in (check_table, check_cost_by_ratio, check_long_steps, check_cost_by_size):
            check(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()

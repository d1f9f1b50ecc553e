#!/usr/bin/python3
"""A slab that sinks in a channel (002 section 5.11.1), and orders in the step of a falling cylinder."""
import math

import common
import fsi
from common import np

# ---- the slab in a channel (C1) ----

DENSITY, WIDTH, HEIGHT = 100.0, 1 / 3, 1.0 # of the fluid, of a gap, of the period


def slab_speed(mass, mu, gravity=9.8):
    """002 section 5.11.1."""
    return -(mass + DENSITY * WIDTH * HEIGHT) * gravity * WIDTH / (2 * HEIGHT * mu)


def channel(options, folder, n, mass, mu, surface, steps):
    """Steady speed over the closed form's. `steps` 0: as the scene has them, by its cfl, until the
    start has faded to 1e-5 of itself."""
    fading = (mass + 67) * WIDTH / (2 * HEIGHT * mu) # s, about
    values = {"params/n": n, "params/mass": mass, "params/mu": mu, "coupling/surface": surface}
    duration = 12 * fading if steps == 0 else 24 * fading
    values.update({"duration": duration, "fps": 4 / duration})
    if steps:
        values.update({"fluid/cfl": 1e6, "time_step": f"{{max_dt: {duration / steps!r}}}"})
    probes = fsi.run(options, folder, "channel", "fsi/channel.yaml", values).probes()
    return probes["slab.velocity.y"][-1] / slab_speed(mass, mu)


def richardson(sizes, values):
    """Limit for h to 0 of values on three grids of any sizes: a + b h^p."""
    h = 1 / np.array(sizes[-3:], dtype=float)
    ratio = (values[-3] - values[-2]) / (values[-2] - values[-1])
    low, high = 0.05, 8.0
    away = lambda p: (h[0]**p - h[1]**p) / (h[1]**p - h[2]**p) - ratio
    if not away(low) * away(high) < 0:
        return values[-1], math.nan
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if away(low) * away(middle) <= 0 else (middle, high)
    return values[-1] - (values[-2] - values[-1]) * h[2]**low / (h[1]**low - h[2]**low), low


def check_channel_case(options, checks, folder, mass, mu, surface, steps, residues, most):
    for sizes in residues:
        sizes = [n for n in sizes if n <= most]
        label = f"channel {surface} mass {mass:g} mu {mu:g} " + \
            (f"{steps} steps, " if steps else "steps by cfl 0.9, ") + f"n mod 3 = {sizes[0] % 3}"
        found = [channel(options, folder, n, mass, mu, surface, steps) for n in sizes]
        errors = [abs(f - 1) for f in found]
        checks.note(f"{label}: error " + ", ".join(f"{n}: {f - 1:+.3g}" for n, f in zip(sizes, found)))
        if 48 <= most and mass == 150 and mu == 100 and sizes[0] == 12:
            at = sizes.index(48)
            checks.near(f"{label} speed over the closed form at n = 48", found[at], 1, 3)
        if len(sizes) > 2:
            limit, _ = richardson(sizes, found)
            checks.near(f"{label} limit of the speed over the closed form", limit, 1, 1)
        if max(errors[1:]) < 1e-5: # exact on the grid: what is left is of the solve and the steps
            checks.below(f"{label} error of all grids but the first; there is no order", max(errors[1:]), 1e-5)
            continue
        checks.above(f"{label} order, grids {sizes[0]} to {sizes[-1]}", fsi.fitted_order(sizes, errors), 0.85)


RESIDUES = ([12, 24, 48, 96, 192], [13, 25, 49, 97, 190], [14, 26, 50, 98, 191])
COARSE = ([12, 24, 48], [7, 13, 25], [8, 14, 26])


def check_channel(options, checks, folder):
    others = [(1, 100), (3000, 20), (150, 2000), (40, 7)]
    if options.quick:
        residues = COARSE if options.quickest else RESIDUES
        check_channel_case(options, checks, folder, 150, 100, "cut", 100, residues, 50)
        check_channel_case(options, checks, folder, 150, 100, "cut", 0, residues[1:2], 25)
        check_channel_case(options, checks, folder, 150, 100, "faces", 100, residues[2:], 50)
        check_channel_case(options, checks, folder, *others[0], "cut", 100, residues[1:2], 49)
    else:
        for surface in ("cut", "faces"):
            check_channel_case(options, checks, folder, 150, 100, surface, 0, RESIDUES, 192)
        for mass, mu in others:
            check_channel_case(options, checks, folder, mass, mu, "cut", 160, RESIDUES, 98)
    n = 13 if options.quickest else 25
    for surface in ("cut", "faces"):
        found = [channel(options, folder, n, 150, 100, surface, steps)
                 for steps in (100, 400 if options.quick else 1600)]
        checks.below(f"channel {surface} n = {n}, steady speed with shorter steps, relative change",
                     abs(found[1] / found[0] - 1), 1e-4)


# ---- orders in time ----


def check_time_order(options, checks, folder):
    """A falling cylinder that crosses cells, one grid, steps halved: place and velocity at the end. The
    tolerance is far below what a step changes. Orders of neighbours scatter, for steps end with the
    cylinder in different places on the grid: the order is that over the whole range."""
    duration, box = 0.06, {}
    counts = [48, 96, 192, 384] if options.quick else [48, 96, 192, 384, 768]
    if options.quickest: # the same cells, of a box no higher than wide
        counts = [24, 48, 96, 192]
        box = {"fluid/domain/high": "[0.04, 0.04, 1]", "fluid/cells": 40,
               "rigid/bodies/cylinder/position": "[0.02, 0.02, 0]"}
    schemes = ("semi_lagrangian", "maccormack", "none")[:1 if options.quick else 3]
    for surface, scheme in ((surface, scheme) for surface in ("cut", "faces") for scheme in schemes):
        places, speeds = [], []
        for count in counts:
            output = fsi.run(options, folder, "time", "fsi/falling_cylinder.yaml",
                             {"params/T": duration, "fps": 1 / duration, "fluid/cfl": 1e6, "fluid/tolerance": 1e-9,
                              "params/surface": surface,
                              "time_step": f"{{max_dt: {duration / count!r}}}", "fluid/advection": scheme, **box})
            probes = output.probes()
            if len(probes) != count + 1:
                raise RuntimeError(f"falling_cylinder: {len(probes) - 1} steps, expected {count}")
            places.append(probes["cylinder.position.y"][-1])
            speeds.append(probes["cylinder.velocity.y"][-1])
        for what, values in (("place", places), ("velocity", speeds)):
            label = f"falling_cylinder {surface} {scheme}, {what} at {duration} s"
            orders = fsi.differences_fall(values)
            checks.note(f"{label}: " + ", ".join(f"{c} steps {v:.7g}" for c, v in zip(counts, values)) +
                        "; orders " + ", ".join(f"{o:.2f}" for o in orders))
            name, order = f"{label}, order in the step, {counts[0]} to {counts[-1]} steps", np.mean(orders)
            if surface == "faces" and what == "velocity" and order < 0.9:
                checks.expected_failure(f"{name}: {order:.4g} at least 0.9", "whole faces join and leave the body "
                                        "from one step to the next, and its speed jumps (docs/fsi.md)")
            else:
                checks.above(name, order, 0.9)


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        for check in (check_channel, check_time_order):
            check(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()

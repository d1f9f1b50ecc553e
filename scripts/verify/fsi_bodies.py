#!/usr/bin/python3
"""Bodies that fall and meet: two discs drafting, kissing and tumbling; a sphere in a tank."""
import math

import common
import fsi
import fsi_solve
from common import np

DIAMETER = 0.0025 # of a disc


class Pair:
    """Two discs: gap over the diameter, and how far they are turned from one above the other, degrees."""

    def __init__(self, probes):
        self.time = probes["time"]
        self.upper, self.lower = (probes.vector(name + ".position")[:, :2] for name in ("upper", "lower"))
        apart = self.upper - self.lower
        self.gap = np.linalg.norm(apart, axis=1) / DIAMETER - 1
        self.angle = np.degrees(np.arctan2(np.abs(apart[:, 0]), apart[:, 1]))
        self.faster = probes["lower.velocity.y"] - probes["upper.velocity.y"] # m/s, of the one behind


def check_drafting(options, checks, folder):
    n = 10 if options.quick else 20
    label = f"drafting {n} cells across a disc"
    values = {"params/n": n, "fps": 20, "duration": 0.2 if options.quick else 0.35}
    if options.quickest: # the upper two thirds, whose floor they do not reach in that time
        values.update({"fluid/domain": "{low: [0, 0.02, 0], high: [0.02, 0.06, 1]}", "fluid/cells": 16 * n})
    output = fsi.run(options, folder, "drafting", "fsi/drafting.yaml", values)
    pair = Pair(output.probes())
    fsi_solve.check_energy(checks, label, output.stats())
    near = np.flatnonzero(pair.gap < 0.1 + (1e-3 if options.quick else 0))
    touch = pair.time[near[0]] if len(near) else math.inf
    # one behind the other falls faster from some time on, until they meet: drafting
    drafting = np.flatnonzero(pair.faster > 0.05 * 0.1)
    checks.true(f"{label} the one behind catches up", len(drafting) > 0 and pair.time[drafting[0]] < touch,
                f"faster by 5 mm/s from {pair.time[drafting[0]]:.3f} s on" if len(drafting) else "never")
    # a cell is 0.1 d at 10 cells across
    checks.true(f"{label} gap below 0.1 d before 0.25 s" + (" (a cell)" if options.quick else ""), touch < 0.25,
                f"at {touch:.4f} s; least gap {pair.gap.min():.4f} d at {pair.time[np.argmin(pair.gap)]:.3f} s")
    checks.above(f"{label} least gap over the diameter, apart all the time", pair.gap.min(), 0)
    if options.quick:
        return
    checks.true(f"{label} pair turns broadside after that: turned by more than 45 degrees",
                np.max(pair.angle[pair.time > touch], initial=0) > 45,
                f"{np.max(pair.angle[pair.time > touch], initial=0):.1f} degrees; " + ", ".join(
                    f"{t:g} s {np.interp(t, pair.time, pair.angle):.1f}" for t in (0.2, 0.25, 0.3, 0.35)))


def check_sphere(options, checks, folder):
    if options.quick:
        return
    n = options.sphere
    label = f"sedimenting_sphere {n} cells across"
    probes = fsi.run(options, folder, "sphere", "fsi/sedimenting_sphere.yaml", {"params/n": n}).probes()
    speed = -probes["sphere.velocity.y"]
    checks.near(f"{label} peak speed", speed.max(), 0.955 * 0.128, 6)
    checks.note(f"{label}: peak at {probes['time'][np.argmax(speed)]:.3f} s")
    side = np.max(np.abs(probes.vector("sphere.velocity")[:, [0, 2]]))
    checks.below(f"{label} speed sideways over the peak", side / speed.max(), 0.01)


def main():
    options = common.arguments(__doc__, lambda parser: parser.add_argument(
        "--sphere", type=int, default=10, metavar="CELLS", help="cells across the sphere (default 10)"))
    checks = common.Checks()
    with common.temporary() as folder:
        for check in (check_drafting, check_sphere):
            check(options, checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Piles of boxes and balls in a fluid that fills its domain: they come to rest, and what touches them carries them."""
import os

import common
import fsi_contact
import support
from common import h5py, np

G = 9.81
BUOYED = 2500 - 1000 # kg/m^3, of the bodies without what the fluid carries
FRICTION, ROLLING = 0.5, 0.05 # the second over the `size` of the scene, of what is round
AT_REST = 1e-3 # m/s
NEAR = 0.05 # cells: what touches
VISCOSITIES = (0, 0.1, 10)
SIZES = [(2, 2, 48), (5, 2, 48), (10, 2, 48), (20, 2, 48), (30, 2, 64), (50, 2, 64), (2, 3, 32), (6, 3, 32), (12, 3, 32),
         (20, 3, 32)]


def settle_cases(options):
    """Bodies, dimensions, cells, viscosity, closed, seed. In full each size has all viscosities with and without a lid, and
    all seeds; --product has every seed with each of them."""
    if options.quickest:
        return [(4, 2, 32, 0.1, 1, 1), (6, 2, 40, 10, 0, 2)]
    if options.check:
        return [(10, 2, 48, 0, 1, 1), (10, 2, 48, 0.1, 1, 2), (10, 2, 48, 10, 0, 3), (4, 3, 32, 10, 1, 1)]
    return [(*size, mu, closed, seed) for k, size in enumerate(SIZES) for i, mu in enumerate(VISCOSITIES)
            for closed in (0, 1) for seed in ((1, 2, 3) if options.product else (1 + (i + closed + k) % 3,))]


def settle_values(count, dim, cells, mu, closed, seed):
    return {"params/count": count, "params/mu": mu, "params/cells": cells, "params/closed": closed, "params/dim": dim,
            "params/seed": seed}


def check_judge(options, checks, folder):
    support.check_judge(checks)


def check_room(options, checks, folder):
    """However many they are, they fit into the closed tank: 50 reached through its lid."""
    for count, dim, cells in SIZES:
        said = [common.call(options.program, "check", common.scene_path("fsi/settle.yaml"),
                            *common.overrides(settle_values(count, dim, cells, 0, 1, seed))) for seed in (1, 2, 3)]
        refused = [result.last_words() for result in said if result.code != 0]
        checks.true(f"settle {count}, {dim}D: bodies fit into the closed tank, three seeds", not refused, "; ".join(refused))


def speeds_of(output):
    with h5py.File(output.state(), "r") as file:
        return np.linalg.norm(file["rigid/velocity"][()], axis=1)


def moved_of(output, frames):
    """How far centres came over so many frames at the end, m."""
    bodies = common.Bodies(output)
    first, last = (bodies.centres(bodies.read(number)) for number in (bodies.numbers[-1 - frames], bodies.numbers[-1]))
    return np.linalg.norm(last - first, axis=1)


def check_carried(checks, label, output, count, dim, cells, resting, limit):
    boxes = (count + 1) // 2
    shapes = support.shapes_of(output, output.numbered("frame")[-1], boxes, dim)
    low = np.array([0.0, 0.0, -0.5])[:dim]
    contacts = support.contacts_of(shapes, low, low + 1, NEAR / cells)
    size = 0.082 if count > 20 else 0.11
    weights = [-BUOYED * G * shape.volume * np.eye(dim)[1] for shape in shapes]
    rolling = [0.0] * boxes + [ROLLING * size] * (count - boxes)
    left = support.unbalanced(shapes, contacts, weights, FRICTION, rolling, resting)
    name = f"{label} {len(resting)} bodies at rest: part of their weight that no contacts within {NEAR} cells carry"
    if len(resting) > 0:
        worst = int(np.argmax(left))
        checks.true(name, left[worst] <= limit, f"{left[worst]:.2g} limit {limit:g}, the worst is body {resting[worst]}")
    else:
        checks.note(name + ": none")


def check_settle(options, checks, folder):
    def check(label, count, dim, cells, mu, closed, seed):
        end = 3 if options.quickest else 20
        values = settle_values(count, dim, cells, mu, closed, seed) | {"duration": end}
        output = fsi_contact.run(options, folder, "settle", "fsi/settle.yaml", values)
        stats = output.stats()
        checks.true(f"{label} runs to its end", abs(stats["time"][-1] - end) < 1e-9, f"t = {stats['time'][-1]:g} s")
        fsi_contact.check_iterations(checks, label, stats, (300, 110) if count >= 50 else (0, 0))
        checks.below(f"{label} energy above its start, of it", stats["energy.total"].max() / stats["energy.total"][0] - 1,
                     1e-4)
        checks.note(f"{label}: left over in closed regions at most {stats['divergence.left_over'].max():.2g} m^3/s, "
                    f"unsettled {stats['contact.unsettled'].sum():g} of {2 * len(stats)}, {len(stats) - 1} steps")
        speed = speeds_of(output)
        if mu > 0 and not options.quickest:
            checks.below(f"{label} speed of every body at {end} s, m/s", speed.max(), AT_REST)
        # Fluid without viscosity goes on moving around what rests, and pushes it.
        resting = np.flatnonzero((speed < AT_REST) & (moved_of(output, 5) < 0.5 * AT_REST))
        check_carried(checks, label, output, count, dim, cells, resting, 0.05 if mu == 0 else 0.01)
    common.each_case(options, checks, {
        f"settle {count}, {dim}D, {cells} cells, mu {mu:g}, {'closed' if closed else 'open'}, seed {seed}":
        (count, dim, cells, mu, closed, seed) for count, dim, cells, mu, closed, seed in settle_cases(options)}, check)


if __name__ == "__main__":
    common.verify(__doc__, (check_judge, check_room, check_settle), lambda parser: parser.add_argument(
        "--product", action="store_true", help="every seed with every viscosity, lid and size, 180 runs"))

#!/usr/bin/python3
"""Splashing liquids against closed forms: complementarity, whole steps, mass, centre of mass, rest, fall, sources."""
import math

import fsi
from common import h5py, np, verify
from splash_common import (DENSITY, G, SETTLING, Grid, Problem, State, box, density, in_box, obeys, obstacle,
                           order_of, particle_mass, play, scene, states, tell)

AIR = 0.1
FINE = {"tolerance": 1e-12, "air": AIR, "settling": SETTLING}


def low_high(dim, size=1.0):
    return [0.0] * dim, [size] * dim


def corner(dim, *values):
    """As many of the values as there are dimensions; the last is that along z."""
    return list(values[:dim])


# ---- the complementarity problem of states (L2) ----


def systems(dim, n):
    """Names and scenes of liquids that are pressed in some places and torn in others."""
    low, high = low_high(dim)
    h = 1 / n
    dt = 0.5 * h / 4
    column = box(corner(dim, 0, 0, 0), corner(dim, 0.4, 0.7, 1))
    flying = {**box(corner(dim, 0.3, 0.4, 0.3), corner(dim, 0.7, 0.8, 0.7)), "velocity": [
        "=4*(x-0.5)*sin(9*y)", "=-3*(y-0.6)+cos(7*x)", "=2*sin(8*x)" if dim == 3 else 0]}
    pair = [{**box(corner(dim, 0.1, 0.4, 0.3), corner(dim, 0.4, 0.7, 0.7)), "velocity": [2, 0, 0]},
            {**box(corner(dim, 0.5, 0.45, 0.3), corner(dim, 0.9, 0.75, 0.7)), "velocity": [-2, 0.5, 0]}]
    step = (corner(dim, 0.5, 0, 0), corner(dim, 0.5 + 2 * h, 0.25, 1)) # on faces of cells
    return [("dam", scene(dim, low, high, n, [column], 40, dt, **FINE), ()),
            ("dam with a step", scene(dim, low, high, n, [column], 40, dt, obstacles=[obstacle(*step)], **FINE),
             (step,)),
            ("torn block", scene(dim, low, high, n, [flying], 12, dt, **FINE), ()),
            ("two blocks", scene(dim, low, high, n, pair, 30, dt, **FINE), ())]


def one_step(before, after):
    return abs(after.time - before.time - after.last_dt) < 1e-9 * after.time


# name, what a scene says, what the problem is told: by itself, as the document has it, and its other forms
FORMS = [("", {}, {}),
         (", eq. 3.7", {"settling": 1, "correct_density": False}, {"settling": 1, "corrected": False}),
         (", densities in the matrix", {"densities": "matrix"}, {"matrix": True}),
         (", fractions on the right", {"fractions": "right"}, {"right": True}),
         (", both", {"densities": "matrix", "fractions": "right"}, {"matrix": True, "right": True})]


def check_complementarity(options, checks, folder):
    sizes = ((2, 32), (3, 16)) if options.quick else ((2, 32), (2, 64), (3, 16), (3, 24))
    for dim, n in ((2, 24), (3, 12)) if options.quickest else sizes:
        for number, (name, made, boxes) in enumerate(systems(dim, n)):
            for form, said, told in FORMS if number in (1, 2) and (dim == 2 or not options.quick) else FORMS[:1]:
                made["splash"].update(said)
                output = play(options, folder, "lcp", made, *fsi.STATES)
                solved(checks, f"{name}, {dim}D, {n} cells{form}", output, boxes, told, 4 if options.quick else 1)
                for key in said:
                    made["splash"].pop(key)


def solved(checks, label, output, boxes, told, every):
    grid = Grid.of(output)
    worst, alike, seen, steps = None, 0.0, 0, 0
    for first in output.numbered("state")[:-1:every]:
        before, after = State(output, first, grid), State(output, first + 1, grid)
        if not one_step(before, after):
            continue
        steps += 1
        problem = Problem(grid, before, after.last_dt, AIR, boxes, **told)
        p = after.pressure * problem.kick
        errors = problem.errors(p)
        key = max(-errors["slack"], errors["pressed"], errors["product"], -errors["least"], errors["stray"])
        if worst is None or key > worst[0]:
            worst = key, errors, first
        if errors["cells"] > 0 and seen < 4:
            alike = max(alike, np.max(np.abs(problem.solve(p > 0) - p)) / np.max(p))
            seen += 1
    checks.true(f"{label}: p >= 0, Ap + b >= 0, products 0 in {steps} steps", steps > 2 and obeys(worst[1]),
                f"limit 1e-8; worst in step {worst[2] + 1}: {tell(worst[1])}")
    checks.true(f"{label}: pressure against our conjugate gradients where p > 0", seen > 0 and alike <= 1e-6,
                f"{alike:.2e} limit 1e-06, {seen} solves")


def check_clamped(options, checks, folder):
    """A solve with both signs, cut off at 0, is no solution: these checks must see that."""
    for dim, n in ((2, 32), (3, 16)):
        name, made, boxes = systems(dim, n)[2]
        output = play(options, folder, "lcp", made, *fsi.STATES)
        grid = Grid.of(output)
        before, after = State(output, 0, grid), State(output, 1, grid)
        problem = Problem(grid, before, after.last_dt, AIR, boxes)
        both = problem.solve(problem.active)
        errors = problem.errors(np.maximum(both, 0))
        checks.true(f"{name}, {dim}D: our solve with both signs, cut off at 0, is refused",
                    np.min(both) < 0 and not obeys(errors, 1e-3), tell(errors))
        made["splash"]["incompressibility"] = "bilateral"
        twin = play(options, folder, "twin", made, *fsi.STATES)
        after = State(twin, 1, grid)
        errors = problem.errors(np.where(problem.active, np.maximum(after.pressure, 0) * problem.kick, 0))
        checks.true(f"{name}, {dim}D: the twin's pressure, cut off at 0, is refused", not obeys(errors, 1e-3),
                    tell(errors))


def check_usual_tolerance(options, checks, folder):
    """What the solve leaves with the tolerance that a scene has by itself."""
    for dim, n in ((2, 32), (3, 16)):
        name, made, boxes = systems(dim, n)[0]
        del made["splash"]["tolerance"]
        output = play(options, folder, "lcp", made, *fsi.STATES)
        grid = Grid.of(output)
        errors = []
        for first in output.numbered("state")[:-1:4]:
            before, after = State(output, first, grid), State(output, first + 1, grid)
            problem = Problem(grid, before, after.last_dt, AIR, boxes)
            errors.append(problem.errors(after.pressure * problem.kick))
        worst = max(max(-e["slack"], e["pressed"], e["product"]) for e in errors)
        checks.true(f"{name}, {dim}D, usual tolerance: p >= 0, and nothing wrong by more than 1e-3 of a cell",
                    all(e["least"] >= 0 for e in errors) and worst <= 1e-3, f"{worst:.2e}")


# ---- whole steps, without the density correction ----


def check_step(options, checks, folder):
    """Every particle of the next state from ours: rasterised, forced, pressed, gathered, moved, sorted."""
    for dim, n in ((2, 32), (3, 16)):
        for flip in (0.97,) if options.quick else (0.97, 1.0, 0.0):
            for name, made, boxes in systems(dim, n)[2:]:
                made["splash"].update(correct_density=False, flip=flip, path="euler", transfer="flip")
                output = play(options, folder, "step", made, *fsi.STATES)
                grid = Grid.of(output)
                places = speeds = 0.0
                for first in output.numbered("state")[:-1:3]:
                    before, after = State(output, first, grid), State(output, first + 1, grid)
                    if not one_step(before, after):
                        continue
                    x, v = follow(grid, before, after, flip, boxes)
                    cell = sum(np.floor((x[a] - grid.low[a]) / grid.h).astype(int) * s for a, s in
                               zip(range(dim), (1, grid.cells[0], grid.cells[0] * grid.cells[1])))
                    order = np.argsort(cell, kind="stable")
                    places = max(places, np.max(np.abs(x[:, order] - after.x)) / grid.h)
                    speeds = max(speeds, np.max(np.abs(v[:, order] - after.v)))
                label = f"step of {name}, {dim}D, flip {flip:g}"
                checks.below(f"{label}: places and order of {x.shape[1]} particles, cells", places, 1e-8)
                checks.below(f"{label}: velocities, m/s", speeds, 1e-6)


def follow(grid, before, after, flip, boxes):
    problem = Problem(grid, before, after.last_dt, AIR, boxes, corrected=False)
    new = problem.updated(np.where(problem.active, after.pressure * problem.kick, 0))
    x, v = before.x.copy(), before.v.copy()
    for axis in range(grid.dim):
        at = grid.gather(new[axis], before.x, axis)
        change = grid.gather(new[axis] - problem.old[axis], before.x, axis)
        v[axis] = flip * (before.v[axis] + change) + (1 - flip) * at
        x[axis] = before.x[axis] + problem.dt * at
    return x, v


# ---- mass and its centre ----


def check_centre(options, checks, folder):
    """Blocks that meet in the air: the centre of mass flies on as a stone does, and no particle is lost."""
    n = (48, 20) if options.quickest else (64, 28)
    cases = [(2, n[0], 0, 2e-3, G), (2, n[0], 27, 5e-3, 0), (3, n[1], 0, 5e-3, 0), (3, n[1], 31, 5e-3, G)]
    if not options.quick:
        cases += [(2, 64, 0, 5e-4, G), (2, 128, 45, 2e-3, G), (3, 40, 11, 2e-3, G), (2, 45, 70, 8e-3, 0)]
    for dim, cells, angle, dt, gravity in cases:
        low, high = [-0.5] * dim, [3.5] * dim
        tilt = (0, 0, 1) if dim == 2 else (1, 2, 0.5)
        blocks = [{**box(corner(dim, 0.8, 1.4, 1.3), corner(dim, 1.3, 1.9, 1.7), angle, tilt), "velocity": [1.5, 1, 0]},
                  {**box(corner(dim, 1.5, 1.5, 1.3), corner(dim, 2.1, 1.9, 1.8), -angle, tilt),
                   "velocity": [-1.5, 1.3, 0.2 if dim == 3 else 0]}]
        for transfer in ("flip", "apic") if cells in (48, 64) else ("flip",):
            made = scene(dim, low, high, cells, blocks, round(0.3 / dt), dt, (0.4, -gravity, 0), transfer=transfer,
                         tolerance=1e-9)
            output = play(options, folder, "centre", made, "--keep-states", "--state-every",
                          5 if dt < 4e-3 else 2)
            grid = Grid.of(output)
            found = states(output, grid)
            start, force = found[0], np.array([0.4, -gravity, 0])
            x0, v0 = start.x.mean(axis=1), start.v.mean(axis=1)
            away, touched, pressed = 0.0, 0, 0
            for s in found:
                away = max(away, np.max(np.abs(s.x.mean(axis=1) - x0 - v0 * s.time - force * s.time**2 / 2)))
                touched += np.sum(~in_box(s.x, grid.low, grid.high, dim, 1.5 * grid.h))
                pressed += np.max(s.pressure) > 0
            label = f"collision in the air, {dim}D, {cells} cells, turned by {angle}, dt {dt:g}, g {gravity:g}, {transfer}"
            checks.true(f"{label}: no particle near a wall, pressure in {pressed} states", touched == 0 and
                        pressed > 2, f"{touched} near a wall")
            checks.below(f"{label}: centre of mass from its parabola, m", away, 1e-6)
            checks.true(f"{label}: count", len({s.count for s in found}) == 1, f"{start.count}")
            mass = output.stats()["mass.splash"] if "mass.splash" in output.stats().names else None
            checks.true(f"{label}: mass in stats.csv, the same in every row", mass is not None and
                        np.ptp(mass) == 0 and math.isclose(mass[0], start.count * particle_mass(grid),
                                                          rel_tol=1e-12),
                        "no column" if mass is None else f"{mass[0]:.6f} kg")


# ---- rest (L3) ----


def check_tank(options, checks, folder):
    # dim, cells, level in cells, shift of all in cells, s
    cases = [(2, 32, 16, 0, 5), (2, 32, 16.5, 0.37, 5), (2, 32, 15.3, 0, 5), (3, 12, 7, 0, 5), (3, 12, 6.4, 0.2, 5),
             (2, 64, 32, 0, 5), (2, 32, 16, 0, 20), (2, 32, 4.5, 0, 5)]
    if options.quickest:
        cases = [(2, 20, 10, 0, 5), (2, 20, 10.5, 0.37, 5), (2, 20, 9.3, 0, 5), (3, 8, 5, 0, 5), (3, 8, 4.4, 0.2, 5),
                 (2, 32, 16, 0, 5), (2, 16, 8, 0, 20), (2, 20, 4.5, 0, 5)]
    if not options.quick:
        cases += [(2, 48, 20.75, 0.5, 5), (2, 32, 28, 0, 5), (3, 20, 10, 0, 5), (3, 20, 11.5, 0.61, 5),
                  (2, 64, 32, 0, 20), (3, 16, 8, 0, 20), (2, 45, 15.7, 0.1, 5), (3, 12, 3.5, 0, 5),
                  (2, 96, 48.5, 0, 5)]
    for dim, n, level, shift, seconds in cases:
        h = 1 / n
        at = shift * h
        low, high = [at] * dim, [1 + at] * dim
        block = box(corner(dim, at - 1, at - 1, at - 1), corner(dim, at + 2, at + level * h, at + 2))
        made = scene(dim, low, high, n, [block], 30 * seconds, 1 / 30)
        label = f"still tank, {seconds} s, {dim}D, {n} cells, level {level:g}, moved by {shift:g} cells"
        still(checks, label, play(options, folder, "tank", made, "--keep-states", "--state-every",
                                  3 if options.quickest else 1))


def still(checks, label, output):
    grid = Grid.of(output)
    found = states(output, grid)
    h, dim = grid.h, grid.dim
    area = np.prod((grid.high - grid.low)[[0, 2][:dim - 1]])
    surface = grid.low[1] + found[0].count * particle_mass(grid) / DENSITY / area
    depth = surface - grid.low[1]
    d = surface - grid.places(None, 1)
    deep = (d > 2 * h) & (grid.places(None, 1) > grid.low[1])
    middle = tuple(slice(1, -1) if axis < dim else slice(None) for axis in range(3))

    def away(pressure):
        """Greatest relative distance from rho g d in rows of the domain's cells."""
        inside = pressure[middle[0], :, middle[2]][:, deep]
        return np.max(np.abs(inside / (DENSITY * G * d[deep])[None, :, None] - 1))

    late = [s.pressure for s in found if s.time > found[-1].time - 1]
    checks.below(f"{label}: pressure at the end from rho g d, {np.sum(deep)} depths, %",
                 100 * away(found[-1].pressure), 2)
    checks.below(f"{label}: worst of {len(late)} moments of the last second, %", 100 * max(map(away, late)), 2)
    speeds = [np.max(np.sqrt(np.sum(s.v**2, axis=0))) / math.sqrt(G * depth) for s in found]
    checks.below(f"{label}: greatest speed, in sqrt(g h)", max(speeds), 0.05)
    energy = np.array([s.energy(particle_mass(grid)) for s in found])
    lift = found[0].count * particle_mass(grid) * G * h # that lifts all of it by a cell
    checks.below(f"{label}: energy at the end above the start's, of what lifts all of it by a cell",
                 (energy[-1] - energy[0]) / lift, 0.01)
    heights = columns(grid, found[-1].x) - surface
    checks.true(f"{label}: surface within half a cell", np.all(np.abs(heights) <= 0.5 * h),
                f"{np.min(heights) / h:+.3f} to {np.max(heights) / h:+.3f} cells from {surface:.5f} m")
    checks.true(f"{label}: count", len({s.count for s in found}) == 1, f"{found[0].count}")


def columns(grid, x, per_axis=2):
    """Height of the highest particle in each column of cells, and half a particle's spacing."""
    wide = [grid.cells[a] for a in (0, 2)]
    at = [np.clip(((x[a] - grid.low[a]) / grid.h).astype(int), 0, grid.cells[a] - 1) if a < grid.dim else 0
          for a in (0, 2)]
    top = np.full(wide[0] * wide[1], -np.inf)
    np.maximum.at(top, at[0] + wide[0] * at[1], x[1])
    return top + 0.5 * grid.h / per_axis


# ---- free fall (L3) ----


def check_fall(options, checks, folder):
    cases = [(2, 40, 0.0, 0), (2, 40, 0.37, 25), (3, 16, 0.61, 0)]
    cases += [] if options.quick else [(2, 40, 0.5, 45), (2, 71, 0.1, 0), (3, 24, 0.25, 30)]
    for dim, n, shift, angle in cases:
        h = 2 / n
        low, high = [0.0] * dim, [2.0] * dim
        for velocity in ([0, 0, 0], [0.3, 0.7, 0]):
            for more in ({}, {"transfer": "apic"}, {"path": "trapezoidal"}):
                if more and (shift == 0 or any(velocity) or dim == 3):
                    continue
                block = {**box(corner(dim, 0.6 + shift * h, 1.2 + shift * h, 0.6), corner(dim, 1.1 + shift * h, 1.7,
                                                                                   1.2), angle), "velocity": velocity}
                output = play(options, folder, "fall", scene(dim, low, high, n, [block], 40, 0.01, **more),
                              "--keep-states", "--state-every", 5)
                falls(checks, f"fall, {dim}D, {n} cells, moved {shift:g}, turned {angle}, start {velocity[0]:g} "
                      f"{velocity[1]:g}{''.join(', ' + word for word in more.values())}", output)


def falls(checks, label, output):
    grid = Grid.of(output)
    found = states(output, grid)
    gravity = np.array([[0], [-G], [0]])
    start, end = found[0], found[-1]
    order = order_of(start.x, 1e-6)
    places = speeds = shown = press = 0.0
    for s in found:
        path = start.v * s.time + gravity * s.time**2 / 2 # all start with the same velocity
        back = order_of(s.x - path, 1e-6)
        places = max(places, np.max(np.abs((s.x - path)[:, back] - start.x[:, order])))
        speeds = max(speeds, np.max(np.abs(s.v - start.v - gravity * (s.time - s.last_dt / 2))))
        press = max(press, np.max(np.abs(s.pressure)))
        with h5py.File(output.frame(round(s.time * 100)), "r") as frame:
            for group in frame.values():
                if "positions" in group and len(group["positions"]):
                    shown = max(shown, np.max(np.abs(group["velocities"][()] - start.v[:, 0] - (gravity * s.time).T)))
    checks.true(f"{label}: falls", abs(end.x[1].mean() - start.x[1].mean()) > 0.1 and end.time > 0.39,
                f"{end.count} particles by {end.x[1].mean() - start.x[1].mean():+.3f} m")
    checks.below(f"{label}: places of particles, m", places, 1e-9)
    checks.below(f"{label}: velocities half a step before, m/s", speeds, 1e-9)
    checks.below(f"{label}: velocities in frames, m/s", shown, 1e-5)
    checks.below(f"{label}: greatest pressure, Pa", press, 0)


# ---- walls let go ----


def check_walls(options, checks, folder):
    """A block that touches a wall and moves away from it, or hangs under a lid: nothing holds it back."""
    cases = [("from the left wall", (0, 0.4), (0.3, 0.7), [1, 0, 0], 0),
             ("from a lid", (0.4, 0.7), (0.7, 1), [0, 0, 0], G),
             ("from the floor", (0.4, 0), (0.7, 0.3), [0, 3, 0], G)]
    for dim, n in ((2, 40), (3, 20)):
        for name, low, high, velocity, gravity in cases:
            block = {**box(list(low) + [0.3] * (dim - 2), list(high) + [0.7] * (dim - 2)), "velocity": velocity}
            output = play(options, folder, "wall", scene(dim, [0.0] * dim, [1.0] * dim, n, [block], 20, 0.01,
                                                         (0, -gravity, 0)), *fsi.STATES)
            grid = Grid.of(output)
            found = states(output, grid)
            start, end = found[0], found[-1]
            path = np.array(velocity) * end.time + np.array([0, -gravity, 0]) * end.time**2 / 2
            away = np.max(np.abs(end.x.mean(axis=1) - start.x.mean(axis=1) - path))
            label = f"block {name}, {dim}D, {n} cells"
            checks.below(f"{label}: centre of mass from its path after 0.2 s, cells", away / grid.h, 0.01)
            longer = np.max(np.ptp(end.x, axis=1) - np.ptp(start.x, axis=1))
            checks.below(f"{label}: longer than at the start, cells", longer / grid.h, 0.1)


# ---- sources and sinks ----


def mouth(dim, center, width, velocity, angle=0, axis=(0, 0, 1), **more):
    """A slab across the velocity; `angle` turns the shape."""
    half = [w / 2 for w in width]
    shape = box([c - w for c, w in zip(center, half)][:dim], [c + w for c, w in zip(center, half)][:dim], angle, axis)
    return {"name": "mouth", **shape, "velocity": velocity, **more}


def check_sources(options, checks, folder):
    s2, s3 = 1 / 64, 1 / 32 # spacing of particles at 32 cells in two dimensions and at 16 in three
    diagonal = [1.2, -1.6, 0]
    # name, dim, mouth, its area
    cases = [("along x", 2, mouth(2, (0.2, 0.7, 0), (0.05, 16 * s2, 1), [2, 0, 0]), 16 * s2),
             ("down", 2, mouth(2, (0.5, 0.8, 0), (16 * s2, 0.05, 1), [0, -2, 0]), 16 * s2),
             ("oblique", 2, mouth(2, (0.3, 0.7, 0), (0.05, 16 * s2, 1), diagonal,
                                  math.degrees(math.atan2(-1.6, 1.2))), 16 * s2),
             ("along x", 3, mouth(3, (0.2, 0.7, 0.5), (0.1, 8 * s3, 8 * s3), [2, 0, 0]), 64 * s3 * s3),
             ("oblique", 3, mouth(3, (0.3, 0.7, 0.5), (0.1, 8 * s3, 8 * s3), diagonal,
                                  math.degrees(math.atan2(-1.6, 1.2))), 64 * s3 * s3)]
    for name, dim, source, area in cases:
        for rate in (0, 0.3, 0.77):
            speed = math.hypot(*source["velocity"])
            full = DENSITY * area * speed
            low, high = low_high(dim)
            frames, dt = 40, 0.01 # 0.02 m a step: less than a cell
            made = scene(dim, low, high, 32 if dim == 2 else 16, [], frames, dt, gravity=(0, -G if rate else 0, 0),
                         sources=[{**source, **({"rate": rate * full} if rate else {})}])
            del made["splash"]["liquids"]
            output = play(options, folder, "source", made, *fsi.STATES)
            grid = Grid.of(output)
            mass = particle_mass(grid)
            layer = DENSITY * area * grid.h / 2
            found = states(output, grid)
            away = max(abs(s.count * mass - (rate or 1) * full * s.time) for s in found)
            label = f"source {name}, {dim}D, {f'{rate:g} of ' if rate else ''}its full rate"
            limit, words = (mass, "one particle") if rate else (layer, "one layer")
            checks.true(f"{label}: mass from rate times time at {len(found)} moments", away <= limit * (1 + 1e-9),
                        f"{away:.4g} kg, limit {words} of {limit:.4g} kg; {found[-1].count} particles")
            checks.true(f"{label}: tally", all(s.tally[0] - s.tally[1] - s.tally[2] == s.count for s in found),
                        f"poured, drained, left, blasts {found[-1].tally}")
            if not rate:
                fresh = found[min(8, len(found) - 1)]
                crowd = np.max(density(grid, fresh.x)) / DENSITY
                checks.true(f"{label}: density of the jet after {fresh.time:.2f} s", 0.9 <= crowd <= 1.1,
                            f"{crowd:.3f} of the liquid's, at most")


def check_sinks(options, checks, folder):
    """Every particle that was there or was poured is there, drained, or left; none stays in a sink."""
    for dim, n in ((2, 32), (3, 12 if options.quickest else 16)):
        low, high = low_high(dim)
        drain = (corner(dim, 0.4, 0, 0.4), corner(dim, 0.6, 0.15, 0.6))
        source = mouth(dim, (0.3, 0.8, 0.5), (0.05 if dim == 2 else 0.1, 0.2, 0.2), [1.5, 0, 0])
        made = scene(dim, low, high, n, [box(corner(dim, 0, 0, 0), corner(dim, 0.6, 0.5, 1))], 60, 0.01,
                     sources=[{**source, "runs": "=0.3-t"}], sinks=[{"name": "drain", **box(*drain)}],
                     sides={"right": "open"})
        output = play(options, folder, "sink", made, *fsi.STATES)
        found = states(output, Grid.of(output))
        start = found[0].count
        wrong = [s.count - (start + s.tally[0] - s.tally[1] - s.tally[2]) for s in found]
        checks.true(f"sink and open side, {dim}D: count = start + poured - drained - left in {len(found)} states",
                    not any(wrong), f"{start} at the start, {found[-1].count} at the end, tally {found[-1].tally}")
        checks.true(f"sink and open side, {dim}D: all three are at work", all(found[-1].tally[:3]),
                    f"{found[-1].tally}")
        # the density correction comes after sinks, and may move particles by half a cell
        deep = [x if x == 0 else x + 0.5 / n for x in drain[0]], [x - 0.5 / n for x in drain[1]]
        inside = max(np.sum(in_box(s.x, *deep, dim)) for s in found[1:])
        checks.true(f"sink, {dim}D: no particle more than half a cell inside after a step", inside == 0, f"{inside}")
        late = [s.tally[0] for s in found if s.time > 0.31]
        checks.true(f"source, {dim}D: stops when told", len(set(late)) == 1, f"{late[0]} poured")


def main():
    verify(__doc__, (check_complementarity, check_clamped, check_usual_tolerance, check_step, check_centre, check_tank,
                     check_fall, check_walls, check_sources, check_sinks))


if __name__ == "__main__":
    main()

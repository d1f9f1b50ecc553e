#!/usr/bin/python3
"""Bodies and splashing liquid that move one another: rafts, momentum, jets on plates, thick liquids, bits."""
import math
import os
import shutil

import common
import fsi
from common import np, verify
from splash_common import DENSITY, G, Grid, box, play, scene, states
from splash_scenes import same

# ---- rafts ----

LENGTH, HEIGHT, DEPTH = 1.6, 1.2, 0.8 # m, of the tank
WIDE, THICK, DEEP = 0.6, 0.25, 0.4 # m, of the raft


class Turn:
    """The same tank in three places: as it is; shifted; lying on its side, with gravity along -x."""

    def __init__(self, name="", shift=(0, 0, 0), side=False):
        self.name, self.shift, self.side = name, np.array(shift, dtype=float), side

    def place(self, x, y, z):
        at = (y, -x, z) if self.side else (x, y, z)
        return [float(a) for a in np.array(at, dtype=float) + self.shift]

    def across_up(self, output, name, quantity):
        """Along the tank and up, of a vector among the probes."""
        x, y = (output.probes()[f"{name}.{quantity}.{c}"] for c in "xy")
        if quantity == "position":
            x, y = x - self.shift[0], y - self.shift[1]
        return (-y, x) if self.side else (x, y)

    def corners(self, low, high):
        first, last = self.place(*low), self.place(*high)
        return [min(a, b) for a, b in zip(first, last)], [max(a, b) for a, b in zip(first, last)]


PLAIN = Turn()
TURNS = (Turn("shifted", (3.21, -1.07, 0.0)), Turn("on its side", (0.4, 2.0, 0.0), True))
SIDES = ("left", "right", "bottom", "top")
OFTEN = ("--keep-states", "--state-every", 6)


def raft_scene(dim, n, wood, water, seconds, turn=PLAIN, angle=0.0, drop=0.03, **splash):
    """A raft let go above the water; everything by the script's own hand."""
    back, front = (0.0, DEPTH) if dim == 3 else (-1.0, 1.0)
    middle = 0.5 * DEPTH if dim == 3 else 0.0
    domain = turn.corners((0, 0, 0), (LENGTH, HEIGHT, DEPTH if dim == 3 else 1))
    size = [THICK, WIDE] if turn.side else [WIDE, THICK]
    raft = {"name": "raft", "shape": {"box": {"size": [*size, DEEP]}}, "density": wood,
            "position": turn.place(0.5 * LENGTH, water + drop + 0.5 * THICK, middle),
            "orientation": {"axis": [0, 0, 1], "angle": angle}}
    probes = [{"name": "raft", "quantities": ["position", "velocity", "orientation"]},
              {"name": "load", "object": "raft", "quantities": ["fluid_force", "fluid_torque"]},
              {"name": "tank", "object": "splash", "quantities": ["mass", "momentum"]}]
    probes += [{"name": side, "quantities": ["fluid_force"]} for side in SIDES]
    fps = 24
    made = scene(dim, domain[0][:dim], domain[1][:dim], n, [box(*turn.corners((0, 0, back), (LENGTH, water, front)))],
                 round(seconds * fps), 1 / fps, gravity=(-G, 0, 0) if turn.side else (0, -G, 0),
                 world={"rigid": {"bodies": [raft]}, "probes": probes}, **splash)
    made["splash"]["domain"] = dict(zip(("low", "high"), domain))
    del made["time_step"]
    return made


def level_around(grid, state, turn, middle):
    """Height of the water away from the raft, by the particles in the columns there, m."""
    x = np.stack([state.x[a] - turn.shift[a] for a in range(3)])
    along, up = (-x[1], x[0]) if turn.side else (x[0], x[1])
    del up
    h = grid.h
    low = np.arange(0, LENGTH - 0.5 * h, h)
    far = np.abs(low + 0.5 * h - middle) > 0.5 * WIDE + 2.5 * h
    count = np.bincount(np.clip((along / h).astype(int), 0, len(low) - 1), minlength=len(low))
    area = h * (DEPTH if grid.dim == 3 else 1.0)
    volume = (h / 2)**grid.dim # of a particle
    return np.mean(count[far]) * volume / area


def check_draught(options, checks, folder):
    """A raft comes to rest where it displaces its own weight, by the water level around it: half a cell."""
    cases = [(2, 32, 600, 0.55, PLAIN, 8), (2, 32, 300, 0.57, PLAIN, 0), (2, 32, 600, 0.55, TURNS[1], 0)]
    if not options.quickest:
        cases += [(2, 48, 600, 0.5, TURNS[0], 5), (2, 32, 900, 0.56, PLAIN, 3), (2, 40, 100, 0.58, PLAIN, 0),
                  (3, 20, 600, 0.55, PLAIN, 8)]
    if not options.quick:
        cases += [(2, 64, w, l, PLAIN, 8) for w, l in ((600, 0.55), (450, 0.56), (800, 0.57))]
        cases += [(3, 32, 600, 0.55, PLAIN, 8), (3, 24, 300, 0.57, TURNS[1], 0)]
    for dim, n, wood, water, turn, angle in cases:
        label = f"raft of {wood} kg/m^3, {dim}D, {n} cells, {water:g} m of water, {angle:g} degrees {turn.name}".strip()
        made = raft_scene(dim, n, wood, water, 5, turn, angle)
        output = play(options, folder, "raft", made, *OFTEN)
        draught(checks, label, output, turn, dim, wood)


def check_raft(options, checks, folder):
    """The same of the scene as it ships, in the plane or with fewer cells in the quicker tiers."""
    values = {"params/dim": 2} if options.quickest else {"params/n": 24} if options.quick else {}
    output = fsi.run(options, folder, "raft", "splash/raft.yaml", values, *OFTEN)
    label = f"splash/raft{''.join(f', {key} {value}' for key, value in values.items())}"
    draught(checks, label, output, PLAIN, values.get("params/dim", 3), 600)


def draught(checks, label, output, turn, dim, wood):
    grid = Grid.of(output)
    probes = output.probes()
    end = probes["time"][-1]
    late = probes["time"] > end - 1
    along, up = turn.across_up(output, "raft", "position")
    levels = [level_around(grid, s, turn, np.interp(s.time, probes["time"], along))
              for s in states(output, grid) if s.time > end - 1]
    depth = np.mean(levels) - (np.mean(up[late]) - 0.5 * THICK)
    off = (depth - THICK * wood / DENSITY) / grid.h
    checks.below(f"{label}: draught {depth:.4f} m, expected {THICK * wood / DENSITY:.4f}, off by cells", abs(off), 0.5)
    force = turn.across_up(output, "load", "fluid_force")[1][late]
    weight = G * wood * WIDE * THICK * (DEEP if dim == 3 else 1)
    checks.note(f"mean force over weight {np.mean(force) / weight:.4f}, raft within {np.ptp(up[late]) / grid.h:.2f}"
                " cells in the last second")
    momentum(checks, label, output, turn, dim, wood)


def momentum(checks, label, output, turn, dim, wood):
    """Water, raft, and what walls took, against gravity: 1% of the integral of the force between water and raft."""
    probes = output.probes()
    time = probes["time"]
    steps = np.diff(time, prepend=0)
    mass = wood * WIDE * THICK * (DEEP if dim == 3 else 1)
    water = probes["tank.mass"][0]
    off, force = [], []
    for axis in range(2):
        own = turn.across_up(output, "tank", "momentum")[axis] + mass * turn.across_up(output, "raft", "velocity")[axis]
        took = sum(turn.across_up(output, side, "fluid_force")[axis] for side in SIDES)
        pull = 0 if axis == 0 else -G * (mass + water)
        off.append(own - own[0] + np.cumsum(took * steps) - pull * time)
        force.append(turn.across_up(output, "load", "fluid_force")[axis])
    total = np.sum(np.hypot(*force) * steps)
    checks.below(f"{label}: momentum of all, worst of {len(time)} steps, % of the integral of |F|",
                 100 * np.max(np.hypot(*off)) / total, 1)
    checks.below(f"{label}: the same at the end", 100 * math.hypot(off[0][-1], off[1][-1]) / total, 1)


# ---- jets ----


def jet_force(output, speed):
    """Mean force over the second half of the run, over rho Q v; Q by what was poured."""
    probes, stats = output.probes(), output.stats()
    late = probes["time"] > 0.5 * probes["time"][-1]
    steps = np.diff(probes["time"], prepend=0)[late]
    rate = np.polyfit(stats["time"][late], stats["mass.poured"][late], 1)[0]
    mean = [np.sum(probes[f"plate.fluid_force.{c}"][late] * steps) / np.sum(steps) for c in "xyz"]
    return np.array(mean) / (rate * speed)


def check_plate(options, checks, folder):
    """A plate four jets wide takes rho Q v: 5%. In the plane free streamlines leave it 98.3% (Milne-Thomson: the jet
    leaves at 89 degrees)."""
    cases = [(2, 60, 0.2, 2, 0), (2, 45, 0.2, 7, 0)]
    if not options.quickest:
        cases += [(2, 90, 0.2, 2, 0), (2, 60, 0.2, 2, 30), (2, 71, 0.19, 3, 0), (3, 36, 0.2, 2, 0)]
    if not options.quick:
        cases += [(2, 120, 0.2, 2, 0), (2, 90, 0.2, 2, 45), (3, 60, 0.2, 2, 0), (3, 45, 0.2, 2, 30)]
    for dim, n, jet, speed, angle in cases:
        output = fsi.run(options, folder, "plate", "splash/plate.yaml", {
            "params/dim": dim, "params/n": n, "params/jet": jet, "params/speed": speed, "params/angle": angle,
            "params/seconds": 3 / speed, "fps": 30 * speed, **({"splash/cfl": 0.25} if angle > 40 else {})})
        force = jet_force(output, speed)
        turn = math.radians(angle)
        across = force[0] * math.cos(turn) + force[1] * math.sin(turn)
        along = -force[0] * math.sin(turn) + force[1] * math.cos(turn)
        label = f"jet of {jet:g} m at {speed:g} m/s on a plate at {angle:g} degrees, {dim}D, {n} cells"
        checks.near(f"{label}: force across it over rho Q v", across, math.cos(turn), 5)
        checks.below(f"{label}: along it, over rho Q v", abs(along), 0.05)


def check_swept(options, checks, folder):
    """A plate that is let go: what it gets the water loses; with open sides and no gravity."""
    output = fsi.run(options, folder, "swept", "splash/plate.yaml", {
        "params/dim": 2, "params/n": 45, "params/held": "dynamic", "params/seconds": 0.5})
    probes = output.probes()
    steps = np.diff(probes["time"], prepend=0)
    mass = 500 * 0.1 * 0.8
    got = mass * probes["plate.velocity.x"]
    given = np.cumsum(probes["plate.fluid_force.x"] * steps)
    checks.below("plate let go: momentum against the integral of force, over the most", float(
        np.max(np.abs(got - given)) / np.max(got)), 1e-6)
    stats = output.stats()
    gone = np.max(stats["removed.sides"])
    water = probes["water.momentum.x"] + got - 2 * stats["mass.poured"]
    checks.true("plate let go: nothing left the domain", gone == 0, f"{gone:g} kg")
    # Shown velocities of water are moved on by half of the last step: of a blow that is half of its impulse.
    late = probes["time"] > 0.4
    checks.below("plate let go: momentum of water and plate after the blow, of what the plate got, %",
                 float(100 * np.abs(np.mean(water[late])) / np.max(got)), 1)


# ---- thick liquids ----

HONEY = 1400.0 # kg/m^3


def thick_scene(kind, dim, n, mu, column, tank, seconds, **more):
    """A column of a thick liquid that is let go in a corner of a tank: as a splash, or as a fluid with a level set."""
    pad = [] if dim == 3 else [1.0]
    low, high = [0.0] * 3, [*tank[:dim], *pad]
    block = {"shape": {"box": {"size": [2 * column[0], 2 * column[1], 9]}}, "position": [0, 0, 0]}
    own = {"domain": {"low": low, "high": high}, "cells": n, "density": HONEY, "viscosity": mu}
    if kind == "fluid":
        own.update(sides={"top": "open"}, liquid={"particles": 16, "shapes": [{"place": block}]})
    else:
        own.update(liquids=[{"name": "column", **block}])
    probes = [{"name": "all", "object": kind, "quantities": ["front"] + (["mass", "momentum"] if kind == "splash" else
                                                                         [])}]
    if kind == "splash":
        sides = SIDES + (("back", "front") if dim == 3 else ())
        probes += [{"name": f"{side}_wall", "object": side, "quantities": ["fluid_force"]} for side in sides]
    return {"plimsoll": 1, "name": "thick", "dim": dim, "duration": seconds, "fps": 20, kind: {**own, **more},
            "probes": probes}


def half_full(output):
    """The front of the lowest layer of cells by the particles of the last state, m."""
    grid = Grid.of(output)
    last = states(output, grid)[-1]
    part = (grid.spread(last.x) / 2**grid.dim)[1:-1, 1]
    part = part[:, 1:-1].max(axis=1) if grid.dim == 3 else part[:, 0]
    wet = np.nonzero(part > 0.5)[0][-1]
    return grid.low[0] + (wet + 0.5 + (part[wet] - 0.5) / (part[wet] - part[wet + 1])) * grid.h


def check_thick(options, checks, folder):
    """The front of a column of honey after 1 s: 10% of the level set's."""
    column, tank = (0.15, 0.2), (0.8, 0.3, 0.2)
    cases = [(2, 48, 10, {}), (2, 48, 50, {})]
    if not options.quickest:
        cases += [(2, 64, 10, {"transfer": "apic"}), (2, 37, 50, {"particles": 3}), (2, 64, 25, {}), (3, 32, 50, {})]
    if not options.quick:
        cases += [(2, 128, mu, {}) for mu in (10, 50)] + [(3, 48, 10, {})]
    for dim, n, mu, more in cases:
        splash = play(options, folder, "honey", thick_scene("splash", dim, n, mu, column, tank, 1, **more))
        fluid = play(options, folder, "honey_fluid", thick_scene("fluid", dim, n, mu, column, tank, 1))
        label = f"honey of {mu:g} Pa s, {dim}D, {n} cells{''.join(f', {value}' for value in more.values())}"
        wanted = fluid.probes()["all.front"][-1]
        checks.near(f"{label}: front after 1 s by the probe", splash.probes()["all.front"][-1], wanted, 10)
        if "particles" not in more:
            checks.near(f"{label}: the same by the particles of the lowest cells", half_full(splash), wanted, 10)
        probes = splash.probes()
        steps = np.diff(probes["time"], prepend=0)
        walls = SIDES + (("back", "front") if dim == 3 else ())
        off, most = [], 0.0
        for axis, c in enumerate("xyz"[:dim]):
            took = sum(probes[f"{side}_wall.fluid_force.{c}"] for side in walls)
            own = probes[f"all.momentum.{c}"]
            pull = -G * probes["all.mass"][0] if axis == 1 else 0.0
            off.append(own + np.cumsum(took * steps) - pull * probes["time"])
            most = max(most, np.sum(np.abs(took) * steps))
        checks.below(f"{label}: momentum of liquid and walls, of the integral of |F|, %",
                     float(100 * np.max(np.sqrt(sum(o**2 for o in off))) / most), 1)
        pushed = np.mean(probes["bottom_wall.fluid_force.x"][probes["time"] > 0.1])
        checks.true(f"{label}: the floor is dragged along", pushed > 0, f"{pushed:.3g} N")


# ---- bits ----


def check_bits(options, checks, folder):
    """The same bits for 1, 2, 4 threads, without caches, and resumed."""
    cases = [(2, 24, {}), (3, 14, {"transfer": "apic", "path": "trapezoidal"})]
    if not options.quickest:
        cases += [(2, 48, {"densities": "matrix"}), (3, 20, {})]
    cases += [(2, 24, {"viscosity": 5})]
    for dim, n, variant in cases:
        made = raft_scene(dim, n, 600, 0.55, 0.5, angle=10, **variant)
        made["splash"]["obstacles"] = [{"place": box([1.3, 0, -1], [1.45, 0.3, 1])}]
        made["rigid"]["bodies"].append({"name": "stone", "density": 2500, "shape": {"ball": {"radius": 0.14}},
                                        "position": [0.3, 0.75, 0.4 if dim == 3 else 0]})
        label = f"raft and stone, {dim}D{''.join(f', {value}' for value in variant.values())}"
        reference = play(options, folder, "one", made, *fsi.STATES)
        for threads in (2, 4):
            same(checks, f"{label}, {threads} threads", reference,
                 play(options, folder, "more", made, "--threads", threads))
        same(checks, f"{label}, without caches", reference, play(options, folder, "drop", made, "--drop-caches", 3))
        half = os.path.join(folder, "half")
        shutil.rmtree(half, ignore_errors=True)
        os.mkdir(half)
        shutil.copy(reference.path("scene.yaml"), half)
        shutil.copy(reference.state(7), half)
        result = common.call(options.program, "resume", half, "--frames", 12, "--quiet", "--threads", 2)
        if checks.true(f"{label}, resumed from frame 7: exit code", result.code == 0, result.last_words()
                       if result.code else "0"):
            same(checks, f"{label}, resumed from frame 7", reference, common.Output(half))


def main():
    verify(__doc__, (check_raft, check_draught, check_plate, check_swept, check_thick, check_bits))


if __name__ == "__main__":
    main()

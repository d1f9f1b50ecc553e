#!/usr/bin/python3
"""Scenes of splashing liquids: density after correction, dams, lids, spray, energy, paddles, frames, bits."""
import math
import os
import shutil

import common
import fsi
import meshes
import water
from common import h5py, np, verify
from splash import columns, corner, mouth
from splash_common import (DENSITY, G, Grid, State, box, crowding, density, in_box, obstacle, particle_mass, play,
                           scene, states)

EVERY = ("--keep-states", "--state-every")


# ---- density and obstacles (L4) ----

# corners of the obstacle of splash/dam_obstacle, as the scene has it
POST = ([4.5, -0.8, 1.0], [5.1, 0.8, 3.0])


def check_density(options, checks, folder):
    """No cell holds more than there is room for, after any step; no particle is inside an obstacle or lost."""
    scale = 0.25 if options.quick else 0.5
    for name, boxes in (("quad_dam", ()), ("dam_obstacle", (POST,))):
        values = {"params/scale": scale, **({"duration": 1 if options.quickest else 2, "params/particles": 2}
                                            if options.quick else {})}
        output = fsi.run(options, folder, name, f"splash/{name}.yaml", values, *common.threads(2), *EVERY, 5)
        crowded(checks, f"{name}, scale {scale:g}", output, boxes, 2 if options.quick else 3, True)


def check_density_made(options, checks, folder):
    """Dams against boxes on and off the faces of cells, in two and three dimensions."""
    # a quarter of a cell off is what four samples an edge still see exactly
    cases = [(2, 48, 0.0), (2, 48, 0.25), (3, 16, 0.0)] + ([] if options.quick else [(2, 96, 0.5), (3, 32, 0.75)])
    if options.quickest:
        cases = [(2, 32, 0.0), (2, 32, 0.25), (3, 12, 0.0)]
    for dim, n, off in cases:
        h = 1 / n
        column = box(corner(dim, 0, 0, 0), corner(dim, 0.35, 0.8, 1))
        post = (corner(dim, 0.5 + off * h, 0, 0.25), corner(dim, 0.5 + (off + n // 8) * h, 0.25 + off * h, 0.75))
        made = scene(dim, [0.0] * dim, [1.0] * dim, n, [column], 60, 1 / 60, obstacles=[obstacle(*post)])
        crowded(checks, f"dam against a box, {dim}D, {n} cells, {off:g} cells off", play(
            options, folder, "post", made, *fsi.STATES), (post,))


def crowded(checks, label, output, boxes, per_axis=2, strict=False):
    grid = Grid.of(output)
    found = states(output, grid)
    most = [crowding(grid, s.x, boxes, per_axis) for s in found]
    checks.below(f"{label}: greatest density of the last state, over the room for it", most[-1], 1.02)
    words = f"the same in {len(found)} states, worst at t = {found[int(np.argmax(most))].time:.2f} s"
    if strict:
        checks.below(f"{label}: {words}", max(most), 1.02)
    else:
        checks.note(f"{label}: {words}: {max(most):.3f}")
    excess = [np.max(density(grid, s.x, per_axis) / DENSITY - grid.free(boxes)) for s in found]
    checks.below(f"{label}: greatest excess in {len(found)} states, of the liquid's density", max(excess), 0.02)
    checks.true(f"{label}: count", len({s.count for s in found}) == 1, f"{found[0].count}")
    inside = sum(int(np.sum(in_box(s.x, low, high, grid.dim))) for s in found for low, high in boxes)
    outside = sum(int(np.sum(~in_box(s.x, grid.low, grid.high, grid.dim))) for s in found)
    checks.true(f"{label}: no particle inside an obstacle or out of the domain", inside == 0 and outside == 0,
                f"{inside} inside, {outside} outside")


def turned_box(x, middle, half, angle):
    """Depth of points in a box turned about z, m; negative outside."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    dx, dy = x[0] - middle[0], x[1] - middle[1]
    inside = np.minimum(half[0] - np.abs(c * dx + s * dy), half[1] - np.abs(-s * dx + c * dy))
    return inside if len(middle) == 2 else np.minimum(inside, half[2] - np.abs(x[2] - middle[2]))


def check_obstacles(options, checks, folder):
    """A dam against a turned box, a ball and a wedge between them and the wall."""
    sizes = ((2, 48), (3, 16)) if options.quick else ((2, 48), (2, 96), (3, 16), (3, 32))
    for dim, n in ((2, 32), (3, 12)) if options.quickest else sizes:
        middle, half, ball, radius = [0.55, 0.15, 0.5], [0.12, 0.08, 0.25], [0.85, 0.1, 0.5], 0.13
        solids = [obstacle(*([m + sign * w for m, w in zip(middle[:dim], half)] for sign in (-1, 1)), 31),
                  {"place": {"shape": {"ball": {"radius": radius}}, "position": ball if dim == 3 else ball[:2] + [0]}}]
        column = box(corner(dim, 0, 0, 0), corner(dim, 0.35, 0.8, 1))
        made = scene(dim, [0.0] * dim, [1.0] * dim, n, [column], 90, 1 / 60, obstacles=solids)
        output = play(options, folder, "solids", made, *EVERY, 3)
        grid = Grid.of(output)
        found = states(output, grid)
        deepest = max(np.max(turned_box(s.x, middle[:dim], half, 31)) for s in found)
        in_ball = max(np.max(radius - np.sqrt(sum((s.x[a] - ball[a])**2 for a in range(dim)))) for s in found)
        label = f"dam against a turned box and a ball, {dim}D, {n} cells"
        checks.below(f"{label}: deepest particle in the box, m", deepest, 1e-6 * grid.h)
        checks.below(f"{label}: deepest particle in the ball, m", in_ball, 1e-6 * grid.h)
        outside = sum(int(np.sum(~in_box(s.x, grid.low, grid.high, dim))) for s in found)
        checks.true(f"{label}: none outside, count", outside == 0 and len({s.count for s in found}) == 1,
                    f"{found[0].count} particles in {len(found)} states")


# ---- the dam (I10) ----


def front(grid, x):
    """Where the lowest layer's density falls through half of what there is room for, seen from the right, m."""
    part = (density(grid, x) / np.maximum(DENSITY * grid.free(), 1e-9))[1:-1, 1]
    part = part[:, 1:-1].max(axis=1) if grid.dim == 3 else part[:, 0]
    wet = np.nonzero(part > 0.5)[0]
    if len(wet) == 0 or wet[-1] == len(part) - 1:
        return grid.high[0]
    i = wet[-1]
    return grid.low[0] + (i + 0.5 + (part[i] - 0.5) / (part[i] - part[i + 1])) * grid.h


def check_dam_front(options, checks, folder):
    a = water.A
    cases = [(2, 40, a), (3, 24, a)] if options.quickest else [(2, 60, a), (3, 36, a)]
    if not options.quick:
        cases += [(2, n, a) for n in (48, 83, 120, 140, 177, 200, 225, 256, 300)] + [(2, 60, 1.0), (3, 64, a)]
    for dim, n, width in cases:
        size = math.sqrt(width / a)
        output = fsi.run(options, folder, "dam", "splash/dam_break.yaml", {
            "params/n": n, "params/dim": dim, "params/a": width, "fps": 120 / size,
            "params/seconds": 0.3 * size}, *fsi.STATES, *common.threads(2))
        grid = Grid.of(output)
        found = states(output, grid)
        times = np.array([s.time for s in found])
        fronts = np.array([front(grid, s.x) for s in found])
        away, shift = water.against_experiment(times * math.sqrt(2 * G / width), fronts / width)
        label = f"dam, {dim}D, {n} cells, a = {width:g} m"
        checks.below(f"{label}: front from Martin and Moyce's, %, shift {shift:+.3f}", 100 * away, 7)
        probes = output.probes()
        by_probe = water.against_experiment(probes["time"] * math.sqrt(2 * G / width), probes["tank.front"] / width)
        checks.below(f"{label}: the same by the probe, %, shift {by_probe[1]:+.3f}", 100 * by_probe[0], 7)
        checks.below(f"{label}: greatest density over the room for it", max(crowding(grid, s.x) for s in found), 1.02)


# ---- the lid ----


def lid_time(grid, found, layer):
    """When the highest `layer` metres, once they had liquid, hold less than a tenth of the most they held; inf: not
    within the run."""
    held = np.array([np.sum(s.x[1] > grid.high[1] - layer) for s in found], dtype=float)
    top = int(np.argmax(held))
    if held[top] == 0:
        return math.nan
    low = np.nonzero(held[top:] < 0.1 * held[top])[0]
    return found[top + low[0]].time if len(low) else math.inf


def check_lid(options, checks, folder):
    """A slab as wide as the box, thrown up: it stops at the lid at once, and falls off. Its top is then at
    g (t - t_hit)^2 / 2 below the lid."""
    for dim, n in ((2, 40),) if options.quick else ((2, 40), (2, 80), (3, 16), (3, 32)):
        thick, start, speed = 0.3, 0.4, 3.0
        low, high = [0.0] * dim, [1.0] * dim
        slab = {**box(corner(dim, 0, start, 0), corner(dim, 1, start + thick, 1)), "velocity": [0, speed, 0]}
        gap = 1 - start - thick
        hit = (speed - math.sqrt(speed**2 - 2 * G * gap)) / G
        layer = 2 / n
        expected = hit + math.sqrt(2 * layer / G)
        found = {}
        for kind in ("unilateral", "bilateral"):
            made = scene(dim, low, high, n, [slab], 150, 0.005, incompressibility=kind)
            output = play(options, folder, kind, made, *EVERY, 2)
            grid = Grid.of(output)
            found[kind] = lid_time(grid, states(output, grid), layer)
        checks.within(f"slab against a lid, {dim}D, {n} cells: leaves it at, s", found["unilateral"], expected, 0.1)
        checks.true(f"slab against a lid, {dim}D, {n} cells: the twin stays longer",
                    found["bilateral"] > found["unilateral"] + 0.05, f"{found['bilateral']:.3f} s against "
                    f"{found['unilateral']:.3f} s")


# ---- splashes ----


def check_ceiling(options, checks, folder):
    """The scene: as wide as the tank, 0.5 m below the lid, thrown up at 4 m/s."""
    hit = (4 - math.sqrt(16 - 2 * G * 0.5)) / G
    for dim, n in ((2, 64),) if options.quick else ((2, 64), (2, 48), (3, 32)):
        found = {}
        for kind in ("unilateral", "bilateral"):
            output = fsi.run(options, folder, kind, "splash/ceiling.yaml", {
                "params/n": n, "params/dim": dim, "params/incompressibility": kind}, *EVERY, 1, *common.threads(2))
            grid = Grid.of(output)
            found[kind] = lid_time(grid, states(output, grid), 2 * grid.h)
        expected = hit + math.sqrt(4 * grid.h / G)
        checks.within(f"ceiling, {dim}D, {n} cells: leaves the lid at, s", found["unilateral"], expected, 0.1)
        checks.true(f"ceiling, {dim}D, {n} cells: the twin stays longer",
                    found["bilateral"] > found["unilateral"] + 0.05, f"{found['bilateral']:.3f} s against "
                    f"{found['unilateral']:.3f} s")


def check_thrown(options, checks, folder):
    """dam_obstacle: what the block throws above the level of the water at rest, before the wave from the far wall is
    back."""
    found = {}
    scale = 0.25 if options.quick else 0.5
    for kind in ("unilateral", "bilateral"):
        output = fsi.run(options, folder, kind, "splash/dam_obstacle.yaml", {
            "params/scale": scale, "params/incompressibility": kind, "duration": 1.2, "params/particles": 2},
            *EVERY, 1, *common.threads(2))
        grid = Grid.of(output)
        late = [s for s in states(output, grid) if s.time > 0.7]
        mass = particle_mass(grid)
        level = late[0].count * mass / DENSITY / (8 * 4)
        found[kind] = mass * np.mean([np.sum((s.x[0] > 3.5) & (s.x[1] > level)) for s in late])
    checks.true(f"dam_obstacle, scale {scale:g}: thrown above the level at rest, {level:.2f} m, more than by the twin",
                found["unilateral"] > 1.2 * found["bilateral"], f"{found['unilateral']:.0f} kg against "
                f"{found['bilateral']:.0f} kg, mean from 0.7 to 1.2 s")


def check_fountain(options, checks, folder):
    """Spray: what is in cells less than half full, once the fountain runs."""
    if options.quick:
        return
    found = {}
    for kind in ("unilateral", "bilateral"):
        output = fsi.run(options, folder, kind, "splash/fountain.yaml", {
            "params/scale": 0.5, "params/incompressibility": kind, "params/particles": 2}, *EVERY, 6, *common.threads(2))
        grid = Grid.of(output, [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)])
        sums = []
        for s in states(output, grid):
            if s.time > 2:
                part = density(grid, s.x) / DENSITY
                at = tuple(((s.x[a] - grid.origin[a]) / grid.h).astype(int) for a in range(3))
                sums.append(np.sum(part[at] < 0.5))
        found[kind] = particle_mass(grid) * np.mean(sums)
    checks.true("fountain, scale 0.5: spray, more than of the twin", found["unilateral"] > 1.1 * found["bilateral"],
                f"{found['unilateral']:.1f} kg against {found['bilateral']:.1f} kg")


# ---- energy, volume, momentum ----


def check_energy(options, checks, folder):
    """Nothing adds energy: a dam, a drop into a pool, a wave; over what the start has above rest."""
    sizes = (32, 12) if options.quickest else (48, 16)
    cases = [("dam", 2, sizes[0], [box([0, 0], [0.4, 0.7])]), ("dam", 3, sizes[1], [box([0, 0, 0], [0.4, 0.7, 1])]),
             ("drop", 2, 48, [box([0, 0], [1, 0.3]), box([0.4, 0.6], [0.6, 0.8])])]
    for name, dim, n, liquids in cases[:2] if options.quick else cases:
        for transfer in ("flip", "apic"):
            made = scene(dim, [0.0] * dim, [1.0] * dim, n, liquids, 120, 1 / 60, transfer=transfer)
            output = play(options, folder, "energy", made, *EVERY, 2)
            grid = Grid.of(output)
            found = states(output, grid)
            mass = particle_mass(grid)
            energy = np.array([s.energy(mass) for s in found])
            level = found[0].count * mass / DENSITY
            rest = found[0].count * mass * G * level / 2
            rise = np.max(energy - energy[0]) / (energy[0] - rest)
            label = f"{name}, {dim}D, {n} cells, {transfer}"
            # moving particles apart lifts some of them
            checks.below(f"{label}: greatest energy above the start's, of what there is above rest", rise, 0.03)
            steps = np.max(np.diff(energy)) / (energy[0] - rest)
            checks.below(f"{label}: greatest rise of it in 1/30 s", steps, 0.05)
            checks.note(f"{label}: {(energy[-1] - rest) / (energy[0] - rest):.3f} is left at the end")


def check_volume(options, checks, folder):
    """After a dam has broken and come to rest, the liquid stands as high as its mass says."""
    for dim, n in ((2, 20),) if options.quickest else ((2, 32),) if options.quick else ((2, 32), (2, 64), (3, 16)):
        column = box(corner(dim, 0, 0, 0), corner(dim, 0.4, 0.8, 1))
        made = scene(dim, [0.0] * dim, [1.0] * dim, n, [column], 600, 1 / 30)
        output = play(options, folder, "volume", made, *EVERY, 10)
        grid = Grid.of(output)
        found = states(output, grid)
        level = found[0].count * particle_mass(grid) / DENSITY
        heights = columns(grid, found[-1].x)
        centre = found[-1].x[1].mean()
        checks.true(f"dam after 20 s, {dim}D, {n} cells: mean height within half a cell",
                    abs(np.mean(heights) - level) <= 0.5 * grid.h,
                    f"{np.mean(heights):.4f} ({np.min(heights):.4f} to {np.max(heights):.4f}) expected {level:.4f}")
        checks.true(f"dam after 20 s, {dim}D, {n} cells: centre of mass within a quarter of a cell",
                    abs(centre - level / 2) <= 0.25 * grid.h, f"{centre:.4f} expected {level / 2:.4f}")
        speed = np.sqrt(np.mean(np.sum(found[-1].v**2, axis=0)))
        checks.below(f"dam after 20 s, {dim}D, {n} cells: speed, root mean square, in sqrt(g h)",
                     speed / math.sqrt(G * level), 0.1)


# ---- paddles ----


def check_paddle(options, checks, folder):
    """A wall that pushes a pool together: none behind it, none in it, the level rises as the room shrinks."""
    for dim, n in (2, 25 if options.quickest else 40), (3, 10 if options.quick else 20):
        paddle = {"name": "paddle", "motion": "kinematic", "shape": {"box": {"size": [0.2, 4, 4]}},
                  "position": ["=-0.1+0.4*smoothstep(0,2,t)", 0.5, 0.5 if dim == 3 else 0]}
        pool = box(corner(dim, 0, 0, 0), corner(dim, 1, 0.4, 1))
        made = scene(dim, [0.0] * dim, [1.0] * dim, n, [pool], 120, 1 / 30, world={"rigid": {"bodies": [paddle]}})
        output = play(options, folder, "paddle", made, *EVERY, 2)
        grid = Grid.of(output)
        found = states(output, grid)

        def face(t):
            part = min(max(t / 2, 0), 1)
            return 0.4 * part * part * (3 - 2 * part)

        deepest = max(face(s.time) - np.min(s.x[0]) for s in found)
        label = f"paddle, {dim}D, {n} cells"
        checks.below(f"{label}: deepest particle in or behind it, cells", deepest / grid.h, 1e-3)
        checks.true(f"{label}: count", len({s.count for s in found}) == 1, f"{found[0].count}")
        level = 0.4 / 0.6
        ahead = found[-1].x[:, found[-1].x[0] > 0.4]
        heights = columns(grid, ahead)
        heights = heights[np.isfinite(heights)]
        checks.within(f"{label}: mean height after two seconds of rest, m", np.mean(heights), level, 0.5 * grid.h)
        room = (([-1.0] * 3, [face(found[-1].time), 2.0, 2.0]),)
        checks.below(f"{label}: greatest density over the room for it", crowding(grid, found[-1].x, room), 1.02)


# ---- frames ----


def check_frames(options, checks, folder):
    """Meshes are closed, near the volume of the liquid, finite; spray and mesh move as particles do."""
    made = scene(3, [0.0] * 3, [1.0] * 3, 14 if options.quickest else 20, [box([0, 0, 0], [0.4, 0.7, 1])], 30, 1 / 30)
    output = play(options, folder, "frames", made, *EVERY, 10)
    grid = Grid.of(output)
    for number in output.numbered("state"):
        s = State(output, number, grid)
        volume = s.count * particle_mass(grid) / DENSITY
        with h5py.File(output.frame(number), "r") as file:
            groups = {name: {k: v[()] for k, v in group.items()} for name, group in file.items()
                      if isinstance(group, h5py.Group)}
        bad = [f"{g}/{k}" for g, arrays in groups.items() for k, a in arrays.items()
               if a.dtype.kind == "f" and not np.all(np.isfinite(a))]
        label = f"frame at t = {s.time:.2f} s"
        checks.true(f"{label}: finite", not bad, " ".join(bad))
        if not checks.true(f"{label}: mesh and spray", "liquid" in groups and "spray" in groups, " ".join(groups)):
            continue
        liquid, spray = groups["liquid"], groups["spray"]
        mesh = liquid["vertices"].astype(float), liquid["triangles"].astype(np.int64)
        checks.true(f"{label}: mesh is closed", meshes.is_closed(mesh), f"{len(mesh[1])} triangles")
        checks.near(f"{label}: volume of the mesh and {len(spray['positions'])} drops of spray",
                    meshes.volume(mesh) + len(spray["positions"]) * particle_mass(grid) / DENSITY, volume, 15)
        speed = np.max(np.abs(s.shown()), axis=1)
        fast = np.max(np.abs(liquid["velocities"]), axis=0)
        checks.true(f"{label}: mesh no faster than particles", np.all(fast <= 1.01 * speed + 0.02),
                    " ".join(f"{a:.2f}/{b:.2f}" for a, b in zip(fast, speed)) + " m/s along x, y, z")


# ---- bits ----


def everything(dim, n):
    """A scene with all that a splash can do."""
    liquids = [box(corner(dim, 0, 0, 0), corner(dim, 0.4, 0.6, 1)),
               {**box(corner(dim, 0.5, 0.6, 0.3), corner(dim, 0.8, 0.9, 0.6), 20), "velocity": ["=sin(9*y)", -1, 0]}]
    paddle = {"name": "paddle", "motion": "kinematic", "shape": {"box": {"size": [0.1, 0.3, 0.4]}},
              "position": ["=0.6+0.2*sin(8*t)", 0.2, 0.5 if dim == 3 else 0], "orientation": {
                  "axis": [0, 0, 1], "angle": "=90*t"}}
    return scene(dim, [0.0] * dim, [1.0] * dim, n, liquids, 24, 1 / 60, jitter=0.5,
                 obstacles=[obstacle(corner(dim, 0.85, 0, 0.2), corner(dim, 0.95, 0.3, 0.8))],
                 sources=[mouth(dim, (0.1, 0.9, 0.5), (0.1, 0.15, 0.2), [1.5, 0, 0])],
                 sinks=[{"name": "hole", **box(corner(dim, 0.9, 0, 0), corner(dim, 1, 0.1, 1))}],
                 sides={"top": "open"},
                 blasts=[{"name": "bang", "time": 0.1, "center": corner(dim, 0.2, 0.2, 0.5) + [0] * (3 - dim),
                          "radius": 0.1, "speed": 4}], world={"rigid": {"bodies": [paddle]}, "seed": 5})


def same(checks, label, reference, other):
    last = reference.numbered("state")[-1]
    if not checks.true(f"{label}: last state is there", last in other.numbered("state")):
        return
    for what, name in ((reference.state(last), other.state(last)), (reference.frame(last), other.frame(last))):
        names = common.different(what, name)
        checks.true(f"{label}: {os.path.basename(what)}", not names,
                    f"differ: {', '.join(names)}" if names else "equal")


def check_bits(options, checks, folder):
    cases = [(2, 32, {}), (3, 14, {"transfer": "apic", "path": "trapezoidal"}),
             (2, 32, {"incompressibility": "bilateral"})]
    if options.quickest:
        cases = [(dim, 20 if dim == 2 else 10, variant) for dim, _, variant in cases]
    if not options.quick:
        cases += [(3, 20, {}), (3, 20, {"incompressibility": "bilateral"}), (2, 96, {"particles": 3})]
    for dim, n, variant in cases:
        made = everything(dim, n)
        made["splash"].update(variant)
        label = f"{dim}D{''.join(f', {value}' for value in variant.values())}"
        reference = play(options, folder, "one", made, *fsi.STATES)
        for threads in (2, 4):
            same(checks, f"{label}, {threads} threads", reference,
                 play(options, folder, "more", made, "--threads", threads))
        same(checks, f"{label}, without caches", reference, play(options, folder, "drop", made, "--drop-caches", 3))
        half = os.path.join(folder, "half")
        shutil.rmtree(half, ignore_errors=True)
        os.mkdir(half)
        shutil.copy(reference.path("scene.yaml"), half)
        shutil.copy(reference.state(11), half)
        result = common.call(options.program, "resume", half, "--frames", 24, "--quiet", "--threads", 2)
        if checks.true(f"{label}, resumed from frame 11: exit code", result.code == 0, result.last_words()
                       if result.code else "0"):
            same(checks, f"{label}, resumed from frame 11", reference, common.Output(half))
        tally = State(reference, 24, Grid.of(reference)).tally
        checks.true(f"{label}: source, sink, blast were at work", tally[0] > 0 and tally[1] > 0 and tally[3] == 1,
                    f"poured, drained, left, blasts {tally}")


def main():
    verify(__doc__, (check_density, check_density_made, check_obstacles, check_dam_front, check_lid, check_ceiling,
                     check_thrown, check_fountain, check_energy, check_volume, check_paddle, check_frames, check_bits))


if __name__ == "__main__":
    main()

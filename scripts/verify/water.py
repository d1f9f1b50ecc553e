#!/usr/bin/python3
"""Liquids with a free surface: carried surfaces, a breaking dam, standing waves, rest, drops, exports."""
import math
import os

import common
import fsi
import meshes
import ply
import vtk_xml
from common import h5py, np, verify

G = 9.81 # m/s^2


# ---- shared with water_float.py ----


class Liquid:
    """The level set of one frame: arrays are x, y, z."""

    def __init__(self, output, number):
        with h5py.File(output.frame(number), "r") as file:
            fluid = file["fluid"]
            self.time = float(file.attrs["time"])
            self.level = fluid["level"][()].astype(float).transpose()
            self.spacing = float(fluid.attrs["spacing"])
            self.dim = int(fluid.attrs["dim"])
            self.origin = np.array([float(fluid.attrs[f"origin_{c}"]) for c in "xyz"])

    def parts(self, fine=8):
        """The liquid's part of each cell, by points in it; between middles of cells the level set is linear."""
        found = self.level
        for axis in range(self.dim):
            n = found.shape[axis]
            at = np.clip((np.arange(n * fine) + 0.5) / fine - 0.5, 0, n - 1)
            low = np.minimum(at.astype(int), max(n - 2, 0))
            weight = (at - low).reshape([-1 if a == axis else 1 for a in range(3)])
            found = (np.take(found, low, axis) * (1 - weight)
                     + np.take(found, np.minimum(low + 1, n - 1), axis) * weight)
        wet = (found < 0).astype(float)
        for axis in range(self.dim):
            shape = list(wet.shape)
            shape[axis:axis + 1] = [shape[axis] // fine, fine]
            wet = wet.reshape(shape).mean(axis=axis + 1)
        return wet

    def volume(self, fine=8):
        return self.parts(fine).sum() * self.spacing**self.dim

    def front(self):
        """Greatest x of liquid in the lowest layer, m."""
        best = self.origin[0]
        for row in self.level[:, 0, :].T:
            wet = np.nonzero(row < 0)[0]
            if len(wet) == 0:
                continue
            i = wet[-1]
            way = row[i] / (row[i] - row[i + 1]) if i + 1 < len(row) else 0.5
            best = max(best, self.origin[0] + (i + 0.5 + way) * self.spacing)
        return best

    def at(self, points):
        """The level at points, linear between middles of cells."""
        total = np.zeros(len(points))
        low, weight = [], []
        for axis in range(3):
            n = self.level.shape[axis]
            at = np.clip((points[:, axis] - self.origin[axis]) / self.spacing - 0.5, 0, n - 1)
            if axis >= self.dim:
                at = np.zeros(len(points))
            low.append(np.minimum(at.astype(int), max(n - 2, 0)))
            weight.append(at - low[-1])
        for corner in range(1 << self.dim):
            part, index = np.ones(len(points)), []
            for axis in range(3):
                up = corner >> axis & 1
                part = part * (weight[axis] if up else 1 - weight[axis]) if axis < self.dim else part
                index.append(np.minimum(low[axis] + up, self.level.shape[axis] - 1))
            total += part * self.level[tuple(index)]
        return total


def volume_change(stats):
    """Greatest change of the volume over its start, with its sign."""
    change = stats["volume.fluid"] / stats["volume.fluid"][0] - 1
    return change[np.argmax(np.abs(change))]


def check_counts(checks, label, stats):
    """What was made is what there is and what was taken away, by cause, in every row."""
    for what, made in (("particles", ("particles.seeded", "particles.returned")),
                       ("drops", ("drops.made",))):
        removed = [name for name in stats.names if name.startswith(f"removed.{what}.")]
        gone = sum(stats[name] for name in removed)
        away = np.abs(sum(stats[name] for name in made) - stats[f"{what}.alive"] - gone)
        checks.true(f"{label}, {what}: made = alive + removed by {len(removed)} causes in {len(stats)} rows",
                    len(removed) > 2 and np.all(away == 0),
                    f"{stats[made[0]][-1]:.0f} made, {stats[f'{what}.alive'][-1]:.0f} alive, "
                    f"{gone[-1]:.0f} removed, greatest difference {away.max():.0f}")


# ---- surfaces in a given flow ----


def check_zalesak(options, checks, folder):
    """A disc of radius 15 with a slot 5 wide up to y = 85, its middle at (50, 75)."""
    x = np.linspace(-2.5, 2.5, 100001)
    slot = np.mean(10 + np.sqrt(225 - x**2)) * 5
    exact = math.pi * 225 - slot
    for n in (100,) if options.quick else (100, 80, 130):
        for particles in (16, 0):
            output = fsi.run(options, folder, "zalesak", "fluid/zalesak.yaml",
                             {"params/n": n, "params/particles": particles})
            frames = output.numbered("frame")
            first, last = Liquid(output, frames[0]), Liquid(output, frames[-1])
            start, end = first.volume(), last.volume()
            moved = np.abs(last.parts() - first.parts()).sum() * first.spacing**2
            probe = output.probes()["disc.volume"]
            words = (f"start {start:.2f}, exact {exact:.2f}; moved {moved:.1f}; by the program's own "
                     f"figure {100 * (probe[-1] / probe[0] - 1):+.2f}%")
            name = f"Zalesak {n}^2, {particles} particles, change of the area"
            change = 100 * (end / start - 1)
            if particles:
                checks.true(name, abs(change) <= 1, f"{change:+.3f}% limit 1%; {words}")
                check_counts(checks, f"Zalesak {n}^2", output.stats())
            else:
                checks.note(f"{name}: {change:+.3f}%; {words}")


def pieces_of(mesh):
    """Of each vertex that a triangle has, the least one that sides lead to."""
    triangles, label = mesh[1], np.arange(len(mesh[0]))
    while True:
        least = label[triangles].min(axis=1)
        after = label.copy()
        for corner in range(3):
            np.minimum.at(after, triangles[:, corner], least)
        after = after[after]
        if np.array_equal(after, label):
            return label[np.unique(triangles)]
        label = after


def check_enright(options, checks, folder):
    for n, limit in ((20 if options.quickest else 32, None),) if options.quick else ((32, None), (64, 5), (100, 3)):
        output = fsi.run(options, folder, "enright", "fluid/enright.yaml",
                         {"params/n": n, **({"params/particles": 16} if options.quick else {})},
                         *common.threads(2))
        frames = output.numbered("frame")
        start, end = (Liquid(output, number).volume(4) for number in (frames[0], frames[-1]))
        change = 100 * (end / start - 1)
        time = output.probes()["time"][-1]
        words = f"{change:+.2f}% (exact start {100 * (start / (4 / 3 * math.pi * 0.15**3) - 1):+.2f}%)"
        if limit is None:
            checks.true(f"Enright {n}^3, runs to t = 3", time == 3 and end > 0, words)
        else:
            checks.true(f"Enright {n}^3, change of the volume at t = 3", abs(change) <= limit,
                        f"{words} limit {limit}%")
        check_counts(checks, f"Enright {n}^3", output.stats())


def check_torus(options, checks, folder):
    """A torus in the ball's place, drawn out and brought back: one piece with one hole in every frame, by the Euler
    characteristic of its exported surface."""
    cases = () if options.quickest else ((48, 1),) if options.quick else ((48, 1), (64, 1))
    for n, period in cases:
        output = fsi.run(options, folder, "torus", "fluid/enright.yaml",
                         {"params/n": n, "params/shape": 1, "params/period": period}, *common.threads(2))
        numbers = output.numbered("frame")
        result = common.call(options.program, "export", output.folder, "--to", "ply")
        found, pieces = [], []
        for number in numbers if result.code == 0 else ():
            mesh = read_export(os.path.join(output.folder, "export", f"liquid_{number:05d}.ply"))
            found.append(meshes.euler(mesh) if meshes.is_closed(mesh) else None)
            pieces.append(len(set(pieces_of(mesh))))
        name = f"torus in Enright's flow, {n}^3, period {period}"
        checks.true(f"{name}: a frame for each tenth of a second", len(found) == 10 * period + 1, f"{len(found)}")
        checks.true(f"{name}: Euler characteristic 0 and one piece in every frame",
                    all(e == 0 for e in found) and all(p == 1 for p in pieces), f"{found}, pieces {pieces}")
        change = [Liquid(output, number).volume(4) for number in (numbers[0], numbers[-1])]
        checks.note(f"{name}: volume {100 * (change[1] / change[0] - 1):+.2f}%")


# ---- the dam ----

# Martin and Moyce (1952), a column twice as high as wide: time T = t sqrt(2 g / a), front Z = x / a
MARTIN_MOYCE = np.array([(0.84, 1.22), (1.19, 1.44), (1.63, 1.89), (1.98, 2.33), (2.32, 2.78), (2.65, 3.22),
                         (2.98, 3.67), (3.33, 4.11)])
A = 0.05715 # m


def dam(options, folder, values=None, *words, label="dam", a=A):
    """T and Z of a run of the scene, by its probe."""
    scale = math.sqrt(a / A)
    output = fsi.run(options, folder, label, "fluid/dam_break.yaml",
                     {"params/a": a, "fps": 120 / scale, "params/seconds": 0.3 * scale, **(values or {})},
                     *words)
    probes = output.probes()
    return output, probes["time"] * math.sqrt(2 * G / a), probes["tank.front"] / a


def against_experiment(time, front):
    """The greatest relative distance after the best shift in T of at most 0.2, and that shift: when
    the dam is gone is not known better."""
    found = []
    for shift in np.linspace(-0.2, 0.2, 81):
        away = np.interp(MARTIN_MOYCE[:, 0] + shift, time, front) / MARTIN_MOYCE[:, 1] - 1
        found.append((np.max(np.abs(away)), shift))
    return min(found)


def check_dam_front(options, checks, folder):
    cases = [({"params/n": n}, A, f"{n} cells") for n in ((60, 120) if options.quick else
                                                       (48, 60, 83, 120, 180))]
    cases += [({"params/n": 60}, a, f"60 cells, a = {a:g} m") for a in
              ((1.0,) if options.quick else (0.01, 1.0, 20.0))]
    cases += [({"params/n": n, "params/dim": 3}, A, f"3D, {n} cells")
              for n in ((36,) if options.quick else (36, 48, 64))]
    for values, a, name in cases:
        output, time, front = dam(options, folder, values, a=a)
        away, shift = against_experiment(time, front)
        label = f"dam, {name}: front from Martin and Moyce's, %, shift {shift:+.3f}"
        if values["params/n"] >= 120 and 5 < 100 * away <= 6.5: # docs/water-time.md says why
            checks.expected_failure(label, f"{100 * away:.3g} limit 5; flow without friction comes to 6 to 6.6%")
        else:
            checks.below(label, 100 * away, 5)
        apart = []
        for number in output.numbered("frame"):
            liquid = Liquid(output, number)
            at = np.argmin(np.abs(time / math.sqrt(2 * G / a) - liquid.time))
            apart.append(abs(liquid.front() - front[at] * a) / liquid.spacing)
        checks.below(f"dam, {name}: front of frames from the probe's, cells", max(apart), 1)
        check_counts(checks, f"dam, {name}", output.stats())


def check_dam_volume(options, checks, folder):
    cases = [(60, 2, 3.0, 1)] if options.quick else [(60, 2, 3.0, 1), (120, 2, 3.0, 1), (36, 3, 3.0, 1),
                                                    (60, 2, 30.0, 3), (120, 2, 30.0, 3)]
    for n, dim, seconds, limit in cases:
        output, _, _ = dam(options, folder, {"params/n": n, "params/dim": dim, "params/seconds": seconds,
                                             "fps": 24}, *common.threads(dim - 1))
        change = 100 * volume_change(output.stats())
        frames = output.numbered("frame")
        start, end = (Liquid(output, number).volume(4) for number in (frames[0], frames[-1]))
        name = f"dam, {dim}D, {n} cells, greatest change of the volume over {seconds:g} s"
        checks.true(name, abs(change) < limit, f"{change:+.3f}% limit {limit}%; at the end by frames "
                    f"{100 * (end / start - 1):+.3f}%")
        check_counts(checks, f"dam, {dim}D, {n} cells, {seconds:g} s", output.stats())


def check_dam_elsewhere(options, checks, folder):
    """The same dam moved, larger, smaller: the same front."""
    n = 60
    _, time, front = dam(options, folder, {"params/n": n})

    def compare(name, other_time, other_front):
        inside = (time > 0.3) & (time < 3.3) # until the tongue meets the wall
        other = np.interp(time[inside], other_time, other_front)
        checks.below(f"dam, {name}: front from the first one's, %",
                     100 * np.max(np.abs(other / front[inside] - 1)), 2)

    for part in (0.37,) if options.quick else (0.1, 0.37, 0.5, 0.83):
        move = part * 6 * A / n
        shapes = ("[{place: {shape: {box: {size: [\"=2*a\", \"=4*a\", \"=4*depth*a\"]}}, "
                  f"position: [{move!r}, {move!r}, 0]}}}}]")
        _, other_time, other = dam(options, folder, {
            "params/n": n, "fluid/liquid/shapes": shapes, "fluid/domain/low": f"[{move!r}, {move!r}, 0]",
            "fluid/domain/high": f"[{6 * A + move!r}, {6 * A + move!r}, {A}]"})
        compare(f"domain and column moved by {part:g} cells", other_time, other - move / A)
    for cells in (61, 63) if options.quick else (61, 62, 63, 64, 65):
        compare(f"column ends {cells / 6 % 1:.2f} cells off a face ({cells} cells)",
                *dam(options, folder, {"params/n": cells})[1:])
    for scale in (10, 0.1):
        compare(f"{scale:g} times as long, time by its root",
                *dam(options, folder, {"params/n": n}, a=scale * A)[1:])


def check_dam_mirrored(options, checks, folder):
    """The column at the other end: the mirror image. Particles are placed at random, so only the front
    can be compared with them; without them everything can."""
    for particles in (0, 16):
        plain, time, front = dam(options, folder, {"params/n": 60, "params/particles": particles})
        turned, _, _ = dam(options, folder, {
            "params/n": 60, "params/particles": particles, "fluid/liquid/shapes":
            "[{place: {shape: {box: {size: [\"=2*a\", \"=4*a\", \"=4*a\"]}}, position: [\"=length*a\", 0, 0]}}]"},
            label="mirrored")
        if particles == 0:
            bare = plain.probes()["tank.volume"]
        fronts, levels = [], []
        for number in plain.numbered("frame"):
            first, second = Liquid(plain, number), Liquid(turned, number)
            second.level = second.level[::-1]
            if 0.3 < first.time * math.sqrt(2 * G / A) < 3.3:
                fronts.append(abs(second.front() / first.front() - 1))
                levels.append(np.max(np.abs(second.level - first.level)) / first.spacing)
        checks.below(f"dam mirrored, {particles} particles: front, %", 100 * max(fronts), 2)
        checks.note(f"dam mirrored, {particles} particles: level set apart by at most {max(levels):.2g} cells")
    volume = plain.probes()["tank.volume"]
    same = len(volume) == len(bare) and np.array_equal(volume, bare)
    checks.note(f"dam: volume with and without particles is {'the same to the bit' if same else 'not the same'}")
    output, _, _ = dam(options, folder, {"params/n": 30, "params/dim": 3, "params/particles": 0})
    apart = [np.max(np.abs(liquid.level[:, :, ::-1] - liquid.level)) / liquid.spacing
             for liquid in (Liquid(output, number) for number in output.numbered("frame"))
             if liquid.time * math.sqrt(2 * G / A) < 3.3] # a splash at the wall makes much of rounding
    checks.below("dam, 3D without particles: level set from its mirror image in z, cells", max(apart), 0.01)


# ---- waves and rest ----


def half_period(time, height):
    """From a line through the times at which a wave goes through its mean; and the part of the first
    swing that the last one has."""
    mean = height.mean()
    for _ in range(3): # the mean is that over whole periods, which crossings give
        at = np.nonzero((height[1:] - mean) * (height[:-1] - mean) < 0)[0]
        moments = time[at] + (mean - height[at]) / (height[at + 1] - height[at]) * np.diff(time)[at]
        last = moments[:2 * ((len(moments) - 1) // 2) + 1][-1]
        inside = (time >= moments[0]) & (time <= last)
        mean = np.trapz(height[inside], time[inside]) / np.ptp(time[inside])
    swings = [np.max(np.abs(height[(time > a) & (time < b)] - mean)) for a, b in zip(moments[:-1], moments[1:])]
    return np.polyfit(np.arange(len(moments)), moments, 1)[0], abs(height[0] - mean), swings[-1]


def check_sloshing(options, checks, folder):
    depths = (0.2, 0.5) if options.quick else (0.2, 0.35, 0.5, 0.75, 1.0)
    n = 40 if options.quickest else 64
    cases = [(depth, 1, n) for depth in depths] + [(0.5, 2, 3 * n // 2)]
    cases += [] if options.quick else [(0.2, 2, 96), (1.0, 2, 96), (0.2, 3, 128), (0.5, 3, 128), (1.0, 3, 128),
                                       (0.5, 1, 33), (0.5, 1, 128)]
    for depth, mode, n in cases:
        k = mode * math.pi
        expected = 2 * math.pi / math.sqrt(G * k * math.tanh(k * depth))
        probes = fsi.run(options, folder, "sloshing", "fluid/sloshing.yaml",
                         {"params/depth": depth, "params/mode": mode, "params/n": n}).probes()
        half, first, last = half_period(probes["time"], probes["wall.surface"])
        checks.near(f"sloshing, depth {depth:g}, mode {mode}, {n} cells: period", 2 * half, expected, 2)
        checks.note(f"amplitude {first:.4f} at the start, {last:.4f} in the last half of 5 periods")


def check_rest(options, checks, folder):
    depths = (0.5, 0.53, 0.3333) if options.quick else (0.5, 0.53, 0.517, 0.5104, 0.50001, 0.3333, 0.71, 0.95)
    cases = [(depth, 48, {}, "") for depth in depths] + [(0.53, 16, {"dim": 3}, ", 3D")]
    cases += [] if options.quick else [(0.4771, 20, {"dim": 3}, ", 3D")]
    for depth, n, values, name in cases:
        stats = fsi.run(options, folder, "rest", "fluid/hydrostatic.yaml",
                        {"params/depth": depth, "params/n": n, **values}).stats()
        checks.below(f"rest, depth {depth:g}, {n} cells{name}: greatest speed over 5 s, m/s",
                     stats["speed.max"].max(), 1e-6)
        checks.below(f"rest, depth {depth:g}, {n} cells{name}: change of the volume, %",
                     100 * abs(volume_change(stats)), 1e-3)
    for tilt in (10, 25, 30, 40, 45) if options.quick else (5, 10, 20, 25, 30, 37.3, 40, 45, 60):
        for n in (48,) if options.quick else (31, 32, 48, 64):
            output = fsi.run(options, folder, "tilted", "fluid/hydrostatic.yaml",
                             {"params/tilt": tilt, "params/n": n})
            checks.below(f"rest, tilted by {tilt:g} degrees, {n} cells: greatest speed over 5 s in sqrt(g h)",
                         output.stats()["speed.max"].max() / math.sqrt(G * 0.53), 1e-3)
            probes, up = output.probes(), (math.sin(math.radians(tilt)), math.cos(math.radians(tilt)))
            level = 0.5 * up[0] + 0.53 * up[1] # above the origin, against gravity
            checks.below(f"rest, tilted by {tilt:g} degrees, {n} cells: gauges from the level, cells",
                         max(np.max(np.abs(probes[f"{side}.surface"] - level)) for side in ("west", "east")) * n, 0.05)


# ---- drops ----


def read_drops(output, number):
    with h5py.File(output.state(number), "r") as file:
        fluid = file["fluid"]
        return (float(file.attrs["time"]), fluid["drop_position"][()].reshape(-1, 3),
                fluid["drop_velocity"][()].reshape(-1, 3), fluid["drop_radius"][()].ravel(),
                fluid["drop_sign"][()].ravel())


def check_flights(options, checks, folder, name, scene, values):
    """A drop that meets nothing falls as a stone does: v + g dt, x + v dt + g dt^2 / 2. Drops have no
    names: each is looked for where it must be."""
    output = fsi.run(options, folder, "drops", scene, values, *common.threads(2), *fsi.STATES)
    gravity, numbers = np.array([0, -G, 0]), output.numbered("state")
    stats = output.stats()
    matched = lost = seen = 0
    worst_place = worst_speed = worst_sum = 0.0
    for first, second in zip(numbers[:-1], numbers[1:]):
        (t0, x0, v0, r0, s0), (t1, x1, v1, r1, s1) = read_drops(output, first), read_drops(output, second)
        dt = t1 - t0
        own = (1000 * (math.pi * r1**2 if Liquid(output, second).dim == 2 else 4 / 3 * math.pi * r1**3)
               * (s1 < 0)) @ v1
        row = np.argmin(np.abs(stats["time"] - t1))
        told = stats.vector("drops.momentum")[row]
        worst_sum = max(worst_sum, np.max(np.abs(own - told)) / (np.max(np.abs(own)) or 1))
        seen += len(x0)
        if len(x0) == 0:
            continue
        expected, speed = x0 + dt * v0 + dt**2 / 2 * gravity, v0 + dt * gravity
        before, after = Liquid(output, first), Liquid(output, second)
        h = before.spacing
        high = before.origin + h * np.array(before.level.shape)
        free = s0 < 0
        for axis in range(before.dim):
            free &= (expected[:, axis] > before.origin[axis] + h) & (expected[:, axis] < high[axis] - h)
            free &= (x0[:, axis] > before.origin[axis] + h) & (x0[:, axis] < high[axis] - h)
        for part in np.linspace(0, 1, 5): # of the way
            place = x0 + part * dt * v0 + (part * dt)**2 / 2 * gravity
            free &= (before.at(place) > 2.5 * h) & (after.at(place) > 2.5 * h)
        for i in np.nonzero(free)[0]:
            away = np.max(np.abs(x1 - expected[i]), axis=1) if len(x1) else np.array([np.inf])
            j = np.argmin(away)
            if away[j] > 1e-3 * h or r1[j] != r0[i]:
                lost += 1
                continue
            matched += 1
            worst_place = max(worst_place, away[j])
            worst_speed = max(worst_speed, np.max(np.abs(v1[j] - speed[i])))
    checks.true(f"{name}: drops that meet nothing are where they must be", lost == 0 and matched >= 20,
                f"{matched} found, {lost} not, of {seen} drops in {len(numbers)} states")
    checks.below(f"{name}: their place from that of free fall, m", worst_place, 1e-12)
    checks.below(f"{name}: their velocity from that of free fall, m/s", worst_speed, 1e-12)
    checks.below(f"{name}: momentum of all drops in stats.csv from the states', relative", worst_sum, 1e-12)
    check_counts(checks, name, output.stats())


def check_drops(options, checks, folder):
    check_flights(options, checks, folder, "drops of a dam, 2D", "fluid/dam_break.yaml",
                  {"params/n": 60, "params/seconds": 0.6})
    check_flights(options, checks, folder, "drops of a splash, 3D", "fluid/drop_splash.yaml",
                  {"params/n": 32 if options.quick else 40, "duration": 0.8})
    if not options.quick:
        output = fsi.run(options, folder, "fall", "fluid/waterfall.yaml", {"params/n": 32, "duration": 2},
                         *common.threads(2))
        check_counts(checks, "waterfall", output.stats())


# ---- volumes of spouts ----


def check_pouring(options, checks, folder):
    """What came in is in the box."""
    output = fsi.run(options, folder, "fill", "fluid/fill_box.yaml", {"params/n": 48 if options.quick else 64})
    stats, flux = output.stats(), output.probes()["left.flux"]
    steps = np.abs(flux) * stats["dt"]
    exact = 0.8 * 0.125 * 2 # spout, two seconds
    end = stats["volume.fluid"][-1]
    checks.near("filled box: flux through the spout, m^3", steps.sum(), exact, 2)
    checks.near("filled box: volume.poured", stats["volume.poured"][-1], exact, 2)
    checks.note(f"filled box: volume at the end {end:.5f}, {100 * (end / exact - 1):+.2f}% of what came in")
    check_counts(checks, "filled box", stats)


def check_open_side(options, checks, folder):
    """Water thrown up through an open top, or that runs out at the far end: what is gone has left, and what falls back
    draws none after it."""
    cases = [(2, 48, "top", 0.6, 2.3)]
    if not options.quick:
        cases += [(2, 60, "top", 0, 2.3), (2, 83, "top", 1, 2.3), (3, 48, "top", 0.6, 2.3), (2, 48, "right", 0, 0),
                  (2, 71, "right", 0, 1.5), (3, 36, "right", 0, 0), (2, 60, "bottom", 0, 1)]
    for dim, n, side, aside, up in cases:
        output = fsi.run(options, folder, "open", "fluid/dam_break.yaml", {
            "params/n": n, "params/dim": dim, "params/seconds": 1, "fluid/sides": f"{{{side}: open}}",
            "fluid/initial": f"{{velocity: [{aside}, {up}, 0]}}"}, *common.threads(dim - 1))
        stats = output.stats()
        start, left, volume = stats["volume.wanted"][0], stats["volume.left"], stats["volume.fluid"]
        name = f"{side} open, {dim}D, {n} cells"
        checks.true(f"{name}: water leaves, none comes back", left[-1] > 0.03 * start and np.all(np.diff(left) >= 0),
                    f"{100 * left[-1] / start:.1f}% left")
        missing = 100 * np.abs(volume + left - start) / start
        checks.below(f"{name}: water that is neither there nor left at the end, %; {missing.max():.2f} at worst",
                     missing[-1], 1)


# ---- exports ----


def read_export(path):
    """The triangles of a file as the program writes it."""
    if path.endswith(".obj"):
        return meshes.read_obj(path)
    if path.endswith(".vtu"):
        grid = vtk_xml.Grid(path)
        return grid.points, grid.cells.astype(np.int64)
    vertices, triangles = ply.read(path)
    return ply.columns(vertices, "xyz").astype(float), triangles


def check_exports(options, checks, folder):
    """The surface is closed, also along walls, and holds the volume that stats.csv tells."""
    cases = [("dam", "fluid/dam_break.yaml",
              {"params/n": 24 if options.quickest else 36, "params/dim": 3, "params/seconds": 0.3}),
             ("splash", "fluid/drop_splash.yaml",
              {"params/n": 20 if options.quickest else 24 if options.quick else 40, "duration": 0.5})]
    if not options.quick:
        cases.append(("ball afloat", "float/ball.yaml",
                      {"params/seconds": 0.3, "params/width": 2, "params/depth": 1, "params/n": 12}))
    for name, scene, values in cases:
        output = fsi.run(options, folder, name, scene, values, *common.threads(2))
        stats, numbers = output.stats(), output.numbered("frame")
        for number in (numbers[-1],) if options.quick else (0, numbers[len(numbers) // 2], numbers[-1]):
            time = Liquid(output, number).time
            volume = stats["volume.fluid"][np.argmin(np.abs(stats["time"] - time))]
            for form in ("ply", "obj", "vtk"):
                result = common.call(options.program, "export", output.folder, "--to", form, "--frame", number)
                path = os.path.join(output.folder, "export", f"liquid_{number:05d}.{form.replace('vtk', 'vtu')}")
                if not checks.true(f"{name}, frame {number}: export to {form}",
                                   result.code == 0 and os.path.exists(path), result.last_words()
                                   if result.code else ""):
                    continue
                mesh = read_export(path)
                checks.true(f"{name}, frame {number}, {form}: closed", meshes.is_closed(mesh),
                            f"{len(mesh[1])} triangles")
                checks.near(f"{name}, frame {number}, {form}: volume inside", meshes.volume(mesh), volume, 1)


def main():
    verify(__doc__, (check_zalesak, check_dam_front, check_dam_volume, check_dam_elsewhere, check_dam_mirrored,
                     check_sloshing, check_rest, check_drops, check_pouring, check_open_side, check_exports,
                     check_enright, check_torus))


if __name__ == "__main__":
    main()

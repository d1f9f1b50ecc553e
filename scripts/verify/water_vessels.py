#!/usr/bin/python3
"""Water in small vessels: glasses that a spout fills, plates with water on one side, a cup that pours."""
import re

import common
import fsi
from common import h5py, np, verify
from water import Liquid


def short(stats, row=-1):
    """What is missing of what there was at first and was poured, in percent."""
    there = stats["volume.fluid"][row] + stats["volume.drops"][row] + stats["volume.left"][row]
    return 100 * (there / (stats["volume.fluid"][0] + stats["volume.poured"][row]) - 1)


def drops_of(output):
    """Places and volumes of drops that carry some, at the end."""
    with h5py.File(output.state(), "r") as file:
        volume = file["fluid/drop_volume"][()]
        return file["fluid/drop_position"][()].reshape(-1, 3)[volume != 0], volume[volume != 0]


class Glass:
    """Where a glass of the scene is: how far points are from its axis and above its middle."""

    def __init__(self, dim, n, wall, shift, turn):
        self.dim, self.thick, self.half = dim, wall / n, 0.5 * (0.5 + wall / n)
        self.middle = np.array([0.5, 0.45, 0.5 if dim == 3 else 0]) + shift / n * np.array([1, 1, dim == 3])
        self.turned = common.quat_about((dim == 3, 0, 2), turn)

    def away_up(self, points):
        at = common.to_body(self.turned, (points - self.middle) * np.array([1, 1, self.dim == 3]))
        return np.hypot(at[..., 0], at[..., 2]), at[..., 1]

    def outside(self, points, h):
        """Below the rim and more than half a cell beyond the wall or the floor."""
        away, up = self.away_up(points)
        return ((away > 0.25 + self.thick + 0.5 * h) & (up < self.half)) | (up < -self.half - 0.5 * h)

    def over_rim(self, points, h):
        """Above the outer half of the rim, or just beyond it."""
        away, up = self.away_up(points)
        return (away > 0.25 + 0.5 * self.thick) & (away < 0.25 + self.thick + 2 * h) & (up > self.half) & (up < self.half + 2 * h)


def cells_of(liquid):
    parts = liquid.parts(4)
    axes = [liquid.origin[a] + (np.arange(parts.shape[a]) + 0.5) * liquid.spacing for a in range(3)]
    return parts, np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def outside_glass(output, glass):
    """Liquid below the rim and more than half a cell outside the glass, and what drops carry there, in percent of all."""
    liquid = Liquid(output, output.numbered("frame")[-1])
    h, (parts, points) = liquid.spacing, cells_of(liquid)
    drops, carried = drops_of(output)
    dripped = np.abs(carried[glass.outside(drops, h)]).sum() / h**liquid.dim
    return 100 * (parts[glass.outside(points, h)].sum() + dripped) / parts.sum()


def slopped_over(output, glass):
    """The most liquid in any frame that is over the rim on its way out, in percent of what there is at the end."""
    most = 0
    for number in output.numbered("frame"):
        liquid = Liquid(output, number)
        parts, points = cells_of(liquid)
        most = max(most, parts[glass.over_rim(points, liquid.spacing)].sum())
    return 100 * most / parts.sum()


def check_glass(options, checks, folder):
    """Four places on the grid, walls from two cells on."""
    cases = [(2, 24, 2, 0, 0, 1), (3, 16, 2, 0.37, 0, 0.8)]
    if not options.quickest:
        cases = [(3, 24, 2, shift, 0, 2) for shift in (0, 0.25, 0.5, 0.75)] + [(3, 24, 2, 0.4, 15, 2), (3, 24, 2.6, 0.4, 0, 2)]
    if not options.quick:
        cases += [(3, 24, wall, shift, turn, 2) for wall in (2, 2.6, 4) for shift in (0, 0.25, 0.5, 0.75) for turn in (0, 15, 30)
                  if (3, 24, wall, shift, turn, 2) not in cases]
        cases += [(3, 40, wall, shift, turn, 3) for wall in (2, 2.6, 4) for shift, turn in ((0, 0), (0.37, 15))]
    for dim, n, wall, shift, turn, seconds in cases:
        name = f"glass, {dim}D, {n} cells a metre, walls of {wall} cells, moved by {shift} cells, turned by {turn}"
        output = fsi.run(options, folder, "glass", "fluid/glass.yaml",
                         {"params/dim": dim, "params/n": n, "params/wall": wall, "params/shift": shift,
                          "params/turn": turn, "params/seconds": seconds, "params/pour": 0.5 * seconds})
        checks.below(f"{name}: water that is missing or too much, %", abs(short(output.stats())), 1.5)
        glass = Glass(dim, n, wall, shift, turn)
        outside, slopped = outside_glass(output, glass), slopped_over(output, glass)
        if 0 < outside <= 1 and slopped > 0: # not through the wall (docs/water-vessels.md)
            checks.expected_failure(f"{name}: outside, %", f"{outside:.3g} limit 0; seen over its rim {slopped:.3g}")
        else:
            checks.below(f"{name}: outside, %", outside, 0)


def behind_plate(output, number, n, wall, turn, shift):
    """Liquid more than half a cell behind the plate in a frame, in percent of all."""
    liquid = Liquid(output, number)
    h, parts = liquid.spacing, liquid.parts(4)
    x, y = (liquid.origin[a] + (np.arange(parts.shape[a]) + 0.5) * h for a in range(2))
    a = np.radians(turn)
    along = (x[:, None] - 0.5 - shift / n) * np.cos(a) + (y[None, :] - 0.5) * np.sin(a)
    return 100 * parts[along > 0.5 * wall / n + 0.5 * h].sum() / parts.sum()



def check_plate(options, checks, folder):
    cases = [(2, 0), (2, 45), (1.5, 0), (1.5, 30)]
    if not options.quickest:
        cases += [(1.5, 45), (2, 30), (3, 0), (3, 30), (3, 45)]
        cases += [(wall, turn) for wall in (1.5, 2, 3) for turn in (10, 20, 33) if (wall, turn) not in cases]
    seconds = 5 if options.quickest else 20
    for wall, turn in cases:
        name = f"plate of {wall} cells, turned by {turn} degrees"
        output = fsi.run(options, folder, "plate", "fluid/plate.yaml",
                         {"params/wall": wall, "params/turn": turn, "params/seconds": seconds})
        stats = output.stats()
        off = 100 * np.max(np.abs(stats["volume.fluid"] / stats["volume.fluid"][0] - 1))
        if wall == 1.5 and turn == 33 and 0.5 < off <= 1.2: # docs/water-vessels.md, limits
            checks.expected_failure(f"{name}: change of volume, %", f"{off:.3g} limit 0.5")
        else:
            checks.below(f"{name}: change of volume, %", off, 0.5)
        checks.below(f"{name}: behind it in any frame, %",
                     max(behind_plate(output, number, 40, wall, turn, 0) for number in output.numbered("frame")), 0)


PLATES = '''plimsoll: 1
name: plates
params: {first: 1, second: 1.2}
dim: 2
duration: 1
fluid:
  domain: {low: [0, 0, 0], high: [1, 1, 1]}
  cells: 40
  sides: {top: open}
  obstacles:
    - place: {shape: {box: {size: ["=first/40", 4, 4]}}, position: ["=0.3+0.5*first/40", 0, 0]}
    - place: {shape: {box: {size: ["=second/40", 4, 4]}}, position: ["=0.3+(first+10+0.5*second)/40", 0, 0]}
  liquid: {level: "=y-0.4"}
'''


def check_names(options, checks, folder):
    """Each obstacle that is too thin is named, and no other."""
    path = common.write_scene(folder, "plates.yaml", PLATES)
    for first, second, names in ((1, 1.2, ("obstacle 0 is 1 cells", "obstacle 1 is 1.2 cells")),
                                 (3, 1.2, ("obstacle 1 is 1.2 cells",)), (2, 3, ())):
        result = common.call(options.program, "check", path,
                             *common.overrides({"params/first": first, "params/second": second}))
        said = [line for line in result.stderr.splitlines() if "warning" in line]
        checks.true(f"check, plates of {first} and {second} cells: {len(names)} named",
                    result.code == 0 and len(said) == len(names) and all(a in b for a, b in zip(names, said)), "; ".join(said))


def check_thin(options, checks, folder):
    """A plate of less than 1.5 cells holds the water, or is named with the cells that it takes."""
    for wall, turn in [(1, 33)] if options.quickest else [(wall, turn) for wall in (0.5, 1, 1.2) for turn in (0, 33, 45)]:
        values = {"params/wall": wall, "params/turn": turn, "params/seconds": 2 if options.quickest else 20}
        said = common.call(options.program, "check", common.scene_path("fluid/plate.yaml"), *common.overrides(values)).stderr
        told = re.search(r"obstacle.* ([\d.]+) cells of .* with 'cells: (\d+)'", said)
        named = told and abs(float(told[1]) / wall - 1) < 0.05 and 0 <= int(told[2]) - 2 * 40 / wall <= 3
        output = fsi.run(options, folder, "thin", "fluid/plate.yaml", values)
        off = np.max(np.abs(there(output.stats())))
        behind = max(behind_plate(output, number, 40, wall, turn, 0) for number in output.numbered("frame"))
        checks.true(f"plate of {wall:g} cells, turned by {turn} degrees: held, or named", named or (off <= 0.5 and behind == 0),
                    f"changes by {off:.2g}%, {behind:.2g}% behind it; check says: {said.strip()[:160] or 'nothing'}")


def check_pour(options, checks, folder):
    """Walls that move: a cup that tilts, by 100 degrees and others, into a glass and beside it."""
    cases = [(2, 16 if options.quickest else 24, 100, 2)]
    if not options.quickest:
        cases += [(2, 48, 100, 2), (2, 38, 75, 2.6), (3, 16, 100, 2)]
    if not options.quick:
        cases += [(3, 20, 70, 2), (3, 18, 130, 2), (3, 24, 100, 2)]
    for dim, n, tilt, wall in cases:
        output = fsi.run(options, folder, "pour", "fluid/pour.yaml",
                         {"params/dim": dim, "params/n": n, "params/tilt": tilt, "params/wall": wall})
        checks.below(f"pour, {dim}D, {n} cells a metre, walls of {wall} cells, by {tilt} degrees: water that is missing or "
                     "too much, %", abs(short(output.stats())), 3)


def there(stats):
    """Water, and what drops carry and what left, over what there was at first and was poured; from 1, in percent."""
    now = stats["volume.fluid"] + stats["volume.drops"] + stats["volume.left"] - stats["volume.poured"]
    return 100 * (now / now[0] - 1)


RAFT = '''plimsoll: 1
name: raft
params: {n: 20, shift: 0, density: 0.5, seconds: 30}
dim: 2
duration: "=seconds"
fps: 4
fluid:
  domain: {low: [0, 0, 0], high: [2, 2, 2]}
  cells: "=2*n"
  sides: {top: open}
  liquid: {level: "=y-1-shift/n"}
rigid:
  bodies:
    - name: raft
      shape: {box: {size: [0.8, 0.4, 0.8]}}
      position: [1.013, "=1+shift/n+0.4*(0.5-density)", 0]
      density: "=1000*density"
'''


def check_long(options, checks, folder):
    """Volume over 30 s: at rest beside a plate and under a square that floats, and with blocks that are washed away."""
    raft = common.write_scene(folder, "raft.yaml", RAFT)
    cases = [(2, f"plate of 2 cells, turned by {turn} degrees", "fluid/plate.yaml", {"params/turn": turn}, 0.5, 2)
             for turn in ((20,) if options.quickest else (0, 33) if options.quick else (0, 10, 20, 30, 33, 45))]
    cases += [(2, f"square that floats, {n} cells a metre, density {density:g}, moved by {shift:g} cells", raft,
               {"params/n": n, "params/density": density, "params/shift": shift}, 0.5, 2)
              for n, density, shift in ((20, 0.5, 0), (33, 0.8, 0.37))[:1 if options.quickest else 2]]
    cases += [(2, f"blocks washed away, {n} cells", "float/blocks.yaml",
               {"params/dim": 2, "params/count": 4, "params/n": n}, 0.5, 2) for n in ((42,) if options.quickest else (42, 56))]
    cases += [(3, f"blocks washed away, {n} cells", "float/blocks.yaml", {"params/n": n}, at_end, 5)
              for n, at_end in ((), ((42, 2),), ((42, 2), (56, 1)))[0 if options.quickest else 1 if options.quick else 2]]
    for dim, name, scene, values, at_end, on_the_way in cases:
        seconds = 10 if options.quickest else 8 if options.quick and dim == 3 else 30
        stats = fsi.run(options, folder, "long", scene, {**values, "params/seconds": seconds, "fps": 4}).stats()
        off = there(stats)
        checks.below(f"{dim}D, {name}: volume after {seconds} s, off by %", abs(off[-1]), at_end)
        checks.below(f"{dim}D, {name}: volume on the way, off by %", np.max(np.abs(off)), on_the_way)


def check_keeping(options, checks, folder):
    """The key that turns keeping off, and drops that are counted."""
    runs = {}
    for word in ("true", "false"):
        output = fsi.run(options, folder, "keeping", "fluid/glass.yaml",
                         {"params/dim": 2, "params/n": 24, "params/seconds": 1, "fluid/liquid/volume_keeping": word})
        stats = output.stats()
        runs[word] = abs(short(stats))
        with h5py.File(output.state(), "r") as file:
            carried = file["fluid/drop_volume"][()]
        checks.below(f"keeping {word}: volume of drops, m^3, away from the state's", abs(stats["volume.drops"][-1] - carried.sum()),
                     1e-12)
        checks.true(f"keeping {word}: drops are counted", stats["drops.alive"][-1] == len(carried), f"{len(carried)}")
    checks.true("without keeping more is lost", runs["false"] > runs["true"], f"{runs['false']:.2f}%, with it {runs['true']:.2f}%")


def check_same(options, checks, folder):
    """The same bits for any threads and after a restart: beside walls, below a tap with a rate, with drops that carry
    volume beside walls that move, and without keeping."""
    frames = 12 if options.quickest else 24
    tap_frames = 12 if options.quickest else 30
    cases = [("glass", "glass", {"params/dim": 3, "params/n": 12, "params/shift": 0.3, "params/seconds": frames / 24}, frames),
             ("tap", "tap", {"params/n": 24, "params/across": 3, "params/seconds": 0.2, "params/rest": tap_frames / 30 - 0.2},
              tap_frames),
             ("pour", "pour", {"params/dim": 2, "params/n": 24, "params/tilt": 130, "params/seconds": 3}, 72),
             ("glass without keeping", "glass", {"params/dim": 2, "params/n": 24, "params/seconds": frames / 24,
                                                 "fluid/liquid/volume_keeping": "false"}, frames)]
    if not options.quickest:
        cases += [("tap, 3D", "tap", {"params/dim": 3, "params/n": 16, "params/across": 3, "params/rate": 0.01,
                                      "params/seconds": 0.5, "params/rest": 0.5}, 30),
                  ("pour, 3D", "pour", {"params/n": 14, "params/seconds": 3}, 72)]
    drops = 0
    for name, scene, values, last in cases:
        path, place = common.scene_path(f"fluid/{scene}.yaml"), f"{folder}/same_{name.replace(' ', '_')}"
        runs = [common.run(options.program, path, f"{place}{threads}", values, "--threads", threads,
                           "--state-every", last // 4, "--keep-states") for threads in (1, 2, 4)]
        drops += np.count_nonzero(runs[0].stats()["volume.drops"]) if name == "pour" else 0
        for threads, output in zip((2, 4), runs[1:]):
            names = common.different(runs[0].state(last), output.state(last))
            checks.true(f"{name}, {threads} threads: the same state", not names, ", ".join(names) or "equal")
        result = common.call(options.program, "resume", runs[1].folder, "--from-frame", last // 4 * 3, "--frames", last, "--quiet")
        names = common.different(runs[0].state(last), runs[1].state(last))
        checks.true(f"{name}, resumed at frame {last // 4 * 3}: the same state", result.code == 0 and not names,
                    ", ".join(names) or f"exit code {result.code}")
    checks.true("pour: drops carried volume", drops > 0, f"in {drops} steps")


def main():
    verify(__doc__, (check_glass, check_plate, check_names, check_thin, check_pour, check_long, check_keeping, check_same))


if __name__ == "__main__":
    main()

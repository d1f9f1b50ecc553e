#!/usr/bin/python3
"""Water in small vessels: glasses that a spout fills, plates with water on one side, a cup that pours."""
import common
import fsi
from common import h5py, np, verify
from water import Liquid


def short(stats, row=-1):
    """What is missing of what there was at first and was poured, in percent."""
    there = stats["volume.fluid"][row] + stats["volume.drops"][row] + stats["volume.left"][row]
    return 100 * (there / (stats["volume.fluid"][0] + stats["volume.poured"][row]) - 1)


def outside_glass(output, n, wall, shift, turn):
    """Liquid below the rim and more than half a cell outside the glass, in percent of all."""
    liquid = Liquid(output, output.numbered("frame")[-1])
    h, parts = liquid.spacing, liquid.parts(4)
    middle = np.array([0.5, 0.45, 0.5 if liquid.dim == 3 else 0]) + shift / n * np.array([1, 1, liquid.dim == 3])
    axes = [liquid.origin[a] + (np.arange(parts.shape[a]) + 0.5) * h - middle[a] for a in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    points[..., 2] *= liquid.dim == 3
    points = common.to_body(common.quat_about((liquid.dim == 3, 0, 2), turn), points)
    away, up, half = np.hypot(points[..., 0], points[..., 2]), points[..., 1], 0.5 * (0.5 + wall / n)
    outside = ((away > 0.25 + wall / n + 0.5 * h) & (up < half)) | (up < -half - 0.5 * h)
    return 100 * parts[outside].sum() / parts.sum()


def check_glass(options, checks, folder):
    """Four places on the grid, walls from two cells on."""
    cases = [(2, 24, 2, 0, 0, 1), (3, 16, 2, 0.37, 0, 0.8)]
    if not options.quickest:
        cases = [(3, 24, 2, shift, 0, 2) for shift in (0, 0.25, 0.5, 0.75)] + [(3, 24, 2, 0.4, 15, 2), (3, 24, 2.6, 0.4, 0, 2)]
    if not options.quick:
        cases += [(3, 40, wall, shift, turn, 3) for wall in (2, 2.6, 4) for shift, turn in ((0, 0), (0.37, 15))]
    for dim, n, wall, shift, turn, seconds in cases:
        name = f"glass, {dim}D, {n} cells a metre, walls of {wall} cells, moved by {shift} cells, turned by {turn}"
        output = fsi.run(options, folder, "glass", "fluid/glass.yaml",
                         {"params/dim": dim, "params/n": n, "params/wall": wall, "params/shift": shift,
                          "params/turn": turn, "params/seconds": seconds, "params/pour": 0.5 * seconds})
        checks.below(f"{name}: water that is missing or too much, %", abs(short(output.stats())), 1.5)
        checks.below(f"{name}: outside, %", outside_glass(output, n, wall, shift, turn), 0)


def behind_plate(output, n, wall, turn, shift):
    """Liquid more than half a cell behind the plate, in percent of all."""
    liquid = Liquid(output, output.numbered("frame")[-1])
    h, parts = liquid.spacing, liquid.parts(4)
    x, y = (liquid.origin[a] + (np.arange(parts.shape[a]) + 0.5) * h for a in range(2))
    a = np.radians(turn)
    along = (x[:, None] - 0.5 - shift / n) * np.cos(a) + (y[None, :] - 0.5) * np.sin(a)
    return 100 * parts[along > 0.5 * wall / n + 0.5 * h].sum() / parts.sum()




def check_plate(options, checks, folder):
    cases = [(2, 0), (2, 45), (1.5, 0), (1.5, 30)]
    if not options.quickest:
        cases += [(wall, turn) for wall in (1.5, 2, 3) for turn in (10, 20, 33) if (wall, turn) not in cases]
    seconds = 5 if options.quickest else 20
    for wall, turn in cases:
        name = f"plate of {wall} cells, turned by {turn} degrees"
        output = fsi.run(options, folder, "plate", "fluid/plate.yaml",
                         {"params/wall": wall, "params/turn": turn, "params/seconds": seconds})
        stats = output.stats()
        off = 100 * np.max(np.abs(stats["volume.fluid"] / stats["volume.fluid"][0] - 1))
        checks.below(f"{name}: change of volume, %", off, 0.5)
        checks.below(f"{name}: behind it, %", behind_plate(output, 40, wall, turn, 0), 0)


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
    """The same bits for any threads and after a restart, beside walls."""
    frames = 12 if options.quickest else 24
    values = {"params/dim": 3, "params/n": 12, "params/seconds": frames / 24, "params/shift": 0.3}
    scene = common.scene_path("fluid/glass.yaml")
    runs = [common.run(options.program, scene, f"{folder}/same{threads}", values, "--threads", threads,
                       "--state-every", frames // 2, "--keep-states") for threads in (1, 2, 4)]
    for threads, output in zip((2, 4), runs[1:]):
        names = common.different(runs[0].state(frames), output.state(frames))
        checks.true(f"glass, {threads} threads: the same state", not names, ", ".join(names) or "equal")
    result = common.call(options.program, "resume", runs[1].folder, "--from-frame", frames // 2,
                         "--frames", frames, "--quiet")
    names = common.different(runs[0].state(frames), runs[1].state(frames))
    checks.true(f"glass, resumed at frame {frames // 2}: the same state", result.code == 0 and not names,
                ", ".join(names) or f"exit code {result.code}")


def main():
    verify(__doc__, (check_glass, check_plate, check_pour, check_keeping, check_same))


if __name__ == "__main__":
    main()

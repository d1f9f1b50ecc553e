#!/usr/bin/python3
"""Many crates dropped into a tank, floats in a rocking trough: energy, places, the same bits every time."""
import common
import fsi
from common import np, verify
from water import G, check_counts


def energy_excess(stats, top):
    """The greatest rise of the total energy above its start, J, and what the level set's change of
    volume may have brought by then: its mass, lifted to `top`, m. No more than that is allowed."""
    energy, volume = stats["energy.total"], stats["volume.fluid"]
    rise = energy - energy[0]
    allowed = 1000 * G * top * np.maximum(volume - volume[0], 0) + 1e-9 * abs(energy[0])
    at = np.argmax(rise - allowed)
    return rise[at], allowed[at]


def check_same(options, checks, label, first, second):
    frame = first.numbered("frame")[-1]
    names = common.different(first.state(frame), second.state(frame))
    checks.true(f"{label}: state", not names, f"differ: {', '.join(names)}" if names else
                common.info_hash(options.program, first.state(frame)))
    names = common.different(first.frame(frame), second.frame(frame))
    checks.true(f"{label}: last frame", not names, f"differ: {', '.join(names)}" if names else "equal")
    a, b = first.stats(), second.stats()
    bad = [name for name in a.names if not name.startswith("wall.") and a[name].tobytes() != b[name].tobytes()]
    checks.true(f"{label}: stats.csv", not bad, f"differ: {', '.join(bad)}" if bad else "equal")


def check_crates(options, checks, folder):
    values = ({"params/count": 6, "params/cells": 20, "params/particles": 8, "duration": 0.5} if options.quickest
              else {"params/count": 6, "params/cells": 32, "params/particles": 8, "duration": 1} if options.quick
              else {"params/count": 50})
    output = fsi.run(options, folder, "crates", "float/crates.yaml", values,
                     *common.threads(1 if options.quick else 2))
    stats = output.stats()
    name = f"{values['params/count']} crates"
    rise, allowed = energy_excess(stats, 1)
    checks.true(f"{name}: total energy never above its start", rise <= allowed,
                f"{rise:+.3g} J where it is highest over what volume may bring, {allowed:.3g} J; "
                f"{stats['energy.total'][0]:.5g} J at the start, {stats['energy.total'][-1]:.5g} J at the end")
    kept = [n for n in stats.names if not n.startswith("wall.")]
    checks.true(f"{name}: all finite", all(np.all(np.isfinite(stats[n])) for n in kept), f"{len(stats)} rows")
    change = stats["volume.fluid"] / stats["volume.fluid"][0] - 1
    checks.note(f"{name}: volume {100 * change.min():+.2f}% to {100 * change.max():+.2f}%")
    bodies = common.Bodies(output)
    cell = 2 / float(values.get("params/cells", 48))
    crates = np.concatenate(bodies.parts[:values["params/count"]]) # after them come the tank's walls
    corners = (bodies.read(number)[crates] for number in bodies.numbers)
    out = max(max(np.max(-v), np.max(v[:, [0, 2]] - 2)) for v in corners)
    checks.below(f"{name}: furthest corner beyond the walls, cells", out / cell, 0.5)
    check_counts(checks, name, stats)
    if options.quick:
        check_bits(options, checks, folder, name, values, output)
    else:
        values["duration"] = 1
        output = fsi.run(options, folder, "crates", "float/crates.yaml", values, "--threads", 1)
        check_bits(options, checks, folder, name, values, output)
        for threads in (2, 4):
            other = fsi.run(options, folder, f"crates{threads}", "float/crates.yaml", values,
                            "--threads", threads)
            check_same(options, checks, f"{name}, {threads} threads", output, other)


def check_bits(options, checks, folder, name, values, output):
    """Two threads half of the way, then four: the bits of one thread all the way."""
    half = fsi.run(options, folder, "crates_half", "float/crates.yaml", values, "--threads", 2,
                   "--frames", output.numbered("frame")[-1] // 2)
    result = common.call(options.program, "resume", half.folder, "--quiet", "--threads", 4, timeout=7200)
    if checks.true(f"{name}, resumed half way: exit code", result.code == 0, result.last_words()
                   if result.code else ""):
        check_same(options, checks, f"{name}, 2 threads, resumed half way with 4", output, half)


def check_seesaw(options, checks, folder):
    """A trough that rocks: the floats stay in it."""
    output = fsi.run(options, folder, "seesaw", "float/seesaw_tank.yaml",
                     {"params/n": 40 if options.quickest else 60, "params/seconds": 3 if options.quick else 10})
    probes, stats = output.probes(), output.stats()
    checks.true("rocking trough: all finite", np.all(np.isfinite(probes.values)))
    far = max(np.max(np.abs(probes[f"float_{i}.position.x"])) for i in range(3))
    checks.below("rocking trough: furthest float from the middle, m", far, 1.1)
    if not options.quick: # floats are thrown out of it; that a body lies at a side is no reason to stop
        result, _ = fsi.attempt(options, folder, "wild", "float/seesaw_tank.yaml",
                                {"params/n": 96, "params/tilt": 12, "params/period": 2.5, "fluid/sides": "{}"})
        checks.true("rocking trough, wildly, in a closed box with air: runs", result.code == 0,
                    " ".join(result.stderr.split())[:200] if result.code else "")
    change = stats["volume.fluid"] / stats["volume.fluid"][0] - 1
    checks.note(f"rocking trough: volume {100 * change.min():+.2f}% to {100 * change.max():+.2f}%")
    check_counts(checks, "rocking trough", stats)


def main():
    verify(__doc__, (check_seesaw, check_crates))


if __name__ == "__main__":
    main()

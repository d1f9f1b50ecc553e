#!/usr/bin/python3
"""The same bits every time: for any number of threads, across resume, and without caches."""
import os
import shutil

import common
from common import np

FRAMES = 60


def compare(options, checks, label, reference, other, probes=True):
    """State of the last frame: hash as `info` prints it, and every dataset, bit for bit."""
    first, second = reference.state(FRAMES), other.state(FRAMES)
    expected, found = (common.info_hash(options.program, path) for path in (first, second))
    checks.true(f"{label}: hash", found == expected, f"{found} expected {expected}")
    names = common.different(first, second)
    count = len(common.datasets(first))
    checks.true(f"{label}: {count} datasets", count > 5 and not names,
                f"differ: {', '.join(names)}" if names else "equal")
    names = common.different(reference.frame(FRAMES), other.frame(FRAMES))
    checks.true(f"{label}: last frame", not names,
                f"differ: {', '.join(names)}" if names else "equal")
    if probes:
        same = common.digest(reference.path("probes.csv")) == common.digest(other.path("probes.csv"))
        checks.true(f"{label}: probes.csv", same, "equal" if same else "differs")


def check_figures(checks, label, reference, other):
    """stats.csv but for wall times."""
    first, second = reference.stats(), other.stats()
    kept = [name for name in first.names if not name.startswith("wall.")]
    bad = [name for name in kept
           if name not in second.index or first[name].tobytes() != second[name].tobytes()]
    checks.true(f"{label}: {len(kept)} columns of stats.csv", not bad,
                f"differ: {', '.join(bad)}" if bad else "equal")


def check_crowd(options, checks, folder, scene):
    """Enough bodies that loops and sums are really cut into pieces for several threads."""
    values = {"params/boxes": 18, "params/frames": 2, "params/rings": 500}
    runs = {}
    for threads in (1, 2, 4):
        runs[threads] = common.run(options.program, scene, os.path.join(folder, f"crowd{threads}"),
                                   values, "--threads", threads)
        if threads == 1:
            continue
        label = f"{18**3 + 500} bodies, {threads} threads"
        names = common.different(runs[1].state(2), runs[threads].state(2))
        checks.true(f"{label}: state", not names,
                    f"differ: {', '.join(names)}" if names else "equal")
        names = common.different(runs[1].frame(2), runs[threads].frame(2))
        checks.true(f"{label}: frame", not names,
                    f"differ: {', '.join(names)}" if names else "equal")
        check_figures(checks, label, runs[1], runs[threads])


def check_resume(options, checks, folder, scene, reference):
    half = common.run(options.program, scene, os.path.join(folder, "half"), None,
                      "--frames", FRAMES // 2)
    moved = os.path.join(folder, "moved")
    os.mkdir(moved)
    shutil.copy(half.path("scene.yaml"), moved)
    shutil.copy(half.state(FRAMES // 2), moved)
    result = common.call(options.program, "resume", moved, "--frames", FRAMES, "--quiet",
                         "--threads", 2)
    checks.true("30 + 30 frames in another folder: exit code", result.code == 0, result.last_words()
                if result.code else "0")
    if result.code == 0:
        compare(options, checks, "30 + 30 frames in another folder", reference,
                common.Output(moved), probes=False)
    result = common.call(options.program, "resume", half.folder, "--quiet")
    checks.true("30 + 30 frames in place: exit code", result.code == 0, result.last_words()
                if result.code else "0")
    if result.code == 0:
        compare(options, checks, "30 + 30 frames in place", reference, half)
        check_figures(checks, "30 + 30 frames in place", reference, half)
        checks.true("30 + 30 frames in place: frames",
                    half.numbered("frame") == list(range(FRAMES + 1)))
        checks.true("30 + 30 frames in place: steps",
                    np.array_equal(half.stats()["step"], np.arange(len(half.stats()))))
    result = common.call(options.program, "resume", half.folder, "--from-frame", 0, "--quiet")
    if result.code == 0:
        compare(options, checks, "all again from frame 0", reference, half)
    else:
        checks.true("from frame 0, whose state is gone: refused", result.code == 2,
                    result.last_words())


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    with common.temporary() as folder:
        scene = common.write_scene(folder, "swarm.yaml", common.SWARM)
        reference = common.run(options.program, scene, os.path.join(folder, "threads1"), None,
                               "--threads", 1)
        again = common.run(options.program, scene, os.path.join(folder, "again"), None,
                           "--threads", 1)
        compare(options, checks, "a second run", reference, again)
        check_figures(checks, "a second run", reference, again)
        for threads in (2, 4):
            output = common.run(options.program, scene, os.path.join(folder, f"threads{threads}"),
                                None, "--threads", threads)
            compare(options, checks, f"{threads} threads", reference, output)
            check_figures(checks, f"{threads} threads", reference, output)
        check_crowd(options, checks, folder, scene)
        check_resume(options, checks, folder, scene, reference)
        for seed in (1,) if options.quick else (1, 2, 3):
            output = common.run(options.program, scene, os.path.join(folder, f"drop{seed}"), None,
                                "--drop-caches", seed)
            compare(options, checks, f"--drop-caches {seed}", reference, output)
            check_figures(checks, f"--drop-caches {seed}", reference, output)
        seeds = common.run(options.program, scene, os.path.join(folder, "seed"), {"seed": 8})
        checks.true("another seed gives another state",
                    len(common.different(reference.state(FRAMES), seeds.state(FRAMES))) > 0)
    checks.finish()


if __name__ == "__main__":
    main()

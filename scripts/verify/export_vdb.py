#!/usr/bin/python3
"""OpenVDB files against the frames they come from, read by its python module and by Blender, of a build with
-DPLIM_OPENVDB=ON: the program given, or build-openvdb/plimsoll."""
import os

import common
import export_case as case
from common import np


def check_refusal(options, checks, folder):
    """A build without OpenVDB says what to do."""
    result = common.call(options.program, "export", folder, "--to", "vdb")
    checks.true("--to vdb: known, or told how to have it", "PLIM_OPENVDB=ON" in result.stderr or knows(options.program),
                result.last_words())


def knows(program):
    return "PLIM_OPENVDB" not in common.call(program, "export", "nothing", "--to", "vdb").stderr


def exported(options, folder, *words):
    programs = [options.program, os.path.join(common.ROOT, "build-openvdb", "plimsoll")]
    for program in programs:
        if os.access(program, os.X_OK) and knows(program):
            output = case.run(options, folder)
            result = common.call(program, "export", output.folder, "--to", "vdb", *words)
            if result.code:
                raise RuntimeError(result.stderr)
            return output, result.stdout.strip()
    raise case.Missing("a build with OpenVDB (cmake --preset openvdb)")


def volumes(frame):
    """{group: (cells along x, y, z; spacing; lowest corner)}"""
    return {name: ([int(told[f"n{axis}"]) for axis in "xyz"], float(told["spacing"]),
                   [float(told[f"origin_{axis}"]) for axis in "xyz"])
            for name, told in frame.groups.items() if "spacing" in told}


GRIDS = {"density": "smoke", "temperature": "temperature", "velocity": "velocity", "surface": "level"}


def check_grids(options, checks, folder):
    """Every value of every cell, and where the cells are."""
    output, target = exported(options, folder)
    try:
        import pyopenvdb
    except ImportError as missing:
        raise case.Missing("python3-openvdb") from missing
    for group, (n, spacing, origin) in volumes(case.Frame(output, 0)).items():
        names = same = place = times = True
        for number in case.frames(output):
            frame = case.Frame(output, number)
            grids, about = pyopenvdb.readAll(os.path.join(target, f"{group}_{number:05d}.vdb"))
            wanted = {name: array for name, array in GRIDS.items() if f"{group}/{array}" in frame}
            names &= sorted(grid.name for grid in grids) == sorted(wanted)
            times &= about["time"] == frame.time
            for grid in grids:
                values = frame[f"{group}/{wanted[grid.name]}"]  # z, y, x
                found = np.zeros(n + [3] if grid.name == "velocity" else n, dtype=np.float32)
                grid.copyToArray(found)
                if grid.name == "surface":
                    band = np.float32(3 * spacing)
                    values = np.clip(values, -band, band)
                    same &= grid.gridClass == pyopenvdb.GridClass.LEVEL_SET
                same &= np.array_equal(np.moveaxis(found, (0, 1, 2), (2, 1, 0)), values)
                middle = np.array(grid.transform.indexToWorld((n[0] - 1, 0, 1)))
                off = middle - np.array(origin) - spacing * (np.array((n[0] - 1, 0, 1)) + 0.5)
                place &= bool(np.abs(off).max() <= 1e-12)
        checks.true(f"{group}: grids {', '.join(sorted(wanted))}", names)
        checks.true(f"{group}: values of all frames, to the float", bool(same))
        checks.true(f"{group}: cells are in their places", place)
        checks.true(f"{group}: times of the frames", times)


def check_blender(options, checks, folder):
    output, target = exported(options, folder)
    frame = case.Frame(output, 3)
    files = {group: os.path.join(target, f"{group}_00003.vdb") for group in volumes(frame)}
    found = case.blender(folder, [0], *files.values())
    for group, path in files.items():
        grids = found[os.path.basename(path)]
        wanted = sorted(name for name, array in GRIDS.items() if f"{group}/{array}" in frame)
        spacing = volumes(frame)[group][1]
        checks.true(f"Blender, {group}: grids {', '.join(wanted)}", sorted(grids) == wanted, f"{sorted(grids)}")
        checks.below(f"Blender, {group}: size of a cell, off, part of it",
                     max(abs(row[0] / spacing - 1) for _, row in grids.values()), 1e-6)


if __name__ == "__main__":
    case.verify(__doc__, [check_refusal], [check_grids, check_blender])

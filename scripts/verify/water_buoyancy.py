#!/usr/bin/python3
"""Bodies under water with a free surface: they lose the weight of what they displace, wherever they lie."""
import math

import common
import fsi
import meshes
from common import h5py, np, verify
from water import G, Liquid
from water_float import ball_depth

CELL = 0.05 # m
RHO = 1000 # kg/m^3


# ---- held ----

SHAPES = ("ball", "box", "torus", "hollow", "duck")


def volume(shape, across, thin):
    """Inside the outer surface, m^3."""
    size = across * CELL
    if shape == "duck":
        return meshes.volume(meshes.read_obj(common.scene_path("meshes/duck.obj"))) * size**3
    tube = 0.5 * thin * CELL
    return {"ball": math.pi / 6 * size**3, "box": size**3, "hollow": math.pi / 6 * size**3,
            "torus": 2 * math.pi**2 * (0.5 * size - tube) * tube**2}[shape]


def held_cases(options):
    """(shape, cells across, shift in cells, turn in degrees, solver)."""
    places = [(0, 0), (0.3, 20), (0.5, 45)]
    sizes = [("ball", 6), ("box", 6), ("torus", 12), ("hollow", 10), ("duck", 17.5)]
    cases = [(shape, across, *place, "monolithic") for shape, across in sizes for place in places]
    cases.append(("box", 6, 0.2, 0, "split"))
    if options.quickest:
        return [case for i, case in enumerate(cases) if i % 2 == 0]
    sizes += [("ball", 9.6), ("box", 7.3), ("torus", 8), ("hollow", 8), ("duck", 24)]
    if options.quick:
        places = [(0.13, 0), (0.7, 65)]
    else:
        places = [(shift, turn) for shift in (0, 0.1, 0.25, 0.4, 0.5, 0.75, 0.9) for turn in (0, 10, 30, 45, 73, 90, 160)]
    cases += [(shape, across, *place, solver) for shape, across in sizes for place in places
              for solver in ("monolithic", "split")]
    return cases


def check_held(options, checks, folder):
    worst = {}
    for shape, across, shift, turn, solver in held_cases(options):
        output = fsi.run(options, folder, "held", "float/held.yaml",
                         {"params/shape": SHAPES.index(shape), "params/across": across, "params/shift": shift,
                          "params/turn": turn, "params/solver": solver})
        expected = np.array([0, RHO * G * volume(shape, across, 2), 0])
        force = output.probes().vector(f"{shape}.fluid_force")[1:] # at the start nothing was solved for
        away = 100 * np.max(np.linalg.norm(force - expected, axis=1)) / expected[1]
        worst[shape] = max(worst.get(shape, 0), away)
        label = f"{shape} of {across:g} cells, moved by {shift:g}, turned by {turn:g}, {solver}"
        checks.below(f"{label}: force from rho g V, %", away, 1)
        checks.below(f"{label}: still water, m/s", np.max(output.stats()["speed.max"]), 1e-6)
    checks.note("furthest from rho g V: " + ", ".join(f"{name} {away:.2f}%" for name, away in worst.items()))


# ---- let go ----


def let_go(options, folder, shape, density, seconds, **params):
    name = ("crate", "ball")[shape]
    output = fsi.run(options, folder, "nearly", "float/nearly.yaml",
                     {"params/shape": shape, "params/density": density, "params/seconds": seconds,
                      **{f"params/{key}": value for key, value in params.items()}})
    probes = output.probes()
    return probes, probes[f"{name}.position.y"], probes[f"{name}.velocity.y"]


def check_neutral(options, checks, folder):
    places, seconds = ([(0, 0)], 0.4) if options.quickest else ([(0, 0), (0.3, 0), (0.5, 30), (0.5, 0)], 1)
    for shape, name in ((0, "crate of 6 cells"), (1, "ball of 9.6 cells")):
        for shift, turn in places:
            probes, _, speed = let_go(options, folder, shape, 1000, seconds, shift=shift, turn=turn)
            most = np.max(np.abs(np.diff(speed) / np.diff(probes["time"])))
            checks.below(f"{name} of the water's density, moved by {shift:g}, turned by {turn:g}: most it "
                         f"accelerates in {seconds} s, % of g", 100 * most / G, 0.3)


def top_at_rest(shape, density):
    """How far the top is above the surface, cells, where it floats upright: part of the crate's height, a cap of the
    ball."""
    return 6 * (1 - density / RHO) if shape == 0 else 4.8 * (2 - ball_depth(density / RHO))


def check_nearly(options, checks, folder):
    cases = [(0, 985), (0, 1015)] if options.quickest else \
            [(shape, density) for shape in (0, 1) for density in (950, 985, 1015)]
    for shape, density in cases:
        name, half = (("crate of 6 cells", 3), ("ball of 9.6 cells", 4.8))[shape]
        seconds, fewer = 10, {}
        if options.quickest: # one cell of water above it and below
            seconds, fewer = 2 if density > RHO else 3, {"particles": 4, "above": 1}
        label = f"{name}, {density} kg/m^3, after {seconds} s"
        probes, height, _ = let_go(options, folder, shape, density, seconds, **fewer)
        if density > RHO:
            checks.below(f"{label}: above the floor, cells", height[-1] / CELL - half, 0.1)
            continue
        top = (height[-1] - probes["far.surface"][-1]) / CELL + half
        # A ball that floats has more than half a cell out of the water, and bobs about that for long.
        rest = top_at_rest(shape, density)
        most = 0.5 if rest <= 0.5 else rest + 0.5
        checks.true(f"{label}: top above the surface, cells", -0.5 <= top <= most,
                    f"{top:.3f} limits -0.5 and {most:.2f}; by Archimedes {rest:.2f}")


# ---- walls of meshes ----


def check_thin(options, checks, folder):
    """What is too thin for the grid, or for a distance field, is named with the cells it takes."""
    cases = (("a bottle, 1.2 cells", "fluid/bottle.yaml", {"params/n": 50}, ("body bottle is 1.2 cells", "cells: 8")),
             ("a bottle, 2.1 cells", "fluid/bottle.yaml", {"params/n": 88}, None),
             ("a field of 20 cells", "fluid/bottle.yaml", {"rigid/bodies/0/shape/file/cells": 20},
              ("bottle.obj: its thinnest wall or gap", "cells: 10")),
             ("a hollow ball, 1 cell", "float/held.yaml",
              {"params/shape": 3, "params/across": 9, "params/thin": 1}, ("body hollow is 1 cells", "cells: ")),
             ("a torus, 1.2 cells", "float/held.yaml", {"params/shape": 2, "params/thin": 1.2},
              ("body torus is 1.2 cells", "cells: ")))
    for label, scene, values, words in cases:
        result = common.call(options.program, "check", common.scene_path(scene), *common.overrides(values))
        said = [line for line in result.stderr.splitlines() if "warning" in line]
        good = any(all(word in line for word in words) for line in said) if words else not said
        checks.true(f"check, {label}: {'named' if words else 'nothing to say'}", result.code == 0 and good,
                    "; ".join(said)[:200])


def check_bottle(options, checks, folder):
    """Water in a bottle from a file, its field's cells chosen, upright and tilted, at rest and poured into its neck: it
    stays there. `volume.left` is what ran out."""
    cases = ((88, 0.3, 0, 0, 0.1),) if options.quickest else ((88, 0.3, 0, 0, 1), (88, 0, 20, 10, 1)) if options.quick else \
            tuple((n, shift, turn, tilt, 4) for n in (88, 110)
                  for shift, turn, tilt in ((0.3, 0, 0), (0, 20, 10), (0.5, 45, 5), (0.7, 10, 8)))
    for n, shift, turn, tilt, seconds in cases:
        pours = not options.quickest
        output = fsi.run(options, folder, "bottle", "fluid/bottle.yaml",
                         {"params/n": n, "params/shift": shift, "params/turn": turn, "params/tilt": tilt,
                          "params/rate": 4e-5 if pours else 0, "params/pour": 0.5 * seconds, "params/seconds": seconds})
        label = f"bottle, {n} cells, moved by {shift:g}, turned by {turn:g}, tilted by {tilt:g}, {seconds:g} s"
        stats = output.stats()
        there = stats["volume.fluid"] + stats["volume.drops"] + stats["volume.left"] - stats["volume.poured"]
        off = there - there[0]
        checks.below(f"{label}: water and drops and what left, less what was poured, %",
                     100 * np.max(np.abs(off)) / stats["volume.fluid"][0], 1.5)
        if pours:
            checks.near(f"{label}: poured, m^3", stats["volume.poured"][-1], 4e-5 * 0.5 * seconds, 1)
        liquid = Liquid(output, output.numbered("frame")[-1])
        place = [low + liquid.spacing * (np.arange(count) + 0.5)
                 for low, count in zip((-0.06, 0, -0.06), liquid.level.shape)]
        points = np.stack(np.meshgrid(*place, indexing="ij"), axis=-1)
        cell = 0.24 / n
        with h5py.File(output.state(), "r") as file:
            drops = file["fluid/drop_position"][()].reshape(-1, 3)[file["fluid/drop_volume"][()] != 0]
        turned = common.quat_about((1, 0, 2), tilt)
        outside = []
        for where in (points, drops):
            at = common.to_body(turned, where - np.array([1, 0.7, -0.4]) * shift * cell - (0, 0.02, 0))
            outside.append((np.hypot(at[..., 0], at[..., 2]) > 0.036) | (at[..., 1] < 0))
        checks.below(f"{label}: wet cells outside", np.count_nonzero(outside[0] & (liquid.level < 0)), 0)
        checks.below(f"{label}: drops outside that carry water", np.count_nonzero(outside[1]), 0)


def main():
    verify(__doc__, (check_held, check_neutral, check_nearly, check_thin, check_bottle))


if __name__ == "__main__":
    main()

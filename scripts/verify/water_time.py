#!/usr/bin/python3
"""Water in time: the reversed vortex, free fall, sources with a rate, a viscous film, at any frame rate."""
import math

import fsi
from common import np, verify
from water import G, Liquid

DEFAULTS = {"fluid/liquid/scheme": "semi_lagrangian", "fluid/liquid/escape": 0.02, "fluid/liquid/corrections": 1}


# ---- the reversed vortex ----


def out_of_place(output, radius=0.15, middle=(0.5, 0.75)):
    """What is liquid and should not be, and the other way round, in areas of the disc; and the area's change."""
    first, last = (Liquid(output, output.numbered("frame")[i]) for i in (0, -1))
    fine, n = 8, last.level.shape[0]
    at = last.origin[0] + (np.arange(n * fine) + 0.5) / fine * last.spacing
    x, y = np.meshgrid(at, at, indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    wet = last.at(points) < 0
    disc = np.hypot(points[:, 0] - middle[0], points[:, 1] - middle[1]) < radius
    return np.mean(wet != disc) / np.mean(disc), last.volume() / first.volume() - 1


def check_vortex(options, checks, folder):
    if options.quickest:
        cases = [(2, 1), (2, 20)]
    elif options.quick:
        cases = [(2, 1), (4, 1), (8, 1), (8, 20)]
    else:
        cases = [(period, fps) for period in (2, 4, 6, 8) for fps in (1, 5, 20, 60)]
    limits = {2: (0.5, 1), 4: (1, 3), 6: (1.5, 6), 8: (2, 12)}
    for period, fps in cases:
        for number, (name, values) in enumerate((("smooth-flow settings", {}), ("defaults", DEFAULTS))):
            fewer = {"params/n": (80, 96)[number]} if options.quickest else {}
            output = fsi.run(options, folder, "vortex", "fluid/vortex_reversed.yaml",
                             {"params/period": period, "fps": fps, **fewer, **values})
            away, change = out_of_place(output)
            label = f"reversed vortex, period {period}, {fps} frames a second, {name}"
            checks.below(f"{label}: out of place, %", 100 * away, limits[period][number])
            checks.below(f"{label}: change of the area, %", 100 * abs(change), 1)


# ---- free fall ----


def falling(dim, cells, fps):
    turned = "" if dim == 3 else ", orientation: {axis: [1, 0, 0], angle: 90}"
    shape = "ball: {radius: 0.1}" if dim == 3 else "cylinder: {radius: 0.1, height: 4}"
    return f"""plimsoll: 1
name: falling
dim: {dim}
duration: 0.3
fps: {fps}
fluid:
  cells: {cells}
  domain: {{low: [0, 0, 0], high: [0.4, 1, 0.4]}}
  liquid:
    shapes: [{{place: {{shape: {{{shape}}}, position: [0.2, 0.85, {0.2 * (dim == 3)}]{turned}}}}}]
probes:
  - {{name: ball, object: fluid, quantities: [volume, center]}}
"""


def check_fall(options, checks, folder):
    cases = [(2, 50, fps) for fps in ((10, 30) if options.quick else (10, 24, 30, 60))]
    if not options.quickest:
        cases += [(3, 50, fps) for fps in ((30,) if options.quick else (10, 24, 30, 60))]
    for dim, cells, fps in cases:
        output = run_text(options, folder, falling(dim, cells, fps))
        probes = output.probes()
        exact = 0.5 * G * probes["time"]**2
        away = np.abs(probes["ball.center.y"][0] - probes["ball.center.y"] - exact)
        checks.below(f"free fall, {dim}D, {cells} cells, {fps} frames a second: distance from it over what may be",
                     np.max(away / np.maximum(0.01 * exact, 0.1 / cells)), 1)


def run_text(options, folder, text):
    path = f"{folder}/scene.yaml"
    with open(path, "w") as file:
        file.write(text)
    return fsi.run(options, folder, "scene", path)


# ---- sources with a rate ----


def check_tap(options, checks, folder):
    cases = [(5, 0, 2)] if options.quickest else [(3, 0, 2), (8, 0, 2), (5, 50, 2)]
    if not options.quick:
        cases = [(across, mu, 2) for across in (3, 4, 5, 8) for mu in (0, 1, 50)] + [(4, 0, 3)]
    for across, mu, dim in cases:
        values = {"params/across": across, "params/mu": mu, "params/dim": dim, "params/seconds": 1.0, "params/rest": 0.5}
        if dim == 3:
            values["params/rate"] = 0.01
        output = fsi.run(options, folder, "tap", "fluid/tap.yaml", values)
        stats = output.stats()
        rate = values.get("params/rate", 0.1)
        label = f"tap {across} cells across, mu {mu:g}, {dim}D"
        checks.near(f"{label}: poured, m^3", stats["volume.poured"][-1], rate, 1)
        checks.near(f"{label}: found again, m^3", stats["volume.fluid"][-1] - stats["volume.fluid"][0], rate, 1)


# ---- a viscous film ----


def film_cases(options):
    """(depth in cells, Pa s, degrees, whether viscosity and pressure are solved for together)."""
    depths = (8.0, 8.4) if options.quickest else (8.0, 8.2, 8.4, 8.5, 8.7, 8.9, 16.3)
    if not options.quick:
        depths = [start + part for start in (8, 16) for part in np.arange(0, 1, 0.1)]
    cases = [(depth, 50, 30, coupled) for coupled in (False, True) for depth in depths]
    if not options.quickest:
        cases += [(*case, coupled) for coupled in (False, True) for case in ((8.4, 5, 30), (8.45, 50, 5), (8.05, 50, 75))]
    return cases


def check_film(options, checks, folder):
    h, density = 1 / 64, 1000
    for depth, mu, angle, coupled in film_cases(options):
        values = {"params/depth": float(depth), "params/mu": mu, "params/angle": angle,
                  "duration": 30 / mu * (depth / 8)**2, "coupling": "{solver: monolithic}" if coupled else "{solver: split}"}
        probes = fsi.run(options, folder, "film", "fluid/film.yaml", values).probes()
        d = depth * h
        steep = density * G * math.sin(math.radians(angle)) / mu
        label = f"film {depth:g} cells deep, mu {mu:g}, {angle:g} degrees{', coupled solve' if coupled else ''}"
        checks.near(f"{label}: flux, m^3/s", probes["across.flux"][-1], steep * d**3 / 3, 3 if depth < 16 else 1)
        for name, part in (("half", 0.5), ("nine_tenths", 0.9), ("surface", 0.999)):
            y = part * d
            checks.near(f"{label}: velocity at {part:g} of the depth, m/s", probes[f"{name}.velocity.x"][-1],
                        steep * (d * y - y * y / 2), 2)


def check_still(options, checks, folder):
    """A viscous liquid, level but slanting for the grid, comes to rest. Solved for together with pressure it never
    moves; else pressure starts from nothing, which stirs it at first."""
    for mu in (1,) if options.quickest else (0.001, 1, 50):
        for solver, start, limit in (("split", 2, 3), ("monolithic", 0, 1e-3)):
            output = fsi.run(options, folder, "hydrostatic", "fluid/hydrostatic.yaml", {
                "params/tilt": 25, "params/particles": 0, "fluid/viscosity": mu, "duration": 3,
                "coupling": f"{{solver: {solver}}}"})
            probes = output.probes()
            speed = np.sqrt(2 * probes["tank.kinetic_energy"] / (1000 * probes["tank.volume"]))
            checks.below(f"liquid at rest, mu {mu:g}, 25 degrees against the grid, {solver}: greatest speed from {start} s on, "
                         "mm/s", 1000 * np.max(speed[probes["time"] >= start]), limit)


# ---- discharge ----


def late(probes, column, seconds):
    return np.mean(probes[column][probes["time"] > probes["time"][-1] - seconds])


def discharge(checks, name, found, handbook, most):
    """Goal: 10%. Sharp edges act rounded (docs/water-time.md); beyond `most`, %, it is something else."""
    away = 100 * abs(found / handbook - 1)
    if 10 < away <= most:
        checks.expected_failure(f"{name}: coefficient of discharge", f"{found:.3f} expected {handbook:.3f} limit 10%")
    else:
        checks.near(f"{name}: coefficient of discharge", found, handbook, 10)


def check_discharge(options, checks, folder):
    """Sharp edges: a slot in a wall, a weir. Flux and level are means over the last second and a half."""
    if options.quickest:
        return
    n, across, middle, crest = 64, 8, 0.35, 0.4 # as in the scenes
    probes = fsi.run(options, folder, "slot", "fluid/slot.yaml", {"params/seconds": 3.0}).probes()
    above = late(probes, "tank.surface", 1.5) - middle
    discharge(checks, "slot of 8 cells", late(probes, "slot.flux", 1.5) / (across / n * math.sqrt(2 * G * above)),
              0.61, 30)
    probes = fsi.run(options, folder, "weir", "fluid/weir.yaml", {"params/seconds": 5.0}).probes()
    above = late(probes, "tank.surface", 1.5) - 0.2 - crest
    discharge(checks, "weir", late(probes, "crest.flux", 1.5) / (2 / 3 * math.sqrt(2 * G) * above**1.5),
              0.602 + 0.083 * above / crest, 20)


def main():
    verify(__doc__, (check_vortex, check_fall, check_tap, check_film, check_still, check_discharge))


if __name__ == "__main__":
    main()

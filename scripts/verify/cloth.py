#!/usr/bin/python3
"""Cloth and sheets: the heavy elastica, the catenary, limits of strain, drag, models at other scales, the same bits."""
import math

import common
import deform
from common import np

CUTS = ("herring_bone", "mirrored", "one_way", "crosswise", "irregular")


def run(options, folder, name, scene, values=None, *words):
    return deform.run(options, folder, name, common.scene_path(f"cloth/{scene}.yaml"), values, *words)


# ---- gate 1: the heavy elastica (E13) ----


def elastica(w, pitch=0.0, steps=4000):
    """Tip (x, drop) of a clamped strip of length 1 under its own weight, w = wL^3/B, the clamp pointing up by `pitch`
    (radians). phi'' = -w (1 - s) cos phi for the angle phi below the level, phi(0) = -pitch, phi'(1) = 0: by shooting."""
    def shoot(curvature):
        y = (-pitch, curvature, 0.0, 0.0)

        def rate(s, y):
            return y[1], -w * (1 - s) * math.cos(y[0]), math.cos(y[0]), math.sin(y[0])

        h = 1 / steps
        for i in range(steps):
            s = i * h
            a = rate(s, y)
            b = rate(s + h / 2, [p + h / 2 * q for p, q in zip(y, a)])
            c = rate(s + h / 2, [p + h / 2 * q for p, q in zip(y, b)])
            d = rate(s + h, [p + h * q for p, q in zip(y, c)])
            y = [p + h / 6 * (q + 2 * r + 2 * s2 + t) for p, q, r, s2, t in zip(y, a, b, c, d)]
        return y

    low, high = 0.0, w
    for _ in range(45):
        middle = (low + high) / 2
        if shoot(middle)[1] > 0:
            high = middle
        else:
            low = middle
    tip = shoot((low + high) / 2)
    return tip[2], tip[3]


def check_elastica_itself(_options, checks, _folder):
    x, droop = elastica(10, steps=1000)
    checks.within("elastica w 10: droop", droop, 0.70020, 1e-5)
    checks.within("elastica w 10: x", x, 0.65635, 1e-5)


def tip_of(options, folder, label, values):
    """Tip, corners and the greatest stretch of bend.yaml."""
    probes = run(options, folder, label, "bend", values).probes()
    points = [deform.vector(probes, f"{name}.position")[-1] for name in ("tip", "corner_a", "corner_b")]
    return points, deform.column(probes, "strip.stretch")[-1]


def check_bend(options, checks, folder):
    for w in (10,) if options.quickest else (1, 10, 30) if options.quick else (1, 3, 10, 20, 30):
        x, droop = elastica(w, steps=1000)
        found = []
        for cut in CUTS:
            label = f"bend w {w} {cut}"
            (tip, a, b), stretch = tip_of(options, folder, label, {"params/w": w, "params/cut": cut})
            checks.near(f"{label}: droop", 1 - tip[1], droop, 3)
            checks.near(f"{label}: x", tip[0], x, 3)
            checks.below(f"{label}: stretch less 1", stretch - 1, 0.01)
            if cut == "one_way":
                checks.below(f"{label}: heights of both corners, over the length", abs(a[1] - b[1]), 0.005)
            found.append(1 - tip[1])
        checks.below(f"bend w {w}: droops of all cuts, largest over least, less 1", max(found) / min(found) - 1, 0.025)


def check_bend_turned(options, checks, folder):
    """The clamp turned in space: pointing up or down, and away to a side."""
    cases = [(10, 60, 35)] if options.quickest else [(10, 60, 35), (10, -40, 100), (30, 30, -75), (1, 80, 45)]
    for w, pitch, heading in cases:
        label = f"bend w {w}, pitch {pitch}, heading {heading}"
        values = {"params/w": w, "params/pitch": pitch, "params/heading": heading}
        (tip, _, _), _ = tip_of(options, folder, label, values)
        reach, drop = elastica(w, math.radians(pitch), steps=1000)
        turn = math.radians(heading)
        expected = np.array([reach * math.cos(turn), 1 - drop, -reach * math.sin(turn)])
        straight = math.radians(pitch)
        start = np.array([math.cos(straight) * math.cos(turn), 1 + math.sin(straight),
                          -math.cos(straight) * math.sin(turn)])
        checks.below(f"{label}: tip off the elastica, over its way", np.linalg.norm(tip - expected) /
                     np.linalg.norm(expected - start), 0.03)


def check_bend_hinge(options, checks, folder):
    """The document's element depends on the mesh: told, not judged; and `shell` does not at twice the cells."""
    _, droop = elastica(10, steps=1000)
    for cut in ("herring_bone", "crosswise"):
        (tip, _, _), _ = tip_of(options, folder, f"hinge {cut}", {"params/cut": cut, "params/bending": "hinge"})
        checks.note(f"hinge {cut}: droop {1 - tip[1]:.4f}, {100 * ((1 - tip[1]) / droop - 1):+.1f}% off")
    if options.quickest:
        return
    (tip, _, _), _ = tip_of(options, folder, "bend n 40", {"params/n": 40})
    checks.near("bend n 40: droop", 1 - tip[1], droop, 3)


# ---- gate 2: the catenary (E12), limits of strain ----


def catenary_sag(arc, span):
    """Of an inextensible chain: 2 a sinh(span/2a) = arc."""
    a = deform.root(lambda a: 2 * a * math.sinh(span / (2 * a)) - arc, span / 1000, 1000 * span)
    return a * (math.cosh(span / (2 * a)) - 1)


def check_catenary(options, checks, folder):
    checks.within("catenary 1.2: sag", catenary_sag(1.2, 1), 0.29234, 1e-5)
    for arc in (1.2,) if options.quickest else (1.2, 1.05, 1.5, 2.0):
        probes = run(options, folder, f"catenary {arc}", "catenary", {"params/arc": arc}).probes()
        sag = -deform.vector(probes, "middle.position")[-1, 1]
        checks.near(f"catenary {arc}: sag, m", sag, catenary_sag(arc, 1), 1)
        checks.below(f"catenary {arc}: stretch less 1", deform.column(probes, "strip.stretch")[-1] - 1, 0.01)
        weight = 0.2 * 9.81 * arc * 4 * arc / 40
        held = deform.vector(probes, "left.force")[-1]
        checks.near(f"catenary {arc}: force that holds an end up, N", held[1], weight / 2, 1)


def check_rope(options, checks, folder):
    probes = run(options, folder, "rope", "rope2d").probes()
    checks.near("rope in the plane: sag, m", -deform.vector(probes, "middle.position")[-1, 1], catenary_sag(1.2, 1), 1)
    checks.below("rope in the plane: stretch less 1", deform.column(probes, "rope.stretch")[-1] - 1, 0.01)


def edges_of(triangles):
    pairs = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0)


def worst_strain(output):
    """Greatest strain, by size, of any edge in any frame; lengths at rest are those of the first."""
    worst, lengths = 0.0, lambda x: np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    rest = None
    for number in output.numbered("frame"):
        arrays = common.datasets(output.frame(number))
        x = np.asarray(arrays["deformable/vertices"], dtype=float)
        if rest is None:
            edges = edges_of(np.asarray(arrays["deformable/triangles"]))
            rest = lengths(x)
        worst = max(worst, float(np.max(np.abs(lengths(x) / rest - 1))))
    return worst


def check_strain(options, checks, folder):
    """The cloth of hang.yaml, and one that is much too soft for its weight."""
    cases = ((None, 300), (0.1, 20)) if options.quickest else ((None, 300), (0.1, 20), (0.05, 60))
    for limit, stiffness in cases:
        values = {"params/stretch": stiffness}
        if limit:
            values["deformable/bodies/cloth/strain_limit"] = limit
        label = "hang" if limit is None else f"soft hang, limit {limit}"
        output = run(options, folder, label, "hang", {**values, "params/frames": 30})
        checks.below(f"{label}: strain of any edge", worst_strain(output), 1.1 * (limit or 0.1))
        left = float(np.max(output.stats()["strain_limit.left"]))
        if limit is None:
            checks.below(f"{label}: edges that stayed 1% of the limit beyond it, in any step", left, 0)
        else:
            checks.note(f"{label}: edges that stayed 1% of the limit beyond it, in any step: {left:g}")
    free = run(options, folder, "soft hang, no limit", "hang",
               {"params/stretch": 20, "params/frames": 30, "deformable/bodies/cloth/strain_limit": 0})
    checks.above("soft hang without limit: strain of an edge", worst_strain(free), 0.2)


# ---- gate 6: a sheet falls flat through air ----


def check_fall(options, checks, folder):
    for drag, density in ((1, 0.06),) if options.quickest else ((1, 0.06), (0.5, 0.06), (1.3, 0.3)):
        probes = run(options, folder, f"fall {drag} {density}", "fall",
                     {"params/drag": drag, "params/density": density}).probes()
        speed = -deform.vector(probes, "sheet.velocity")[-1, 1]
        checks.near(f"fall, c {drag}, {density} kg/m^2: final speed, m/s", speed,
                    math.sqrt(2 * density * 9.81 / (1.2 * drag)), 1)


# ---- gate 9: models at other scales, the same bits ----


def check_scales(options, checks, folder):
    names = ("corner.position", "middle.position", "cloth.center")
    tables = {size: run(options, folder, f"hang {size}", "hang", {"params/size": size, "params/n": 12}).probes()
              for size in (1, 0.01, 100)}
    for size in (0.01, 100):
        checks.true(f"hang {size}: as many steps", len(tables[size]) == len(tables[1]))
        off = max(float(np.max(np.abs(deform.vector(tables[size], name) / size - deform.vector(tables[1], name))))
                  for name in names)
        checks.below(f"hang {size}: probes off those of size 1, over the size", off, 0.02)
    moved = deform.vector(tables[1], "corner.position")
    checks.above("hang: way of the corner, over the size", float(np.max(np.linalg.norm(moved - moved[0], axis=1))), 0.5)


def check_bits(options, checks, folder):
    frames = 8 if options.quickest else 20
    for name, values in (("hang", {"params/n": 10}), ("rope2d", {}), ("fall", {"params/tilt": 20})):
        runs = {n: run(options, folder, f"bits {name} {n}", name, values, "--frames", frames, "--threads", n)
                for n in (1, 2, 4)}
        runs["resume"] = run(options, folder, f"bits {name} half", name, values, "--frames", frames // 2, "--threads", 1)
        result = common.call(options.program, "resume", runs["resume"].folder, "--frames", frames, "--quiet", "--threads", 2)
        checks.true(f"{name}: resume ends", result.code == 0, result.last_words() if result.code else "")
        last = runs[1].numbered("state")[-1]
        for n in (2, 4, "resume"):
            differ = common.different(runs[1].state(last), runs[n].state(last))
            differ += common.different(runs[1].frame(last), runs[n].frame(last))
            checks.true(f"{name}, {n}: the same state and frame", not differ, " ".join(differ)[:80])


if __name__ == "__main__":
    common.verify(__doc__, (check_elastica_itself, check_bend, check_bend_turned, check_bend_hinge, check_catenary,
                            check_rope, check_strain, check_fall, check_scales, check_bits))

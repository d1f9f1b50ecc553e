#!/usr/bin/python3
"""Surfaces that never pass through themselves or each other: exact crossings in states, strain, layers that come apart, a
sheet on a slope, the same bits, bad starts."""
import math
import os
import re

import bad_input
import common
import deform
import intersections
from common import np

THREADS = ("--threads", 1)

# ---- running and counting ----


def run(options, folder, name, scene, values=None, frames=None, every=1):
    """With a state every few frames, kept."""
    words = ("--state-every", every, "--keep-states") + (("--frames", frames) if frames else ())
    path = scene if os.path.isabs(scene) else common.scene_path(f"{scene}.yaml")
    return deform.run(options, folder, name, path, values, *words)


def crossings(output):
    """Numbers of states, and of crossing pairs in each."""
    numbers = output.numbered("state")
    return numbers, [len(intersections.crossings_of_state(output.state(n))) for n in numbers]


def check_no_crossing(checks, label, output, least_states):
    numbers, counts = crossings(output)
    bad = [n for n, count in zip(numbers, counts) if count]
    triangles = len(surface(output, numbers[0])[1])
    checks.true(f"{label}: crossing pairs in {len(numbers)} states of {triangles} triangles",
                not bad and len(numbers) >= least_states,
                f"{sum(counts)}, limit 0" + (f"; first in state {bad[0]}, {len(bad)} states" if bad else ""))
    stats = output.stats()
    sums = [f"{name} {np.sum(stats['collisions.' + name]):.0f}" for name in ("hits", "zones", "still", "crossing")]
    checks.note(f"{label}: {len(stats)} steps, proximities {np.max(stats['collisions.proximities']):.0f} at most, "
                + ", ".join(sums))


def surface(output, number):
    """Positions and triangles of the deformable system."""
    (found,) = intersections.surfaces_of_state(output.state(number)).values()
    return found


# ---- gate 4: no crossing in any state (E14); gate 2: strain ----

# Scene, then what is set and how many frames in the tiers --quick, --check, full; None: all, 300.
SCENES = {
    "drape": ("cloth/drape", ({"params/n": 22}, 66), ({"params/n": 22}, None), ({"params/n": 70}, None)),
    "twist": ("cloth/twist", ({"params/n": 6, "params/turns": 2, "params/time": 2}, 120), ({"params/n": 8}, None), ({}, None)),
    "ribbon": ("cloth/ribbon", ({"params/n": 3, "params/length": 1.2}, 50), ({}, 150), ({}, None)),
    "layers": ("cloth/layers", ({"params/count": 3, "params/cells": 4, "params/fall": 0.5, "params/poke": 0.6, "params/lift": 1},
                                None), ({"params/count": 6}, None), ({}, None)),
    "pinch": ("cloth/pinch", ({"params/n": 4, "params/settle": 0.1, "params/time": 2}, 240), ({"params/n": 8}, None), ({}, None)),
    "pile": ("deform/pile", ({"params/count": 3, "params/spacing": 0.09}, 60), ({"params/count": 6}, None), ({}, None)),
}


def of_tier(options, name):
    scene, *tiers = SCENES[name]
    return scene, *tiers[0 if options.quickest else 1 if options.check else 2]


def check_scene(options, checks, folder, name):
    scene, values, frames = of_tier(options, name)
    output = run(options, folder, name, scene, values, frames)
    check_no_crossing(checks, name, output, (frames or 300) + 1)
    return output


def worst_strain(output):
    """Greatest elongation and shortening of an edge in any state; at rest it is as in the first one."""
    longest = shortest = 0.0
    rest = None
    for number in output.numbered("state"):
        x, triangles = surface(output, number)
        if rest is None:
            edges = intersections.edges_of(triangles)
        lengths = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
        rest = lengths if rest is None else rest
        longest, shortest = max(longest, np.max(lengths / rest) - 1), max(shortest, 1 - np.min(lengths / rest))
    return longest, shortest


def check_strain_of(checks, name, output):
    longest, shortest = worst_strain(output)
    checks.below(f"{name}: elongation of any edge in any state", longest, 1.1 * 0.1)
    checks.below(f"{name}: shortening of any edge in any state", shortest, 1.1 * 0.1)


def check_drape(options, checks, folder):
    check_strain_of(checks, "drape", check_scene(options, checks, folder, "drape"))


def check_ribbon(options, checks, folder):
    check_strain_of(checks, "ribbon", check_scene(options, checks, folder, "ribbon"))


def check_hang(options, checks, folder):
    output = run(options, folder, "hang", "cloth/hang", {"params/n": 10 if options.quickest else 16}, 30)
    check_no_crossing(checks, "hang", output, 31)
    check_strain_of(checks, "hang", output)


def check_twist(options, checks, folder):
    check_scene(options, checks, folder, "twist")


def check_pinch(options, checks, folder):
    check_scene(options, checks, folder, "pinch")


def check_pile(options, checks, folder):
    check_scene(options, checks, folder, "pile")


def check_without(options, checks, folder):
    """Without collisions there are hundreds: the check can fail."""
    cases = {"drape": ({"params/n": 30}, 60), "twist": ({"params/n": 12}, None), "layers": ({"params/count": 4}, 60)}
    if options.quickest:
        cases = {"drape": ({"params/n": 28}, 60), "twist": ({"params/n": 8, "params/time": 2}, 120),
                 "layers": ({"params/count": 3, "params/cells": 6}, 60)}
    for name, (values, frames) in cases.items():
        output = run(options, folder, f"{name} without", f"cloth/{name}", {**values, "deformable/collisions": "false"},
                     frames, every=30)
        numbers, counts = crossings(output)
        checks.above(f"{name} without collisions: crossing pairs, in the worst of {len(numbers)} states", max(counts), 200)


# ---- gate 5: layers come apart ----


def distances_to_triangles(points, corners):
    """Of points p (n, 3) to triangles (m, 3, 3), one by one for each pair: (n, m)."""
    a, b, c = (corners[None, :, k] for k in range(3))
    p = points[:, None]
    best = np.full((len(points), len(corners)), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        side = end - start
        along = np.clip(np.sum((p - start) * side, axis=2) / np.sum(side * side, axis=2), 0, 1)
        best = np.minimum(best, np.linalg.norm(p - start - along[..., None] * side, axis=2))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    inside = np.ones(best.shape, bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= np.sum(np.cross(normal, end - start) * (p - start), axis=2) >= 0
    return np.where(inside, np.abs(np.sum((p - a) * normal, axis=2)), best)


def least_distance(x, triangles, count):
    """Between nodes of one sheet and triangles of another."""
    nodes = len(x) // count
    owner = triangles[:, 0] // nodes
    least = np.inf
    for sheet in range(count):
        others = x[triangles[owner != sheet]]
        for part in np.array_split(x[sheet * nodes:(sheet + 1) * nodes], 8):
            least = min(least, float(np.min(distances_to_triangles(part, others))))
    return least


def check_layers(options, checks, folder):
    output = check_scene(options, checks, folder, "layers")
    count, thickness = of_tier(options, "layers")[1].get("params/count", 10), 0.01
    stats = output.stats()
    numbers = output.numbered("state")
    near = [least_distance(*surface(output, n), count) for n in (numbers[len(numbers) // 4], numbers[-1])]
    checks.below("layers, lying on one another: least distance between two, m", near[0], 1.2 * thickness)
    checks.above("layers, 2 s after the lift: least distance between two, m", near[1], thickness)
    checks.below("layers, 2 s after the lift: proximities", stats["collisions.proximities"][-1], 0)
    x, _ = surface(output, numbers[-1])
    heights = x[:, 1].reshape(count, -1)
    checks.true("layers, 2 s after the lift: in their order", np.all(np.diff(heights.mean(axis=1)) > 0))
    sag = float(np.max(heights.max(axis=1) - heights.min(axis=1)))
    checks.below("layers, 2 s after the lift: sag of the worst, over the distance of the corners", sag / 0.25, 1)


# ---- contact makes no energy ----

SOFT = """\
plimsoll: 1
name: soft
params: {{time: 1}}
duration: "=time"
fps: 20
{world}
deformable:
  {integrator}
  bodies:
{bodies}
probes:
{probes}
"""
FLOOR = "rigid: {bodies: [{name: floor, motion: static, shape: {half_space: {size: [4, 4]}}}]}"


def soft_scene(bodies, world, integrator="integrator: midpoint"):
    return SOFT.format(world=world, integrator=integrator, bodies="".join(f"    - {{{body}}}\n" for body in bodies),
                       probes="".join(f"  - {{name: {body.split(',')[0][6:]}, quantities: [center, momentum]}}\n"
                                      for body in bodies))


def meeting(dim, spacing):
    """Two balls or discs head on, 1 m/s each."""
    bodies = [f"name: {name}, shape: {{ball: {{radius: 0.1}}}}, spacing: {spacing}, position: [{x}, 0, 0], "
              f"velocity: [{v}, 0, 0], young: 1.0e+5" for name, x, v in (("a", -0.15, 1), ("b", 0.15, -1))]
    return soft_scene(bodies, f"dim: {dim}\ngravity: [0, 0, 0]")


def cubes(count):
    """One stands, the others fall 5 cm each, a little to the side."""
    return soft_scene([f"name: cube{k}, shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, cells: [4, 4, 4], young: 1.0e+5, "
                       f"position: [{0.01 * (k % 2)}, {0.1 + 0.25 * k}, {0.01 * (k % 2)}], damping: 0.01"
                       for k in range(count)], FLOOR)


def napkin(cells):
    return soft_scene([f"name: sheet, sheet: {{size: [0.5, 0.5], cells: [{cells}, {cells}]}}, position: [0, 0.5, 0], "
                       "orientation: {axis: [0, 1, 0], angle: 45, then: [{axis: [0, 0, 1], angle: 85}, "
                       "{axis: [1, 0, 0], angle: 7}]}, fabric: cotton"], FLOOR,
                      "integrator: backward_euler\n  tolerance: 1.0e-3")


def check_energy(options, checks, folder):
    """Kinetic, elastic, potential energy and that of contact never rise by more than 1% of the first."""
    cases = {"discs": (meeting(2, 0.03), 0.4), "balls": (meeting(3, 0.045), 0.3), "cube on cube": (cubes(2), 0.5),
             "napkin, corner first": (napkin(8), 0.5)}
    if not options.quickest:
        cases.update({"cube on cube": (cubes(2), 5), "three cubes": (cubes(3), 1 if options.check else 5),
                      "napkin, corner first": (napkin(14), 1 if options.check else 2)})
    for name, (text, time) in cases.items():
        path = common.write_scene(folder, f"{name}.yaml", text)
        output = run(options, folder, name, path, {"params/time": time}, every=1000)
        stats, probes = output.stats(), output.probes()
        total = sum(stats[f"energy.{kind}"] for kind in ("kinetic", "potential", "elastic", "contact"))
        checks.below(f"{name}: energy gained since any moment, over the first", np.max(total - np.minimum.accumulate(total))
                     / total[0], 0.01)
        checks.above(f"{name}: proximities", np.max(stats["collisions.proximities"]), 1)
        if name in ("discs", "balls"):
            p = [deform.vector(probes, f"{body}.momentum") for body in "ab"]
            checks.below(f"{name}: momentum of both, over that of one", np.max(np.linalg.norm(p[0] + p[1], axis=1))
                         / np.linalg.norm(p[0][0]), 1e-12)
            checks.below(f"{name}: velocity after over before", -p[0][-1, 0] / p[0][0, 0], 1)
        if "cube" in name:
            centers = [deform.vector(probes, f"cube{k}.center")[-1] for k in range(text.count("cells:"))]
            aside = max(math.hypot(*(b - a)[[0, 2]]) for a, b in zip(centers, centers[1:]))
            checks.below(f"{name}: aside of the one below after {time} s, m", aside, 0.03)
            checks.true(f"{name}: on one another", all(0.18 < (b - a)[1] < 0.23 for a, b in zip(centers, centers[1:])))


# ---- gate 6: a slope ----


def check_incline(options, checks, folder):
    slides = [(25, 0.2)] if options.quickest else [(25, 0.2), (45, 0.25), (15, 0.1), (30, 0)]
    stays = [(20, 0.5)] if options.quickest else [(20, 0.5), (30, 0.7)]
    for angle, mu in slides + stays:
        label = f"incline {angle} degrees, mu {mu}"
        output = run(options, folder, label, "cloth/incline", {"params/angle": angle, "params/mu": mu}, every=24)
        probes, a = output.probes(), math.radians(angle)
        down = np.array([math.cos(a), -math.sin(a), 0])
        speed, way = deform.vector(probes, "sheet.velocity") @ down, deform.vector(probes, "sheet.center") @ down
        expected = max(0.0, 9.81 * (math.sin(a) - mu * math.cos(a)))
        time = probes["time"][-1]
        off = max(abs(speed[-1] / time - expected), abs(2 * (way[-1] - way[0]) / time**2 - expected))
        checks.below(f"{label}: acceleration {speed[-1] / time:.4f} m/s^2, off {expected:.4f} by, over g sin a",
                     off / (9.81 * math.sin(a)), 0.03)
        if expected == 0:
            checks.below(f"{label}: way in {time:g} s, m", abs(way[-1] - way[0]), 1e-3)


# ---- gate 9: the same bits ----


def check_bits(options, checks, folder):
    cases = {"cloth/drape": ({"params/n": 8}, 40), "cloth/pinch": ({"params/n": 3, "params/settle": 0.1}, 64)}
    if not options.quickest:
        cases.update({"cloth/twist": ({"params/n": 5}, 200), "cloth/layers": ({"params/count": 3}, 120),
                      "cloth/ribbon": ({"params/n": 3, "params/length": 1.2}, 50),
                      "cloth/incline": ({"params/angle": 25, "params/mu": 0.2}, 24),
                      "deform/pile": ({"params/count": 3, "params/spacing": 0.09}, 40), # they meet in frame 28
                      "rigid/shells": ({"params/count": 5}, 60),
                      "cloth/pinch affine": ({"params/n": 3, "params/settle": 0.1, "deformable/zones": "affine"}, 64)})
    for name, (values, frames) in cases.items():
        scene = common.scene_path(f"{name.split()[0]}.yaml")
        name = name.replace("/", " ")
        start = lambda label, frames, threads: common.run(options.program, scene, os.path.join(folder, label), values,
                                                          "--frames", frames, "--threads", threads)
        runs = {n: start(f"bits {name} {n}", frames, n) for n in (1, 2, 4)}
        runs["resume"] = start(f"bits {name} half", 3 * frames // 4, 1)
        result = common.call(options.program, "resume", runs["resume"].folder, "--frames", frames, "--quiet",
                             "--threads", 2)
        checks.true(f"{name}: resume ends", result.code == 0, result.last_words() if result.code else "")
        stats = runs[1].stats()
        met = ("shells.hits", "contacts") if "shells" in name else ("collisions.hits", "collisions.proximities")
        if "incline" not in name: # one layer, which meets the slope alone
            checks.above(f"{name}: hits and proximities that it had", float(sum(np.sum(stats[kind]) for kind in met)), 1)
        for n in (2, 4, "resume"):
            differ = common.different(runs[1].state(frames), runs[n].state(frames))
            differ += common.different(runs[1].frame(frames), runs[n].frame(frames))
            if common.digest(runs[1].path("probes.csv")) != common.digest(runs[n].path("probes.csv")):
                differ.append("probes.csv")
            checks.true(f"{name}, {n}: the same state, frame, probes", not differ, " ".join(differ)[:80])


# ---- gate 10: bad starts ----

CROSSED = """\
plimsoll: 1
name: crossed
params: {up: 0.5, down: 0.75}
duration: 2
fps: 30
time_step: {max_dt: 0.01}
deformable:
  integrator: backward_euler
  iterations: 3
  bodies:
    - name: level
      sheet: {size: [0.6, 0.6], cells: [6, 6]}
      fabric: cotton
      damping: 0.01
      pins: [{name: rim, in: {difference: {of: [{box: {size: [1, 1, 1]}}, {box: {size: [0.5, 2, 0.5]}}]}}}]
    - name: upright
      sheet: {size: [0.4, 0.4], cells: [5, 5]}
      fabric: cotton
      damping: 0.01
      position: [0.013, 0.07, 0.017]
      orientation: {axis: [0, 0, 1], angle: 90}
      pins:
        - name: top
          in: {place: {position: [0.2, 0, 0], shape: {box: {size: [0.01, 1, 1]}}}}
          move: [0, "=up*smoothstep(0, 1, t) - down*smoothstep(1, 2, t)", 0]
probes:
  - {name: upright, quantities: [center, stretch]}
"""

COINCIDENT = """\
plimsoll: 1
name: coincident
duration: 0.2
fps: 30
time_step: {max_dt: 0.01}
deformable:
  integrator: backward_euler
  bodies:
    - {name: one, sheet: {size: [0.6, 0.6], cells: [4, 4]}, fabric: cotton}
    - {name: other, sheet: {size: [0.6, 0.6], cells: [4, 4]}, fabric: cotton}
probes:
  - {name: one, quantities: [center]}
"""


def call(options, folder, name, text, values=None):
    path = common.write_scene(folder, f"{name}.yaml", text)
    return bad_input.run(options, os.path.join(folder, name), path, values, "--state-every", 1, "--keep-states", limit=300)


def check_crossed_start(options, checks, folder):
    result, output = call(options, folder, "crossed", CROSSED)
    if not checks.true("crossed start: runs on", result is not None and result.code == 0,
                       result.last_words() if result and result.code else ""):
        return
    said = next((line for line in result.stderr.splitlines() if "cross" in line), "(nothing)")
    checks.true("crossed start: a warning names both", "'level'" in said and "'upright'" in said, said[:200])
    place = re.search(r"near \(([^)]*)\)", said)
    if checks.true("crossed start: and the place", place):
        x, y, z = map(float, place[1].split(","))
        off = math.hypot(x - 0.013, y, max(abs(z - 0.017) - 0.2, 0))  # they cross along a line of 0.4 m
        checks.below("crossed start: the place, off the line where they cross, over a diagonal", off / 0.1414, 1)
    numbers, counts = crossings(output)
    checks.above("crossed start: crossing pairs at first", counts[0], 5)
    parted = next((i for i, count in enumerate(counts) if count == 0), None)
    checks.true("crossed start: parted when drawn apart", parted is not None and parted <= 31,
                f"in state {parted}" if parted is not None else f"{counts[-1]} pairs left")
    if parted is not None:
        checks.below("crossed start: crossing pairs after that", sum(counts[parted:]), 0)
    stats = output.stats()
    crossing, late = stats["collisions.crossing"], stats["time"] > 1.5
    checks.above("crossed start: collisions.crossing at first", crossing[1], 5)
    checks.below("crossed start: collisions.crossing at the end", crossing[-1], 0)
    checks.above("crossed start: they meet again, proximities", np.max(stats["collisions.proximities"][late]), 1)


def check_looking(options, checks, folder):
    """--check-intersections stops a run that crosses, and no other."""
    path = common.write_scene(folder, "looked at.yaml", CROSSED)
    for label, place, code, said in (("crossing", "[0.013, 0.07, 0.017]", 1, "intersect"), ("apart", "[0.013, 0.5, 0.017]", 0, "")):
        result = bad_input.run(options, os.path.join(folder, "looked at " + label), path,
                               {"deformable/bodies/upright/position": place}, "--frames", 3, "--check-intersections")[0]
        checks.true(f"--check-intersections, sheets {label}: exit code {code}",
                    result is not None and result.code == code and said in result.stderr, result.last_words() if result else "")


def check_coincident(options, checks, folder):
    result, output = call(options, folder, "coincident", COINCIDENT)
    said = (result.stderr.splitlines() or ["(nothing)"])[0] if result else "hangs"
    checks.true("coincident sheets: told", result is not None and result.code in (0, 2) and
                "'one'" in said and "'other'" in said, said[:200])
    if result is not None and result.code == 0:
        checks.true("coincident sheets: all figures finite", bad_input.finite(output))


def check_thickness(options, checks, folder):
    path = common.write_scene(folder, "thick.yaml", COINCIDENT)
    cases = [("thickness above the edge", {"deformable/bodies/one/thickness": 0.2}, r"'one': a thickness.*mean edge.*smaller"),
             ("thickness 0", {"deformable/bodies/one/thickness": 0}, r"thickness.*above 0"),
             ("thickness not finite", {"deformable/bodies/one/thickness": ".nan"}, r"thickness.*finite")]
    bad_input.check_all(options, checks, folder, path, cases)


if __name__ == "__main__":
    common.verify(__doc__, (check_drape, check_ribbon, check_hang, check_twist, check_layers, check_pinch, check_pile,
                            check_energy,
                            check_without, check_incline, check_bits, check_crossed_start, check_looking, check_coincident,
                            check_thickness))

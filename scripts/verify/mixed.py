#!/usr/bin/python3
"""Several domains in one world: two pools, a splash, smoke, with bodies in each.

Same bits for any number of threads and across resume; columns, groups and probes go by the names of the domains;
with equal steps every pool and the body in it move as in the scene with that pool alone, to the bit; what makes no
sense is refused."""
import os
import re

import common
from common import np
from determinism import check_figures

SCENE = "mixed/pools.yaml"
STEP = {"time_step/max_dt": 0.0025}  # below every domain's own limit: the steps are then the same alone
ALONE = [("west", "cork"), ("east", "crate"), ("chamber", "balloon")]


def sections(text):
    """Top-level keys of a scene to their lines."""
    found, name = {}, None
    for line in text.splitlines():
        if line and not line.startswith((" ", "#")):
            name = line.split(":")[0]
        if name:
            found.setdefault(name, []).append(line)
    return found


def items(lines, indent):
    """The items of a list, by the name each carries."""
    found, name = {}, None
    for line in lines[1:]:
        if line.startswith(" " * indent + "- "):
            name = re.search(r"name: (\w+)", line).group(1)
        if name:
            found.setdefault(name, []).append(line)
    return found


def alone(text, domain, body):
    """The scene with one of its fluids and one of its bodies."""
    parts = sections(text)
    lines = [line for key in ("plimsoll", "name", "params", "duration", "fps", "time_step") for line in parts[key]]
    lines += ["fluid:"] + items(parts["fluid"], 2)[domain]
    lines += ["rigid:", "  bodies:"] + items(parts["rigid"][1:], 4)[body]
    lines += ["probes:"] + items(parts["probes"], 2)[body]
    return "\n".join(lines) + "\n"


def check_names(checks, output):
    stats, probes = output.stats(), output.probes()
    wanted = ["volume.west", "volume.east", "volume.west.wanted", "mass.spray", "smoke.chamber.total",
              "solve.west.iterations", "solve.spray.iterations", "solve.chamber.residual", "speed.east.max", "shared"]
    missing = [name for name in wanted if name not in stats.index]
    checks.true("columns of stats.csv by name", not missing, " ".join(missing))
    plain = [name for name in stats.names if re.match(r"(volume|mass)\.(fluid|splash|wanted)$|speed\.max$", name)]
    checks.true("no column without a name that several could mean", not plain, " ".join(plain))
    wanted = ["cork.position.y", "cork_force.fluid_force.y", "west.volume", "spray.mass", "chamber.smoke",
              "deep.pressure", "outlet.flux"]
    missing = [name for name in wanted if name not in probes.index]
    checks.true("columns of probes.csv by name", not missing, " ".join(missing))
    for name in ("west", "east"):
        same = np.array_equal(stats[f"volume.{name}"], probes[f"{name}.volume"])
        checks.true(f"volume of {name}: stats and probe agree", same)
    groups = {name.strip("/").split("/")[0] for name in common.datasets(output.state())}
    checks.true("groups of the state", groups == {"clock", "rigid", "west", "east", "chamber", "spray"},
                " ".join(sorted(groups)))
    groups = {name.strip("/").split("/")[0] for name in common.datasets(output.frame(1))}
    checks.true("groups of a frame", {"west", "west.liquid", "west.drops", "spray", "spray.liquid", "spray.spray",
                                      "chamber", "rigid"} <= groups, " ".join(sorted(groups)))
    checks.true("no body is shared", not stats["shared"].any())
    density, g = 1000, 9.81
    depth = probes["deep.pressure"][-1] / (density * g)
    checks.within("depth of the point in the east pool by its pressure, m", depth, 0.3, 0.1)


def check_threads(options, checks, folder, scene, frames):
    runs = {threads: common.run(options.program, scene, os.path.join(folder, f"threads{threads}"), None,
                                "--threads", threads, "--frames", frames) for threads in (1, 2, 4)}
    for threads in (2, 4):
        names = common.different(runs[1].state(frames), runs[threads].state(frames))
        checks.true(f"{threads} threads: state", not names, " ".join(names))
        names = common.different(runs[1].frame(frames), runs[threads].frame(frames))
        checks.true(f"{threads} threads: frame", not names, " ".join(names))
        check_figures(checks, f"{threads} threads", runs[1], runs[threads])
    return runs[1]


def check_resume(options, checks, folder, scene, frames, reference):
    half = common.run(options.program, scene, os.path.join(folder, "half"), None, "--frames", frames // 2)
    result = common.call(options.program, "resume", half.folder, "--frames", frames, "--quiet")
    checks.true("resume", result.code == 0, result.last_words() if result.code else "")
    names = common.different(reference.state(frames), half.state(frames))
    checks.true("resumed: state", not names, " ".join(names))
    check_figures(checks, "resumed", reference, half)


def check_alone(options, checks, folder, scene, frames):
    with open(scene, encoding="utf-8") as file:
        text = file.read()
    mixed = common.run(options.program, scene, os.path.join(folder, "mixed"), STEP, "--frames", frames)
    for domain, body in ALONE:
        path = common.write_scene(folder, f"{domain}.yaml", alone(text, domain, body))
        single = common.run(options.program, path, os.path.join(folder, domain), STEP, "--frames", frames)
        same = np.array_equal(mixed.stats()["time"], single.stats()["time"])
        checks.true(f"{domain} alone: same steps", same, f"{len(single.stats())} rows")
        for quantity in ("x", "y", "z"):
            column = f"{body}.position.{quantity}"
            first, second = mixed.probes()[column], single.probes()[column]
            same = len(first) == len(second) and first.tobytes() == second.tobytes()
            apart = abs(first - second).max() if len(first) == len(second) else float("nan")
            checks.true(f"{domain} alone: {column}", same, f"greatest difference {apart:.3g} m")
        first, second = common.datasets(mixed.state(frames)), common.datasets(single.state(frames))
        names = [name for name in second if name.strip("/").startswith(domain + "/")]
        bad = [name for name in names if first[name].tobytes() != second[name].tobytes()]
        checks.true(f"{domain} alone: {len(names)} arrays of its state", names and not bad, " ".join(bad))


# A disc drifts out of one fluid into the next, through open sides that face each other.
CROSSING = """\
plimsoll: 1
name: crossing
dim: 2
duration: 1
fps: 20
gravity: [0, 0, 0]
fluid:
  - {name: a, domain: {high: [1, 1, 1]}, cells: 24, sides: {right: open, left: open}, density: 1, viscosity: 0.01}
  - {name: b, domain: {low: [1, 0, 0], high: [2, 1, 1]}, cells: 24, sides: {left: open, right: open}, density: 1}
rigid:
  bodies:
    - {name: disc, shape: {cylinder: {radius: 0.12, height: 2}}, orientation: {axis: [1, 0, 0], angle: 90},
       position: [0.6, 0.5, 0], velocity: [1.2, 0, 0], density: 3}
probes:
  - {name: disc, quantities: [position, velocity]}
  - {name: a_force, object: disc, domain: a, quantities: [fluid_force]}
  - {name: b_force, object: disc, domain: b, quantities: [fluid_force]}
"""


def check_crossing(options, checks, folder):
    scene = common.write_scene(folder, "crossing.yaml", CROSSING)
    first = common.run(options.program, scene, os.path.join(folder, "crossing"), None, "--threads", 1)
    probes, stats = first.probes(), first.stats()
    x, radius = probes["disc.position.x"], 0.12
    across = (x > 1 - radius) & (x < 1 + radius)
    near = abs(abs(x - 1) - radius) < 0.02  # its box reaches a little further than the disc
    checks.true("crossing: it gets across", x[-1] > 1.1, f"x {x[-1]:.3f} m")
    checks.true("crossing: shared while it is in both", np.array_equal(stats["shared"][~near] == 1, across[~near]),
                f"{int(stats['shared'].sum())} of {len(x)} steps")
    checks.true("crossing: no force of a fluid it is not in", not probes["b_force.fluid_force.x"][x < 0.86].any())
    gain = np.diff(stats["energy.kinetic"])[1:].max()
    checks.below("crossing: energy gained in a step, of that at the start", gain / stats["energy.kinetic"][0], 1e-3)
    speed = np.diff(probes["disc.velocity.x"])[4:].max()
    checks.below("crossing: speed gained in a step, m/s", speed, 1e-3)
    other = common.run(options.program, scene, os.path.join(folder, "crossing2"), None, "--threads", 2,
                       "--drop-caches", 5)
    names = common.different(first.state(20), other.state(20))
    checks.true("crossing: 2 threads without caches: state", not names, " ".join(names))
    half = common.run(options.program, scene, os.path.join(folder, "crossing3"), None, "--frames", 9)
    common.call(options.program, "resume", half.folder, "--quiet")
    names = common.different(first.state(20), half.state(20))
    checks.true("crossing: resumed: state", not names, " ".join(names))


# what is wrong, what is set, what the message must say
REFUSED = [
    ("domains that overlap", {"fluid/east/domain/low": "[0.9, 0, 0]"}, r"'west' and 'east' overlap"),
    ("a fluid and a splash that overlap", {"splash/spray/domain/low": "[1.9, 0, 0]"}, r"'east' and 'spray' overlap"),
    ("two domains of one name", {"fluid/east/name": "west"}, r"named 'west' too"),
    ("a fluid named as a splash", {"splash/spray/name": "west"}, r"named 'west' too"),
    ("a domain named as a body", {"fluid/east/name": "crate"}, r"named 'crate'"),
    ("a domain named as the bodies' group", {"splash/spray/name": "rigid"}, r"'rigid' already"),
    ("no list", {"fluid": "3"}, r"/fluid: should be a map"),
    ("a list without names", {"fluid": "[{cells: 8}]"}, r"/fluid/0: .*'name' is missing"),
    ("a body outside every domain", {"rigid/bodies/cork/position": "[0.5, 5, 8]"}, r"'cork' is outside every domain"),
    ("probe of an unknown domain", {"probes/deep": "{name: deep, domain: nort, point: [0.1, 0.1, 0.1], "
                                    "quantities: [pressure]}"}, r"no fluid or splash named 'nort'"),
    ("probe of an unknown object", {"probes/west/object": "wst"}, r"'wst'.*did you mean 'west'"),
    ("a side that several have", {"probes/outlet": "{name: outlet, object: top, quantities: [flux]}"},
     r"say which with 'domain'"),
    ("a section that several could have", {"probes/outlet": "{name: outlet, section: {axis: y, at: 0.5}, "
                                           "quantities: [flux]}"}, r"several fluids"),
    ("a section of a splash", {"probes/outlet": "{name: outlet, domain: spray, section: {axis: y, at: 0.5}, "
                               "quantities: [flux]}"}, r"'spray' is a splash"),
    ("a point outside every domain", {"probes/deep/point": "[0.5, 7, 0]"}, r"outside every domain"),
]


def check_refused(options, checks, folder, scene):
    for name, values, words in REFUSED:
        out = os.path.join(folder, "refused")
        result = common.call(options.program, "run", scene, "--out", out, "--quiet", "--frames", 1,
                             *common.overrides(values), timeout=120)
        lines = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
        said = (lines or ["(nothing)"])[0].replace(scene + ": ", "")
        good = result.code == 2 and all(line.startswith("plimsoll: ") for line in lines)
        checks.true(name, good and re.search(words, said), f"exit {result.code}: {said[:200]}")


def main():
    options = common.arguments(__doc__)
    checks = common.Checks()
    frames = 2 if options.quickest else 4 if options.quick else 24
    scene = common.scene_path(SCENE)
    with common.temporary() as folder:
        reference = check_threads(options, checks, folder, scene, frames)
        check_names(checks, reference)
        check_resume(options, checks, folder, scene, frames, reference)
        check_alone(options, checks, folder, scene, 2 if options.quick else 12)
        check_crossing(options, checks, folder)
        check_refused(options, checks, folder, scene)
    checks.finish()


if __name__ == "__main__":
    main()

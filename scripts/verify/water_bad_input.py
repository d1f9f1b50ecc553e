#!/usr/bin/python3
"""Liquids that make no sense: refused with a message and exit code 2; odd ones that do make sense run."""
import bad_input
import common
from bad_input import finite, run_odd
from common import np

GOOD = """\
plimsoll: 1
name: good
dim: 2
duration: 0.2
fps: 20
fluid:
  domain: {low: [0, 0, 0], high: [1, 1, 1]}
  cells: 16
  liquid:
    shapes: [{place: {shape: {box: {size: [1, 0.8, 4]}}, position: [0, 0, 0]}}]
rigid:
  bodies:
    - {name: post, motion: static, shape: {box: {size: [0.2, 0.4, 2]}}, position: [0.75, 0, 0]}
probes:
  - {name: fluid, quantities: [volume, front, kinetic_energy]}
"""

SPOUT = "name: spout, shape: {box: {size: [0.2, 0.2, 1]}}, liquid: fill"

# what is wrong, what is set, what the message must say (a regular expression)
REFUSED = [
    ("liquid outside the domain",
     {"fluid/liquid/shapes": "[{place: {shape: {ball: {radius: 0.2}}, position: [5, 5, 0]}}]"}, r"no liquid"),
    ("liquid outside the domain, by a level", {"fluid/liquid": "{level: \"=y+3\"}"}, r"no liquid"),
    ("liquid inside an obstacle only",
     {"fluid/liquid/shapes": "[{place: {shape: {ball: {radius: 0.05}}, position: [0.75, 0.08, 0]}}]"},
     r"no liquid"),
    ("liquid thinner than a cell", {"fluid/liquid": "{level: \"=abs(y-0.5)-1e-6\"}"}, r"no liquid|thick"),
    ("neither shapes nor level nor source", {"fluid/liquid": "{}"}, r"no liquid|shapes|level"),
    ("both shapes and level", {"fluid/liquid/level": "=y-0.5"}, r"shapes.*level|level.*shapes"),
    ("an obstacle of no known material",
     {"fluid/obstacles": "[{place: {shape: {ball: {radius: 0.1}}, position: [0.3, 0.2, 0], material: jade}}]"},
     r"no material 'jade'"),
    ("volume keeping that is neither", {"fluid/liquid/volume_keeping": "maybe"}, r"volume_keeping"),
    ("smoke with liquid", {"fluid/smoke": "{}"}, r"smoke"),
    ("smoke of a source in a liquid", {"fluid/sources": "[{name: s, shape: {ball: {radius: 0.2}}, smoke: 1}]"},
     r"smoke"),
    ("source inside a solid",
     {"fluid/sources": "[{name: spout, shape: {box: {size: [0.05, 0.05, 1]}}, position: [0.75, 0.1, 0], "
      "liquid: fill}]"}, r"spout"),
    ("source outside the domain", {"fluid/sources": "[{" + SPOUT + ", position: [7, 7, 0]}]"}, r"spout"),
    ("rate of a source that does not fill",
     {"fluid/sources": "[{name: hole, shape: {ball: {radius: 0.1}}, position: [0.3, 0.3, 0], liquid: drain, "
      "rate: 0.1}]"}, r"liquid: fill"),
    ("negative rate", {"fluid/sources": "[{" + SPOUT + ", position: [0.3, 0.7, 0], rate: -1}]"}, r"below 0"),
    ("rate that changes with place", {"fluid/sources": "[{" + SPOUT + ", position: [0.3, 0.7, 0], rate: \"=x\"}]"},
     r"whole source"),
    ("rate and expansion",
     {"fluid/sources": "[{" + SPOUT + ", position: [0.3, 0.7, 0], rate: 1, expansion: 1}]"}, r"leave one out"),
    ("drain outside the domain",
     {"fluid/sources": "[{name: hole, shape: {ball: {radius: 0.1}}, position: [0, -4, 0], liquid: drain}]"},
     r"hole"),
    ("level without a value", {"fluid/liquid": "{level: \"=0/0\"}"}, r"value|division"),
    ("level without a value somewhere", {"fluid/liquid": "{level: \"=sqrt(x-0.5)-0.3\"}"},
     r"value|root|negative"),
    ("level that is not finite", {"fluid/liquid": "{level: .nan}"}, r"finite|number"),
    ("particles negative", {"fluid/liquid/particles": -1}, r"particles.*at least 0|at least 0"),
    ("half a particle", {"fluid/liquid/particles": 3.5}, r"whole"),
    ("a million particles in a cell", {"fluid/liquid/particles": 1000000}, r"particles.*at most|at most"),
    ("extension 9", {"fluid/liquid/extension": 9}, r"at most 5"),
    ("extension 0", {"fluid/liquid/extension": 0}, r"at least 3"),
    ("escape negative", {"fluid/liquid/escape": -0.5}, r"at least 0|negative"),
    ("corrections 3", {"fluid/liquid/corrections": 3}, r"at most 2"),
    ("reseed 0", {"fluid/liquid/reseed": 0}, r"at least 1"),
    ("rise negative", {"fluid/liquid/rise": -1}, r"at least 0|negative"),
    ("absorption negative", {"fluid/liquid/absorption": "[-1, 0, 0]"}, r"at least 0|negative"),
    ("unknown surface", {"fluid/liquid/surface": "third_order"}, r"not one of"),
    ("unknown scheme", {"fluid/liquid/scheme": "upwind"}, r"not one of"),
    ("conservative advection", {"fluid/advection": "conservative"}, r"advection.*liquid"),
    ("separation with values on nodes", {"fluid/liquid/separation": "true", "fluid/storage": "node"}, r"storage"),
    ("unknown key", {"fluid/liquid/partikels": 3}, r"particles"),
    ("unknown way to pour", {"fluid/sources": "[{name: s, shape: {ball: {radius: 0.1}}, position: "
                             "[0.5, 0.5, 0], liquid: pour}]"}, r"not one of"),
    ("runs without a value", {"fluid/sources": "[{" + SPOUT + ", position: [0.2, 0.8, 0], runs: \"=0/0\"}]",
                              "fluid/sides": "{top: open}"}, r"value|division"),
    ("level of a side without a value",
     {"fluid/sides": "{left: {kind: inflow, velocity: [0.1, 0, 0], level: \"=0/0\"}, top: open}"},
     r"value|division"),
]

# the same of a fluid without a liquid
WITHOUT = [
    ("drain in a fluid without a liquid",
     {"fluid/sources": "[{name: hole, shape: {ball: {radius: 0.1}}, position: [0.2, 0.2, 0], liquid: drain}]"},
     r"liquid"),
    ("spout in a fluid without a liquid", {"fluid/sources": "[{" + SPOUT + ", position: [0.2, 0.5, 0]}]"},
     r"liquid"),
    ("volume of a fluid without a liquid", {"probes": "[{name: fluid, quantities: [volume]}]"}, r"volume"),
    ("front of a fluid without a liquid", {"probes": "[{name: fluid, quantities: [front]}]"}, r"front"),
    ("surface of a point without a liquid",
     {"probes": "[{name: p, point: [0.2, 0.2, 0], quantities: [surface]}]"}, r"surface"),
]


# what is odd and fine, what is set
FINE = [
    ("obstacles that overlap",
     {"fluid/obstacles": "[{place: {shape: {box: {size: [0.3, 0.3, 2]}}, position: [0.7, 0.1, 0]}}, "
      "{place: {shape: {ball: {radius: 0.2}}, position: [0.75, 0.2, 0]}}]"}),
    ("shapes that overlap",
     {"fluid/liquid/shapes": "[{ball: {radius: 0.5}}, {place: {shape: {ball: {radius: 0.4}}, position: "
      "[0.2, 0.1, 0]}}]"}),
    ("shapes that reach out of the domain", {"fluid/liquid/shapes": "[{box: {size: [1, 9, 9]}}]"}),
    ("liquid everywhere", {"fluid/liquid": "{level: -1}"}),
    ("no particles", {"fluid/liquid/particles": 0}),
    ("level with t, which is 0", {"fluid/liquid": "{level: \"=y-0.5-t\"}"}),
    ("bubbles", {"fluid/liquid/bubbles": "true"}),
    ("drain that empties the tank",
     {"fluid/sources": "[{name: hole, shape: {box: {size: [4, 4, 4]}}, liquid: drain}]", "fluid/sides":
      "{top: open}"}),
    ("only a spout", {"fluid/liquid": "{}", "fluid/sides": "{top: open}", "fluid/sources":
                      "[{" + SPOUT + ", position: [0.3, 0.8, 0]}]"}),
    ("spout over an overlap of bodies", {"fluid/sides": "{top: open}", "fluid/sources":
                                         "[{" + SPOUT + ", position: [0.75, 0.22, 0]}]"}),
]


def check_fine(options, checks, folder, scene):
    for name, values in FINE:
        result, output = run_odd(options, folder, scene, values)
        good = result is not None and result.code == 0 and finite(output)
        checks.true(f"{name}: runs", good, "hangs" if result is None else
                    result.last_words() if result.code else
                    f"volume {output.probes()['fluid.volume'][-1]:.4f} m^3 at the end")


def check_filled_closed(options, checks, folder, scene):
    """A spout in a box without an outlet and, at last, without air."""
    for name, values in (("full already", {"fluid/liquid": "{level: -1}"}),
                         ("until it is full", {"fluid/liquid": "{level: \"=y-0.8\"}", "duration": 3})):
        result, output = run_odd(options, folder, scene, {
            **values, "fluid/sources": "[{" + SPOUT + ", position: [0.3, 0.8, 0], velocity: [0, -1, 0]}]"})
        if result is None:
            checks.true(f"spout in a closed box, {name}: ends", False, "hangs")
        elif result.code == 0:
            checks.true(f"spout in a closed box, {name}: runs, all finite", finite(output),
                        f"volume {output.probes()['fluid.volume'][-1]:.4f} m^3")
        else:
            checks.true(f"spout in a closed box, {name}: refused or stopped clearly",
                        result.code in (1, 2) and result.stderr.strip() and bad_input.clean(result),
                        f"exit {result.code}: {result.last_words()}")


def check_full_tank(options, checks, folder, scene):
    for dim in (2, 3):
        result, output = run_odd(options, folder, scene, {
            "dim": dim, "fluid/liquid": "{level: -1}", "duration": 1, "fluid/tolerance": 1e-10,
            "rigid/bodies/post/shape": "{box: {size: [0.25, 0.5, 4]}}"})
        good = result is not None and result.code == 0
        if not checks.true(f"tank full to the lid, {dim}D: runs", good, "hangs" if result is None else "" if good
                           else " ".join(result.stderr.split())[:200]):
            continue
        stats = output.stats()
        checks.below(f"tank full to the lid, {dim}D: greatest speed over a second, m/s",
                     stats["speed.max"].max(), 1e-6)
        checks.below(f"tank full to the lid, {dim}D: change of the volume", np.ptp(stats["volume.fluid"]), 1e-12)


def check_without(options, checks, folder, _):
    dry = [line for line in GOOD.replace("volume, front, ", "").splitlines(True)
           if "liquid:" not in line and "shapes:" not in line]
    plain = common.write_scene(folder, "plain.yaml", "".join(dry))
    result, _ = run_odd(options, folder, plain, {})
    checks.true("the scene without a liquid runs", result is not None and result.code == 0)
    bad_input.check_all(options, checks, folder, plain, WITHOUT)


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, more=(check_without, check_fine, check_filled_closed, check_full_tank))

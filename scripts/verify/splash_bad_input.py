#!/usr/bin/python3
"""Splashing liquids that make no sense: refused with a message and exit code 2; odd ones that do make sense run."""
import re

import bad_input
import common
from bad_input import run_odd
from common import h5py, np

GOOD = """\
plimsoll: 1
name: good
dim: 2
duration: 0.2
fps: 20
splash:
  domain: {low: [0, 0, 0], high: [1, 1, 1]}
  cells: 16
  liquids:
    - {name: pool, shape: {box: {size: [1, 0.5, 4]}}, position: [0.5, 0.25, 0]}
  obstacles:
    - {place: {shape: {box: {size: [0.25, 0.25, 2]}}, position: [0.625, 0.125, 0]}}
probes:
  - {name: splash, quantities: [mass]}
"""

BOX = "shape: {box: {size: [0.3, 0.3, 1]}}"
SPOUT = BOX + ", position: [0.3, 0.75, 0]"


def liquid(words):
    return {"splash/liquids": "[{name: pool, " + words + "}]"}


def source(words):
    return {"splash/sources": "[{name: spout, " + words + "}]"}


def sink(words):
    return {"splash/sinks": "[{name: hole, " + words + "}]"}


def blast(words):
    return {"splash/blasts": "[{name: bang, " + words + "}]"}


def body(words, size="[0.3, 0.2, 1]"):
    return {"rigid": "{bodies: [{name: raft, shape: {box: {size: " + size + "}}, position: [0.3, 0.7, 0], " + words + "}]}"}


# what is wrong, what is set, what the message must say (a regular expression)
REFUSED = [
    # of the issue
    ("zero particles per cell", {"splash/particles": 0}, r"particles.*at least 1|at least 1.*particle"),
    ("source of 1e5 m/s", source(SPOUT + ", velocity: [1e5, 0, 0]"), r"spout.*(fast|cells?)"),
    ("source of 1e30 m/s", source(SPOUT + ", velocity: [1e30, 0, 0]"), r"spout.*(fast|cells?)"),
    ("obstacle that fills the domain", {"splash/obstacles": "[{box: {size: [9, 9, 9]}}]"},
     r"obstacle|cover|room|fill|solid"),
    ("body that fills the domain",
     {"rigid": "{bodies: [{name: rock, motion: static, shape: {box: {size: [9, 9, 9]}}}]}"},
     r"rock|obstacle|cover|room|fill|solid"),
    ("more particles than memory, 2D", {"splash/cells": 30000, "splash/particles": 8}, r"memory"),
    ("more particles than memory, 3D", {"dim": 3, "splash/cells": 1500}, r"memory"),
    ("more particles than memory, few cells", {"dim": 3, "splash/cells": 150, "splash/particles": 16}, r"memory"),
    ("more particles than memory by a source",
     {**source(SPOUT + ", velocity: [1, 0, 0]"), "splash/cells": 400, "duration": 1e5, "splash/particles": 4},
     r"memory|particles"),
    # numbers
    ("particles negative", {"splash/particles": -2}, r"particles.*at least 1|at least 1"),
    ("half a particle", {"splash/particles": 1.5}, r"whole"),
    ("a thousand particles along an edge", {"splash/particles": 1000}, r"at most"),
    ("no cells", {"splash/cells": 0}, r"cells.*at least|at least 1"),
    ("domain of zero size", {"splash/domain/high": "[1, 0, 1]"}, r"below high|zero|size"),
    ("domain turned inside out", {"splash/domain/high": "[-1, 1, 1]"}, r"below high|low"),
    ("domain not finite", {"splash/domain/high": "[.inf, 1, 1]"}, r"finite"),
    ("density 0", {"splash/density": 0}, r"density.*above 0|above 0"),
    ("density negative", {"splash/density": -1}, r"above 0"),
    ("density not a number", {"splash/density": ".nan"}, r"finite|number"),
    ("jitter 2", {"splash/jitter": 2}, r"at most 1"),
    ("jitter negative", {"splash/jitter": -0.1}, r"at least 0|negative"),
    ("flip 1.5", {"splash/flip": 1.5}, r"at most 1"),
    ("flip negative", {"splash/flip": -0.5}, r"at least 0|negative"),
    ("air negative", {"splash/air": -0.5}, r"at least 0|above 0|negative"),
    ("air of 2", {"splash/air": 2}, r"at most|below"),
    ("suction, which there is no more", {"splash/suction": 1000}, r"unknown key 'suction'"),
    ("crowding negative", {"splash/crowding": -1}, r"at least 0|above 0|negative"),
    ("corrections negative", {"splash/corrections": -1}, r"at least"),
    ("a million corrections", {"splash/corrections": 1000000}, r"at most"),
    ("tolerance 0", {"splash/tolerance": 0}, r"tolerance|at least|above 0"),
    ("cfl 0", {"splash/cfl": 0}, r"cfl.*above 0|above 0"),
    ("cfl of 1000", {"splash/cfl": 1000}, r"at most"),
    ("samples 0", {"splash/samples": 0}, r"at least 1"),
    ("samples 1000", {"splash/samples": 1000}, r"at most"),
    ("extrapolation negative", {"splash/extrapolation": -1}, r"at least"),
    # words
    ("unknown incompressibility", {"splash/incompressibility": "none"}, r"not one of|unilateral"),
    ("unknown transfer", {"splash/transfer": "pic"}, r"not one of|apic"),
    ("unknown path", {"splash/path": "rk4"}, r"not one of|euler"),
    ("unknown preconditioner", {"splash/preconditioner": "ilu"}, r"not one of|mic0"),
    ("unknown key", {"splash/partikels": 3}, r"particles"),
    ("unknown side", {"splash/sides": "{left: outflow}"}, r"not one of|wall"),
    ("periodic sides", {"splash/sides": "{left: periodic, right: periodic}"}, r"periodic|not one of"),
    ("inflow", {"splash/sides": "{left: inflow}"}, r"inflow|not one of"),
    ("a fluid beside it", {"fluid": "{cells: 8}"}, r"fluid"),
    # liquids
    ("no liquid and no source", {"splash/liquids": "[]"}, r"liquid|source"),
    ("liquid outside the domain", liquid(BOX + ", position: [5, 5, 0]"), r"pool"),
    ("liquid inside an obstacle only", liquid("shape: {box: {size: [0.1, 0.1, 1]}}, position: [0.625, 0.125, 0]"),
     r"pool|liquid"),
    ("liquid smaller than a particle's spacing",
     liquid("shape: {ball: {radius: 0.001}}, position: [0.4, 0.701, 0]"), r"pool|liquid"),
    ("liquid without a shape", {"splash/liquids": "[{name: pool}]"}, r"shape"),
    ("velocity without a value", liquid(SPOUT + ", velocity: [\"=1/(x-x)\", 0, 0]"), r"value|division"),
    ("velocity that is not finite", liquid(SPOUT + ", velocity: [.nan, 0, 0]"), r"finite"),
    ("two liquids of one name", {"splash/liquids": "[{name: pool, " + BOX + ", position: [0.2, 0.2, 0]}, {name: pool, "
                                 + BOX + ", position: [0.2, 0.8, 0]}]"}, r"pool"),
    # sources
    ("source without velocity", source(SPOUT), r"spout.*velocity|velocity"),
    ("source at rest", source(SPOUT + ", velocity: [0, 0, 0]"), r"spout.*velocity|velocity"),
    ("source across the plane", source(SPOUT + ", velocity: [0, 0, 1]"), r"spout|velocity"),
    ("source not finite", source(SPOUT + ", velocity: [.inf, 0, 0]"), r"finite"),
    ("source of more than its mouth lets through", source(SPOUT + ", velocity: [1, 0, 0], rate: 1e6"),
     r"spout.*rate|rate"),
    ("source of a negative rate", source(SPOUT + ", velocity: [1, 0, 0], rate: -1"), r"at least 0|negative"),
    ("source too narrow", source("shape: {box: {size: [1e-5, 1e-5, 1]}}, position: [0.3, 0.75, 0], velocity: "
                                 "[1, 0, 0]"), r"spout"),
    ("source outside the domain", source(BOX + ", position: [7, 7, 0], velocity: [1, 0, 0]"), r"spout"),
    ("source inside an obstacle", source("shape: {box: {size: [0.1, 0.1, 1]}}, position: [0.625, 0.125, 0], velocity: "
                                         "[1, 0, 0]"), r"spout"),
    ("runs without a value", source(SPOUT + ", velocity: [1, 0, 0], runs: \"=0/0\""), r"value|division"),
    # sinks and blasts
    ("sink outside the domain", sink(BOX + ", position: [0, -4, 0]"), r"hole"),
    ("sink without a shape", sink("position: [0, 0, 0]"), r"shape"),
    ("blast before the start", blast("time: -1, center: [0.3, 0.2, 0], radius: 0.1, speed: 3"), r"bang|at least 0"),
    ("blast outside the domain", blast("time: 0.1, center: [9, 0.2, 0], radius: 0.1, speed: 3"), r"bang"),
    ("blast without a radius", blast("time: 0.1, center: [0.3, 0.2, 0], radius: 0, speed: 3"), r"radius|above 0"),
    ("blast of 1e9 m/s", blast("time: 0.1, center: [0.3, 0.2, 0], radius: 0.1, speed: 1e9"), r"bang|fast|steps"),
    # bodies that it pushes, viscosity
    ("viscosity negative", {"splash/viscosity": -1}, r"at least 0|negative"),
    ("viscosity not finite", {"splash/viscosity": ".inf"}, r"finite"),
    ("slip negative", {"splash/slip": -1}, r"at least 0|negative"),
    ("body that is pushed, fractions on the right", {**body("density: 500"), "splash/fractions": "right"},
     r"raft.*dynamic|fractions"),
    ("body too thin for its cells", body("density: 500", "[0.5, 0.05, 1]"), r"raft.*thin"),
    ("body without density", body("density: 0"), r"density|above 0"),
    ("force on a side there is not", {"probes": "[{name: f, object: back, quantities: [fluid_force]}]"}, r"back"),
    ("force on a side that is open", {"splash/sides": "{top: open}", "probes":
                                      "[{name: f, object: top, quantities: [fluid_force]}]"}, r"top"),
    ("torque on a wall", {"probes": "[{name: f, object: bottom, quantities: [fluid_torque]}]"}, r"fluid_torque"),
    # probes
    ("probe of a quantity there is not", {"probes": "[{name: splash, quantities: [vorticity]}]"}, r"vorticity"),
    ("probe outside the domain", {"probes": "[{name: p, point: [3, 0, 0], quantities: [pressure]}]"}, r"outside"),
]

# what is wrong while it runs: exit code 1, or 2 when it was seen before
STOPPED = [
    ("1000 steps a frame by a start", liquid(BOX + ", position: [0.3, 0.7, 0], velocity: [1e5, 0, 0]"),
     r"steps|fast"),
    ("1000 steps a frame by a body",
     {"rigid": "{bodies: [{name: fist, motion: kinematic, shape: {ball: {radius: 0.1}}, position: "
      "[\"=0.5+0.1*sin(1e6*t)\", 0.6, 0]}]}"}, r"steps|fast"),
]


def finite(output):
    with h5py.File(output.state(), "r") as file:
        arrays = [file["splash"][name][()] for name in file["splash"]]
    return all(np.all(np.isfinite(a)) for a in arrays if a.dtype.kind == "f") and bad_input.finite(output)


def count(output):
    with h5py.File(output.state(), "r") as file:
        return file["splash/position_x"].size


# what is odd and fine, what is set
FINE = [
    ("obstacles that overlap",
     {"splash/obstacles": "[{place: {shape: {box: {size: [0.3, 0.3, 2]}}, position: [0.7, 0.1, 0]}}, "
      "{place: {shape: {ball: {radius: 0.2}}, position: [0.75, 0.2, 0]}}]"}),
    ("an obstacle outside the domain",
     {"splash/obstacles": "[{place: {shape: {ball: {radius: 0.2}}, position: [4, 4, 0]}}]"}),
    ("liquid that reaches out of the domain", liquid("shape: {box: {size: [9, 9, 9]}}")),
    ("liquid everywhere", {**liquid("shape: {box: {size: [9, 9, 9]}}"), "splash/obstacles": "[]"}),
    ("liquid everywhere, bilateral", {**liquid("shape: {box: {size: [9, 9, 9]}}"), "splash/obstacles": "[]",
                                      "splash/incompressibility": "bilateral"}),
    ("one particle", {**liquid("shape: {box: {size: [0.02, 0.02, 1]}}, position: [0.328125, 0.703125, 0]")}),
    ("one particle per cell", {"splash/particles": 1}),
    ("particles placed at random", {"splash/jitter": 1}),
    ("only a source", {"splash/liquids": "[]", **source(SPOUT + ", velocity: [1, 0, 0]")}),
    ("a source that never runs", source(SPOUT + ", velocity: [1, 0, 0], runs: 0")),
    ("a source in a full box", {**liquid("shape: {box: {size: [9, 9, 9]}}"), **source(SPOUT + ", velocity: [1, 0, 0]"),
                                "splash/sides": "{top: open}"}),
    ("a sink that empties the tank", sink("shape: {box: {size: [4, 4, 4]}}")),
    ("all sides open", {"splash/sides": "{left: open, right: open, bottom: open, top: open}"}),
    ("a blast in the air", blast("time: 0.1, center: [0.5, 0.9, 0], radius: 0.05, speed: 3")),
    ("a blast after the end", blast("time: 9, center: [0.3, 0.2, 0], radius: 0.1, speed: 3")),
    ("a blast at the start", blast("time: 0, center: [0.3, 0.2, 0], radius: 0.1, speed: 3")),
    ("no gravity", {"gravity": "[0, 0, 0]"}),
    ("gravity upwards", {"gravity": "[0, 9.81, 0]"}),
    ("a domain one cell high", {"splash/domain/high": "[1, 0.0625, 1]", "splash/obstacles": "[]"}),
    ("a box that is closed by an obstacle",
     {"splash/obstacles": "[{place: {shape: {box: {size: [0.0625, 4, 2]}}, position: [0.53125, 0.5, 0]}}]"}),
    ("without the density correction", {"splash/correct_density": "false"}),
    ("densities in the matrix", {"splash/densities": "matrix"}),
    ("densities and fractions on the other side", {"splash/densities": "matrix", "splash/fractions": "right"}),
    ("mic0", {"splash/preconditioner": "mic0"}),
    ("no preconditioner", {"splash/preconditioner": "none"}),
    ("apic and trapezoidal paths", {"splash/transfer": "apic", "splash/path": "trapezoidal"}),
    ("without a mesh", {"splash/surface": "{mesh: false}"}),
    ("honey", {"splash/viscosity": 20}),
    ("pitch", {"splash/viscosity": 1e6}),
    ("hardly viscous", {"splash/viscosity": 1e-6, "splash/slip": 1e9}),
    ("viscous, bilateral", {"splash/viscosity": 5, "splash/incompressibility": "bilateral"}),
    ("viscous, sealed, open sides", {"splash/viscosity": 5, "splash/sealed": "true", "splash/sides":
                                     "{left: open, top: open}"}),
    ("a body as light as air", body("density: 1.2")),
    ("a body of next to nothing", body("density: 1e-6")),
    ("a body of lead", body("density: 11340")),
    ("a body of 1e9 kg/m^3", body("density: 1e9")),
    ("a body in honey", {**body("density: 500"), "splash/viscosity": 20}),
    ("a body that is pinned", body("density: 500, pin: [0.3, 0.75, 0]")),
    ("a body that does not turn", body("density: 500, lock_rotation: true")),
    ("a body in a full box", {**body("density: 500"), **liquid("shape: {box: {size: [9, 9, 9]}}")}),
    ("a body outside the domain", {"rigid": "{bodies: [{name: far, shape: {ball: {radius: 0.2}}, position: [9, 9, 0]}]}"}),
    ("a body wider than the domain", body("density: 500", "[3, 0.3, 1]")),
    ("two bodies in one place", {"rigid": "{bodies: [{name: a, shape: {ball: {radius: 0.15}}, position: [0.3, 0.6, 0]}, "
                                          "{name: b, shape: {ball: {radius: 0.15}}, position: [0.3, 0.6, 0]}]}"}),
    ("a body, one way", {**body("density: 500"), "coupling": "{fluid: one_way}"}),
    ("a body without gravity", {**body("density: 500"), "gravity": "[0, 0, 0]"}),
    ("a body named as a wall", {"rigid": "{bodies: [{name: left, shape: {ball: {radius: 0.15}}, position: "
                                         "[0.3, 0.7, 0]}]}"}),
    ("a point named as a wall", {"probes": "[{name: top, point: [0.3, 0.2, 0], quantities: [pressure]}]"}),
    ("a body that floats by", {"rigid": "{bodies: [{name: crate, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: "
                                        "[0.3, 0.8, 0]}]}"}),
]


def check_fine(options, checks, folder, scene):
    for dim in (2,) if options.quick else (2, 3):
        for name, values in FINE:
            result, output = run_odd(options, folder, scene, {"dim": dim, **values})
            good = result is not None and result.code == 0 and finite(output)
            checks.true(f"{name}, {dim}D: runs", good, "hangs" if result is None else result.last_words()
                        if result.code else f"{count(output)} particles at the end")


def check_overlap(options, checks, folder, scene):
    """Liquids that overlap are merged: mass is there once, and the log says how much was claimed twice."""
    two = {"splash/obstacles": "[]", "splash/liquids":
           "[{name: a, shape: {box: {size: [0.5, 0.5, 1]}}, position: [0.25, 0.25, 0]}, {name: b, shape: {box: "
           "{size: [0.5, 0.5, 1]}}, position: [0.5, 0.25, 0], velocity: [1, 0, 0]}]"}
    result, output = run_odd(options, folder, scene, two, "--frames", 0)
    expected = 0.75 * 0.5 * 32 * 32
    checks.true("liquids that overlap: merged", result.code == 0 and count(output) == expected,
                f"{count(output) if result.code == 0 else result.last_words()} particles, expected {expected:.0f}")
    with open(output.path("log.txt")) as file:
        words = file.read() + result.stderr
    told = re.search(r"[^\n]*(overlap|twice|merged)[^\n]*", words)
    checks.true("liquids that overlap: the mass is told, 125 kg", bool(told) and bool(re.search(r"\b125\b", told[0])),
                told[0].strip()[:200] if told else "nothing in the log")


def check_estimate(options, checks, folder, scene):
    """`check` tells the memory; a scene with 8 times the particles needs more."""
    found = []
    small = 32 if options.quickest else 64
    for n in (small, 2 * small):
        result = common.call(options.program, "check", scene, *common.overrides({"dim": 3, "splash/cells": n}))
        match = re.search(r"memory: about ([\d.]+) (\w+)", result.stdout)
        found.append(float(match[1]) * {"kB": 1e3, "MB": 1e6, "GB": 1e9}[match[2]] if match else 0)
    checks.true("check tells the memory of a scene", found[0] > 1e6 and 5 < found[1] / max(found[0], 1) < 10,
                f"{small} cells: {found[0] / 1e6:.1f} MB, {2 * small} cells: {found[1] / 1e6:.1f} MB")


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, STOPPED, (check_overlap, check_estimate, check_fine), finite)

#!/usr/bin/python3
"""Fluids that make no sense: refused with a message and exit code 2, or stopped with a reason."""
import bad_input

GOOD = """\
plimsoll: 1
name: good
dim: 2
gravity: [0, 0, 0]
duration: 0.1
fps: 20
fluid:
  domain: {low: [0, 0, 0], high: [2, 1, 1]}
  cells: 16
  sides: {left: {kind: inflow, velocity: [1, 0, 0]}, right: open}
  viscosity: 0.1
rigid:
  bodies:
    - {name: post, motion: static, shape: {box: {size: [0.3, 0.3, 2]}}, position: [1, 0.5, 0]}
probes:
  - {name: fluid, quantities: [kinetic_energy]}
"""

# what is wrong, what is set, what the message must say (a regular expression)
REFUSED = [
    ("domain of zero size", {"fluid/domain/high": "[2, 0, 1]"}, r"below high|zero|size"),
    ("domain turned inside out", {"fluid/domain/high": "[-2, 1, 1]"}, r"below high|low"),
    ("domain not finite", {"fluid/domain/high": "[.inf, 1, 1]"}, r"finite"),
    ("cell larger than the domain", {"fluid/domain/high": "[2, 0.05, 1]"}, r"cell.*larger|larger.*cell"),
    ("cell larger than the domain, 3D", {"dim": 3, "fluid/domain/high": "[2, 1, 0.01]"}, r"larger"),
    ("no cells", {"fluid/cells": 0}, r"cells"),
    ("half a cell", {"fluid/cells": 15.5}, r"whole"),
    ("1e10 cells, 2D", {"fluid/cells": 100000, "fluid/domain/high": "[1, 1, 1]"}, r"memory"),
    ("1e10 cells, 3D", {"dim": 3, "fluid/cells": 2200, "fluid/domain/high": "[1, 1, 1]"}, r"memory"),
    ("1e15 cells", {"dim": 3, "fluid/cells": 100000, "fluid/domain/high": "[1, 1, 1]"}, r"memory"),
    ("obstacle that covers everything", {"fluid/obstacles": "[{box: {size: [9, 9, 9]}}]"},
     r"cover|no fluid|nothing|room|fill|solid"),
    ("body that covers everything", {"rigid/bodies/post/shape": "{box: {size: [9, 9, 9]}}"},
     r"cover|no fluid|nothing|room|fill|solid"),
    ("closed domain with net inflow", {"fluid/sides/right": "wall"}, r"flows in|inflow|closed"),
    ("two inflows that do not balance",
     {"fluid/sides/right": "{kind: inflow, velocity: [0.9, 0, 0]}"}, r"flows in|inflow|closed"),
    ("source in a closed box",
     {"fluid/sides": "{}", "fluid/sources": "[{name: s, shape: {box: {size: [0.4, 0.4, 1]}}, position: "
      "[0.4, 0.4, 0], expansion: 1}]"}, r"flows in|closed"),
    ("inflow into a pocket behind a wall",
     {"rigid/bodies/post/shape": "{box: {size: [0.3, 3, 2]}}"}, r"flows in|closed"),
    ("cfl 0", {"fluid/cfl": 0}, r"cfl.*above 0|above 0"),
    ("cfl negative", {"fluid/cfl": -1}, r"above 0"),
    ("density 0", {"fluid/density": 0}, r"above 0"),
    ("viscosity negative", {"fluid/viscosity": -0.1}, r"negative|at least 0"),
    ("viscosity that is negative somewhere", {"fluid/viscosity": "=x - 1"}, r"negative|at least 0"),
    ("viscosity that changes with time", {"fluid/viscosity": "=1 + t"}, r"time"),
    ("viscosity without a value somewhere", {"fluid/viscosity": "=1/(x-0.0625)"}, r"no value|division"),
    ("tolerance 0", {"fluid/tolerance": 0}, r"tolerance|at least"),
    ("slip negative", {"fluid/slip": -1}, r"slip|at least 0|negative"),
    ("trace order 4", {"fluid/trace_order": 4}, r"at most 3"),
    ("unknown advection", {"fluid/advection": "quick"}, r"not one of"),
    ("conservative on nodes", {"fluid/advection": "conservative", "fluid/storage": "node"},
     r"advection.*storage: face"),
    ("unknown storage", {"fluid/storage": "faces"}, r"not one of"),
    ("unknown side", {"fluid/sides/right": "outflow"}, r"not one of"),
    ("one end periodic", {"fluid/sides/top": "periodic"}, r"periodic"),
    ("wall that moves away", {"fluid/sides/top": "{kind: wall, velocity: [0, 1, 0]}"}, r"along itself"),
    ("open side with a velocity", {"fluid/sides/top": "{kind: open, velocity: [0, 1, 0]}"}, r"velocity"),
    ("start without a value", {"fluid/initial": "{velocity: [\"=1/(x-1)\", 0, 0]}"},
     r"no value|division"),
    ("start that is not finite", {"fluid/initial": "{velocity: [.nan, 0, 0]}"}, r"finite"),
    ("inflow without a value", {"fluid/sides/left": "{kind: inflow, velocity: [\"=sqrt(y-0.5)\", 0, 0]}"},
     r"no value|root|negative"),
    ("force without a value", {"fluid/force": "[\"=1/(x-1)\", 0, 0]"}, r"no value|division"),
    ("smoke in a fluid without", {"fluid/initial": "{smoke: 1}"}, r"no smoke"),
    ("source that sets nothing", {"fluid/sources": "[{name: s, shape: {ball: {}}}]"}, r"sets nothing"),
    ("probe on nothing", {"probes": "[{name: nothing, quantities: [velocity]}]"}, r"nothing"),
    ("probe of a quantity there is not", {"probes": "[{name: fluid, quantities: [speed]}]"}, r"speed"),
    ("probe outside the domain", {"probes": "[{name: p, point: [3, 0, 0], quantities: [velocity]}]"},
     r"outside"),
    ("section outside the domain",
     {"probes": "[{name: p, section: {axis: x, at: 5}, quantities: [flux]}]"}, r"outside"),
    ("section across z in two dimensions",
     {"probes": "[{name: p, section: {axis: z, at: 0}, quantities: [flux]}]"}, r"outside|dimension"),
    ("probe with a point and a section",
     {"probes": "[{name: p, point: [1, 0.2, 0], section: {axis: x, at: 1}, quantities: [flux]}]"}, r"one"),
    ("smoke of a point without smoke",
     {"probes": "[{name: p, point: [1, 0.2, 0], quantities: [smoke]}]"}, r"smoke"),
    ("probe named as a side", {"probes": "[{name: left, point: [1, 0.2, 0], quantities: [velocity]}]"},
     r"left"),
]

# what is wrong, what is set, what the reason must say
STOPPED = [
    ("1000 substeps by speed", {"fluid/sides/left": "{kind: inflow, velocity: [5000, 0, 0]}"},
     r"steps|too fast"),
    ("1000 substeps by a start", {"fluid/initial": "{velocity: [1e5, 0, 0]}"}, r"steps|too fast"),
    ("1000 substeps by force", {"fluid/force": "[1e12, 0, 0]"}, r"steps|too fast"),
    ("1000 substeps by cfl", {"fluid/cfl": 1e-5}, r"steps|too fast|cfl"),
    ("1000 substeps by a body",
     {"rigid/bodies/post/motion": "kinematic",
      "rigid/bodies/post/position": "[\"=1 + 0.1*sin(1e6*t)\", 0.5, 0]"}, r"steps|too fast"),
    ("a piston in a closed box",
     {"fluid/sides": "{}", "rigid/bodies/post/motion": "kinematic",
      "rigid/bodies/post/position": "[\"=-0.1 + t^2\", 0.5, 0]",
      "rigid/bodies/post/shape": "{box: {size: [0.3, 3, 2]}}"}, r"flows|closed|compress"),
]


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, STOPPED)

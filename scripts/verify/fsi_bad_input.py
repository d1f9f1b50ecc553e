#!/usr/bin/python3
"""Bodies in fluids that make no sense: refused with exit code 2 and a message that names the body."""
import bad_input
import common

GOOD = """\
plimsoll: 1
name: good
dim: 2
duration: 0.1
fps: 20
fluid:
  domain: {low: [0, 0, 0], high: [2, 1, 1]}
  cells: 32
  density: 1000
  viscosity: 0.1
rigid:
  bodies:
    - {name: pebble, shape: {box: {size: [0.3, 0.3, 2]}}, position: [1, 0.5, 0], density: 2000}
coupling: {fluid: two_way}
probes:
  - {name: pebble, quantities: [velocity]}
"""

# what is wrong, what is set, what the message must say beside the name of the body
REFUSED = [
    ("larger than the domain", {"rigid/bodies/pebble/shape": "{box: {size: [9, 9, 9]}}"},
     r"pebble.*(sticks out|larger|outside|cover|fill)|(cover|fill).*pebble"),
    ("wider than the domain", {"rigid/bodies/pebble/shape": "{box: {size: [2.5, 0.3, 2]}}"},
     r"pebble.*(sticks? out|larger|outside)"),
    ("outside the domain", {"rigid/bodies/pebble/position": "[5, 5, 0]"}, r"pebble.*outside"),
    ("through a wall", {"rigid/bodies/pebble/position": "[0.1, 0.5, 0]"}, r"pebble.*(sticks? out|through|wall)"),
    ("through an inflow", {"fluid/sides": "{left: {kind: inflow, velocity: [1, 0, 0]}, right: open}",
                           "rigid/bodies/pebble/position": "[0.1, 0.5, 0]"},
     r"pebble.*(sticks? out|through|inflow)"),
    ("thinner than a cell", {"rigid/bodies/pebble/shape": "{box: {size: [0.3, 0.02, 2]}}"},
     r"pebble.*(thick|thin).*[0-9.]+ *m"),
    ("a thin disc in 3D", {"dim": 3, "rigid/bodies/pebble/shape": "{cylinder: {radius: 0.2, height: 0.03}}",
                           "rigid/bodies/pebble/position": "[1, 0.5, 0.5]"}, r"pebble.*(thick|thin).*[0-9.]+ *m"),
    ("a tiny ball", {"rigid/bodies/pebble/shape": "{ball: {radius: 0.001}}"}, r"pebble.*(thick|thin)"),
    ("no mass", {"rigid/bodies/pebble/density": 0}, r"density.*above 0|mass|pebble.*above 0"),
    ("no mass, by mass", {"rigid/bodies": "[{name: pebble, shape: {ball: {radius: 0.2}}, position: [1, 0.5, 0], "
                          "mass: 0}]"}, r"mass.*above 0|above 0"),
    ("negative mass", {"rigid/bodies/pebble/density": -3}, r"above 0|negative"),
    ("mass that is not finite", {"rigid/bodies/pebble/density": ".inf"}, r"finite"),
    ("negative viscosity", {"fluid/viscosity": -0.1}, r"viscosity.*(negative|at least 0)"),
    ("viscosity that is not finite", {"fluid/viscosity": ".nan"}, r"finite"),
    ("start that is not finite", {"rigid/bodies/pebble/velocity": "[.inf, 0, 0]"}, r"finite"),
    ("unknown coupling", {"coupling/fluid": "three_way"}, r"not one of"),
    ("unknown solver", {"coupling/solver": "both"}, r"not one of"),
    ("split solver with a body that the fluid moves", {"coupling/solver": "split"}, r"split"),
    ("unknown surface", {"coupling/surface": "smooth"}, r"not one of"),
    ("pin that is not finite", {"rigid/bodies/pebble/pin": "[.nan, 0, 0]"}, r"finite"),
    ("lubrication that is no yes or no", {"coupling/lubrication": "maybe"}, r"lubrication.*(true|false)"),
    ("roughness of nothing", {"coupling/roughness": 0}, r"roughness.*at least 1e-06"),
    ("negative roughness", {"coupling/roughness": -0.01}, r"roughness.*at least 1e-06"),
    ("rougher than round", {"coupling/roughness": 0.5}, r"roughness.*at most 0.1"),
    ("roughness that is not finite", {"coupling/roughness": ".nan"}, r"finite"),
    ("friction of a side that is open", {"fluid/sides": "{top: {kind: open, friction: 0.3}}"},
     r"only a wall has friction"),
    ("restitution of an inflow", {"fluid/sides": "{left: {kind: inflow, velocity: [1, 0, 0], restitution: 0.3}, right: open}"},
     r"only a wall has restitution"),
    ("wall that makes energy", {"fluid/sides": "{bottom: {restitution: 1.5}}"}, r"restitution.*(at most 1|energy)"),
    ("wall with negative friction", {"fluid/sides": "{bottom: {friction: -0.1}}"}, r"friction|static.*at least 0"),
    ("wall that holds better what slides", {"fluid/sides": "{bottom: {friction: {static: 0.2, kinetic: 0.3}}}"},
     r"kinetic friction is 0.3, static 0.2"),
    ("wall that moves out of itself", {"fluid/sides": "{bottom: {velocity: [0, 1, 0]}}"}, r"moves along itself"),
    ("misspelt key", {"coupling/position": "hold"}, r"positions"),
]
ENCLOSED = ("    - {name: plug, motion: kinematic, shape: {box: {size: [0.3, 3, 2]}}, "
            "position: [\"=0.5 + 0.2*t\", 0.5, 0]}\n")


def check_enclosed(options, checks, folder, _):
    """A body forced to change the volume of enclosed fluid: a plunger that closes off a part of a box."""
    text = GOOD.replace("coupling:", ENCLOSED + "coupling:", 1)
    scene = common.write_scene(folder, "enclosed.yaml", text)
    bad_input.check(options, checks, folder, scene,
                    ("plunger that presses enclosed fluid", {}, r"plug.*(closed|enclosed)"))


if __name__ == "__main__":
    bad_input.verify(__doc__, GOOD, REFUSED, more=(check_enclosed,))

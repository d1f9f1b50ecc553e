#!/usr/bin/python3
"""Hollow bodies, ballast, and sources that follow bodies: masses by formulas, righting, places."""
import math

import common
import fsi
from common import np

PERCENT = 0.1 # of masses, centres and inertias
DENSITY = 700.0


# ---- masses: our own integrals of solids of revolution about y ----


def rings_of(shape, wall):
    """(y, [(inner, outer), ...]) of the wall at heights y; and the ends of the height."""
    kind, size = next(iter(shape.items()))
    r, h, tube = size.get("radius", 0), size.get("height", 0), size.get("tube", 0)

    def outer(y, less):
        """Radii between which the shape lies that is `less` smaller all around; None: it is not there."""
        if kind == "ball":
            return (0, math.sqrt((r - less)**2 - y**2)) if abs(y) < r - less else None
        if kind == "cylinder":
            return (0, r - less) if abs(y) < h / 2 - less else None
        if kind == "capsule":
            beyond = max(abs(y) - h / 2, 0)
            return (0, math.sqrt((r - less)**2 - beyond**2)) if beyond < r - less else None
        if kind == "torus":
            half = (tube - less)**2 - y**2
            return (r - math.sqrt(half), r + math.sqrt(half)) if half > 0 else None
        if kind == "cone": # distance to the slant: (r (h/2 - y)/h - x) h / slant
            x = r * (h / 2 - y) / h - less * math.hypot(r, h) / h
            return (0, x) if x > 0 and y > -h / 2 + less else None
        raise ValueError(kind)

    low, high = {"ball": (-r, r), "cylinder": (-h / 2, h / 2), "capsule": (-h / 2 - r, h / 2 + r),
                 "torus": (-tube, tube), "cone": (-h / 2, h / 2)}[kind]
    return low, high, lambda y: (outer(y, 0), outer(y, wall))


def revolved(shape, wall, slices=40000):
    """Volume of the wall, its height along y, second moments about the centre: about y, and across."""
    low, high, at = rings_of(shape, wall)
    step = (high - low) / slices
    sums = np.zeros(5) # area, area y, area y^2, polar
    for i in range(slices):
        y = low + (i + 0.5) * step
        whole, hole = at(y)
        area = polar = 0.0
        for ring, sign in ((whole, 1), (hole, -1)):
            if ring:
                area += sign * math.pi * (ring[1]**2 - ring[0]**2)
                polar += sign * math.pi / 2 * (ring[1]**4 - ring[0]**4)
        sums += np.array([area, area * y, area * y * y, polar, 0]) * step
    volume, y = sums[0], sums[1] / sums[0]
    return volume, y, sums[3], sums[3] / 2 + sums[2] - volume * y * y


def box_wall(size, wall):
    inner = [a - 2 * wall for a in size]
    volume = np.prod(size) - np.prod(inner)
    second = lambda s, a, b: np.prod(s) * (s[a]**2 + s[b]**2) / 12
    return volume, [second(size, a, b) - second(inner, a, b) for a, b in ((1, 2), (0, 2), (0, 1))]


FREE = """\
plimsoll: 1
name: free
dim: {dim}
gravity: [0, 0, 0]
duration: 0.001
fps: 1000
{fluid}
rigid:
  bodies:
    - name: body
      shape: {shape}
      position: [0.11, -0.07, {z}]
      orientation: {orientation}
      angular_velocity: [{spin}]
      density: {density}
      {more}
probes:
  - {{name: body, quantities: [position, mass, angular_momentum, angular_velocity]}}
"""
FLUID = """\
fluid:
  domain: {low: [-1, -1, -1], high: [1, 1, 1]}
  cells: 24
  density: 1000"""


def flow_text(value):
    """Maps as a scene has them on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow_text(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(repr, value)) + "]" if isinstance(value, (list, tuple)) else repr(value)


def check_body(options, checks, folder, label, expected, **text):
    """Mass, place of the centre and angular momentum at t = 0."""
    mass, center, momentum = expected
    scene = common.write_scene(folder, "free.yaml", FREE.format(**text))
    probes = fsi.run(options, folder, "free", scene).probes()
    checks.near(f"{label} mass", probes["body.mass"][0], mass, PERCENT)
    found = probes.vector("body.position")[0]
    checks.below(f"{label} centre, off by, over the size of the body", np.linalg.norm(found - center) / 0.3,
                 PERCENT / 100)
    found = probes.vector("body.angular_momentum")[0]
    checks.below(f"{label} angular momentum at ({text['spin']}) rad/s, off by, relative",
                 np.linalg.norm(found - momentum) / np.linalg.norm(momentum), PERCENT / 100)


def moved(inertia, mass, arm):
    """About a point at `arm` from the centre, where mass spread evenly has this inertia: less than it."""
    return inertia - mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


SOLIDS = [({"ball": {"radius": 0.3}}, 0.02), ({"ball": {"radius": 0.3}}, 0.2),
          ({"box": {"size": [0.5, 0.4, 0.3]}}, 0.03),
          ({"cylinder": {"radius": 0.2, "height": 0.5}}, 0.05), ({"capsule": {"radius": 0.2, "height": 0.3}}, 0.04),
          ({"torus": {"radius": 0.4, "tube": 0.15}}, 0.06), ({"cone": {"radius": 0.3, "height": 0.6}}, 0.05)]


def check_space(options, checks, folder):
    """Hollow, with and without ballast, as it lies and turned, in a fluid and without."""
    origin, spin = np.array([0.11, -0.07, 0.05]), np.array([1.0, -2.0, 3.0])
    for shape, wall in SOLIDS:
        kind = next(iter(shape))
        if kind == "box":
            volume, diagonal = box_wall(shape["box"]["size"], wall)
            height = 0.0
        else:
            volume, height, about, across = revolved(shape, wall)
            diagonal = [across, about, across]
        mass, even = DENSITY * volume, np.array([0, height, 0])
        for ballast in (None, np.array([0.03, -0.05, 0.02])):
            for axis, angle in (((0, 0, 1), 0), ((1, 2, -1), 77)):
                center = even if ballast is None else ballast
                inertia = moved(DENSITY * np.diag(diagonal), mass, center - even)
                turn = common.quat_matrix(common.quat_about(axis, angle))
                check_body(options, checks, folder, f"hollow {kind}, wall {wall:g} m, "
                           f"{'even' if ballast is None else 'ballast'}, turned {angle}",
                           (mass, origin + turn @ center, turn @ inertia @ turn.T @ spin),
                           dim=3, z=0.05, shape=flow_text(shape), density=DENSITY,
                           fluid=FLUID if angle and not options.quickest else "",
                           orientation=f"{{axis: {list(axis)}, angle: {angle}}}", spin="1, -2, 3",
                           more=f"shell: {wall}" + ("" if ballast is None else f"\n      center: {ballast.tolist()}"))


def check_plane(options, checks, folder):
    """Discs: a ring, 1 m deep; cut off its middle too."""
    radius, wall = 0.3, 0.07
    for z in (0, 0.1):
        outer, inner = math.sqrt(radius**2 - z**2), math.sqrt((radius - wall)**2 - z**2)
        mass = DENSITY * math.pi * (outer**2 - inner**2)
        polar = DENSITY * math.pi / 2 * (outer**4 - inner**4)
        for ballast in (None, (0.05, -0.08)):
            for angle in (0, 77):
                center = np.array([*(ballast or (0, 0)), 0.0])
                turn = common.quat_matrix(common.quat_about((0, 0, 1), angle))
                check_body(options, checks, folder, f"hollow disc cut {z:g} m off, ballast {ballast}, turned {angle}",
                           (mass, np.array([0.11, -0.07, 0]) + turn @ center,
                            np.array([0, 0, 3 * (polar - mass * center @ center)])),
                           dim=2, z=z, shape=flow_text({"ball": {"radius": radius}}), density=DENSITY,
                           fluid=FLUID, orientation=f"{{axis: [0, 0, 1], angle: {angle}}}",
                           spin="0, 0, 3", more=f"shell: {wall}" + ("" if ballast is None else
                                                                    f"\n      center: {[*ballast, -z]}"))


# ---- righting ----


def slant(probes, lies):
    """Degrees between the way from the middle to the ballast and straight down, each row."""
    own = np.array([math.sin(math.radians(lies)), -math.cos(math.radians(lies)), 0])
    q = np.stack([probes[f"ball.orientation.{c}"] for c in "wxyz"], axis=1)
    way = common.to_world(q, np.broadcast_to(own, (len(q), 3)))
    return np.degrees(np.arccos(np.clip(-way[:, 1], -1, 1)))


def check_righting(options, checks, folder):
    cases = [({}, 0), ({"params/tilt": -170, "params/lies": 40, "params/shell": 0.02}, 40),
             ({"params/n": 41, "params/off": 0.02, "params/tilt": 179}, 0),
             ({"params/dim": 3, "params/n": 24, "params/T": 4}, 0)]
    if options.quickest:
        cases = [({"params/n": 36}, 0)]
    for values, lies in cases:
        label = "ballast" + "".join(f" {k.split('/')[-1]}={v}" for k, v in values.items())
        output = fsi.run(options, folder, "ballast", "fsi/ballast.yaml", values)
        probes = output.probes()
        angle, late = slant(probes, lies), probes["time"] > 0.98 * probes["time"][-1]
        checks.above(f"{label} slant at the start, degrees", angle[0], 90)
        checks.below(f"{label} slant at the end, degrees", np.max(angle[late]), 1)
        volume = math.pi * 0.05**2 if values.get("params/dim", 2) == 2 else 4 / 3 * math.pi * 0.05**3
        checks.near(f"{label} mass, that of the fluid it displaces", probes["ball.mass"][0], 1000 * volume, PERCENT)


def check_swing(options, checks, folder):
    """The first turning of a disc whose ballast lies level with its middle, without viscosity. Its middle moves too,
    and takes as much fluid along as it displaces: m g d / (I + m d^2 / 2)."""
    radius, wall, off = 0.05, 0.01, 0.012
    mass = 1000 * math.pi * radius**2
    inertia = mass / 2 * (radius**2 + (radius - wall)**2) - mass * off**2
    expected = mass * fsi.G * off / (inertia + mass * off**2 / 2)
    for tilt in (90, -90):
        probes = fsi.run(options, folder, "swing", "fsi/ballast.yaml",
                         {"params/mu": 0, "params/tilt": tilt, "params/T": 0.002, "fps": 1000}).probes()
        found = probes["ball.angular_velocity.z"][1] / probes["time"][1]
        checks.near(f"ballast tilt={tilt} mu 0 first angular acceleration", found, -math.copysign(expected, tilt), 2)


# ---- sources ----


def own_places(points, state, center):
    """In the axes of the paddle's shape: [..., image, 2] over periods along x."""
    position = state["rigid/position"].reshape(-1, 3)[0, :2]
    w, _, _, z = state["rigid/orientation"].reshape(-1, 4)[0]
    angle = 2 * math.atan2(z, w)
    c, s = math.cos(angle), math.sin(angle)
    shifts = np.array([[-1.0, 0], [0, 0], [1, 0]])
    wrapped = np.array([position[0] % 1, position[1]])
    away = points[..., None, :] - wrapped - shifts
    own = np.stack([c * away[..., 0] + s * away[..., 1], -s * away[..., 0] + c * away[..., 1]], -1)
    return own + np.array(center)


def check_source(options, checks, folder):
    """All cells in a source, by where the body is: set to the value of the place on the body."""
    n = 48 if options.quick else 96
    for center in ((0.0, 0.0), (0.06, 0.01)):
        values = {"params/n": n, "params/T": 2}
        if center[0]:
            values["rigid/bodies/paddle/center"] = [*center, 0]
        output = fsi.run(options, folder, "trail", "fsi/trail.yaml", values, *fsi.STATES)
        at = (np.arange(n) + 0.5) / n
        points = np.stack(np.meshgrid(at, at, indexing="xy"), -1)
        worst, cells, least, way = 0.0, 0, math.inf, []
        for number in output.numbered("state")[1:]:
            state = common.datasets(output.state(number))
            smoke = state["fluid/smoke"].reshape(n, n)
            own = own_places(points, state, center)
            tip = np.any(np.hypot(own[..., 0] - 0.22, own[..., 1]) < 0.03 - 1e-9, axis=-1)
            nozzle = (np.abs(own[..., 0] + 0.21) < 0.03 - 1e-9) & (np.abs(own[..., 1] - 0.06) < 0.025 - 1e-9)
            wanted = np.max(np.where(nozzle, 0.5 + 5 * (own[..., 0] + 0.21), -1), axis=-1)
            inside = np.any(nozzle, axis=-1)
            worst = max(worst, np.max(np.abs(smoke[tip] - 1)), np.max(np.abs(smoke[inside] - wanted[inside])))
            cells += np.count_nonzero(tip) + np.count_nonzero(inside)
            least = min(least, np.count_nonzero(tip), np.count_nonzero(inside))
            way.append(state["rigid/position"].reshape(-1, 3)[0, :2])
        label = f"trail n={n} centre of mass {center}"
        checks.below(f"{label} smoke in the sources' places on the body, {cells} cells of {len(way)} states, "
                     "greatest difference from what they set", worst, 1e-9)
        checks.above(f"{label} cells in a source, least", least, 1)
        checks.above(f"{label} way of the body, in its own lengths", np.linalg.norm(way[-1] - way[0]) / 0.4, 0.4)


def check_bits(options, checks, folder):
    """Any number of threads, and resumed half way with another: the same state."""
    for scene, values in (("fsi/trail.yaml", {"params/n": 48, "params/T": 0.5}),
                          ("fsi/ballast.yaml", {"params/n": 32, "params/T": 0.5})):
        one = fsi.run(options, folder, "one", scene, values, "--threads", 1)
        wanted = common.info_hash(options.program, one.state())
        for threads in (2, 4):
            other = fsi.run(options, folder, "other", scene, values, "--threads", threads)
            checks.true(f"{scene}, {threads} threads: the bits of one",
                        common.info_hash(options.program, other.state()) == wanted)
        half = fsi.run(options, folder, "half", scene, values, "--threads", 2, "--frames", 23)
        result = common.call(options.program, "resume", half.folder, "--quiet", "--threads", 4)
        checks.true(f"{scene}, resumed half way: the same bits", result.code == 0 and
                    common.info_hash(options.program, half.state()) == wanted)


def check_refused(options, checks, folder):
    """Each with exit code 2, and a message that names the object and what to do."""
    ball, trail = "fsi/ballast.yaml", "fsi/trail.yaml"
    for label, scene, values, words in (
            ("a wall as thick as the ball", ball, {"params/shell": 0.05, "rigid/bodies/ball/density": 900},
             ("'ball'", "thinner")),
            ("a negative wall", ball, {"rigid/bodies/ball/shell": -0.01}, ("shell", "above 0")),
            ("a hollow union", ball, {"rigid/bodies/ball/shape": "{union: {of: [{ball: {radius: 0.05}}]}}"},
             ("'ball'", "mass and an inertia")),
            ("ballast outside", ball, {"params/off": 0.06}, ("'ball'", "center", "towards the middle")),
            ("ballast that is not finite", ball, {"rigid/bodies/ball/center": "[.nan, 0, 0]"}, ("center", "finite")),
            ("ballast of a fixed body", ball, {"rigid/bodies/ball/motion": "static"}, ("center", "dynamic")),
            ("a source on nothing", trail, {"fluid/sources/tip/body": "rudder"},
             ("'tip'", "'rudder'", "leave 'body' out"))):
        result, _ = fsi.attempt(options, folder, "refused", scene, values)
        checks.true(f"{label}: exit code 2 and a message with {', '.join(words)}",
                    result.code == 2 and all(word in result.stderr for word in words),
                    result.stderr.strip().splitlines()[0][-160:])


def main():
    common.verify(__doc__, (check_space, check_plane, check_righting, check_swing, check_source, check_bits,
                            check_refused))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Joints between rigid bodies: pendulums, tops, chains, machines, against formulas and integrators of our own.

Places and turns come from probes.csv; gaps, energies, momenta and angles are formed here.
"""
import json
import math
import os

import common
from common import np

try:
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}; install python3-yaml", file=common.sys.stderr)
    common.sys.exit(77)

G = 9.81

# ---- scenes, changed ----


def load(name):
    with open(common.scene_path(f"joints/{name}.yaml")) as file:
        return yaml.safe_load(file)


def save(scene, folder, name):
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as file:
        json.dump(scene, file)
    return path


def run(options, folder, name, values=None, scene=None, words=(), **keys):
    """Runs a scene of joints/, as it is or changed; `keys` replace top-level ones, `words` go to the program."""
    scene = scene or load(name)
    scene.setdefault("params", {})
    scene.update(keys)
    for key, value in (values or {}).items():
        scene["params"][key] = value
    run.count = getattr(run, "count", 0) + 1
    path = save(scene, folder, f"{name}_{run.count}")
    return common.run(options.program, path, path[:-5], None, *words)


def number(scene, text):
    """The value of a number or an expression of the scene's parameters."""
    if not isinstance(text, str):
        return float(text)
    words = {key: value for key, value in scene["params"].items()}
    words.update({key: getattr(math, key) for key in ("sin", "cos", "tan", "sqrt", "pi", "floor")})
    return float(eval(text.lstrip("=").replace("^", "**"), {}, words))


def watch_all(scene):
    """Adds probes of all bodies, copies too."""
    for body in scene["rigid"]["bodies"]:
        names = [body["name"]]
        if "repeat" in body:
            names = [f"{body['name']}_{i}" for i in range(int(number(scene, body["repeat"]["count"])))]
        for name in names:
            scene["probes"].append({"name": "all_" + name, "object": name, "quantities": [
                "position", "orientation", "velocity", "angular_velocity", "angular_momentum", "mass"]})
    return scene


# ---- own numerics ----


def rotation(axis, angle):
    a = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def turn(q, v):
    """Vectors turned by quaternions w, x, y, z, one a row."""
    w, u = q[:, :1], q[:, 1:]
    v = np.broadcast_to(np.asarray(v, float), u.shape)
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def ellipk(k2):
    a, b = 1.0, math.sqrt(1.0 - k2)
    while abs(a - b) > 1e-15 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return math.pi / (a + b)


def crossings(t, y):
    """Times at which y goes upward through 0."""
    i = np.nonzero((y[:-1] < 0) & (y[1:] >= 0))[0]
    return t[i] - y[i] * (t[i + 1] - t[i]) / (y[i + 1] - y[i])


def greatest(y):
    """The greatest value, between samples by a parabola."""
    i = int(np.argmax(y))
    if i in (0, len(y) - 1):
        return y[i]
    a, b, c = y[i - 1], y[i], y[i + 1]
    return b - (a - c)**2 / (8 * (a - 2 * b + c))


# ---- gate 1 ----


def pendulum(options, checks, folder):
    inertia = (1 + 0.05**2) / 12 + 0.25
    rate = math.sqrt(G * 0.5 / inertia)
    for angle in (90,) if options.quickest else (20, 90, 150) if options.quick else (20, 60, 90, 120, 150):
        period = 4 * ellipk(math.sin(math.radians(angle) / 2)**2) / rate
        out = run(options, folder, "pendulum", {"angle": angle, "dt": 1 / 120}, duration=20.6 * period)
        probes = out.probes()
        t, y = probes["time"], math.radians(angle) + probes["pivot.angle"]
        up = crossings(t, y)
        checks.near(f"pendulum at {angle} degrees: period, s", (up[-1] - up[0]) / (len(up) - 1), period, 0.05)
        late = greatest(np.abs(y[t > 19.3 * period]))
        checks.below(f"pendulum at {angle} degrees: amplitude after 20 swings, degrees off",
                     abs(math.degrees(late) - angle), 0.1)


def double_pendulum_rate(y):
    m, length, half, inertia = 1.0, 0.5, 0.25, (0.25 + 0.04**2) / 12
    a, b, p, q = y
    c, s = math.cos(a - b), math.sin(a - b)
    k = m * length * half
    m11, m22, m12 = inertia + m * half**2 + m * length**2, inertia + m * half**2, k * c
    r1 = -k * s * q * q - m * G * (half + length) * math.sin(a)
    r2 = k * s * p * p - m * G * half * math.sin(b)
    d = m11 * m22 - m12 * m12
    return np.array([p, q, (m22 * r1 - m12 * r2) / d, (m11 * r2 - m12 * r1) / d])


def double_pendulum(options, checks, folder):
    end, n = 1.0, 20000
    y, h = np.array([math.radians(90), math.radians(60), 0, 0]), end / n
    for _ in range(n):
        k1 = double_pendulum_rate(y)
        k2 = double_pendulum_rate(y + h / 2 * k1)
        k3 = double_pendulum_rate(y + h / 2 * k2)
        k4 = double_pendulum_rate(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    errors = []
    steps = (120, 240, 480)
    for steps_a_second in steps:
        probes = run(options, folder, "double_pendulum", {"dt": 1 / steps_a_second}, duration=end, fps=2).probes()
        first = math.radians(90) + probes["upper.angle"][-1]
        second = math.radians(60) + probes["upper.angle"][-1] + probes["lower.angle"][-1]
        errors.append(math.hypot(first - y[0], second - y[1]))
    order = math.log(errors[0] / errors[-1]) / math.log(steps[-1] / steps[0])
    checks.above(f"double pendulum: order, errors {errors[0]:.2e} to {errors[-1]:.2e} rad", order, 1.8)


def top(options, checks, folder):
    cases = [dict(mass=1, arm=0.1, i1=0.0125, i3=0.005, spin=100, tilt=30),
             dict(mass=2, arm=0.05, i1=0.01, i3=0.004, spin=150, tilt=60),
             dict(mass=0.5, arm=0.2, i1=0.025, i3=0.002, spin=300, tilt=20)]
    for case in cases[:1] if options.quickest else cases:
        tilt = math.radians(case["tilt"])
        i1c, moment = case["i1"] * math.cos(tilt), case["i3"] * case["spin"]
        rate = (moment - math.sqrt(moment**2 - 4 * i1c * case["mass"] * G * case["arm"])) / (2 * i1c)
        probes = run(options, folder, "top", dict(case, dt=1 / 480), duration=4).probes()
        x = probes.vector("top.position")
        around = np.unwrap(np.arctan2(-x[:, 2], x[:, 0]))
        name = f"top {case['mass']} kg, {case['spin']} rad/s, {case['tilt']} degrees"
        checks.near(f"{name}: precession, rad/s", np.polyfit(probes["time"], around, 1)[0], rate, 0.2)
        tilts = np.degrees(np.arccos(x[:, 1] / np.linalg.norm(x, axis=1)))
        checks.below(f"{name}: nutation, degrees", np.abs(tilts - case["tilt"]).max(), 0.05)


# ---- gate 2 ----


def free_chain(options, checks, folder):
    probes = run(options, folder, "free_chain", {"dt": 1 / 240}, watch_all(load("free_chain")),
                 duration=5 if options.quickest else 20).probes()
    far = np.array([40.0, -25.0, 30.0])
    energy, momentum, angular, scale = 0, 0, 0, 0
    for i in range(10):
        name = f"all_link_{i}"
        m = probes[name + ".mass"][:, None]
        v, spin = probes.vector(name + ".velocity"), probes.vector(name + ".angular_velocity")
        own = probes.vector(name + ".angular_momentum")
        energy = energy + 0.5 * (m * v * v).sum(1) + 0.5 * (own * spin).sum(1)
        momentum = momentum + m * v
        scale = scale + np.linalg.norm(m * v, axis=1)
        angular = angular + own + np.cross(probes.vector(name + ".position") - far, m * v)
    checks.below("free chain: energy, relative", np.abs(energy / energy[0] - 1).max(), 0.01)
    checks.below("free chain: momentum, relative",
                 (np.linalg.norm(momentum - momentum[0], axis=1) / scale[0]).max(), 1e-12)
    checks.below("free chain: angular momentum about a far point, relative",
                 (np.linalg.norm(angular - angular[0], axis=1) / np.linalg.norm(angular[0])).max(), 1e-10)


def product(matrix, vector, offset=(0, 0, 0)):
    """Rows of expressions for matrix vector + offset."""
    words = [str(v).lstrip("=") for v in vector]
    return ["=" + " + ".join([repr(float(offset[i]))] + [f"({float(matrix[i][k])!r})*({words[k]})" for k in range(3)])
            for i in range(3)]


AXIS, ANGLE, OFFSET = (0.3, 0.7, -0.5), 1.1, (500.0, -300.0, 900.0)


def turned(scene, moved):
    """The scene turned about an axis through the origin and moved, gravity with it."""
    matrix = rotation(AXIS, ANGLE)
    offset = OFFSET if moved else (0, 0, 0)
    scene["gravity"] = product(matrix, scene.get("gravity", [0, -G, 0]))
    for body in scene["rigid"]["bodies"]:
        body["position"] = product(matrix, body.get("position", [0, 0, 0]), offset)
        for key in ("velocity", "angular_velocity"):
            if key in body:
                body[key] = product(matrix, body[key])
        orientation = body.setdefault("orientation", {})
        orientation.setdefault("then", []).append({"axis": list(AXIS), "angle": math.degrees(ANGLE)})
    for joint in scene["joints"]:
        for key in ("at", "to"):
            if key in joint:
                joint[key] = product(matrix, joint[key], offset)
        for key in ("axis", "second_axis"):
            if key in joint:
                joint[key] = product(matrix, joint[key])
        joint.setdefault("axis", product(matrix, [0, 0, 1]))
    return scene


def turned_and_moved(options, checks, folder):
    matrix = rotation(AXIS, ANGLE)
    for name, size, length in (("pendulum", 1.0, 4), ("top", 0.1, 2), ("four_bar", 0.5, 2), ("arm", 1.5, 2)):
        plain = run(options, folder, name, None, watch_all(load(name)), duration=length).probes()
        other = run(options, folder, name, None, watch_all(turned(load(name), True)), duration=length).probes()
        worst = 0
        for column in plain.names:
            if column.startswith("all_") and column.endswith(".position.x"):
                x, y = plain.vector(column[:-2]), other.vector(column[:-2])
                worst = max(worst, np.abs(y - (x @ matrix.T + np.array(OFFSET))).max())
        checks.below(f"{name} turned and moved: the same, in parts of its size", worst / size, 1e-6)


# ---- gate 3 ----


def chain_gap(probes, links):
    """The greatest distance between ends that are joined, in every step; m."""
    ends = [np.zeros((len(probes), 3))]
    for i in range(links):
        x, q = probes.vector(f"all_link_{i}.position"), probes.vector(f"all_link_{i}.orientation", "wxyz")
        ends += [x + turn(q, [0, 0.1, 0]), x - turn(q, [0, 0.1, 0])]
    x, q = probes.vector("all_weight.position"), probes.vector("all_weight.orientation", "wxyz")
    ends.append(x + turn(q, [0, 0.3, 0]))
    return max(np.linalg.norm(a - b, axis=1).max() for a, b in zip(ends[::2], ends[1::2]))


def chain(options, checks, folder):
    for push in (0, 2):
        probes = run(options, folder, "chain", {"push": push}, watch_all(load("chain")),
                     duration=0.5 if options.quickest else 2 if options.quick else 6).probes()
        checks.below(f"chain pushed at {push} m/s: gap, m", chain_gap(probes, 30), 1e-6)
        if push == 0:
            checks.near("chain at rest: force at the top, N", probes["hook.force.y"][-1], 1030 * G, 0.1)


def rope(options, checks, folder):
    probes = run(options, folder, "rope", None, watch_all(load("rope"))).probes()
    x, q = probes.vector("all_link_19.position"), probes.vector("all_link_19.orientation", "wxyz")
    low = min((x + turn(q, [0, end, 0]))[-1, 1] for end in (-1.35 / 80, 1.35 / 80))
    weight = 40 * 0.05 * G
    checks.near("rope at rest: sag over the span", -low, 0.4042, 0.5)
    checks.near("rope at rest: horizontal force over the weight", abs(probes["left.force.x"][-1]) / weight, 0.268, 0.5)


# ---- gate 4 ----


def slider_crank(options, checks, folder):
    probes = run(options, folder, "slider_crank", None, watch_all(load("slider_crank"))).probes()
    ahead = turn(probes.vector("all_crank.orientation", "wxyz"), [1, 0, 0])
    angle = np.arctan2(ahead[:, 1], ahead[:, 0])
    wanted = 0.1 * np.cos(angle) + np.sqrt(0.35**2 - (0.1 * np.sin(angle))**2)
    away = np.abs(probes["all_piston.position.x"] - 0.05 - wanted).max()
    checks.true("slider crank: the crank goes round", np.ptp(np.unwrap(angle)) > 4 * math.pi)
    checks.below("slider crank: piston against crank angle, in cranks", away / 0.1, 1e-5)


def cardan(options, checks, folder):
    for bend in (30,) if options.quickest else (10, 30, 60) if options.quick else (10, 20, 30, 40, 50, 60):
        probes = run(options, folder, "cardan", {"bend": bend}, watch_all(load("cardan"))).probes()
        b = math.radians(bend)
        # A mark on each shaft, that lies in the plane of both across the first, and across the plane, at the start.
        first = turn(probes.vector("all_shaft_in.orientation", "wxyz"), [1, 0, 0])
        out = turn(probes.vector("all_shaft_out.orientation", "wxyz"), [0, 0, 1])
        into = np.unwrap(np.arctan2(-first[:, 2], -first[:, 1]))
        square = np.array([math.sin(b), -math.cos(b), 0])
        found = np.unwrap(np.arctan2(out @ square, out[:, 2]))
        wanted = np.unwrap(np.arctan2(np.sin(into), np.cos(into) * math.cos(b)))
        away = np.abs((found - found[0]) - (wanted - wanted[0]))
        checks.below(f"cardan bent by {bend} degrees: angle, rad", away.max(), 1e-3)


def four_bar(options, checks, folder):
    turns = 30 if options.quickest else 200 if options.quick else 1000
    scene = watch_all(load("four_bar"))
    probes = run(options, folder, "four_bar", None, scene, duration=turns * 0.36, fps=1).probes()
    params = scene["params"]
    done = abs(probes["crank_pivot.angle"][-1]) / (2 * math.pi)
    meet = np.array([params["meet_x"], params["meet_y"], 0.01])
    pins = {"crank": [[0, 0, 0], [0, 0.2, 0.01]], "coupler": [[0, 0.2, 0.01], meet], "rocker": [meet, [0.5, 0, 0]]}
    ends = {}
    for name, points in pins.items():
        x, q = probes.vector(f"all_{name}.position"), probes.vector(f"all_{name}.orientation", "wxyz")
        back = q[:1] * [1, -1, -1, -1]
        ends[name] = [x[-1] + turn(q[-1:], turn(back, np.asarray(point) - x[0])[0])[0] for point in points]
    gaps = [ends["crank"][0], ends["coupler"][0] - ends["crank"][1], ends["rocker"][0] - ends["coupler"][1],
            ends["rocker"][1] - np.array([0.5, 0, 0])]
    checks.above("four-bar: turns of the crank", done, turns)
    checks.below("four-bar: gap at the end, m", max(np.linalg.norm(gap) for gap in gaps), 1e-9)


# ---- gate 5 ----


def arm(options, checks, folder):
    targets = {"base": 70, "shoulder": 30, "elbow": -60}
    for load in (0.01, 200):
        for steps in (30, 240) if options.quick else (30, 60, 120, 240):
            probes = run(options, folder, "arm", {"load": load, "dt": 1 / steps}, duration=1.5, fps=30).probes()
            t, worst = probes["time"], 0
            for name, target in targets.items():
                left = math.radians(target) * (1 + 10 * t) * np.exp(-10 * t)
                away = np.abs(math.radians(target) - probes[name + ".angle"] - left).max()
                worst = max(worst, away / math.radians(abs(target)))
            checks.below(f"arm with {load} kg at 1/{steps} s: away from the damped curve, of the step", worst, 1e-3)


def spring_door(options, checks, folder):
    inertia_about_hinge = 20 * (0.9**2 / 3 + 0.04**2 / 12)
    period = 2 * math.pi * math.sqrt(inertia_about_hinge / 40)
    output = run(options, folder, "spring_door", {"damping": 0, "open": 10, "dt": period / 40}, fps=40 / period,
                 duration=10.5 * period)
    probes, total = output.probes(), output.stats()["energy.total"]
    stored = 0.5 * 40 * math.radians(10)**2
    checks.below("spring door: energy.total, less that of its height, at the start and after, relative",
                 np.abs(total - 20 * 9.81 - stored).max() / stored, 1e-3)
    up = crossings(probes["time"], probes["hinge.angle"] + math.radians(10))
    checks.near("spring door: period at 40 steps a period, s", (up[-1] - up[0]) / (len(up) - 1), period, 0.3)
    powers = (-3, 1, 9) if options.quickest else range(-3, 10)
    for power in powers:
        k = 10.0**power
        probes = run(options, folder, "spring_door", {"damping": 0, "open": 10, "stiffness": k, "dt": 1 / 60}, fps=60,
                     duration=10).probes()
        energy = (0.5 * inertia_about_hinge * probes["hinge.speed"]**2 +
                  0.5 * k * (probes["hinge.angle"] + math.radians(10))**2)
        checks.below(f"spring of 1e{power} N m/rad: energy gained, relative", energy.max() / energy[0] - 1, 1e-3)


def limits(options, checks, folder):
    for dt in (1 / 120,) if options.quickest else (1 / 60, 1 / 120, 1 / 240):
        scene = load("pendulum")
        scene["joints"][0]["limits"] = [-60, 60]
        probes = run(options, folder, "pendulum", {"dt": dt}, scene, duration=3, fps=60).probes()
        angle, late = np.degrees(probes["pivot.angle"]), probes["time"] > 2
        name = f"bar that falls on its limit, at 1/{1 / dt:.0f} s"
        checks.below(f"{name}: overshoot, degrees", -60 - angle.min(), 0.1)
        checks.below(f"{name}: then at rest, degrees away", np.abs(angle[late] + 60).max(), 1e-6)
        checks.below(f"{name}: and its speed, rad/s", np.abs(probes["pivot.speed"][late]).max(), 1e-9)
    # A ball joint in a cone.
    scene = load("pendulum")
    scene["joints"][0].update(kind="point", swing=50, twist=[-10, 10], axis=[1, 0, 0])
    scene["rigid"]["bodies"][0]["angular_velocity"] = [3, 0, 0]
    probes = run(options, folder, "pendulum", {"dt": 1 / 240}, watch_all(scene), duration=3, fps=60).probes()
    q = probes.vector("all_bar.orientation", "wxyz")
    start = q[:1] * [1, -1, -1, -1]
    along = turn(q, turn(start, [1, 0, 0])[0])
    checks.below("ball joint in a cone of 50 degrees: overshoot, degrees",
                 np.degrees(np.arccos(along[:, 0].clip(-1, 1))).max() - 50, 0.1)


# ---- gate 6 ----


def inertia(shape, mass):
    """Of a box, ball or capsule about its axes, kg m^2."""
    (kind, size), = shape.items()
    if kind == "box":
        x, y, z = size["size"]
        return mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    r = size["radius"]
    if kind == "ball":
        return np.full(3, 0.4 * mass * r * r)
    h = size["height"]
    tube, ends = math.pi * r * r * h, 4 / 3 * math.pi * r**3
    tube, ends = mass * tube / (tube + ends), mass * ends / (tube + ends)
    across = tube * (r * r / 4 + h * h / 12) + ends * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
    return np.array([across, tube * r * r / 2 + ends * 0.4 * r * r, across])


class States:
    """Bodies of a run with --state-every 1 --keep-states, copies numbered as the program does."""

    def __init__(self, output, scene):
        self.index, self.mass, self.inertia = {}, [], []
        for body in scene["rigid"]["bodies"]:
            copies = int(number(scene, body["repeat"]["count"])) if "repeat" in body else 0
            for i in range(max(copies, 1)):
                self.index[f"{body['name']}_{i}" if copies else body["name"]] = len(self.mass)
                moves = body.get("motion", "dynamic") == "dynamic"
                self.mass.append(number(scene, body["mass"]) if moves else 0)
                self.inertia.append(inertia(body["shape"], self.mass[-1]) if moves else np.ones(3))
        self.mass, self.inertia = np.array(self.mass), np.array(self.inertia)
        self.numbers, self.output = output.numbered("state"), output

    def read(self, frame):
        with common.h5py.File(self.output.state(frame), "r") as file:
            return [file["rigid/" + name][()].reshape(len(self.mass), -1)
                    for name in ("position", "orientation", "velocity", "angular_momentum")]

    def energies(self, frame):
        x, q, v, momentum = self.read(frame)
        own = turn(q * [1, -1, -1, -1], momentum)
        kinetic = 0.5 * (self.mass * (v * v).sum(1)).sum() + 0.5 * (own * own / self.inertia)[self.mass > 0].sum()
        return kinetic, kinetic + G * (self.mass * x[:, 1]).sum()

    def arms(self, joints):
        """Of each joint: its bodies, and where it is in their axes; `joints`: (a, b, point at the start)."""
        x, q, _, _ = self.read(0)
        found = []
        for a, b, at in joints:
            i, k = self.index[a], self.index[b]
            found.append((i, k, *(turn(q[j:j + 1] * [1, -1, -1, -1], at - x[j])[0] for j in (i, k))))
        return found

    def gap(self, frame, arms):
        x, q, _, _ = self.read(frame)
        return max(np.linalg.norm(x[i] + turn(q[i:i + 1], r)[0] - x[k] - turn(q[k:k + 1], s)[0])
                   for i, k, r, s in arms)


def figure_joints(scene):
    """(a, b, place) of all joints of all figures."""
    found = []
    for joint in scene["joints"]:
        for n in range(int(number(scene, joint["repeat"]["count"]))):
            scene["params"]["n"] = n
            at = np.array([number(scene, text) for text in joint["at"]])
            found.append((f"{joint['bodies'][0]}_{n}", f"{joint['bodies'][1]}_{n}", at))
    del scene["params"]["n"]
    return found


def figures(options, checks, folder):
    scene = load("figures")
    count = 2 if options.quickest else 8 if options.quick else 20
    scene["params"]["figures"] = count
    output = run(options, folder, "figures", {"figures": count}, scene,
                 ("--state-every", 1, "--keep-states", *common.threads(2)))
    states = States(output, scene)
    arms = states.arms(figure_joints(scene))
    energies = np.array([states.energies(frame) for frame in states.numbers])
    name = f"{count} figures in a bin"
    checks.below(f"{name}: gap, m", max(states.gap(frame, arms) for frame in states.numbers), 1e-4)
    checks.below(f"{name}: joints.gap.max of every step, m", output.stats()["joints.gap.max"].max(), 1e-4)
    above = (energies[:, 1].max() - energies[0, 1]) / energies[:, 0].max()
    checks.below(f"{name}: energy above that of the start, over the greatest kinetic one", above, 1e-3)
    checks.below(f"{name}: kinetic energy at 10 s, J a figure", energies[-1, 0] / count, 0.5)


def figure_on_stairs(options, checks, folder):
    """With and without sleep: gap and energy of every step, by places and velocities in probes.csv."""
    seconds = 1 if options.quickest else 3 if options.quick else 10
    for sleeps in (False,) if options.quickest else (False, True):
        scene = load("figure")
        scene["rigid"]["contact"] = {"sleep": sleeps}
        moving = [body for body in scene["rigid"]["bodies"] if body.get("motion", "dynamic") == "dynamic"]
        scene["rigid"]["bodies"], rest = moving, [b for b in scene["rigid"]["bodies"] if b not in moving]
        scene = watch_all(scene)
        scene["rigid"]["bodies"] = rest + moving
        output = run(options, folder, "figure", None, scene, duration=seconds)
        probes = output.probes()
        place = {b["name"]: (probes.vector(f"all_{b['name']}.position"), probes.vector(f"all_{b['name']}.orientation", "wxyz"))
                 for b in moving}
        worst = 0
        for joint in scene["joints"]:
            at = np.array([number(scene, text) for text in joint["at"]])
            ends = [x + turn(q, turn(q[:1] * [1, -1, -1, -1], at - x[0])[0]) for x, q in (place[n] for n in joint["bodies"])]
            worst = max(worst, np.linalg.norm(ends[1] - ends[0], axis=1).max())
        kinetic = potential = 0
        for body in moving:
            own = turn(place[body["name"]][1] * [1, -1, -1, -1], probes.vector(f"all_{body['name']}.angular_momentum"))
            kinetic = kinetic + 0.5 * body["mass"] * (probes.vector(f"all_{body['name']}.velocity")**2).sum(1)
            kinetic = kinetic + 0.5 * (own**2 / inertia(body["shape"], body["mass"])).sum(1)
            potential = potential + body["mass"] * G * place[body["name"]][0][:, 1]
        energy, most = kinetic + potential, kinetic.max()
        name = f"figure on stairs, {'with' if sleeps else 'without'} sleep"
        checks.below(f"{name}: gap in every step, m", worst, 1e-4)
        checks.below(f"{name}: joints.gap.max of every step, m", output.stats()["joints.gap.max"].max(), 1e-4)
        checks.below(f"{name}: energy above that of the start, over the greatest kinetic one", (energy.max() - energy[0]) / most, 1e-3)
        if seconds == 10:
            checks.below(f"{name}: kinetic energy at 10 s, J", kinetic[-1], 0.5)


def bridge(options, checks, folder):
    probes = run(options, folder, "bridge").probes()
    late = probes["time"] > 7
    carried = (probes["left.force.y"] - probes["right.force.y"])[late]
    checks.near("bridge under load: mean of the vertical forces, N", carried.mean(), (20 * 8 + 3 * 60) * G, 1)
    checks.near("bridge under load: the same at the end, N", carried[-1], (20 * 8 + 3 * 60) * G, 1)


# ---- gate 7 ----


def balls_under_water(joined, cells):
    """Two balls of twice the water's density, a diameter apart, on a slanting line: joined, or one body."""
    radius, half, slant, mass = 0.05, 0.1, 30, 2000 * 4 / 3 * math.pi * 0.05**3
    c, s = math.cos(math.radians(slant)), math.sin(math.radians(slant))
    scene = {"plimsoll": 1, "name": "balls", "duration": 0.4, "fps": 20, "time_step": {"max_dt": 1 / 160},
             "fluid": {"domain": {"low": [-0.3, -0.5, -0.2], "high": [0.3, 0.3, 0.2]}, "cells": cells, "density": 1000,
                       "viscosity": 0.1}, "probes": []}
    ball = {"ball": {"radius": radius}}
    if joined:
        scene["rigid"] = {"bodies": [{"name": f"ball_{i}", "shape": ball, "mass": mass,
                                      "position": [sign * half * c, sign * half * s, 0]}
                                     for i, sign in enumerate((-1, 1))]}
        scene["joints"] = [{"name": "bar", "kind": "rigid", "bodies": ["ball_0", "ball_1"], "at": [0, 0, 0]}]
        scene["probes"] = [{"name": f"ball_{i}", "quantities": ["position", "orientation"]} for i in range(2)]
        return scene
    own, far = 0.4 * mass * radius**2, mass * half**2
    parts = [{"place": {"shape": ball, "position": [sign * half, 0, 0]}} for sign in (-1, 1)]
    scene["rigid"] = {"bodies": [{"name": "pair", "shape": {"union": {"of": parts, "cells": 128}}, "mass": 2 * mass,
                                  "center": [0, 0, 0], "inertia": [2 * own, 2 * own + 2 * far, 2 * own + 2 * far],
                                  "orientation": {"axis": [0, 0, 1], "angle": slant}}]}
    scene["probes"] = [{"name": "pair", "quantities": ["position", "orientation"]}]
    return scene


def in_water(options, checks, folder):
    cells = 20 if options.quickest else 36
    two = run(options, folder, "balls_joined", None, balls_under_water(True, cells)).probes()
    one = run(options, folder, "balls_union", None, balls_under_water(False, cells)).probes()
    ends = [two.vector(f"ball_{i}.position")[-1] for i in range(2)]
    x, q = one.vector("pair.position")[-1], one.vector("pair.orientation", "wxyz")[-1:]
    arm = turn(q, [0.1, 0, 0])[0]
    fallen = abs(x[1])
    middle = np.linalg.norm((ends[0] + ends[1]) / 2 - x)
    slant = lambda v: math.degrees(math.atan2(v[1], v[0]))
    checks.true("balls under water: they fell", fallen > 0.1, f"{fallen:.3f} m")
    checks.below("balls under water, joined against one body: place, of the way", middle / fallen, 0.01)
    checks.below("balls under water: how far they turned, over half their distance, of the way",
                 abs(math.radians(slant(ends[1] - ends[0]) - slant(arm))) * 0.1 / fallen, 0.01)
    checks.below("balls under water: gap, m", abs(np.linalg.norm(ends[1] - ends[0]) - 0.2), 1e-6)


def swimmer(options, checks, folder):
    values = {"n": 48} if options.quickest else {"n": 64} if options.quick else {}
    probes = run(options, folder, "swimmer", values, watch_all(load("swimmer")),
                 duration=1 if options.quickest else 4).probes()
    pins = [("head", "chest", [-0.09, 0, 0]), ("chest", "back", [0.09, 0, 0]), ("back", "tail", [0.25, 0, 0])]
    worst = 0
    for a, b, at in pins:
        ends = []
        for name in (a, b):
            x, q = probes.vector(f"all_{name}.position"), probes.vector(f"all_{name}.orientation", "wxyz")
            ends.append(x + turn(q, turn(q[:1] * [1, -1, -1, -1], np.asarray(at) - x[0])[0]))
        worst = max(worst, np.linalg.norm(ends[1] - ends[0], axis=1).max())
    checks.below("swimmer: gap, of its size", worst / 0.6, 1e-3)
    moved = probes["all_chest.position.x"]
    checks.note(f"swimmer: went {moved[-1] - moved[0]:.4f} m along x")


if __name__ == "__main__":
    common.verify(__doc__, [pendulum, double_pendulum, top, free_chain, turned_and_moved, chain, rope, slider_crank,
                            cardan, four_bar, arm, spring_door, limits, figures, figure_on_stairs, bridge,
                            in_water, swimmer])

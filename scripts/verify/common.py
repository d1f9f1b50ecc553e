"""What the verification programs share: running plimsoll, reading its files, counting checks.

Nothing here knows physics, and nothing here calls the library: the checks see what a user sees.
"""
import argparse
import csv
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zlib

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; install python3-numpy and python3-h5py", file=sys.stderr)
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def scene_path(name):
    return os.path.join(ROOT, "scenes", name)


# ---- arguments and checks ----


def arguments(description, add=None):
    """--program, the tier, and what `add(parser)` adds. `quick` says that it is not the full run, `quickest` that it
    is that of `make test`."""
    parser = argparse.ArgumentParser(description=description.strip().splitlines()[0])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "plimsoll"),
                        help="the program to verify (default build/plimsoll)")
    tiers = parser.add_mutually_exclusive_group()
    tiers.add_argument("--quick", dest="quickest", action="store_true",
                       help="as `make test` does it: smallest sizes; the limits stay what they are")
    tiers.add_argument("--check", action="store_true",
                       help="as `make check` does it: between --quick and the full run")
    if add:
        add(parser)
    options = parser.parse_args()
    options.quick = options.quickest or options.check
    options.program = os.path.abspath(options.program)
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program} is not a program; build first or give --program")
    return options


class Checks:
    """Prints one line a check and counts. Failures that docs explain are printed with both figures and counted
    apart, never as passed."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.expected = 0

    def expected_failure(self, name, detail):
        self.expected += 1
        print(f"XFAIL {name}: {detail}", flush=True)

    def note(self, text):
        print(f"     {text}", flush=True)

    def true(self, name, good, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
        print(f"{'ok  ' if good else 'FAIL'} {name}{': ' if detail else ''}{detail}", flush=True)
        return bool(good)

    def near(self, name, value, expected, percent):
        """Relative distance from an expected value, limit in percent."""
        away = abs(value - expected) / abs(expected) * 100
        return self.true(name, away <= percent,
                         f"{value:.8g} expected {expected:.8g} ({away:.2g}%) limit {percent:g}%")

    def below(self, name, value, limit):
        """An error at most `limit`; NaN fails."""
        return self.true(name, value <= limit, f"{value:.3g} limit {limit:g}")

    def above(self, name, value, limit):
        return self.true(name, value >= limit, f"{value:.4g} at least {limit:g}")

    def within(self, name, value, expected, distance):
        return self.true(name, abs(value - expected) <= distance,
                         f"{value:.4f} expected {expected:g} limit +-{distance:g}")

    def finish(self):
        if self.expected:
            print(f"{self.expected} expected failures", flush=True)
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(1 if self.failed else 0)


# ---- running ----


class Result:
    def __init__(self, code, stdout, stderr, seconds):
        self.code, self.stdout, self.stderr, self.seconds = code, stdout, stderr, seconds

    def last_words(self):
        lines = self.stderr.strip().splitlines()
        return lines[-1][:200] if lines else "(nothing on stderr)"


def overrides(values):
    """{"params/dt": 0.1} to --set arguments; numbers keep all their digits."""
    words = []
    for pointer, value in (values or {}).items():
        text = repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
        words += ["--set", f"/{pointer}={text}"]
    return words


def threads(count):
    """Words for a run that may have so many threads to be quick. PLIM_VERIFY_THREADS stands above it: tests beside one
    another take a core each. Runs that are about threads say --threads themselves."""
    return "--threads", os.environ.get("PLIM_VERIFY_THREADS", count)


def call(program, *words, timeout=1800, **keywords):
    """Runs that ask for no number of threads have PLIM_VERIFY_THREADS, if there is such a variable."""
    if "PLIM_VERIFY_THREADS" in os.environ and words[:1] in (("run",), ("resume",)) and "--threads" not in words:
        words += threads(1)
    start = time.monotonic()
    done = subprocess.run([program, *map(str, words)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                          **keywords)
    return Result(done.returncode, done.stdout.decode(errors="replace"),
                  done.stderr.decode(errors="replace"), time.monotonic() - start)


def run(program, scene, folder, values=None, *words, timeout=1800):
    """A run that must succeed; the folder with its files."""
    result = call(program, "run", scene, "--out", folder, "--quiet", *overrides(values), *words,
                  timeout=timeout)
    if result.code != 0:
        raise RuntimeError(f"run {scene} {values} {words}: exit code {result.code}\n"
                           f"{result.stderr}")
    return Output(folder)


def temporary():
    return tempfile.TemporaryDirectory(prefix="plimsoll-verify-")


def verify(description, all_checks, add=None):
    """Each of the checks; one whose run breaks off has failed, and the others go on."""
    def add_all(parser):
        parser.add_argument("--only", default="", metavar="WORD[:WORD...]",
                            help="only the checks whose names have the first word in them; of those that have cases only "
                            "the cases whose labels have all the others")
        if add:
            add(parser)
    options = arguments(description, add_all)
    checks = Checks()
    with temporary() as folder:
        for check in all_checks:
            if options.only.split(":")[0] in check.__name__:
                attempt(checks, check.__name__, check, options, checks, folder)
    checks.finish()


def attempt(checks, label, check, *arguments):
    """What breaks off has failed."""
    try:
        check(*arguments)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        checks.true(f"{label} runs to its end", False, " ".join(str(error).split())[:500])


def each_case(options, checks, cases, check):
    """`check(label, *case)` for each label of `cases`, those that --only names; one that breaks off has failed, and the
    others go on."""
    for label, case in cases.items():
        if all(word in label for word in options.only.split(":")[1:]):
            attempt(checks, label, check, label, *case)


# ---- reading ----


class Table:
    """A CSV file with a header as columns of doubles. `table["time"]`, `table.vector("top.position")`."""

    def __init__(self, path):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        self.names = rows[0]
        self.index = {name: i for i, name in enumerate(self.names)}
        if len(self.index) != len(self.names):
            raise ValueError(f"{path}: a column name stands twice")
        if any(len(row) != len(self.names) for row in rows[1:]):
            raise ValueError(f"{path}: rows of different lengths")
        self.values = np.array(rows[1:], dtype=float).reshape(len(rows) - 1, len(self.names))

    def __len__(self):
        return len(self.values)

    def __getitem__(self, name):
        return self.values[:, self.index[name]]

    def vector(self, name, components="xyz"):
        return np.stack([self[f"{name}.{c}"] for c in components], axis=1)


class Output:
    """The folder of a run."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def stats(self):
        return Table(self.path("stats.csv"))

    def probes(self):
        return Table(self.path("probes.csv"))

    def numbered(self, what):
        """Numbers of the frame_*.h5 or state_*.h5 files, ascending."""
        found = (re.fullmatch(what + r"_(\d+)\.h5", name) for name in os.listdir(self.folder))
        return sorted(int(match[1]) for match in found if match)

    def state(self, number=None):
        """Path of a state file, by default the last one."""
        return self.path(f"state_{self.numbered('state')[-1] if number is None else number:05d}.h5")

    def frame(self, number):
        return self.path(f"frame_{number:05d}.h5")


class Bodies:
    """The frames of a run, body by body; bodies are numbered as in the scene."""

    def __init__(self, output):
        self.output = output
        self.numbers = output.numbered("frame")
        with h5py.File(output.frame(self.numbers[0]), "r") as file:
            triangles, objects = file["rigid/triangles"][()], file["rigid/objects"][()]
            count = len(file["rigid/vertices"])
        self.owner = np.full(count, -1) # of each vertex
        for corner in range(3):
            self.owner[triangles[:, corner]] = objects
        self.count = int(objects.max()) + 1
        order = np.argsort(self.owner, kind="stable")
        starts = np.searchsorted(self.owner[order], np.arange(self.count + 1))
        self.parts = [order[a:b] for a, b in zip(starts[:-1], starts[1:])]

    def read(self, number, name="vertices"):
        """Of all vertices, as doubles."""
        with h5py.File(self.output.frame(number), "r") as file:
            return file["rigid/" + name][()].astype(float)

    def time(self, number):
        with h5py.File(self.output.frame(number), "r") as file:
            return float(file.attrs["time"])

    def centres(self, vertices):
        """Mean of each body's vertices."""
        sums = [np.bincount(self.owner, vertices[:, axis], self.count) for axis in range(3)]
        return np.stack(sums, axis=1) / np.bincount(self.owner, minlength=self.count)[:, None]


def info_hash(program, path):
    """What `info` prints after 'hash:' for a state file."""
    result = call(program, "info", path)
    match = re.search(r"^hash:\s*([0-9a-f]{16})\s*$", result.stdout, re.MULTILINE)
    if result.code != 0 or not match:
        raise RuntimeError(f"info {path}: exit code {result.code}, no hash\n"
                           f"{result.stdout}{result.stderr}")
    return match[1]


def datasets(path):
    """{name: array} of every dataset in an HDF5 file, through links to other files, too."""
    found = {}

    def walk(group, prefix):
        for name in group:
            item = group[name]
            if isinstance(item, h5py.Group):
                walk(item, f"{prefix}{name}/")
            else:
                found[prefix + name] = item[()]

    with h5py.File(path, "r") as file:
        walk(file, "")
    return found


def different(first, second):
    """Names of the datasets in which two HDF5 files differ in any bit."""
    a, b = datasets(first), datasets(second)
    names = sorted(set(a) | set(b))
    same = lambda x, y: x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    return [name for name in names
            if name not in a or name not in b or not same(np.asarray(a[name]), np.asarray(b[name]))]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


# ---- pictures ----


def unfilter(rows, width):
    """Rows of a PNG as bytes: each begins with the number of its filter, one of the three that render writes."""
    out = np.zeros((len(rows), 3 * width), dtype=np.uint8)
    above = np.zeros(3 * width, dtype=np.uint8)
    for y, row in enumerate(rows):
        kind, line = row[0], row[1:]
        if kind == 0:
            out[y] = line
        elif kind == 1:
            out[y] = np.cumsum(line.reshape(width, 3), axis=0, dtype=np.uint8).reshape(-1)
        elif kind == 2:
            out[y] = line + above
        else:
            raise ValueError(f"PNG filter {kind}")
        above = out[y]
    return out


def read_png(path):
    """height x width x 3 of an 8-bit RGB file without interlacing."""
    with open(path, "rb") as file:
        data = file.read()
    at, body, width, height = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", part)
            if (depth, color, interlaced) != (8, 2, 0):
                raise ValueError(f"{path}: not 8-bit RGB")
        elif kind == b"IDAT":
            body += part
        at += size + 12
    rows = np.frombuffer(zlib.decompress(body), dtype=np.uint8).reshape(height, 1 + 3 * width)
    return unfilter(rows, width).reshape(height, width, 3)


# ---- rotations: quaternions w, x, y, z in the last axis ----


def quat_multiply(a, b):
    aw, ax, ay, az = np.moveaxis(np.asarray(a, dtype=float), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, dtype=float), -1, 0)
    return np.stack([aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                     aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw],
                    axis=-1)


def quat_conjugate(q):
    return np.asarray(q, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])


def quat_matrix(q):
    """Rotation matrices from body to world axes."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    rows = [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quat_about(axis, degrees):
    half = np.radians(degrees) / 2
    axis = np.asarray(axis, dtype=float)
    return np.array([np.cos(half), *(np.sin(half) * axis / np.linalg.norm(axis))])


def axis_angle(q):
    """An orientation as a scene says it."""
    length = np.linalg.norm(q[1:])
    axis = q[1:] / length if length > 0 else (0, 1, 0)
    angle = 2 * np.degrees(np.arctan2(length, q[0]))
    return "{axis: [%s], angle: %r}" % (", ".join(repr(float(x)) for x in axis), float(angle))


def to_body(q, v):
    return np.einsum("...ji,...j->...i", quat_matrix(q), v)


def to_world(q, v):
    return np.einsum("...ij,...j->...i", quat_matrix(q), v)


def quat_angle(a, b):
    """Angle of the rotation between two orientations, rad."""
    d = quat_multiply(quat_conjugate(a), b)
    return 2 * np.arctan2(np.linalg.norm(d[..., 1:], axis=-1), np.abs(d[..., 0]))


# ---- a scene with many bodies, for tests of the machinery ----

SWARM = """\
plimsoll: 1
name: swarm
params: {boxes: 6, rings: 40, frames: 60, dt: 0.01}
duration: "=frames/24"
seed: 7
time_step: {max_dt: "=dt"}
rigid:
  # They fly through one another: this scene is about files and steps; piles are in rigid_piles.py.
  contact: {enabled: false}
  bodies:
    - name: box
      shape: {box: {size: [0.3, 0.2, "=0.1 + 0.2*random(1)"]}}
      position: [0, 5, 0]
      velocity: ["=random(2) - 0.5", "=4*random(3)", "=random(4) - 0.5"]
      angular_velocity: ["=20*(random(5) - 0.5)", "=20*(random(6) - 0.5)", "=20*(random(7) - 0.5)"]
      repeat: {grid: ["=boxes", "=boxes", "=boxes"], jitter: [0.2, 0.2, 0.2], tilt: 180}
    - name: ring
      shape: {torus: {radius: 0.3, tube: 0.1, segments: 12, sides: 6}}
      motion: kinematic
      position: ["=3*cos(t + n)", "=1 + sin(2*t + n/count)", "=3*sin(t + n)"]
      orientation: {axis: [1, 2, 3], angle: "=90*t + 10*n"}
      repeat: {count: "=rings", spacing: [0, 0, 0]}
    - name: floor
      shape: {box: {size: [20, 1, 20]}}
      motion: static
      position: [0, -0.5, 0]
probes:
  - {name: box_17, quantities: [position, orientation, velocity, angular_velocity, kinetic_energy]}
  - {name: ring_3, quantities: [position, orientation, velocity, angular_velocity]}
"""


def write_scene(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path

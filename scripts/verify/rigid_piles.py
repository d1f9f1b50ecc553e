#!/usr/bin/python3
"""Piles of many bodies: rings over poles, boxes, bones; the same bits for any threads and across resume."""
import os
import shutil

import common
import rigid_contact
from common import np

RING, TUBE = 0.4, 0.1
POLE, POLE_HEIGHT = 0.12, 4.0

# ---- rings: circles with a radius about them ----


class Circles:
    """Core circles of rings: centres, unit axes, and two unit vectors across each axis."""

    def __init__(self, centres, axes):
        self.centres = np.asarray(centres, dtype=float)
        self.axes = np.asarray(axes, dtype=float) / np.linalg.norm(axes, axis=1, keepdims=True)
        least = np.eye(3)[np.argmin(np.abs(self.axes), axis=1)]
        self.across = np.cross(self.axes, least)
        self.across /= np.linalg.norm(self.across, axis=1, keepdims=True)
        self.other = np.cross(self.axes, self.across)

    def points(self, which, angles):
        """Points of the circles `which`, at `angles`: last axis x y z."""
        c, s = np.cos(angles)[..., None], np.sin(angles)[..., None]
        shape = (len(which),) + (1,) * (np.ndim(angles) - 1) + (3,)
        pick = lambda v: v[which].reshape(shape)
        return pick(self.centres) + RING * (c * pick(self.across) + s * pick(self.other))

    def distance(self, which, points):
        """From points to the circles `which`."""
        shape = (len(which),) + (1,) * (points.ndim - 2) + (3,)
        away = points - self.centres[which].reshape(shape)
        height = np.sum(away * self.axes[which].reshape(shape), axis=-1)
        flat = np.linalg.norm(away - height[..., None] * self.axes[which].reshape(shape), axis=-1)
        return np.hypot(flat - RING, height)


def circles_of(vertices, parts):
    """Centre and axis of each ring from its vertices: their mean, and the direction they reach least in."""
    centres, axes = [], []
    for part in parts:
        own = vertices[part]
        centre = own.mean(axis=0)
        _, directions = np.linalg.eigh((own - centre).T @ (own - centre))
        centres.append(centre)
        axes.append(directions[:, 0])
    return Circles(centres, axes)


def near_pairs(centres, reach):
    """Pairs (i < j) of centres within `reach`, in rows of 256 to spare memory."""
    found = []
    for start in range(0, len(centres), 256):
        apart = np.linalg.norm(centres[start:start + 256, None] - centres[None], axis=2)
        i, j = np.nonzero(apart < reach)
        i += start
        found.append(np.stack([i, j], axis=1)[i < j])
    return np.concatenate(found) if found else np.zeros((0, 2), dtype=int)


def crossings(circles, i, j):
    """How often circle i goes through the disc of circle j: 0, 1 or 2, for arrays of pairs. A circle meets
    a plane where a cos + b sin = c."""
    axis = circles.axes[j]
    a = RING * np.sum(circles.across[i] * axis, axis=1)
    b = RING * np.sum(circles.other[i] * axis, axis=1)
    c = np.sum((circles.centres[j] - circles.centres[i]) * axis, axis=1)
    size = np.hypot(a, b)
    meets = np.abs(c) < size
    turn = np.arccos(np.clip(np.where(meets, c, 0) / np.maximum(size, 1e-300), -1, 1))
    count = np.zeros(len(a), dtype=int)
    for angle in (np.arctan2(b, a) + turn, np.arctan2(b, a) - turn):
        point = circles.points(i, angle)
        count += meets & (np.linalg.norm(point - circles.centres[j], axis=1) < RING)
    return count


def linked(circles):
    """Pairs of rings that hang in one another."""
    pairs = near_pairs(circles.centres, 2 * RING)
    if not len(pairs):
        return 0
    return int(np.sum(crossings(circles, pairs[:, 0], pairs[:, 1]) % 2))


def least_distance(circles, i, distance):
    """Least of `distance(points)` along the circles i: samples, then thirds about the least of them."""
    samples = np.arange(96) * (2 * np.pi / 96)
    angles = np.broadcast_to(samples, (len(i), 96))
    values = distance(circles.points(i, angles))
    best = samples[np.argmin(values, axis=1)]
    low, high = best - 2 * np.pi / 96, best + 2 * np.pi / 96
    for _ in range(40):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        left = distance(circles.points(i, one[:, None]))[:, 0] < distance(circles.points(i, two[:, None]))[:, 0]
        low, high = np.where(left, low, one), np.where(left, two, high)
    return np.minimum(distance(circles.points(i, (0.5 * (low + high))[:, None]))[:, 0], values.min(axis=1))


def ring_depths(circles, vertices, parts):
    """Deepest overlap of two rings, m: of vertices in the other torus, and of both tori, by their circles."""
    pairs = near_pairs(circles.centres, 2 * (RING + TUBE))
    if not len(pairs):
        return 0.0, 0.0
    i, j = pairs[:, 0], pairs[:, 1]
    tori = 2 * TUBE - least_distance(circles, i, lambda points: circles.distance(j, points))
    own = np.stack([vertices[part] for part in parts])
    deepest = 0.0
    for start in range(0, len(i), 4096):
        some = slice(start, start + 4096)
        for a, b in ((i[some], j[some]), (j[some], i[some])):
            deepest = max(deepest, np.max(TUBE - circles.distance(b, own[a])))
    return deepest, max(0.0, float(np.max(tori)))


def pole_distance(points, base):
    """From points to a solid pole that stands at `base` (x, z), 0 inside; negative inside by the depth."""
    flat = np.hypot(points[..., 0] - base[..., 0], points[..., 2] - base[..., 1]) - POLE
    up = points[..., 1] - POLE_HEIGHT
    outside = np.hypot(np.maximum(flat, 0), np.maximum(up, 0))
    return np.where((flat <= 0) & (up <= 0), np.maximum(flat, up), outside)


def pole_pairs(circles, bases):
    apart = np.linalg.norm(circles.centres[:, None, [0, 2]] - bases[None], axis=2)
    return np.nonzero(apart < RING + TUBE + POLE)


def pole_depth(circles, bases):
    """Deepest overlap of a ring with a pole, m."""
    rings, poles = pole_pairs(circles, bases)
    if not len(rings):
        return 0.0
    base = bases[poles][:, None]
    return max(0.0, TUBE - float(np.min(least_distance(circles, rings, lambda p: pole_distance(p, base)))))


def threaded(circles, bases):
    """{(ring, pole): height} where a pole's axis, between floor and top, goes through a ring's disc."""
    rings, poles = pole_pairs(circles, bases)
    found = {}
    for ring, pole in zip(rings, poles):
        axis, centre = circles.axes[ring], circles.centres[ring]
        if abs(axis[1]) < 1e-9:
            continue
        flat = bases[pole] - centre[[0, 2]]
        height = centre[1] - (axis[0] * flat[0] + axis[2] * flat[1]) / axis[1]
        point = np.array([flat[0], height - centre[1], flat[1]])
        if 0 < height < POLE_HEIGHT and np.linalg.norm(point) < RING:
            found[ring, pole] = height
    return found


def check_own_numerics(study):
    """Rings made by hand."""
    checks = study.checks
    up, side = (0, 1, 0), (0, 0, 1)
    places = [("hooked", (RING, 0, 0), side, 1), ("beside one another", (1.1, 0, 0), side, 0),
              ("one above the other", (0, 0.2, 0), up, 0), ("stacked off centre", (0.3, 0.2, 0.1), up, 0),
              ("through the hole and out again", (0, 0.39, 0), side, 0),
              ("tilted and hooked", (0.3, 0.1, 0.2), (0.2, 0.4, -0.9), 1)]
    for label, centre, axis, expected in places:
        circles = Circles([(0, 0, 0), centre], [up, axis])
        both = [int(crossings(circles, np.array([a]), np.array([b]))[0]) % 2 for a, b in ((0, 1), (1, 0))]
        checks.true(f"own count of links, {label}", both == [expected] * 2, str(both))
    random = np.random.default_rng(5)
    gauss_wrong = 0
    for _ in range(200):
        circles = Circles(random.uniform(-0.4, 0.4, (2, 3)), random.normal(size=(2, 3)))
        if least_distance(circles, np.array([0]), lambda p: circles.distance(np.array([1]), p))[0] < 0.02:
            continue
        gauss_wrong += abs(gauss_link(circles)) != crossings(circles, np.array([0]), np.array([1]))[0] % 2
    checks.true("own count of links against Gauss's integral, 200 random pairs", gauss_wrong == 0,
                f"{gauss_wrong} differ")
    circles = Circles([(0, 0, 0), (0, 0.17, 0), (1, 0, 0.0)], [up, up, up])
    depth = 2 * TUBE - least_distance(circles, np.array([0]), lambda p: circles.distance(np.array([1]), p))[0]
    checks.near("own depth of two rings 0.17 apart", depth, 0.03, 1e-6)
    depth = 2 * TUBE - least_distance(circles, np.array([0]), lambda p: circles.distance(np.array([2]), p))[0]
    checks.below("own depth of two rings that touch", abs(depth), 1e-12)
    bases = np.array([[0.0, 0.0]])
    for x, expected in ((RING - TUBE - POLE + 0.005, 0.005), (0.0, 0.0), (RING + TUBE + POLE - 0.004, 0.004)):
        circles = Circles([(x, 1, 0)], [up])
        checks.below(f"own depth in a pole, ring at {x:g}", abs(pole_depth(circles, bases) - expected), 1e-9)
    checks.true("own threading", threaded(Circles([(0.1, 1, 0), (0.6, 1, 0), (0, 5, 0)], [up] * 3), bases)
                == {(0, 0): 1.0})


def gauss_link(circles, n=400):
    """Linking number by Gauss's double integral over the two circles."""
    angles = np.arange(n) * (2 * np.pi / n)
    points = [circles.points(np.array([k]), angles[None])[0] for k in (0, 1)]
    steps = [(np.roll(p, -1, axis=0) - np.roll(p, 1, axis=0)) / 2 for p in points]
    apart = points[0][:, None] - points[1][None]
    volume = np.einsum("ijk,ijk->ij", apart, np.cross(steps[0][:, None], steps[1][None]))
    return int(round(float(np.sum(volume / np.linalg.norm(apart, axis=2)**3) / (4 * np.pi))))


class Pile:
    """The frames of a run of rings: the bodies are rings, poles and a floor, told apart by their form."""

    def __init__(self, output):
        self.bodies = common.Bodies(output)
        first = self.bodies.read(0)
        self.rings, bases = [], []
        for part in self.bodies.parts:
            extent = np.ptp(first[part], axis=0)
            if abs(extent[1] - POLE_HEIGHT) < 1e-3 and np.max(extent[[0, 2]]) < 3 * POLE:
                middle = (first[part].max(axis=0) + first[part].min(axis=0)) / 2
                bases.append(middle[[0, 2]])
            elif len(part) == 160 and np.max(extent) < 2 * (RING + TUBE) + 1e-3:
                self.rings.append(part)
        self.bases = np.array(bases)
        self.numbers = self.bodies.numbers

    def circles(self, number):
        vertices = self.bodies.read(number)
        return circles_of(vertices, self.rings), vertices


def check_pole_crossings(checks, label, pile, numbers):
    """A ring comes round a pole over its top and in no other way: where the axis of a pole enters or leaves
    a disc between two frames, it does so no farther below the top than the ring moves."""
    before, wrong, first_time = None, [], True
    for number in numbers:
        circles, _ = pile.circles(number)
        now = threaded(circles, pile.bases)
        if not first_time:
            moved = np.linalg.norm(circles.centres - last.centres, axis=1)
            for key in set(now) ^ set(before):
                height = now.get(key, before.get(key))
                # A tilted ring reaches RING below its centre, and its disc may meet the pole's side first.
                if POLE_HEIGHT - height > 2 * moved[key[0]] + RING + TUBE:
                    wrong.append((number, *key, round(float(height), 2)))
        before, last, first_time = now, circles, False
    checks.true(f"{label}: none through a pole", not wrong,
                f"{len(wrong)}: frame, ring, pole, height {wrong[:4]}" if wrong else
                f"{len(before)} rings lie round a pole at the end")


def check_rings_run(study, seed, count, remark="", values=None, settles=True):
    checks = study.checks
    label = f"rings count={count} seed={seed}{remark}"
    output = study.run(label, "rigid/rings.yaml", {"params/count": count, "seed": seed, **(values or {})},
                       threads=common.threads(2)[1], timeout=900)
    stats = output.stats()
    wall = sum(np.sum(stats[name]) for name in stats.names if name.startswith("wall."))
    pile = Pile(output)
    checks.true(f"{label}: rings and 25 poles", len(pile.rings) == count and len(pile.bases) == 25,
                f"{len(pile.rings)} and {len(pile.bases)}")
    checks.note(f"{label}: {wall / pile.numbers[-1]:.3f} s a frame")
    circles, vertices = pile.circles(pile.numbers[-1])
    some = pile.numbers[:: max(1, len(pile.numbers) // 20)] + [pile.numbers[-1]]
    counts = [linked(pile.circles(number)[0]) for number in some]
    checks.true(f"{label}: interlinked pairs at the end", counts[-1] == 0, str(counts[-1]))
    checks.true(f"{label}: and in {len(some)} frames", max(counts) == 0, str(max(counts)))
    check_pole_crossings(checks, label, pile, pile.numbers)
    in_vertices, in_tori = ring_depths(circles, vertices, pile.rings)
    checks.below(f"{label}: deepest vertex in another ring over the thickness", in_vertices / (2 * TUBE), 0.03)
    checks.below(f"{label}: deepest overlap of two rings over the thickness", in_tori / (2 * TUBE), 0.03)
    checks.below(f"{label}: deepest in a pole over the thickness", pole_depth(circles, pile.bases) / (2 * TUBE), 0.03)
    lowest = np.min([vertices[part][:, 1].min() for part in pile.rings])
    checks.below(f"{label}: deepest in the floor over the thickness", max(0.0, -lowest) / (2 * TUBE), 0.03)
    left = stats["energy.kinetic"][-1] / count
    if settles:
        checks.below(f"{label}: kinetic energy of a body at t = {stats['time'][-1]:g} s, J", left, 1e-4)
    else:
        checks.note(f"{label}: kinetic energy of a body at t = {stats['time'][-1]:g} s: {left:.3g} J")
    # 1 kg each; what an impulse sees is the velocity with a step of gravity in it.
    scale = stats["energy.kinetic"] + 0.5 * count * (rigid_contact.G * np.max(stats["dt"]))**2
    checks.below(f"{label}: kinetic energy added by clamped impulses in a step, relative",
                 max(0.0, np.max(stats["contact.energy_raised"] / scale)), 1e-12)
    return output


def check_rings(study):
    # Where a few rings would fall between the poles, they are moved above them.
    check_rings_run(study, 1, 100, " over the poles", {"rigid/bodies/ring/position": "[0.45, 4.7, 0.5]"})
    if study.options.quick:
        return
    for seed in (1, 2, 3):
        check_rings_run(study, seed, study.options.rings)
    # Rings on edge then roll away over the floor, and nothing stops them.
    check_rings_run(study, 1, study.options.rings, " without rolling friction",
                    {"rigid/bodies/ring/rolling_friction": 0, "rigid/bodies/ring/spinning_friction": 0}, False)


# ---- boxes and bones ----


def box_frames(vertices, parts):
    """Centre and half-axes (rows) of each box, from its eight corners."""
    centres, halves = [], []
    for part in parts:
        corners = np.unique(np.round(vertices[part], 6), axis=0) if len(part) > 8 else vertices[part]
        centre = corners.mean(axis=0)
        away = corners - corners[0]
        near = np.argsort(np.linalg.norm(away, axis=1))[1:4]
        centres.append(centre)
        halves.append(away[near] / 2)
    return np.array(centres), np.array(halves)


def deepest_corner(vertices, parts):
    """Deepest corner of one box in another, m."""
    centres, halves = box_frames(vertices, parts)
    lengths = np.linalg.norm(halves, axis=2)
    unit = halves / lengths[..., None]
    own = np.stack([vertices[part] for part in parts])
    pairs = near_pairs(centres, 2 * np.max(np.linalg.norm(lengths, axis=1)))
    deepest = 0.0
    for start in range(0, len(pairs), 4096):
        for a, b in (pairs[start:start + 4096].T, pairs[start:start + 4096, ::-1].T):
            inside = lengths[b][:, None] - np.abs(np.einsum("pvk,pak->pva", own[a] - centres[b][:, None], unit[b]))
            deepest = max(deepest, float(np.max(np.min(inside, axis=2))))
    return deepest


def check_settled(checks, label, output, floor=0.0, limit=None):
    """As slow as a ring of 1 kg with 1e-4 J, on the mean over the vertices of what moves."""
    bodies = common.Bodies(output)
    last, first = bodies.read(bodies.numbers[-1]), bodies.read(0)
    parts = [part for part in bodies.parts if np.max(np.abs(last[part] - first[part])) > 1e-9]
    moving = np.concatenate(parts)
    speed = np.linalg.norm(bodies.read(bodies.numbers[-1], "velocities")[moving], axis=1)
    checks.true(f"{label}: finite", np.all(np.isfinite(last)) and np.all(np.isfinite(speed)))
    checks.below(f"{label}: settles, root mean square speed at t = {bodies.time(bodies.numbers[-1]):g} s, m/s",
                 np.sqrt(np.mean(speed**2)), np.sqrt(2e-4))
    checks.note(f"{label}: fastest vertex {np.max(speed):.3g} m/s; {len(parts)} bodies")
    if limit:
        checks.below(f"{label}: deepest in the floor, m", max(0.0, floor - np.min(last[moving][:, 1])), limit)
    return last, parts


def check_boxes(study):
    count = 80 if study.options.quickest else 200 if study.options.quick else 2000
    label = f"boxes count={count}"
    output = study.run(label, "rigid/boxes.yaml", {"params/count": count}, threads=common.threads(2)[1], timeout=900)
    last, parts = check_settled(study.checks, label, output, limit=0.03 * 0.5)
    cubes = [part for part in parts if len(part) in (8, 24)]
    study.checks.true(f"{label}: as many boxes", len(cubes) == count, str(len(cubes)))
    study.checks.below(f"{label}: deepest corner in another over the edge", deepest_corner(last, cubes) / 0.5, 0.03)


def check_bones(study):
    count = 8 if study.options.quickest else 12 if study.options.quick else 200
    label = f"bones count={count}"
    output = study.run(label, "rigid/bones.yaml", {"params/count": count}, threads=common.threads(2)[1], timeout=900)
    check_settled(study.checks, label, output, limit=0.01)
    bodies = common.Bodies(output)
    with common.h5py.File(output.frame(0), "r") as file:
        triangles = np.bincount(file["rigid/objects"][()])
    study.checks.note(f"{label}: {np.median(triangles):g} triangles a bone, {bodies.count} bodies")


# ---- the same bits ----


def compare(study, label, reference, other, number, whole):
    checks = study.checks
    names = common.different(reference.state(number), other.state(number))
    hashes = [common.info_hash(study.options.program, run.state(number)) for run in (reference, other)]
    checks.true(f"{label}: state", not names and hashes[0] == hashes[1],
                f"differ: {', '.join(names)}" if names else hashes[0])
    names = common.different(reference.frame(number), other.frame(number))
    checks.true(f"{label}: frame", not names, f"differ: {', '.join(names)}" if names else "equal")
    if not whole:
        return
    first, second = reference.stats(), other.stats()
    kept = [name for name in first.names if not name.startswith("wall.")]
    bad = [name for name in kept if name not in second.index or first[name].tobytes() != second[name].tobytes()]
    checks.true(f"{label}: {len(kept)} columns of stats.csv", not bad, f"differ: {', '.join(bad)}" if bad else "equal")


def check_same_bits(study):
    """Threads, resume in the middle of the pile, and caches dropped, for rings, boxes and bones."""
    quick = study.options.quick
    scenes = [("rings", 36 if quick else 100, 40 if quick else 96), ("boxes", 60 if quick else 300, 40)]
    if not quick:
        scenes.append(("bones", 30, 60))
    for scene, count, frames in scenes:
        values = {"params/count": count}
        run = lambda name, *words: study.run(f"{scene} {name}", f"rigid/{scene}.yaml", values, "--frames", frames,
                                             *words[1:], threads=words[0])
        reference = run("1 thread", 1)
        moved = common.Bodies(reference)
        study.checks.note(f"{scene} count={count}: {np.max(reference.stats()['contacts']):g} contacts at most"
                          if "contacts" in reference.stats().index else f"{scene}: {moved.count} bodies")
        for threads in (2, 4):
            compare(study, f"{scene} count={count}, {threads} threads", reference,
                    run(f"{threads} threads", threads), frames, True)
        compare(study, f"{scene} count={count}, caches dropped", reference, run("dropped", 2, "--drop-caches", 3),
                frames, True)
        half = common.run(study.options.program, common.scene_path(f"rigid/{scene}.yaml"),
                          os.path.join(study.folder, f"{scene}_half"), values, "--frames", frames // 2)
        alone = os.path.join(study.folder, f"{scene}_alone")
        os.mkdir(alone)
        shutil.copy(half.path("scene.yaml"), alone)
        shutil.copy(half.state(frames // 2), alone)
        for label, folder in (("in place", half.folder), ("in another folder", alone)):
            result = common.call(study.options.program, "resume", folder, "--frames", frames, "--quiet", "--threads", 2)
            if study.checks.true(f"{scene}: resume {label}", result.code == 0, result.last_words()
                                 if result.code else "0"):
                compare(study, f"{scene} count={count}, resumed {label}", reference, common.Output(folder), frames,
                        label == "in place")


def main():
    options = common.arguments(__doc__, lambda parser: parser.add_argument(
        "--rings", type=int, default=1000, metavar="COUNT", help="rings in the full runs (default 1000)"))
    checks = common.Checks()
    with common.temporary() as folder:
        study = rigid_contact.Study(options, checks, folder)
        for check in (check_own_numerics, check_rings, check_boxes, check_bones, check_same_bits):
            study.attempt(check)
    study.finish()


if __name__ == "__main__":
    main()

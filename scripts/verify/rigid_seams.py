#!/usr/bin/python3
"""Seams: what slides or rolls over flush tiles and over flat meshes goes as over one slab; a curb still stops it."""
import os

import common
from common import np
from rigid_contact import G, scene_text, vector_text

SIZE, TILE, MU, SPEED = 0.3, 0.5, 0.2, 3.0

SHAPES = {"box": "box: {size: [0.3, 0.3, 0.3]}", "ball": "ball: {radius: 0.15}",
          "capsule": "capsule: {radius: 0.15, height: 0.3}", "cylinder": "cylinder: {radius: 0.15, height: 0.3}"}


def slider(kind, turn, yaw, of=None):
    """It starts at the origin of the floor and goes along its x; what is round lies across. `turn`: of the world."""
    own = common.quat_about((0, 1, 0), yaw)
    if kind in ("capsule", "cylinder"):
        own = common.quat_multiply(own, common.quat_about((1, 0, 0), 90))
    place, velocity = common.quat_matrix(turn) @ (0, SIZE / 2, 0), common.quat_matrix(turn) @ (SPEED, 0, 0)
    return (f"name: s, shape: {{{of or SHAPES[kind]}}}, position: {vector_text(place)}, velocity: {vector_text(velocity)}, "
            f"friction: {MU}, orientation: {common.axis_angle(common.quat_multiply(turn, own))}")


def box_floor(name, center, size, turn):
    place = common.quat_matrix(turn) @ np.array(center, dtype=float)
    return (f"name: {name}, motion: static, friction: {MU}, shape: {{box: {{size: {vector_text(size)}}}}}, "
            f"position: {vector_text(place)}, orientation: {common.axis_angle(turn)}")


def slab(turn):
    return [box_floor("slab", (4.5 * TILE, -0.1, 0), (14 * TILE, 0.2, 5 * TILE), turn)]


def tiles(turn, shift=0.37, across=0.2):
    """Seams lie `shift` of a tile away from the start, and `across` of one to its side."""
    return [box_floor(f"t{i}_{k}", (TILE * (i - 2 + shift), -0.1, TILE * (k - 2 + across)), (TILE, 0.2, TILE), turn)
            for i in range(14) for k in range(5)]


def prism_tiles(turn, shift=0.37, across=0.2):
    """Three-cornered tiles, two to a square, whose seams run along the way, across it and askew."""
    lying = common.quat_multiply(turn, common.quat_about((1, 0, 0), 90)) # its x and y are the floor's x and z
    floor = []
    for i in range(14):
        for k in range(5):
            place = common.quat_matrix(turn) @ (TILE * (i - 2 + shift), -0.1, TILE * (k - 2 + across))
            for half, corners in enumerate(((0, 0, 1, 0, 0, 1), (1, 1, 0, 1, 1, 0))):
                points = ", ".join(f"[{TILE * corners[c]}, {TILE * corners[c + 1]}]" for c in (0, 2, 4))
                floor.append(f"name: t{i}_{k}_{half}, motion: static, friction: {MU}, position: {vector_text(place)}, "
                             f"shape: {{prism: {{points: [{points}], depth: 0.2}}}}, orientation: {common.axis_angle(lying)}")
    return floor


def flat_mesh(path, irregular, seed):
    """A closed surface, flat but for a raised end, so that it is not convex: 30 by 12 cells of triangles that are cut
    either way, inner vertices moved by chance."""
    random = np.random.default_rng(seed)
    columns, rows, cell = 30, 12, 0.25
    number = lambda i, k, layer: layer * (columns + 1) * (rows + 1) + k * (columns + 1) + i + 1
    lines = []
    for layer in range(2):
        for k in range(rows + 1):
            for i in range(columns + 1):
                inner = 0 < i < columns - 1 and 0 < k < rows
                x, z = irregular * cell * (random.random(2) - 0.5) if inner else (0, 0)
                y = -0.3 if layer else 0.3 * (i >= columns - 1)
                lines.append(f"v {cell * i + x - 1!r} {y!r} {cell * (k - rows / 2) + z!r}")
    for k in range(rows):
        for i in range(columns):
            a, b, c, d = (i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)
            above = ((a, d, c), (a, c, b)) if random.random() < 0.5 else ((a, d, b), (d, c, b))
            for layer, faces in ((0, above), (1, ((a, c, d), (a, b, c)))):
                lines += ["f " + " ".join(str(number(*p, layer)) for p in face) for face in faces]
    border = ([(i, 0) for i in range(columns)] + [(columns, k) for k in range(rows)] +
              [(i, rows) for i in range(columns, 0, -1)] + [(0, k) for k in range(rows, 0, -1)])
    for p, q in zip(border, border[1:] + border[:1]):
        for face in (((p, 0), (q, 0), (q, 1)), ((p, 0), (q, 1), (p, 1))):
            lines.append("f " + " ".join(str(number(*at, layer)) for at, layer in face))
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def travel(options, folder, name, floor, turn, kind, yaw, dt, duration=2.0, dim=3, of=None):
    """Where it ends along and across the floor, and how far it leaves its height, m."""
    axes = common.quat_matrix(turn)
    text = scene_text([*floor, slider(kind, turn, yaw, of)], duration, dt, axes @ (0, -G, 0), probes=("s",))
    path = common.write_scene(folder, name + ".yaml", text.replace("\nname:", f"\ndim: {dim}\nname:", 1))
    output = common.run(options.program, path, os.path.join(folder, name), None, "--threads", 1)
    place = output.probes().vector("s.position") @ axes
    return place[-1, 0], place[-1, 2], np.max(np.abs(place[:, 1] - place[0, 1]))


def judge(checks, label, found, wanted, hop):
    checks.near(f"{label}: where it is at the end, against the slab", found[0], wanted[0], 0.5)
    checks.below(f"{label}: drifts across by, over the way", abs(found[1]) / wanted[0], 5e-3)
    checks.below(f"{label}: hops, over its size", found[2] / SIZE, hop)


def steps(options):
    return (1 / 60, 1 / 1000) if options.quickest else (1 / 60, 1 / 120, 1 / 240, 1 / 1000)


def check_tiles(options, checks, folder):
    """Seams at any place, the floor turned about the vertical, boxes at any yaw."""
    random = np.random.default_rng(2)
    for kind in SHAPES:
        for dt in steps(options):
            for case in range(1 if options.quickest else 4):
                yaw = random.uniform(0, 90) if kind == "box" else 0
                turn = common.quat_about((0, 1, 0), random.uniform(0, 360) if case else 0)
                label = f"tiles, {kind}, step 1/{1 / dt:.0f}, case {case}"
                found = travel(options, folder, "tiles", tiles(turn, *random.random(2)), turn, kind, yaw, dt)
                wanted = travel(options, folder, "slab", slab(turn), turn, kind, yaw, dt)
                judge(checks, label, found, wanted, 1e-4)


def check_logs(options, checks, folder):
    """What is longer than the tiles that it rolls across."""
    random = np.random.default_rng(7)
    tile, log = 0.25, SHAPES["cylinder"].replace("height: 0.3", "height: 0.8")
    for case in range(1 if options.quickest else 4):
        turn, shift = common.quat_about((0, 1, 0), random.uniform(0, 360) if case else 0), random.random(2)
        floor = [box_floor(f"t{i}_{k}", (tile * (i - 2 + shift[0]), -0.1, tile * (k - 4 + shift[1])), (tile, 0.2, tile), turn)
                 for i in range(22) for k in range(9)]
        rolled = [travel(options, folder, "log", ground, turn, "cylinder", 0, 1 / 96, of=log) for ground in (floor, slab(turn))]
        judge(checks, f"log across tiles, case {case}", *rolled, 1e-4)


def check_prisms(options, checks, folder):
    """Tiles with three corners, and whatever has flat faces: their fields are sampled, their faces are not."""
    random = np.random.default_rng(6)
    for kind in ("box", "ball") if options.quickest else SHAPES:
        for dt in (1 / 120,) if options.quickest else steps(options):
            yaw = random.uniform(0, 90) if kind == "box" else 0
            turn = common.quat_about((0, 1, 0), 0 if options.quickest else random.uniform(0, 360))
            found = travel(options, folder, "tiles", prism_tiles(turn, *random.random(2)), turn, kind, yaw, dt)
            wanted = travel(options, folder, "slab", slab(turn), turn, kind, yaw, dt)
            judge(checks, f"prisms, {kind}, step 1/{1 / dt:.0f}", found, wanted, 1e-4)


def check_turned(options, checks, folder):
    """The whole world, gravity too, turned at random: the floor is a wall or a ceiling."""
    random = np.random.default_rng(3)
    for case in range(2 if options.quickest else 16):
        turn = random.normal(size=4)
        turn /= np.linalg.norm(turn)
        kind = list(SHAPES)[case % 4]
        dt, yaw = (1 / 60, 1 / 120, 1 / 1000)[case % 3], random.uniform(0, 90) if kind == "box" else 0
        found = travel(options, folder, "tiles", tiles(turn), turn, kind, yaw, dt)
        wanted = travel(options, folder, "slab", slab(turn), turn, kind, yaw, dt)
        judge(checks, f"turned, {kind}, step 1/{1 / dt:.0f}, case {case}", found, wanted, 1e-4)


def check_meshes(options, checks, folder):
    upright = np.array([1.0, 0, 0, 0])
    for irregular in (0.0, 0.7):
        path = os.path.join(folder, f"flat_{irregular}.obj")
        flat_mesh(path, irregular, 4)
        floor = [f"name: floor, motion: static, friction: {MU}, shape: {{file: {{path: {path}}}}}"]
        for kind in SHAPES:
            for dt in steps(options):
                for yaw in (0,) if options.quickest or kind != "box" else (0, 17, 45):
                    label = f"mesh {'irregular' if irregular else 'regular'}, {kind}, yaw {yaw}, step 1/{1 / dt:.0f}"
                    found = travel(options, folder, "mesh", floor, upright, kind, yaw, dt)
                    wanted = travel(options, folder, "slab", slab(upright), upright, kind, yaw, dt)
                    judge(checks, label, found, wanted, 1e-3)


def check_plane(options, checks, folder):
    """In two dimensions, over flush tiles of any width, the plane turned."""
    random = np.random.default_rng(5)
    for kind in ("box", "ball"):
        for dt in steps(options):
            for case in range(1 if options.quickest else 4):
                angle, width, shift = random.uniform(0, 360) if case else 0, random.uniform(0.3, 0.8), random.random()
                turn = common.quat_about((0, 0, 1), angle)
                row = [box_floor(f"t{i}", (width * (i - 2 + shift), -0.1, 0), (width, 0.2, 1), turn) for i in range(24)]
                one = [box_floor("slab", (3, -0.1, 0), (12, 0.2, 1), turn)]
                found, wanted = (travel(options, folder, name, floor, turn, kind, 0, dt, dim=2)
                                 for name, floor in (("tiles", row), ("slab", one)))
                judge(checks, f"plane, {kind}, tiles of {width:.2f} m, step 1/{1 / dt:.0f}, case {case}", found, wanted, 1e-4)


def check_formula(options, checks, folder):
    """The scenes as they ship: v0^2 / (2 mu g)."""
    for name in ("seams", "seam_mesh"):
        output = common.run(options.program, common.scene_path(f"rigid/{name}.yaml"), os.path.join(folder, name))
        checks.near(f"{name}: where it stops", output.probes()["slider.position.x"][-1], SPEED**2 / (2 * MU * G), 0.5)


def check_curb(options, checks, folder):
    """A curb of 1% of its size stops a box of 1 m at 1 m/s; it stands on the tiles, 0.6 m ahead of the box."""
    upright = np.array([1.0, 0, 0, 0])
    for dt in (1 / 60, 1 / 120, 1 / 1000):
        curb = [box_floor("curb", (1.2, 0.005, 0), (0.2, 0.01, 3), upright)]
        box = "name: s, shape: {box: {size: [1, 1, 1]}}, position: [0, 0.5, 0], velocity: [1, 0, 0], friction: 0"
        floor = [line.replace(f"friction: {MU}", "friction: 0") for line in tiles(upright) + curb]
        text = scene_text([*floor, box], 2.0, dt, probes=("s",))
        path = common.write_scene(folder, "curb.yaml", text)
        place = common.run(options.program, path, os.path.join(folder, "curb")).probes()["s.position.x"]
        checks.below(f"curb, step 1/{1 / dt:.0f}: the front gets past it by, m", np.max(place) + 0.5 - 1.1, 0.05)


def check_on_a_seam(options, checks, folder):
    """What is put on the seam between two boxes stays there: its point touches both, or one by a hair."""
    lying = "orientation: {axis: [1, 0, 0], angle: 90}"
    things = {"ball": ("ball: {radius: 0.1}", 0.1, ""), "cylinder": ("cylinder: {radius: 0.1, height: 0.3}", 0.1, lying),
              "capsule": ("capsule: {radius: 0.1, height: 0.3}", 0.1, lying),
              "box on its edge": ("box: {size: [0.2, 0.2, 0.2]}", 0.1 * 2**0.5, "orientation: {axis: [0, 0, 1], angle: 45}"),
              "box on its corner": ("box: {size: [0.2, 0.2, 0.2]}", 0.3, "orientation: {axis: [1, 0, 1], angle: 54.7356}")}
    slabs = [f"name: {name}, motion: static, shape: {{box: {{}}}}, position: [{x}, -0.5, 0]"
             for name, x in (("left", -0.5), ("right", 0.5))]
    for name, (shape, height, turn) in things.items():
        for off in (0.0, -2e-5) if options.quickest else (0.0, 1e-6, 1e-5, -2e-5, 4e-5, 1e-3):
            body = f"name: s, shape: {{{shape}}}, position: [{off!r}, {height!r}, 0.03], {turn}".rstrip(", ")
            text = scene_text([*slabs, body], 1.0, 0.0, probes=("s",))
            path = common.write_scene(folder, "on_seam.yaml", text)
            low = np.min(common.run(options.program, path, os.path.join(folder, "on_seam")).probes()["s.position.y"])
            checks.above(f"{name} {off:g} m from a seam: lowest place of its middle, m", low, 0.0999)


def check_let_in(options, checks, folder):
    """A plate let into a floor, flush or by a hair not, carries as the floor does."""
    for shape in ("ball: {radius: 0.1}", "box: {size: [0.2, 0.2, 0.2]}"):
        for proud in (0.0, 1e-5, -1e-5):
            lines = ["name: floor, motion: static, shape: {half_space: {}}",
                     f"name: plate, motion: static, shape: {{box: {{size: [2, 0.1, 1]}}}}, position: [0, {-0.05 + proud!r}, 0]",
                     f"name: s, shape: {{{shape}}}, position: [0, 0.1, 0]"]
            path = common.write_scene(folder, "let_in.yaml", scene_text(lines, 1.0, 0.0, probes=("s",)))
            output = common.run(options.program, path, os.path.join(folder, "let_in"))
            label = f"{shape[:4].rstrip(':')} on a plate {proud:g} m above its floor"
            checks.within(f"{label}: height, m", output.probes()["s.position.y"][-1], 0.1, 2e-4)
            checks.true(f"{label}: asleep", output.stats()["asleep"][-1] == 1)


if __name__ == "__main__":
    common.verify(__doc__, (check_tiles, check_prisms, check_logs, check_plane, check_turned, check_meshes, check_formula, check_curb,
                            check_on_a_seam, check_let_in))

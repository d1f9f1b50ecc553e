#!/usr/bin/python3
"""Contacts in frames: points, normals and forces against weights, Coulomb's cone and probes."""
import os

import common
import vtk_xml
from common import h5py, np

G = 9.81

# Three boxes and a ball on a slope that friction holds; no sleep, so that they are told in every frame.
SLOPE = """\
plimsoll: 1
name: slope
params: {angle: 17}
duration: 1.5
fps: 10
gravity: ["=9.81*sin(rad(angle))", "=-9.81*cos(rad(angle))", 0]
output: {contacts: true}
rigid:
  contact: {sleep: false}
  bodies:
    - {name: floor, shape: {half_space: {}}, motion: static, friction: 0.6}
    - {name: low, shape: {box: {size: [1, 0.4, 0.8]}}, position: [0, 0.2, 0], friction: 0.6, density: 700}
    - {name: high, shape: {box: {size: [0.5, 0.3, 0.6]}}, position: [0.1, 0.55, 0.05], friction: 0.6, density: 1300}
    - {name: alone, shape: {box: {size: [0.4, 0.2, 0.3]}}, position: [3, 0.1, 1], friction: 0.6}
probes:
  - {name: low, quantities: [contact_force]}
  - {name: high, quantities: [contact_force]}
  - {name: alone, quantities: [contact_force]}
"""
# A box on the wall of a tank: its other object is none.
TANK = """\
plimsoll: 1
name: tank
dim: 2
duration: 1
fps: 10
output: {contacts: true}
fluid: {domain: {high: [1, 1, 1]}, cells: 24, density: 1000}
rigid:
  bodies:
    - {name: box, shape: {box: {size: [0.3, 0.3, 1]}}, position: [0.5, 0.15, 0], density: 3000}
"""


class Contacts:
    def __init__(self, output, number):
        with h5py.File(os.path.join(output.folder, f"frame_{number:05d}.h5"), "r") as file:
            self.points, self.normals, self.forces, self.objects = (
                file[f"rigid/contact_{name}"][()] for name in ("points", "normals", "forces", "objects"))
            self.poses = file["rigid/poses"][()]
            self.names = [bytes(row).split(b"\0")[0].decode() for row in file["rigid/names"][()]]

    def on(self, body):
        """The sum of forces on a body, and of their torques about its middle."""
        i = self.names.index(body)
        sign = (self.objects[:, 0] == i) * 1.0 - (self.objects[:, 1] == i)
        forces = sign[:, None] * self.forces
        return forces.sum(axis=0), np.cross(self.points - self.poses[i, :3], forces).sum(axis=0)


def check_slope(options, checks, folder):
    for angle in (17,) if options.quickest else (0, 5, 17, 29):
        scene = common.write_scene(folder, "slope.yaml", SLOPE)
        common.run(options.program, scene, os.path.join(folder, "slope"), {"params/angle": angle}, "--threads", "1")
        output = common.Output(os.path.join(folder, "slope"))
        probes, last = output.probes(), output.numbered("frame")[-1]
        contacts, a = Contacts(output, last), np.radians(angle)
        gravity = G * np.array([np.sin(a), -np.cos(a), 0])
        masses = {"low": 700 * 0.32, "high": 1300 * 0.09, "alone": 1000 * 0.024}
        label = f"slope of {angle} degrees"
        for name, mass in masses.items():
            force, torque = contacts.on(name)
            checks.below(f"{label}, {name}: forces of its points against its weight", np.linalg.norm(force + mass * gravity)
                         / (mass * G), 1e-6)
            checks.below(f"{label}, {name}: their torque about its middle, over weight times a metre", np.linalg.norm(torque)
                         / (mass * G), 1e-6)
            told = np.array([probes[f"{name}.contact_force.{c}"][-1] for c in "xyz"])
            checks.below(f"{label}, {name}: against its probe", np.linalg.norm(force - told) / (mass * G), 1e-6)
        normal = np.einsum("ij,ij->i", contacts.forces, contacts.normals)
        across = np.linalg.norm(contacts.forces - normal[:, None] * contacts.normals, axis=1)
        checks.below(f"{label}: normals' lengths away from 1", np.abs(np.linalg.norm(contacts.normals, axis=1) - 1).max(), 1e-12)
        checks.above(f"{label}: no point pulls, least force along the normal, N", normal.min(), -1e-9)
        checks.below(f"{label}: friction over its bound, N", (across - 0.6 * normal).max(), 1e-6)
        heights = contacts.points[contacts.objects[:, 0] == contacts.names.index("floor")][:, 1]
        heights = np.append(heights, contacts.points[contacts.objects[:, 1] == contacts.names.index("floor")][:, 1])
        checks.below(f"{label}: points of the floor lie on it, m", np.abs(heights).max(), 1e-6)


def check_export(options, checks, folder):
    """VTK's file of contacts, turned to z up and scaled, against the frame."""
    scene = common.write_scene(folder, "export.yaml", SLOPE)
    out = os.path.join(folder, "export")
    common.run(options.program, scene, out, {}, "--frames", "3", "--threads", "1")
    contacts = Contacts(common.Output(out), 3)
    result = common.call(options.program, "export", out, "--to", "vtk", "--out", os.path.join(folder, "vtk"), "--scale", "10",
                         "--up", "z")
    checks.true("contacts are exported to VTK", result.code == 0, result.last_words() if result.code else "")
    grid = vtk_xml.Grid(os.path.join(folder, "vtk", "rigid_contacts_00003.vtu"))
    turned = lambda a: np.stack([a[:, 0], -a[:, 2], a[:, 1]], axis=1)
    places, forces = grid.points, grid.values["force"]
    checks.below("VTK: places, of ten times the frame's, m", np.abs(places - 10 * turned(contacts.points)).max(), 1e-5)
    checks.below("VTK: forces, N", np.abs(forces - turned(contacts.forces)).max(), 0)
    checks.true("VTK: objects", np.array_equal(grid.values["objects"], contacts.objects))


def check_tank(options, checks, folder):
    scene = common.write_scene(folder, "tank.yaml", TANK)
    common.run(options.program, scene, os.path.join(folder, "tank"), {}, "--threads", "1")
    output = common.Output(os.path.join(folder, "tank"))
    contacts = Contacts(output, output.numbered("frame")[-1])
    checks.true("tank: a box touches the wall alone", len(contacts.objects) > 0 and np.all(contacts.objects.min(axis=1) == -1),
                f"{contacts.objects.tolist()}")
    force, weight = contacts.on("box")[0], 0.09 * (3000 - 1000) * G
    checks.near("tank: the wall carries what buoyancy leaves of its weight, N", force[1], weight, 1)


def check_off(options, checks, folder):
    scene = common.write_scene(folder, "off.yaml", SLOPE.replace("output: {contacts: true}\n", ""))
    common.run(options.program, scene, os.path.join(folder, "off"), {}, "--frames", "2", "--threads", "1")
    with h5py.File(os.path.join(folder, "off", "frame_00002.h5"), "r") as file:
        checks.true("without the key frames have no contacts", not [name for name in file["rigid"] if "contact" in name])


def check_same(options, checks, folder):
    scene = common.write_scene(folder, "same.yaml", SLOPE)
    runs = []
    for threads in (1, 2, 4):
        out = os.path.join(folder, f"same{threads}")
        common.run(options.program, scene, out, {"duration": 1}, "--threads", str(threads), "--state-every", "4", "--keep-states")
        runs.append(Contacts(common.Output(out), 10))
    for threads, run in zip((2, 4), runs[1:]):
        checks.true(f"{threads} threads: the same forces", np.array_equal(runs[0].forces, run.forces))
    result = common.call(options.program, "resume", os.path.join(folder, "same1"), "--from-frame", "4", "--frames", "10", "--quiet")
    again = Contacts(common.Output(os.path.join(folder, "same1")), 10)
    checks.true("after a restart: the same forces", result.code == 0 and np.array_equal(runs[0].forces, again.forces))


if __name__ == "__main__":
    common.verify(__doc__, (check_slope, check_export, check_tank, check_off, check_same))

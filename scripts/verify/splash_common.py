"""What the verification programs of splashing liquids share: scenes, states, and their own numerics: hat kernels
(001 eqs. 3.10 to 3.13) and the complementarity problem of 001 section 3.1, written again from the document."""
import json
import math

import common
import fsi
from common import h5py, np

G = 9.81 # m/s^2
DENSITY = 1000.0 # kg/m^3
SETTLING = 0.1 # as scenes have it by themselves
LONGEST = 4 # cells that a particle may move in a step, with cfl: 1
THIN = 1e-3 # of the density: faces with less carry nothing


# ---- scenes ----


def box(low, high, angle=0, axis=(0, 0, 1)):
    """A shape with its place, by corners (before it is turned about its middle); in two dimensions z is left out."""
    low, high = (list(map(float, corner)) + ([] if len(corner) == 3 else [end])
                 for corner, end in ((low, -1.0), (high, 1.0)))
    placed = {"shape": {"box": {"size": [b - a for a, b in zip(low, high)]}},
              "position": [(a + b) / 2 for a, b in zip(low, high)]}
    if angle:
        placed["orientation"] = {"axis": list(axis), "angle": angle}
    return placed


def obstacle(low, high, angle=0, axis=(0, 0, 1)):
    return {"place": box(low, high, angle, axis)}


def scene(dim, low, high, cells, liquids, frames, dt, gravity=None, world=None, **splash):
    """A scene whose frames are steps of `dt`. `liquids`: a list of what box() makes, with more keys or without."""
    pad = [] if dim == 3 else [0.0]
    liquids = [{"name": f"liquid{i}", **liquid} for i, liquid in enumerate(liquids)]
    return {"plimsoll": 1, "name": "made", "dim": dim, "duration": frames * dt, "fps": 1 / dt,
            "gravity": [0, -G, 0] if gravity is None else list(gravity), "time_step": {"max_dt": 1.0001 * dt},
            "splash": {"domain": {"low": list(low) + pad, "high": list(high) + (pad and [1.0])}, "cells": cells,
                       "density": DENSITY, "particles": 2, "liquids": liquids, **splash}, **(world or {})}


def play(options, folder, label, made, *words):
    """Runs a scene made above; JSON is YAML."""
    path = common.write_scene(folder, "made.yaml", json.dumps(made, indent=1))
    return fsi.run(options, folder, label, path, None, *words)


# ---- grids and kernels ----


class Grid:
    """The domain and one cell more on every side of every axis in use. Arrays are x, y, z. What a hat has beyond a
    wall of the domain goes to the cell or face before it, as if the wall were a mirror; nothing flows through walls."""

    def __init__(self, low, spacing, cells, dim, open_sides=()):
        self.low, self.h, self.dim = np.array(low, dtype=float), float(spacing), dim
        used = np.arange(3) < dim
        self.cells = np.where(used, cells, 1)
        self.high = self.low + self.h * self.cells
        self.shape = tuple(self.cells + 2 * used)
        self.origin = self.low - self.h * used
        self.open_sides = open_sides # of (axis, end)

    @classmethod
    def of(cls, output, open_sides=()):
        """As the frames tell."""
        with h5py.File(output.frame(0), "r") as file:
            a = file["splash"].attrs
            return cls([float(a[f"origin_{c}"]) for c in "xyz"], float(a["spacing"]),
                       [int(a[f"n{c}"]) for c in "xyz"], int(a["dim"]), open_sides)

    def places(self, face, along):
        """Coordinates along an axis of the middles of cells (face None) or of faces across `face`."""
        count = self.shape[along] + (along == face)
        return self.origin[along] + self.h * (np.arange(count) + (0 if along == face else 0.5))

    def size(self, face):
        return tuple(n + (a == face) for a, n in enumerate(self.shape))

    def wall(self, axis, end):
        return (axis, end) not in self.open_sides

    def inner(self, axis):
        """First and last of the cells along an axis that hold liquid."""
        return int(self.wall(axis, 0)), self.shape[axis] - 1 - int(self.wall(axis, 1))

    def stencil(self, x, face):
        """Flat indices and hat weights of the cells or faces about points, corner by corner."""
        shape = self.size(face)
        low, part = [], []
        for axis in range(self.dim):
            at = (x[axis] - self.origin[axis]) / self.h - (0 if axis == face else 0.5)
            if axis != face:
                at = np.clip(at, *self.inner(axis))
            low.append(np.clip(np.floor(at).astype(np.int64), 0, shape[axis] - 2))
            part.append(at - low[-1])
        strides = (1, shape[0], shape[0] * shape[1])
        for corner in range(1 << self.dim):
            index, weight = 0, 1.0
            for axis in range(self.dim):
                up = corner >> axis & 1
                index = index + (low[axis] + up) * strides[axis]
                weight = weight * (part[axis] if up else 1 - part[axis])
            yield index, weight

    def spread(self, x, values=None, face=None):
        """Sum over particles of hat weights, times values."""
        shape = self.size(face)
        total = np.zeros(int(np.prod(shape)))
        for index, weight in self.stencil(x, face):
            total += np.bincount(index, weight if values is None else weight * values, len(total))
        return total.reshape(shape, order="F")

    def gather(self, field, x, face=None):
        flat = field.ravel(order="F")
        return sum(weight * flat[index] for index, weight in self.stencil(x, face))

    def inside(self, low, high, face=None):
        """Integral of the hat over a box, of all it could be (001 eq. 3.13), exact."""
        total = np.ones(self.size(face))
        for axis in range(self.dim):
            x = self.places(face, axis)
            part = hat_sum((high[axis] - x) / self.h) - hat_sum((low[axis] - x) / self.h)
            total = total * part.reshape([-1 if a == axis else 1 for a in range(3)])
        return total

    def free(self, boxes=(), face=None):
        """Part of the hat that is in the domain and in none of the boxes, which do not overlap."""
        low, high = self.low.copy(), self.high.copy()
        for axis, end in self.open_sides:
            (high if end else low)[axis] = np.inf if end else -np.inf
        total = self.inside(low, high, face)
        for first, last in boxes:
            first, last = np.maximum(first[:self.dim], low[:self.dim]), np.minimum(last[:self.dim], high[:self.dim])
            if np.all(first < last):
                total = total - self.inside(first, last, face)
        for axis in range(self.dim):
            rows = np.moveaxis(total, axis, 0)
            for end in (0, 1):
                if not self.wall(axis, end):
                    continue
                if axis == face:
                    rows[-2 if end else 1] = 0
                else:
                    rows[-2 if end else 1] += rows[-1 if end else 0]
                rows[-1 if end else 0] = 0
        return np.maximum(total, 0)

    def difference(self, cells):
        """Upper less lower cell over the spacing, on faces; outside the grid there is 0."""
        return [np.diff(np.pad(cells, [(1, 1) if a == axis else (0, 0) for a in range(3)]), axis=axis) / self.h
                for axis in range(self.dim)]

    def outflow(self, faces):
        return sum(np.diff(faces[axis], axis=axis) for axis in range(self.dim)) / self.h


def hat_sum(s):
    """Integral of the hat 1 - |s| from -1 to s."""
    s = np.clip(s, -1, 1)
    return np.where(s < 0, (1 + s)**2 / 2, 1 - (1 - s)**2 / 2)


# ---- states ----


class State:
    def __init__(self, output, number, grid):
        with h5py.File(output.state(number), "r") as file:
            splash = file["splash"]
            read = lambda name: splash[name][()].ravel()
            self.time = float(file.attrs["time"])
            self.x = np.stack([read(f"position_{c}") for c in "xyz"])
            self.v = np.stack([read(f"velocity_{c}") for c in "xyz"])
            self.gain = np.stack([read(f"gain_{c}") for c in "xyz"]).astype(float)
            self.last_dt = float(read("last_dt")[0])
            self.tally = [int(n) for n in read("tally")]
            self.pressure = read("pressure").reshape(grid.shape, order="F")
        self.count = self.x.shape[1]

    def shown(self):
        """Velocities at the time of the positions, by what the last step added."""
        return self.v + self.gain / 2

    def energy(self, mass, gravity=(0, -G, 0)):
        return mass * (0.5 * np.sum(self.shown()**2) - np.sum(np.array(gravity) @ self.x))


def particle_mass(grid, per_axis=2, density=DENSITY):
    """kg; in two dimensions of a layer 1 m deep."""
    return density * (grid.h / per_axis)**grid.dim


def states(output, grid):
    return [State(output, number, grid) for number in output.numbered("state")]


def density(grid, x, per_axis=2):
    return grid.spread(x) * particle_mass(grid, per_axis) / grid.h**grid.dim


def crowding(grid, x, boxes=(), per_axis=2):
    """Greatest density over what there is room for, both of the full density. Where there is room for less than
    5% of it, an excess counts as if there were room for 5%: a single particle's tail fills such a cell."""
    room = grid.free(boxes)
    return np.max(1 + (density(grid, x, per_axis) / DENSITY - room) / np.maximum(room, 0.05))


def in_box(x, low, high, dim, margin=0.0):
    inside = np.ones(x.shape[1], dtype=bool)
    for axis in range(dim):
        inside &= (x[axis] > low[axis] + margin) & (x[axis] < high[axis] - margin)
    return inside


def order_of(x, quantum):
    """An order that is the same for two sets of points that differ by rounding."""
    return np.lexsort(np.round(x / quantum).astype(np.int64))


# ---- the complementarity problem ----


class Problem:
    """Of the step from a state (001 eqs. 3.3 to 3.8): P is pressure times the kick, u* = u_f + g kick;
    A P = -dt div(v_f grad P), b = room + dt div(rho_f u*), u = u* - v_f grad P / rho_f. By eq. 3.7 the room is
    rho_max - rho_c. The program's is that where `settling` is 1 and the density is not corrected after the step; else
    see fill(). Cells that this overfills are judged again: see relieve().
    `matrix`: rho_f is 1 in the flux and divides v_f in A, the room is 1 - rho_c / rho_max, both times the density;
    `right`: flux and room are multiplied by v_f and rho_max, and u = u* - grad P / rho_f."""

    def __init__(self, grid, before, dt, air, boxes=(), gravity=(0, -G, 0), per_axis=2, settling=SETTLING,
                 corrected=True, matrix=False, right=False):
        self.grid, self.dt = grid, dt
        self.kick = (before.last_dt + dt) / 2
        self.unit = particle_mass(grid, per_axis) / grid.h**grid.dim
        self.rho = self.unit * grid.spread(before.x)
        self.most = DENSITY * grid.free(boxes)
        self.old, self.star, self.share, self.coefficient, self.push, flux = [], [], [], [], [], []
        for axis in range(grid.dim):
            weight = grid.spread(before.x, face=axis)
            sums = grid.spread(before.x, before.v[axis], axis)
            old = np.divide(sums, weight, out=np.zeros_like(sums), where=weight > 0)
            free = grid.free(boxes, axis)
            star = self.leaving(axis, np.where(weight > 0, old + gravity[axis] * self.kick, 0))
            carries = (self.unit * weight >= THIN * DENSITY) & (free > 0)
            rho = np.where(carries, self.unit * weight, 1)
            self.coefficient.append(np.where(carries, free * DENSITY / rho if matrix else free, 0))
            self.push.append(np.where(carries, (1 if right else free) / rho, 0))
            self.share.append(np.where(carries, (DENSITY if matrix else rho) * (free if right else 1), 0))
            flux.append(self.share[-1] * star)
            self.old.append(old)
            self.star.append(star)
        self.active = (self.rho >= air * DENSITY) & (self.most > 0)
        times = 2 * dt * math.sqrt(math.hypot(*gravity) / grid.h) # falls that pass an eighth of a cell
        settling = 1 - (1 - settling)**times if settling < 1 else 1
        self.b = self.fill(settling, corrected, matrix, right) + dt * grid.outflow(flux)
        self.relieve(before, matrix, right)

    def leaving(self, axis, u, p=None):
        """Velocities with those at walls: away from the wall, where nothing is pressed against it, or none."""
        rows = np.moveaxis(u.copy(), axis, 0)
        for end in (0, 1):
            if self.grid.wall(axis, end):
                row = rows[-2 if end else 1]
                held = row > 0 if end else row < 0
                if p is not None:
                    held = held | (np.moveaxis(p, axis, 0)[-2 if end else 1] > 0)
                row[held] = 0
        return np.moveaxis(rows, 0, axis)

    def ahead(self, before, velocity):
        """Density of cells once particles have moved by these velocities."""
        grid, place = self.grid, before.x.copy()
        for axis in range(grid.dim):
            way = np.clip(self.dt * grid.gather(velocity[axis], before.x, axis), -LONGEST * grid.h, LONGEST * grid.h)
            place[axis] = np.clip(place[axis] + way, grid.low[axis], grid.high[axis])
        return self.unit * grid.spread(place)

    def relieve(self, before, matrix, right):
        """Cells that fluxes overfill, judged by where particles go if the last pressure stays: those with room for
        all that will be there, and for what the cells around push into them, do not push (b is 0); others push
        less by what fluxes see too much, where faces move by more than a tenth of a cell, in full from a fifth on."""
        grid, last = self.grid, np.where(self.active, before.pressure * self.kick, 0)
        velocity = self.updated(last)
        found = self.ahead(before, velocity)
        around = self.diagonal() * last - self.apply(last)
        room = self.in_form(self.most + 1e-9 * DENSITY - found, matrix, right)
        flies = (self.most + 1e-9 * DENSITY >= found) & (room >= around)
        flux = [share * u for share, u in zip(self.share, velocity)]
        seen = self.in_form(self.rho - found, matrix, right) - self.dt * grid.outflow(flux)
        fastest = np.max([np.maximum(np.abs(np.take(u, range(n), a)), np.abs(np.take(u, range(1, n + 1), a)))
                          for a, (u, n) in enumerate(zip(velocity, grid.shape))], axis=0)
        motion = np.clip(fastest * self.dt / (0.1 * grid.h) - 1, 0, 1)
        less = np.where(flies, 0, np.minimum(self.b + np.maximum(seen, 0) * motion, 0))
        self.b = np.where(self.b < 0, less, self.b)

    def in_form(self, room, matrix, right):
        """Room in the unit of the form of the problem."""
        whole = np.where(self.most > 0, self.most, 1) / DENSITY
        return room / (whole if matrix else 1) * (whole if right else 1)

    def diagonal(self):
        return self.dt / self.grid.h**2 * sum(np.take(v, range(n), a) + np.take(v, range(1, n + 1), a)
                                              for a, (v, n) in enumerate(zip(self.coefficient, self.grid.shape)))

    def fill(self, settling, corrected, matrix, right):
        """Room that may fill in this step: of cells that lack less than 0.15 of it the part `settling`, of those
        that lack more than 0.2 all."""
        room = self.most - self.rho
        if corrected:
            room = np.maximum(room, 0)
        lack = np.divide(room, self.most, out=np.zeros_like(room), where=self.most > 0)
        room = room * (settling + (1 - settling) * np.clip((lack - 0.15) / 0.05, 0, 1))
        return self.in_form(room, matrix, right)

    def apply(self, p):
        return -self.dt * self.grid.outflow([v * d for v, d in zip(self.coefficient, self.grid.difference(p))])

    def errors(self, p):
        """Least P over the greatest, least slack and greatest slack where P > 0 in parts of a cell's mass, and
        the products P slack over the greatest P and a cell's mass."""
        inside = np.where(self.active, p, 0)
        slack = (self.apply(inside) + self.b)[self.active] / DENSITY
        values, most = inside[self.active], max(np.max(np.abs(p)), 1e-300)
        pressed = values > 1e-12 * most
        return {"stray": np.max(np.abs(np.where(self.active, 0, p))) / most, "least": np.min(values) / most,
                "slack": np.min(slack), "pressed": np.max(np.abs(slack[pressed])) if np.any(pressed) else 0.0,
                "product": np.max(np.abs(values * slack)) / most, "cells": int(np.sum(pressed)),
                "active": int(np.sum(self.active))}

    def solve(self, free, rounds=20000, tolerance=1e-13):
        """A P = -b on the cells `free`, P = 0 elsewhere, by conjugate gradients."""
        diagonal = self.diagonal()
        diagonal = np.where(diagonal > 0, diagonal, 1)
        p, r = np.zeros(self.grid.shape), np.where(free, -self.b, 0)
        z = r / diagonal
        d, old, start = z.copy(), np.sum(r * z), np.sqrt(np.sum(r * r))
        for _ in range(rounds):
            if np.sqrt(np.sum(r * r)) <= tolerance * start:
                break
            q = np.where(free, self.apply(d), 0)
            alpha = old / np.sum(d * q)
            p, r = p + alpha * d, r - alpha * q
            z = r / diagonal
            new = np.sum(r * z)
            d, old = z + new / old * d, new
        return p

    def updated(self, p):
        """Face velocities after pressure (eq. 3.8)."""
        found = [star - push * d for star, push, d in zip(self.star, self.push, self.grid.difference(p))]
        return [self.leaving(axis, u, p) for axis, u in enumerate(found)]


def obeys(errors, limit=1e-8):
    return (errors["stray"] == 0 and errors["least"] >= 0 and errors["slack"] >= -limit
            and errors["pressed"] <= limit and errors["product"] <= limit)


def tell(errors):
    return (f"{errors['cells']} of {errors['active']} cells pressed; least P {errors['least']:.1e}, least slack "
            f"{errors['slack']:.1e}, where pressed {errors['pressed']:.1e}, P slack {errors['product']:.1e}")

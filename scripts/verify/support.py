"""Whether what touches a body carries it: boxes and balls of a frame, their contacts, and static equilibrium.

A pile at rest is carried when there are contact forces, within Coulomb's cones and the bounds of rolling friction, at points
that touch, that balance the weights of all bodies: one system of equations with unknowns that are not negative. Only
geometry and statics are in it, no forces of the program.
"""
import itertools

import common
from common import np


def signs(dim):
    return np.array(list(itertools.product((-1.0, 1.0), repeat=dim)))


class Box:
    """Rows of `axes` are its directions, `half` its half sizes."""

    def __init__(self, middle, axes, half):
        self.middle, self.axes, self.half = middle, axes, half
        self.corners = middle + (signs(len(middle)) * half) @ axes
        self.volume = np.prod(2 * half)
        self.reach = np.linalg.norm(half)

    def edges(self):
        """Middles, directions with half lengths, and the two faces' normals that meet there; in space."""
        for k in range(3):
            a, b = [axis for axis in range(3) if axis != k]
            for sa, sb in itertools.product((-1.0, 1.0), repeat=2):
                normals = np.array([sa * self.axes[a], sb * self.axes[b]])
                yield self.middle + self.half[[a, b]] @ normals, self.half[k] * self.axes[k], normals


class Ball:
    def __init__(self, middle, radius):
        self.middle, self.radius, self.reach = middle, radius, radius
        self.volume = np.pi * radius**2 if len(middle) == 2 else 4 / 3 * np.pi * radius**3


def box_of(points, dim):
    middle = points.mean(axis=0)
    corners = points - middle
    first = corners[np.argmax(np.linalg.norm(corners, axis=1))]
    # edges from one corner: the nearest other corners that are orthogonal
    others = np.unique(np.round(corners - first, 9), axis=0)
    others = others[np.linalg.norm(others, axis=1) > 1e-9]
    others = others[np.argsort(np.linalg.norm(others, axis=1))]
    axes = []
    for edge in others:
        unit = edge / np.linalg.norm(edge)
        if all(abs(unit @ a) < 1e-3 for a in axes) and len(axes) < dim:
            axes.append(unit)
    axes = np.array(axes)
    return Box(middle, axes, np.abs(corners @ axes.T).max(axis=0))


def shapes_of(output, number, boxes, dim):
    """Of a frame whose first `boxes` bodies are boxes and whose others are balls, by their vertices."""
    bodies = common.Bodies(output)
    vertices = bodies.read(number)[:, :dim]
    shapes = []
    for i, part in enumerate(bodies.parts):
        points = vertices[part]
        if i < boxes:
            shapes.append(box_of(points, dim))
        else:
            middle = points.mean(axis=0)
            shapes.append(Ball(middle, np.linalg.norm(points - middle, axis=1).max()))
    return shapes


# ---- contacts: gap, point, normal from the second to the first ----


def ball_ball(a, b, near):
    apart = a.middle - b.middle
    length = np.linalg.norm(apart)
    gap = length - a.radius - b.radius
    return [(gap, b.middle + apart * (b.radius + 0.5 * gap) / length, apart / length)] if gap < near else []


def ball_box(a, b, near):
    local = (a.middle - b.middle) @ b.axes.T
    nearest = b.middle + np.clip(local, -b.half, b.half) @ b.axes
    apart = a.middle - nearest
    length = np.linalg.norm(apart)
    return [(length - a.radius, nearest, apart / length)] if 0 < length < a.radius + near else []


def corners_on_box(a, b, near):
    """A corner of `a` over an edge of `b` may be carried along the normals of both of its faces."""
    found = []
    for corner in a.corners:
        local = (corner - b.middle) @ b.axes.T
        beyond = np.abs(local) - b.half
        gap = np.linalg.norm(np.maximum(beyond, 0)) + min(beyond.max(), 0)
        if gap < near:
            found += [(gap, corner, np.sign(local[k]) * b.axes[k])
                      for k in np.flatnonzero(beyond > beyond.max() - near)]
    return found


def edges_on_edges(a, b, near):
    found = []
    for (p, u, faces), (q, v, others) in itertools.product(a.edges(), b.edges()):
        normal = np.cross(u, v)
        length = np.linalg.norm(normal)
        if length < 1e-3 * np.linalg.norm(u) * np.linalg.norm(v):
            continue # parallel: corners have it
        normal *= np.sign(normal @ others.sum(axis=0)) / length
        if not normal.any() or (others @ normal).min() < -1e-3 or (faces @ normal).max() > 1e-3:
            continue
        s, t, _ = np.linalg.solve(np.stack([u, -v, normal], axis=1), q - p)
        gap = (p + s * u - q - t * v) @ normal
        if abs(s) <= 1 and abs(t) <= 1 and abs(gap) < near:
            found.append((gap, q + t * v, normal))
    return found


def contacts_between(a, b, near):
    if np.linalg.norm(a.middle - b.middle) > a.reach + b.reach + near:
        return []
    if isinstance(a, Ball):
        return (ball_ball if isinstance(b, Ball) else ball_box)(a, b, near)
    if isinstance(b, Ball):
        return [(gap, point, -normal) for gap, point, normal in ball_box(b, a, near)]
    turned = [(gap, point, -normal) for gap, point, normal in corners_on_box(b, a, near)]
    return corners_on_box(a, b, near) + turned + (edges_on_edges(a, b, near) if len(a.middle) == 3 else [])


def contacts_with_walls(a, low, high, near):
    found = []
    for axis, (side, place) in itertools.product(range(len(a.middle)), ((1, low), (-1, high))):
        normal = np.zeros(len(a.middle))
        normal[axis] = side
        points = a.corners if isinstance(a, Box) else [a.middle - a.radius * normal]
        found += [(gap, point, normal) for point in points if (gap := side * (point[axis] - place[axis])) < near]
    return found


def contacts_of(shapes, low, high, near):
    """(first, second or None for a wall, gap, point, normal to the first)."""
    found = []
    for i, a in enumerate(shapes):
        found += [(i, None, *contact) for contact in contacts_with_walls(a, low, high, near)]
        for j in range(i):
            found += [(i, j, *contact) for contact in contacts_between(a, shapes[j], near)]
    return found


# ---- statics ----


def least_squares_not_negative(matrix, target):
    """x >= 0 with the least |matrix x - target| (Lawson and Hanson 1974)."""
    count = matrix.shape[1]
    x, free = np.zeros(count), np.zeros(count, dtype=bool)
    for _ in range(5 * count):
        pull = matrix.T @ (target - matrix @ x)
        pull[free] = -np.inf
        if count == 0 or pull.max() < 1e-10:
            break
        free[np.argmax(pull)] = True
        while True:
            trial = np.zeros(count)
            trial[free] = np.linalg.lstsq(matrix[:, free], target, rcond=None)[0]
            if trial[free].min() > 0:
                break
            out = free & (trial <= 0)
            part = (x[out] / np.maximum(x[out] - trial[out], 1e-300)).min()
            x = np.maximum(x + part * (trial - x), 0)
            free &= x > 1e-14 * max(x.max(), 1e-300)
            if not free.any():
                trial[:] = 0
                break
        x = trial
    return x


def turn_of(arm, force):
    return np.cross(arm, force).reshape(-1)


def directions(normal):
    """Across the normal; in space eight, whose pyramid is drawn around the cone."""
    if len(normal) == 2:
        return np.array([[-normal[1], normal[0]], [normal[1], -normal[0]]])
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    angle = np.arange(8) * np.pi / 4
    return (np.outer(np.cos(angle), first) + np.outer(np.sin(angle), np.cross(normal, first))) / np.cos(np.pi / 8)


def bounds_of_contact(normal, friction, rolling):
    """Forces and turns whose sums with factors that are not negative are all that the contact may exert."""
    across = directions(normal)
    forces = normal + friction * across
    turns = [np.zeros(1 if len(normal) == 2 else 3)]
    if rolling > 0:
        turns = rolling * np.array([[-1.0], [1.0]]) if len(normal) == 2 else rolling * across
    return [(force, turn) for force in forces for turn in turns]


def unbalanced(shapes, contacts, weights, friction, rolling, resting):
    """Of each body at rest: the part of its weight that no contact forces can carry, turning over its reach among it.
    `rolling` is of each body, m; of two that touch the greater one counts."""
    dim = len(weights[0])
    turns = 1 if dim == 2 else 3
    size, columns = dim + turns, []
    for i, j, _, point, normal in contacts:
        arm = max(rolling[i], rolling[j] if j is not None else 0)
        for force, turn in bounds_of_contact(normal, friction, arm):
            column = np.zeros((len(shapes), size))
            for body, sign in ((i, 1), (j, -1)):
                if body is None:
                    continue
                own = np.linalg.norm(weights[body])
                column[body, :dim] = sign * force / own
                column[body, dim:] = sign * (turn_of(point - shapes[body].middle, force) + turn) / (own * shapes[body].reach)
            columns.append(column[resting].ravel())
    target = np.zeros((len(shapes), size))
    target[:, :dim] = [-w / np.linalg.norm(w) for w in weights]
    target = target[resting]
    if not columns or not len(target):
        return np.linalg.norm(target, axis=1)
    matrix = np.array(columns).T
    scale = np.linalg.norm(matrix, axis=0) # those of bodies that move are zero
    matrix = matrix[:, scale > 0] / scale[scale > 0]
    left = matrix @ least_squares_not_negative(matrix, target.ravel()) - target.ravel()
    return np.linalg.norm(left.reshape(-1, size), axis=1)


def check_judge(checks):
    """The judge itself: what stands, hangs, leans and rolls."""
    def box(x, y, axes=((1, 0), (0, 1))):
        return Box(np.array([x, y]), np.array(axes, dtype=float), np.array([0.1, 0.1]))

    def cube(x, y, z, axes=((1, 0, 0), (0, 1, 0), (0, 0, 1)), half=0.1):
        axes = np.array(axes, dtype=float)
        return Box(np.array([x, y, z]), axes / np.linalg.norm(axes, axis=1)[:, None], np.array([0.1, half, half]))

    def worst(shapes, rolling, held=0):
        dim, count = len(shapes[0].middle), len(shapes)
        found = contacts_of(shapes, np.zeros(dim), np.ones(dim), 0.001)
        return unbalanced(shapes, found, [-np.eye(dim)[1]] * count, 0.5, [rolling] * count, range(held, count)).max()
    turned = ((1, 0, 0), (0, 1, 1), (0, -1, 1))
    ridges = [cube(0.5, 0.5, z, turned, 0.02) for z in (0.45, 0.56)]
    on_edge = cube(0.5, 0.5 + 0.12 * 2**0.5, 0.5, ((1, 1, 0), (-1, 1, 0), (0, 0, 1)))
    c, s = np.cos(0.3), np.sin(0.3)
    balls = [Ball(np.array([0.5, 0.1]), 0.1), Ball(np.array([0.52, 0.29899]), 0.1)]
    cases = [("a stack of two", [box(0.5, 0.1), box(0.55, 0.3)], 0, True),
             ("its upper box 1% of a side higher", [box(0.5, 0.1), box(0.55, 0.302)], 0, False),
             ("its upper box with its middle beyond the edge", [box(0.5, 0.1), box(0.61, 0.3)], 0, False),
             ("a box that touches a wall alone", [box(0.1, 0.5)], 0, False),
             ("a box that touches another's side alone", [box(0.5, 0.1), box(0.7, 0.15)], 0, False),
             ("a ball on the floor", balls[:1], 0, True),
             ("a ball on top of another, not quite", balls, 0, False),
             ("the same with rolling friction", balls, 0.03, True),
             ("a box on its corner", [box(0.5, 0.1 * (c + s), ((c, s), (-s, c)))], 0, False),
             ("a cube on a cube", [cube(0.5, 0.1, 0.5), cube(0.52, 0.3, 0.45, ((1, 0, 1), (0, 1, 0), (-1, 0, 1)))], 0, True),
             ("a cube on its edge, tilted", [cube(0.5, 0.1 * (c + s), 0.5, ((1, 0, 0), (0, c, s), (0, -s, c)))], 0, False)]
    wrong = [f"{name}: {worst(shapes, rolling):.3g}" for name, shapes, rolling, stands in cases
             if (worst(shapes, rolling) < 1e-6) != stands]
    if worst([*ridges, on_edge], 0, 2) > 1e-6 or worst([ridges[0], on_edge], 0, 1) < 1e-6:
        wrong.append("an edge across two edges that are held, across one of them")
    checks.true(f"what judges piles judges {len(cases) + 2} known cases rightly", not wrong, "; ".join(wrong))

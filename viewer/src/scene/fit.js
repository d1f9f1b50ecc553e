// Where to stand: the nearest camera that looks along one direction and has all of some balls in its picture, and which
// direction to look along. As `plimsoll render` does it (src/render/camera.c, app/render/place.c).
import * as THREE from 'three';

export const FIELD_OF_VIEW = 35; // degrees, across the height of the picture
const MARGIN = 0.06; // share of the picture that stays free on each side

export const DIRECTIONS = {
  home: [-0.42, -0.35, -1], fromLeft: [0.42, -0.35, -1], fromHigh: [-0.42, -1.2, -1],
  front: [0, 0, -1], back: [0, 0, 1], right: [-1, 0, 0], left: [1, 0, 0], top: [0, -1, 0], bottom: [0, 1, 0],
};
const CHOICES = ['home', 'fromLeft', 'fromHigh', 'top'];

// What moves by itself counts; if nothing does, what is moved; else what stands.
export const MOVES = 0, IS_MOVED = 1, STANDS = 2;

export class CameraFit {
  // `slopeX`, `slopeY`: of the picture's edges against its middle.
  constructor(forward, slopeX, slopeY) {
    this.forward = forward.clone().normalize();
    this.right = new THREE.Vector3().crossVectors(this.forward, new THREE.Vector3(0, 1, 0));
    if (this.right.length() < 1e-6) this.right.set(1, 0, 0);
    this.right.normalize();
    this.up = new THREE.Vector3().crossVectors(this.right, this.forward);
    this.slopes = [slopeX, slopeX, slopeY, slopeY].map((slope) => (1 - 2 * MARGIN) * slope);
    this.sides = [-Infinity, -Infinity, -Infinity, -Infinity];
    this.near = Infinity;
    this.far = -Infinity;
  }

  // A ball of the radius r is within the edge of slope s, seen from e, if its distance a across and f along the view have
  // (a - e_a) + r sqrt(1 + s^2) <= s (f - e_f): that bounds e_a - s e_f from below.
  add(x, y, z, radius) {
    const { forward: f, right: r, up: u, slopes, sides } = this;
    const along = f.x * x + f.y * y + f.z * z, across = r.x * x + r.y * y + r.z * z, above = u.x * x + u.y * y + u.z * z;
    const reach = [across, -across, above, -above];
    for (let side = 0; side < 4; side++)
      sides[side] = Math.max(sides[side], reach[side] - slopes[side] * along + radius * Math.hypot(1, slopes[side]));
    this.near = Math.min(this.near, along - radius);
    this.far = Math.max(this.far, along + radius);
  }

  get isEmpty() {
    return !(this.near <= this.far);
  }

  // How far along the view the eye may be for two opposite edges; across it, the middle of what they leave.
  farthest(side) {
    return -(this.sides[side] + this.sides[side + 1]) / (this.slopes[side] + this.slopes[side + 1]);
  }

  middle(side, along) {
    const low = this.sides[side] + this.slopes[side] * along;
    return 0.5 * (low - this.sides[side + 1] - this.slopes[side + 1] * along);
  }

  end() {
    if (this.isEmpty) this.add(0, 0, 0, 0);
    let along = Math.min(this.farthest(0), this.farthest(2));
    if (!(this.near - along > 1e-9 * (1 + Math.abs(along)))) along = this.near - 1; // a point is seen from one metre
    const position = this.forward.clone().multiplyScalar(along);
    position.addScaledVector(this.right, this.middle(0, along)).addScaledVector(this.up, this.middle(2, along));
    return { position, target: position.clone().addScaledVector(this.forward, 0.5 * (this.near + this.far) - along) };
  }
}

// The first view of a run: what moves in some of its frames, from where no half-space is in the way.
export class FirstView {
  constructor(slopeX, slopeY, flat) {
    this.names = flat ? ['front'] : CHOICES;
    this.fits = [MOVES, IS_MOVED, STANDS].map(() =>
      this.names.map((name) => new CameraFit(new THREE.Vector3(...DIRECTIONS[name]), slopeX, slopeY)));
    this.planes = null;
  }

  // The frame that layers hold now.
  add(layers) {
    for (const layer of layers)
      layer.eachBall?.((interest, x, y, z, radius) => this.fits[interest].forEach((fit) => fit.add(x, y, z, radius)));
    this.planes ??= layers.flatMap((layer) => layer.planes?.() ?? []);
  }

  // Behind a half-space's surface nothing would be seen but that.
  isBuried(eye) {
    return this.planes?.some(({ point, normal }) => eye.clone().sub(point).dot(normal) < 0);
  }

  end() {
    const fits = this.fits.find((some) => !some[0].isEmpty);
    if (!fits) return null;
    const cameras = fits.map((fit) => fit.end());
    return cameras.find((camera) => !this.isBuried(camera.position)) ?? cameras[0];
  }
}

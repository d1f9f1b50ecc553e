// Where the picture is taken from: orbit, fit, axis views, and the `camera:` key of a scene.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const FIELD_OF_VIEW = 40;
const DIRECTIONS = {
  home: [-0.42, -0.35, -1], front: [0, 0, -1], back: [0, 0, 1], right: [-1, 0, 0], left: [1, 0, 0],
  top: [0, -1, 0], bottom: [0, 1, 0],
};

export class CameraControl {
  constructor(stage, element) {
    this.stage = stage;
    this.camera = stage.camera;
    this.orbit = new OrbitControls(this.camera, element);
    this.orbit.zoomToCursor = true;
    this.orbit.enableDamping = false;
    this.orbit.addEventListener('change', () => {
      this.setDepths();
      stage.draw();
    });
  }

  // As `plimsoll render` fits: the box touches the edge of the picture.
  fit(box, direction = null) {
    const center = box.getCenter(new THREE.Vector3()), half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const forward = direction
      ? new THREE.Vector3(...DIRECTIONS[direction]).normalize()
      : this.orbit.target.clone().sub(this.camera.position).normalize();
    const right = new THREE.Vector3().crossVectors(forward, new THREE.Vector3(0, 1, 0));
    if (right.length() < 1e-6) right.set(1, 0, 0);
    right.normalize();
    const up = new THREE.Vector3().crossVectors(right, forward);
    const slopeY = Math.tan((this.camera.fov * Math.PI) / 360), slopeX = slopeY * this.camera.aspect;
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const to = new THREE.Vector3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z);
      const needed = Math.max(Math.abs(to.dot(right)) / slopeX, Math.abs(to.dot(up)) / slopeY);
      distance = Math.max(distance, needed - to.dot(forward));
    }
    this.look(center.clone().addScaledVector(forward, -(distance > 0 ? 1.05 * distance : 1)), center);
  }

  look(position, target, fieldOfView = this.camera.fov) {
    this.camera.fov = fieldOfView;
    this.camera.position.copy(position);
    this.orbit.target.copy(target);
    this.camera.updateProjectionMatrix();
    this.orbit.update();
    this.setDepths();
    this.stage.draw();
  }

  // The scene's own camera where it has one; else fitted.
  start(wanted, box, flat) {
    this.camera.fov = FIELD_OF_VIEW;
    this.fit(box, flat ? 'front' : 'home');
    const position = wanted?.position ? new THREE.Vector3(...wanted.position) : this.camera.position.clone();
    const target = wanted?.target ? new THREE.Vector3(...wanted.target) : this.orbit.target.clone();
    if (wanted?.position || wanted?.target) this.look(position, target, wanted.position ? wanted.field_of_view : FIELD_OF_VIEW);
    this.orbit.saveState();
  }

  setDepths() {
    const distance = this.camera.position.distanceTo(this.orbit.target), reach = distance + 14 * this.stage.size;
    this.camera.near = Math.max(1e-4 * reach, 0.01 * Math.min(distance, this.stage.size));
    this.camera.far = reach;
    this.camera.updateProjectionMatrix();
  }

  // The key of a scene that gives this view.
  key() {
    const list = (v) => `[${v.toArray().map((x) => Number(x.toPrecision(6))).join(', ')}]`;
    return `camera: {position: ${list(this.camera.position)}, target: ${list(this.orbit.target)}, field_of_view: ${Number(this.camera.fov.toPrecision(6))}}`;
  }
}

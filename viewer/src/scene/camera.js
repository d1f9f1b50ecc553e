// Where the picture is taken from: orbit, fit, axis views, and the `camera:` key of a scene.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { CameraFit, DIRECTIONS, FIELD_OF_VIEW } from './fit.js';

const RENDERED = 16 / 9; // width over height of `plimsoll render`'s pictures

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

  // Slopes of the edges of what panels leave free of the picture, against its middle.
  slopes() {
    const { width, height, free } = this.stage, pixel = (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    return { x: 0.5 * pixel * Math.max(width - free.left - free.right, 16), y: 0.5 * pixel * Math.max(height - free.top - free.bottom, 16) };
  }

  // All that `each(add)` tells of is within the free part of the picture, as large as can be.
  fit(each, direction = null) {
    const forward = direction ? new THREE.Vector3(...DIRECTIONS[direction]) : this.orbit.target.clone().sub(this.camera.position);
    const { x, y } = this.slopes(), fit = new CameraFit(forward, x, y);
    each((...ball) => fit.add(...ball));
    const { position, target } = fit.end();
    this.look(position, target);
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

  // The scene's own camera where it has one; else the fitted one. What `plimsoll render` has in its picture is in the
  // free part of ours.
  start(wanted, fitted) {
    this.camera.fov = FIELD_OF_VIEW;
    const position = wanted?.position ? new THREE.Vector3(...wanted.position) : fitted.position;
    const target = wanted?.target ? new THREE.Vector3(...wanted.target) : fitted.target;
    if (wanted?.position || wanted?.target) {
      const { x, y } = this.slopes(), slope = Math.tan((((wanted.position && wanted.field_of_view) || FIELD_OF_VIEW) * Math.PI) / 360);
      const wider = Math.max(slope / y, (slope * RENDERED) / x);
      this.camera.fov = (360 / Math.PI) * Math.atan(wider * Math.tan((FIELD_OF_VIEW * Math.PI) / 360));
    }
    this.look(position, target);
    this.first = { position, target, fieldOfView: this.camera.fov };
  }

  reset() {
    if (this.first) this.look(this.first.position, this.first.target, this.first.fieldOfView);
  }

  setDepths() {
    const distance = this.camera.position.distanceTo(this.orbit.target), reach = distance + 14 * this.stage.size;
    this.camera.near = Math.max(1e-4 * reach, 0.01 * Math.min(distance, this.stage.size));
    this.camera.far = reach;
    this.camera.updateProjectionMatrix();
  }

  // The key of a scene that gives this view: what is in the free part is in the picture of `plimsoll render`.
  key() {
    const list = (v) => `[${v.toArray().map((x) => Number(x.toPrecision(6))).join(', ')}]`;
    const { x, y } = this.slopes(), slope = Math.max(y, x / RENDERED);
    const fieldOfView = (360 / Math.PI) * Math.atan(slope);
    return `camera: {position: ${list(this.camera.position)}, target: ${list(this.orbit.target)}, field_of_view: ${Number(fieldOfView.toPrecision(6))}}`;
  }
}

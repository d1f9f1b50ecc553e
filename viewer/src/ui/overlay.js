// Axes in a corner and a scale bar, drawn over the picture.
import * as THREE from 'three';
import { byId, short } from './dom.js';

const AXES = [['x', '#c0392b'], ['y', '#2e8b3d'], ['z', '#2464b4']];
const LENGTH = 26;

export function drawOverlay(view) {
  if (!view.isReady) return;
  const { clientWidth: width, clientHeight: height } = view.stage.renderer.domElement;
  const x0 = width - 56, y0 = height - 136, inverse = view.stage.camera.quaternion.clone().invert();
  const axes = AXES.map(([name, color], i) => {
    const direction = new THREE.Vector3().setComponent(i, 1).applyQuaternion(inverse);
    const x = x0 + LENGTH * direction.x, y = y0 - LENGTH * direction.y;
    return { depth: direction.z, text: `<line x1="${x0}" y1="${y0}" x2="${x}" y2="${y}" stroke="${color}" stroke-width="2.5" stroke-linecap="round"/>
      <text x="${x0 + 1.32 * (x - x0)}" y="${y0 + 1.32 * (y - y0) + 4}" fill="${color}" text-anchor="middle">${name}</text>` };
  });
  axes.sort((a, b) => a.depth - b.depth);
  byId('overlay').innerHTML = axes.map((a) => a.text).join('') + scaleBar(view, width, height);
}

// Of a round length, at the distance of what the camera turns about.
function scaleBar(view, width, height) {
  const { camera, orbit } = view.camera;
  const metres = (2 * camera.position.distanceTo(orbit.target) * Math.tan((camera.fov * Math.PI) / 360)) / height;
  const most = 110 * metres, power = 10 ** Math.floor(Math.log10(most));
  const length = [5, 2, 1].find((digit) => digit * power <= most) * power;
  const pixels = length / metres, right = width - 96, y = height - 100;
  return `<path d="M${right - pixels} ${y - 5} v5 h${pixels} v-5" fill="none" stroke="#1c2733" stroke-width="1.5"/>
    <text x="${right - pixels / 2}" y="${y - 7}" fill="#1c2733" text-anchor="middle">${short(length)} m</text>`;
}

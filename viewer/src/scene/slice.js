// A cut through a grid: one quantity as colours, obstacles grey, nothing where there is no liquid.
import * as THREE from 'three';
import { arrayOf, valuesOf } from '../data/frames.js';
import { rangeOf } from './quantity.js';

const VERTEX = /* glsl */ `
#include <clipping_planes_pars_vertex>
varying vec2 vAt;
void main() {
  vAt = uv;
  #include <begin_vertex>
  #include <project_vertex>
  #include <clipping_planes_vertex>
}`;

const FRAGMENT = /* glsl */ `
#include <clipping_planes_pars_fragment>
uniform sampler2D cells, scale; // cells: value, and 0 fluid, 1 solid, 2 nothing
uniform vec2 range;
varying vec2 vAt;
void main() {
  #include <clipping_planes_fragment>
  vec2 size = vec2(textureSize(cells, 0));
  vec2 at = vAt * size - 0.5;
  vec2 low = floor(at), part = at - low;
  float sum = 0.0, weight = 0.0, solid = 0.0, empty = 0.0;
  for (int j = 0; j < 2; j++) for (int i = 0; i < 2; i++) {
    ivec2 cell = ivec2(clamp(low + vec2(i, j), vec2(0.0), size - 1.0));
    vec2 entry = texelFetch(cells, cell, 0).rg;
    float w = (i == 1 ? part.x : 1.0 - part.x) * (j == 1 ? part.y : 1.0 - part.y);
    if (entry.g < 0.5) { sum += w * entry.r; weight += w; }
    else if (entry.g < 1.5) solid += w;
    else empty += w;
  }
  if (empty > 0.5) discard;
  if (solid > 0.5 || weight <= 0.0) { gl_FragColor = vec4(0.42, 0.44, 0.47, 1.0); return; }
  float t = clamp((sum / weight - range.x) / (range.y - range.x), 0.0, 1.0);
  gl_FragColor = vec4(texture2D(scale, vec2(t * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb, 1.0);
  #include <colorspace_fragment>
}`;

const AXES = ['x', 'y', 'z'];

export class Slice {
  constructor() {
    this.uniforms = { cells: { value: null }, scale: { value: null }, range: { value: new THREE.Vector2(0, 1) } };
    const material = new THREE.ShaderMaterial({
      uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.DoubleSide, clipping: true,
    });
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  // `part` 0 to 1: where along the axis.
  update(group, quantity, axisName, part) {
    const axis = AXES.indexOf(axisName), u = axis === 0 ? 2 : 0, v = axis === 1 ? 2 : 1;
    const n = group.cells, layer = Math.min(n[axis] - 1, Math.floor(part * n[axis]));
    const stride = [1, n[0], n[0] * n[1]];
    const values = cellValues(group, quantity.array);
    if (!values) return null;
    const solid = valuesOf(group, 'solid'), level = quantity.array === 'level' ? null : valuesOf(group, 'level');
    const data = new Float32Array(2 * n[u] * n[v]), shown = [];
    for (let j = 0; j < n[v]; j++)
      for (let i = 0; i < n[u]; i++) {
        const cell = layer * stride[axis] + i * stride[u] + j * stride[v], at = 2 * (i + j * n[u]);
        data[at] = values(cell);
        data[at + 1] = solid?.[cell] ? 1 : level && level[cell] > 0 ? 2 : 0;
        if (data[at + 1] === 0) shown.push(data[at]);
      }
    this.uniforms.cells.value?.dispose();
    const texture = new THREE.DataTexture(data, n[u], n[v], THREE.RGFormat, THREE.FloatType);
    texture.needsUpdate = true;
    this.uniforms.cells.value = texture;
    this.place(group, axis, u, v, layer);
    return trimmedRange(shown, quantity);
  }

  // In the plane: behind the bodies that lie in it.
  moveBack(by) {
    this.back = by;
    if (by) this.mesh.position.z = -by;
  }

  place(group, axis, u, v, layer) {
    const { origin, spacing, cells } = group, center = [0, 1, 2].map((a) => origin[a] + 0.5 * spacing * cells[a]);
    center[axis] = origin[axis] + (layer + 0.5) * spacing;
    const x = new THREE.Vector3(), y = new THREE.Vector3();
    x.setComponent(u, 1);
    y.setComponent(v, 1);
    const basis = new THREE.Matrix4().makeBasis(x, y, x.clone().cross(y));
    this.mesh.quaternion.setFromRotationMatrix(basis);
    this.mesh.position.fromArray(center);
    if (this.back) this.mesh.position.z = -this.back;
    this.mesh.scale.set(spacing * cells[u], spacing * cells[v], 1);
  }
}

// A function of the cell; null where the arrays are not there.
function cellValues(group, name) {
  if (name === 'vorticity') return vorticity(group);
  const array = arrayOf(group, name);
  if (!array?.values) return null;
  const { values } = array;
  if (array.columns === 1) return (cell) => values[cell];
  return (cell) => Math.hypot(values[3 * cell], values[3 * cell + 1], values[3 * cell + 2]);
}

// About z, by central differences.
function vorticity(group) {
  const velocity = valuesOf(group, 'velocity'), n = group.cells;
  if (!velocity) return null;
  const difference = (cell, component, axis) => {
    const stride = axis === 0 ? 1 : n[0], at = axis === 0 ? cell % n[0] : Math.floor(cell / n[0]) % n[1];
    const low = at > 0 ? cell - stride : cell, high = at < n[axis] - 1 ? cell + stride : cell;
    return high > low ? (velocity[3 * high + component] - velocity[3 * low + component]) / (((high - low) / stride) * group.spacing) : 0;
  };
  return (cell) => difference(cell, 1, 0) - difference(cell, 0, 1);
}

// Without the one cell in 200 that is extreme, as at corners of obstacles.
function trimmedRange(values, quantity) {
  const finite = Float32Array.from(values.filter(Number.isFinite)).sort();
  if (finite.length === 0) return null;
  if (quantity.array === 'smoke' || quantity.array === 'level') return rangeOf(finite);
  const cut = Math.floor(finite.length / 200);
  return [finite[cut], finite[finite.length - 1 - cut]];
}

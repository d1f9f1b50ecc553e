// A grid of cells: smoke in space, and a slice. In two dimensions the slice is all there is.
import * as THREE from 'three';
import { arrayOf, valuesOf } from '../data/frames.js';
import { MOVES, STANDS } from './fit.js';
import { quantityOf, shownRange } from './quantity.js';
import { scaleTexture } from './colors.js';
import { Slice } from './slice.js';
import { Smoke } from './smoke.js';

const HIDDEN_ARRAYS = new Set(['solid']);
const VORTICITY = { array: 'vorticity', label: 'vorticity', unit: '1/s', scale: 'diverging', symmetric: true };

export class VolumeLayer {
  constructor(view, group) {
    this.view = view;
    this.name = group.name;
    this.kind = 'volume';
    this.dim = group.dim;
    this.visible = true;
    this.root = new THREE.Group();
    this.slice = new Slice();
    this.smoke = new Smoke();
    this.root.add(this.slice.mesh, this.smoke.mesh);
    const has = (name) => !!arrayOf(group, name);
    this.hasSmoke = group.dim === 3 && has('smoke');
    this.options = {
      slice: group.dim === 2,
      axis: 'z',
      at: 0.5,
      quantity: has('smoke') ? 'smoke' : group.dim === 2 || !has('level') ? 'velocity' : 'velocity',
      smoke: this.hasSmoke,
      source: 'smoke', // which array the volume is made of
      thickness: 1,
      range: null, // fixed: [low, high]
    };
  }

  quantities(group) {
    const list = group.arrays.filter((a) => !HIDDEN_ARRAYS.has(a.name) && a.type === 'f32').map(quantityOf);
    return arrayOf(group, 'velocity') ? [...list, VORTICITY] : list;
  }

  needs(group) {
    if (!this.visible) return [];
    const { slice, quantity, smoke, source } = this.options, names = [];
    if (slice) names.push(quantity === 'vorticity' ? 'velocity' : quantity, 'solid', 'level');
    if (slice && this.view.settings.arrows === 'velocities') names.push('velocity');
    if (smoke) names.push(source);
    return names.filter((name) => arrayOf(group, name));
  }

  update(group) {
    this.group = group;
    this.refresh();
    if (this.options.slice) {
      this.quantity = this.quantities(group).find((q) => q.array === this.options.quantity) ?? this.quantities(group)[0];
      const range = this.slice.update(group, this.quantity, this.dim === 2 ? 'z' : this.options.axis, this.options.at);
      this.view.uploads++;
      if (range) this.measured = this.growRange(shownRange(this.quantity, range));
      this.range = this.options.range ?? this.measured ?? [0, 1];
      this.slice.uniforms.scale.value = scaleTexture(this.quantity.scale);
      this.slice.uniforms.range.value.set(...this.range);
    }
    const values = this.options.smoke && valuesOf(group, this.options.source);
    if (values) {
      this.smoke.update(group, values, this.options.thickness);
      this.view.uploads++;
    }
  }

  // Over all frames that were shown, so that colours do not flicker.
  growRange(range) {
    if (this.measuredOf !== this.quantity.array || !this.measured) {
      this.measuredOf = this.quantity.array;
      return range;
    }
    return [Math.min(this.measured[0], range[0]), Math.max(this.measured[1], range[1])];
  }

  legend() {
    return this.visible && this.options.slice && this.range ? { quantity: this.quantity, range: this.range } : null;
  }

  refresh() {
    this.root.visible = this.visible;
    this.slice.mesh.visible = this.options.slice;
    this.smoke.mesh.visible = this.options.smoke && this.root.visible;
  }

  growBox(box) {
    if (!this.visible || !this.group || (!this.options.slice && !this.options.smoke)) return;
    const { origin, spacing, cells } = this.group;
    const low = new THREE.Vector3(...origin);
    if (this.options.smoke && !this.options.slice) return this.growBySmoke(box);
    box.expandByPoint(low);
    box.expandByPoint(new THREE.Vector3(...origin.map((x, a) => x + spacing * cells[a])));
  }

  growBySmoke(box) {
    const point = new THREE.Vector3();
    this.eachSmoke((x, y, z) => box.expandByPoint(point.set(x, y, z)));
  }

  // Middles of cells with smoke that can be seen.
  eachSmoke(tell) {
    const { origin, spacing, cells } = this.group, values = valuesOf(this.group, this.options.source);
    for (let cell = 0; values && cell < values.length; cell++) {
      if (!(values[cell] > 0.05)) continue;
      const i = cell % cells[0], j = Math.floor(cell / cells[0]) % cells[1], k = Math.floor(cell / (cells[0] * cells[1]));
      tell(origin[0] + (i + 0.5) * spacing, origin[1] + (j + 0.5) * spacing, origin[2] + (k + 0.5) * spacing);
    }
  }

  // A slice shows its whole domain; smoke where it is.
  eachBall(tell) {
    if (!this.visible || !this.group) return;
    const { origin, spacing, cells } = this.group, flat = this.dim === 2;
    if (this.options.slice)
      for (let corner = 0; corner < 8; corner++) {
        const at = [0, 1, 2].map((a) => origin[a] + (corner >> a & 1) * spacing * cells[a]);
        tell(flat ? MOVES : STANDS, at[0], at[1], flat ? 0 : at[2], 0);
      }
    if (this.options.smoke) this.eachSmoke((x, y, z) => tell(MOVES, x, y, z, 0.5 * spacing));
  }

  // On the slice, every few cells.
  arrows(array) {
    const velocity = array === 'velocities' && this.group && valuesOf(this.group, 'velocity'), level = this.group && valuesOf(this.group, 'level');
    if (!this.visible || !this.options.slice || !velocity) return [];
    const { origin, spacing, cells } = this.group, axis = this.dim === 2 ? 2 : 'xyz'.indexOf(this.options.axis);
    const [u, v] = [0, 1, 2].filter((a) => a !== axis);
    const stride = Math.max(1, Math.ceil(Math.max(cells[u], cells[v]) / 40)), out = [];
    const at = [0, 0, 0];
    at[axis] = Math.min(cells[axis] - 1, Math.floor(this.options.at * cells[axis]));
    for (at[v] = stride >> 1; at[v] < cells[v]; at[v] += stride)
      for (at[u] = stride >> 1; at[u] < cells[u]; at[u] += stride) {
        const cell = at[0] + cells[0] * (at[1] + cells[1] * at[2]);
        if (level && level[cell] > 0) continue;
        out.push({ from: at.map((i, a) => origin[a] + (i + 0.5) * spacing), vector: [...velocity.subarray(3 * cell, 3 * cell + 3)] });
      }
    return out;
  }

  dispose() {
    this.slice.uniforms.cells.value?.dispose();
    this.smoke.uniforms.cells.value?.dispose();
  }
}

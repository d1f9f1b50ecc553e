// Surfaces: all objects of a mesh in one geometry, drawn in at most three ways.
import * as THREE from 'three';
import { arrayOf, valuesOf } from '../data/frames.js';
import { ObjectTable, SOLID, CLEAR, WIRE } from './object_table.js';
import { IS_MOVED, MOVES, STANDS } from './fit.js';
import * as materials from './materials.js';
import { ARROWS, quantitiesOf, rangeOf, scalarsOf } from './quantity.js';
import { splitCreases, vertexNormals } from './topology.js';

export const UNBOUNDED = 3; // FrameKind of a half space
const PRESCRIBED = 1, STILL = 2;
const GROUND_COLOR = [0.78, 0.8, 0.82];

export class MeshLayer {
  constructor(view, group) {
    this.view = view;
    this.name = group.name;
    this.kind = 'mesh';
    this.root = new THREE.Group();
    this.visible = true;
    this.geometry = new THREE.BufferGeometry();
    this.isClear = group.clear;
    this.changes = group.changes;
    this.names = [];
    this.setObjects(group);
  }

  setObjects(group) {
    const count = Math.max(1, group.objects);
    if (this.table?.count === count) return;
    this.table?.dispose();
    this.table = new ObjectTable(count);
    this.uniforms = materials.meshUniforms(this.table);
    this.root.clear();
    this.meshes = {};
    this.addMesh(SOLID, materials.solidMaterial(this.uniforms));
    this.addMesh(CLEAR, materials.clearMaterial(this.uniforms));
    this.addMesh(WIRE, materials.wireMaterial(this.uniforms));
    this.meshes[SOLID].castShadow = this.meshes[SOLID].receiveShadow = true;
    this.meshes[SOLID].customDepthMaterial = materials.shadowMaterial(this.uniforms);
    if (this.isClear) {
      this.water = new THREE.Mesh(this.geometry, materials.waterMaterial(group.absorption, this.view.size * 0.15));
      this.water.frustumCulled = false;
      this.root.add(this.water);
    }
  }

  addMesh(mode, material) {
    const mesh = new THREE.Mesh(this.geometry, material);
    mesh.frustumCulled = false;
    this.meshes[mode] = mesh;
    this.root.add(mesh);
  }

  needs(group) {
    const names = ['vertices', 'triangles', 'objects', 'colors', 'checks', 'names', 'kinds', 'masses', 'glass', 'poses', 'motions'];
    const { color: shown, arrows } = this.view.settings;
    if (!this.visible) return [];
    if (shown !== 'own' || arrows === 'velocities' || this.view.selection?.layer === this) names.push('velocities');
    if (ARROWS[arrows]?.from) names.push(arrows, ARROWS[arrows].from);
    if (arrayOf(group, shown)) names.push(shown);
    return names;
  }

  quantities(group) {
    return quantitiesOf(group, arrayOf(group, 'vertices').rows);
  }

  update(group) {
    this.group = group;
    this.setObjects(group);
    const vertices = valuesOf(group, 'vertices'), triangles = valuesOf(group, 'triangles');
    if (!vertices || !triangles) return;
    this.readObjects(group);
    // What never moves has its vertices among the arrays that never change.
    const placed = this.split && arrayOf(group, 'vertices').fixed;
    if (this.changes || !this.split) this.setTopology(group, vertices, triangles);
    if (!placed) this.setPositions(vertices);
    this.setValues(group);
    this.refresh();
  }

  readObjects(group) {
    const names = arrayOf(group, 'names');
    if (names?.values && this.names.length === 0) {
      const decoder = new TextDecoder();
      for (let i = 0; i < names.rows; i++) {
        const bytes = names.values.subarray(i * names.columns, (i + 1) * names.columns);
        const end = bytes.indexOf(0);
        this.names.push(decoder.decode(end < 0 ? bytes : bytes.subarray(0, end)));
      }
    }
    this.kinds = valuesOf(group, 'kinds');
    this.masses = valuesOf(group, 'masses');
    const colors = valuesOf(group, 'colors'), glass = valuesOf(group, 'glass');
    for (let i = 0; glass && i < this.table.count; i++) if (glass[4 * i] > 0) this.table.setClear(i);
    for (let i = 0; i < this.table.count; i++) {
      const own = this.isUnbounded(i) ? GROUND_COLOR : colors?.length >= 3 * (i + 1) ? colors.subarray(3 * i, 3 * i + 3) : [0.6, 0.7, 0.8];
      this.table.setColor(i, own[0], own[1], own[2]);
    }
  }

  isUnbounded(object) {
    return this.kinds?.[object] === UNBOUNDED;
  }

  objectName(object) {
    return this.names[object] || (this.table.count > 1 ? `${this.name} ${object}` : this.name);
  }

  setTopology(group, vertices, triangles) {
    const objects = valuesOf(group, 'objects');
    if (this.changes) {
      const count = vertices.length / 3;
      const object = new Float32Array(count);
      if (this.table.count > 1) for (let i = 0; i < triangles.length; i++) object[triangles[i]] = objects[(i / 3) | 0];
      this.split = { source: null, index: Uint32Array.from(triangles), object };
    } else {
      this.split = splitCreases(vertices, triangles, objects, group.smooth);
    }
    const count = this.split.object.length;
    // Buffers of another size are new ones.
    this.geometry.dispose();
    this.geometry.setIndex(new THREE.BufferAttribute(this.split.index, 1));
    this.set('position', new Float32Array(3 * count), 3);
    this.set('normal', new Float32Array(3 * count), 3);
    this.set('object', this.split.object, 1);
    this.set('value', new Float32Array(count), 1);
    this.set('check', this.splitChecks(valuesOf(group, 'checks'), count), 2);
  }

  set(name, values, size) {
    this.geometry.setAttribute(name, new THREE.BufferAttribute(values, size));
  }

  splitChecks(checks, count) {
    const out = new Float32Array(2 * count).fill(1e9);
    if (!checks) return out;
    for (let i = 0; i < count; i++) {
      const from = this.split.source ? this.split.source[i] : i;
      if (Number.isFinite(checks[2 * from])) out.set(checks.subarray(2 * from, 2 * from + 2), 2 * i);
    }
    return out;
  }

  setPositions(vertices) {
    const position = this.geometry.attributes.position, { source, index } = this.split;
    if (source) {
      for (let i = 0; i < source.length; i++) {
        const from = 3 * source[i];
        position.array[3 * i] = vertices[from];
        position.array[3 * i + 1] = vertices[from + 1];
        position.array[3 * i + 2] = vertices[from + 2];
      }
    } else {
      position.array.set(vertices);
    }
    vertexNormals(position.array, index, this.geometry.attributes.normal.array);
    position.needsUpdate = this.geometry.attributes.normal.needsUpdate = true;
    this.view.uploads += 2;
  }

  // Colours of values, where this mesh has the quantity.
  setValues(group) {
    const array = arrayOf(group, this.view.settings.color);
    this.valueRange = null;
    this.uniforms.byValue.value = !!array?.values;
    if (!array?.values) return;
    const values = scalarsOf(array.values, array.columns), value = this.geometry.attributes.value;
    const { source } = this.split;
    for (let i = 0; i < value.array.length; i++) value.array[i] = values[source ? source[i] : i];
    value.needsUpdate = true;
    this.view.uploads++;
    this.valueRange = rangeOf(values);
  }

  setScale(texture, range) {
    this.uniforms.scale.value = texture;
    this.uniforms.range.value.set(...range);
  }

  // How objects are drawn has changed.
  refresh() {
    this.table.update();
    this.root.visible = this.visible;
    for (const mode of [SOLID, CLEAR, WIRE]) this.meshes[mode].visible = this.table.uses(mode);
    if (!this.water) return;
    this.water.visible = this.meshes[SOLID].visible && !this.uniforms.byValue.value;
    if (this.water.visible) this.meshes[SOLID].visible = false;
  }

  highlight(object) {
    this.uniforms.highlight.value = object;
  }

  items() {
    return Array.from({ length: this.table.count }, (_, object) => ({ object, label: this.objectName(object) }));
  }

  // Of what is no ground; of one object when it is given.
  growBox(box, object = -1) {
    if (!this.split || !this.visible) return;
    const { array } = this.geometry.attributes.position, point = new THREE.Vector3();
    for (let i = 0; i < this.split.object.length; i++) {
      const own = this.split.object[i];
      if (object >= 0 ? own !== object : this.isUnbounded(own) || !this.table.visible[own]) continue;
      box.expandByPoint(point.fromArray(array, 3 * i));
    }
  }

  // Its vertices, for the camera: those of one object when it is given.
  eachBall(tell, object = -1) {
    if (!this.split || !this.visible) return;
    const { array } = this.geometry.attributes.position, own = this.split.object, z = this.root.scale.z;
    for (let i = 0; i < own.length; i++) {
      if (object >= 0 ? own[i] !== object : this.isUnbounded(own[i]) || !this.table.visible[own[i]]) continue;
      const kind = this.kinds?.[own[i]];
      tell(kind === STILL ? STANDS : kind === PRESCRIBED ? IS_MOVED : MOVES, array[3 * i], array[3 * i + 1], z * array[3 * i + 2], 0);
    }
  }

  // Half-spaces: a point of the surface, and which way is out.
  planes() {
    const poses = this.group && valuesOf(this.group, 'poses'), out = [];
    for (let object = 0; poses && object < this.table.count; object++) {
      if (!this.isUnbounded(object)) continue;
      const [x, y, z, qw, qx, qy, qz] = poses.subarray(7 * object, 7 * object + 7);
      const normal = new THREE.Vector3(0, 1, 0).applyQuaternion(new THREE.Quaternion(qx, qy, qz, qw));
      out.push({ object, point: new THREE.Vector3(x, y, z), normal });
    }
    return out;
  }

  // Place and velocity of an object: of its centre of mass where the frame tells it, else of the mean of its vertices.
  motion(object) {
    const poses = valuesOf(this.group, 'poses'), motions = valuesOf(this.group, 'motions');
    if (poses && motions)
      return { place: [...poses.subarray(7 * object, 7 * object + 3)], velocity: [...motions.subarray(6 * object, 6 * object + 3)] };
    const velocities = valuesOf(this.group, 'velocities'), vertices = valuesOf(this.group, 'vertices');
    const place = [0, 0, 0], velocity = [0, 0, 0];
    let count = 0;
    if (!this.split || !vertices) return null;
    for (let i = 0; i < this.split.object.length; i++) {
      if (this.split.object[i] !== object) continue;
      const from = 3 * (this.split.source ? this.split.source[i] : i);
      for (let c = 0; c < 3; c++) {
        place[c] += vertices[from + c];
        if (velocities) velocity[c] += velocities[from + c];
      }
      count++;
    }
    return count > 0 ? { place: place.map((x) => x / count), velocity: velocities ? velocity.map((x) => x / count) : null } : null;
  }

  arrows(array) {
    if (!this.visible || this.isClear) return [];
    const out = [], { from } = ARROWS[array];
    if (from) {
      const points = valuesOf(this.group, from), vectors = valuesOf(this.group, array);
      for (let i = 0; points && vectors && i < points.length; i += 3)
        out.push({ from: points.subarray(i, i + 3), vector: vectors.subarray(i, i + 3) });
      return out;
    }
    for (let object = 0; object < this.table.count; object++) {
      const motion = this.table.visible[object] && !this.isUnbounded(object) ? this.motion(object) : null;
      if (motion?.velocity) out.push({ from: motion.place, vector: motion.velocity });
    }
    return out;
  }

  idMesh(base) {
    if (!this.visible || !this.split) return null;
    const mesh = new THREE.Mesh(this.geometry, materials.idMaterial(this.uniforms, base));
    mesh.frustumCulled = false;
    mesh.scale.copy(this.root.scale);
    return mesh;
  }

  dispose() {
    this.geometry.dispose();
    this.table.dispose();
  }
}

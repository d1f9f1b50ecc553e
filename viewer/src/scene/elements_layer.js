// Finite elements: the outer faces of tetrahedra, or triangles, one colour an element. Hidden until asked for: a
// surface shows the same body.
import * as THREE from 'three';
import { arrayOf, valuesOf } from '../data/frames.js';
import { quantityOf, rangeOf, scalarsOf, shownRange } from './quantity.js';
import { scaleColor } from './colors.js';

const FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

export class ElementsLayer {
  constructor(view, group) {
    this.view = view;
    this.name = group.name;
    this.kind = 'elements';
    this.visible = false;
    this.geometry = new THREE.BufferGeometry();
    const material = new THREE.MeshStandardMaterial({ vertexColors: true, flatShading: true, roughness: 0.7, side: THREE.DoubleSide });
    this.root = new THREE.Mesh(this.geometry, material);
    this.root.frustumCulled = false;
    this.root.visible = false;
  }

  quantity(group) {
    const shown = arrayOf(group, this.view.settings.color) ?? arrayOf(group, 'stress');
    return shown && quantityOf(shown);
  }

  needs(group) {
    if (!this.visible) return [];
    const quantity = this.quantity(group);
    return ['nodes', 'tetrahedra', 'triangles', ...(quantity ? [quantity.array] : [])];
  }

  update(group) {
    this.group = group;
    this.refresh();
    const nodes = valuesOf(group, 'nodes');
    if (!nodes) return;
    this.faces ??= outerFaces(valuesOf(group, 'tetrahedra'), valuesOf(group, 'triangles'));
    const { corners, owners } = this.faces;
    const positions = new Float32Array(3 * corners.length);
    corners.forEach((node, i) => positions.set(nodes.subarray(3 * node, 3 * node + 3), 3 * i));
    this.geometry.dispose();
    this.geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    this.geometry.setAttribute('color', new THREE.BufferAttribute(this.colors(group, owners, corners), 3));
    this.view.uploads += 2;
  }

  colors(group, owners, corners) {
    const quantity = this.quantity(group), array = quantity && arrayOf(group, quantity.array);
    const out = new Float32Array(3 * corners.length).fill(0.7), color = new THREE.Color();
    if (!array?.values) return out;
    const values = scalarsOf(array.values, array.columns), [low, high] = shownRange(quantity, rangeOf(values));
    const ofNodes = array.rows === arrayOf(group, 'nodes').rows && array.rows !== owners.rows;
    for (let i = 0; i < corners.length; i++) {
      const value = values[ofNodes && array.name === 'velocities' ? corners[i] : owners[(i / 3) | 0]];
      color.setRGB(...scaleColor(quantity.scale, Math.min(1, Math.max(0, (value - low) / (high - low)))), THREE.SRGBColorSpace);
      color.toArray(out, 3 * i);
    }
    return out;
  }

  refresh() {
    this.root.visible = this.visible;
  }

  growBox(box) {
    if (this.visible && this.geometry.attributes.position) box.union(new THREE.Box3().setFromBufferAttribute(this.geometry.attributes.position));
  }

  dispose() {
    this.geometry.dispose();
  }
}

// Faces that one tetrahedron alone has.
function outerFaces(tetrahedra, triangles) {
  const corners = [], owners = [];
  if (triangles) for (let i = 0; i < triangles.length; i++) corners.push(triangles[i]);
  if (triangles) for (let i = 0; i < triangles.length / 3; i++) owners.push(i);
  if (!tetrahedra) return { corners, owners };
  const once = new Map();
  for (let t = 0; t < tetrahedra.length / 4; t++)
    for (const face of FACES) {
      const nodes = face.map((i) => tetrahedra[4 * t + i]), key = [...nodes].sort((a, b) => a - b).join(',');
      if (once.has(key)) once.delete(key);
      else once.set(key, { nodes, t });
    }
  for (const { nodes, t } of once.values()) {
    corners.push(...nodes);
    owners.push(t);
  }
  return { corners, owners };
}


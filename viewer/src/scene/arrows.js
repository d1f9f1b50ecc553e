// Arrows of vectors, all in two instanced meshes.
import * as THREE from 'three';

const UP = new THREE.Vector3(0, 1, 0);

export class Arrows {
  constructor() {
    this.root = new THREE.Group();
    this.capacity = 0;
  }

  // `list`: {from, vector}; the longest is `longest` metres. `onTop`: seen through what is before them. Returns how long the
  // longest vector is.
  update(list, longest, onTop) {
    const most = list.reduce((max, arrow) => Math.max(max, Math.hypot(...arrow.vector)), 0);
    const factor = most > 0 ? longest / most : 0;
    this.reserve(list.length);
    this.shafts.material.depthTest = this.heads.material.depthTest = !onTop;
    this.shafts.material.transparent = this.heads.material.transparent = onTop; // drawn after what is solid
    this.root.renderOrder = onTop ? 1 : 0;
    const matrix = new THREE.Matrix4(), turn = new THREE.Quaternion(), direction = new THREE.Vector3();
    const size = new THREE.Vector3(), place = new THREE.Vector3(), color = new THREE.Color(onTop ? 0xb4261f : 0x1d3a5f);
    let count = 0;
    for (const { from, vector } of list) {
      const length = factor * Math.hypot(...vector);
      if (!(length > 1e-3 * longest)) continue;
      turn.setFromUnitVectors(UP, direction.fromArray(vector).normalize());
      const width = Math.min(0.05 * longest, 0.12 * length);
      const head = Math.min(0.35 * length, 4 * width);
      this.shafts.setMatrixAt(count, matrix.compose(place.fromArray(from), turn, size.set(width, length - head, width)));
      place.addScaledVector(direction, length - head);
      this.heads.setMatrixAt(count, matrix.compose(place, turn, size.set(2.6 * width, head, 2.6 * width)));
      this.shafts.setColorAt(count, color);
      this.heads.setColorAt(count, color);
      count++;
    }
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    return most;
  }

  reserve(count) {
    if (this.shafts && count <= this.capacity) return;
    this.capacity = Math.max(64, Math.ceil(1.5 * count));
    this.root.children.forEach((mesh) => mesh.dispose());
    this.root.clear();
    const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 8).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(0.5, 1, 12).translate(0, 0.5, 0);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.6 });
    [this.shafts, this.heads] = [shaft, head].map((geometry) => {
      const mesh = new THREE.InstancedMesh(geometry, material, this.capacity);
      mesh.frustumCulled = false;
      this.root.add(mesh);
      return mesh;
    });
  }
}

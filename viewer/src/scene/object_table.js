// How each object of a mesh is drawn, in a texture that shaders look it up in: hiding one changes four numbers and no
// vertex.
import * as THREE from 'three';

const WIDTH = 256;

export const HIDDEN = 0, SOLID = 1, CLEAR = 2, WIRE = 3;

export class ObjectTable {
  constructor(count) {
    this.count = count;
    const rows = Math.max(1, Math.ceil(count / WIDTH));
    this.data = new Float32Array(4 * WIDTH * rows);
    this.texture = new THREE.DataTexture(this.data, WIDTH, rows, THREE.RGBAFormat, THREE.FloatType);
    this.visible = new Uint8Array(count).fill(1);
    this.mode = new Uint8Array(count).fill(SOLID);
    this.first = new Uint8Array(count).fill(SOLID); // modes until one chooses others
    this.faded = false; // all are drawn clear, whatever their mode
  }

  // sRGB, 0 to 1.
  setColor(object, r, g, b) {
    const color = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    this.data.set([color.r, color.g, color.b], 4 * object);
  }

  // Objects of glass are clear from the start.
  setClear(object) {
    if (this.first[object] === CLEAR) return;
    this.mode[object] = this.first[object] = CLEAR;
  }

  update() {
    for (let i = 0; i < this.count; i++) this.data[4 * i + 3] = this.visible[i] ? this.mode[i] : HIDDEN;
    this.texture.needsUpdate = true;
  }

  // Which of the three ways of drawing some object has.
  uses(mode) {
    for (let i = 0; i < this.count; i++) if (this.visible[i] && this.mode[i] === mode) return true;
    return false;
  }

  dispose() {
    this.texture.dispose();
  }
}

// GLSL for vertex shaders: vObject is the entry; triangles of objects that this pass does not draw end nowhere.
export const TABLE_DECLARATION = /* glsl */ `
attribute float object;
uniform sampler2D objectTable;
uniform float objectPass;
vec4 objectEntry() {
  int i = int(object + 0.5);
  return texelFetch(objectTable, ivec2(i % ${WIDTH}, i / ${WIDTH}), 0);
}
`;
export const TABLE_DROP = /* glsl */ `
if (objectPass < 0.0 ? objectEntry().a < 0.5 : abs(objectEntry().a - objectPass) > 0.5) gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
`;

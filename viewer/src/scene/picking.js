// Which object is where in the picture: numbers of objects drawn as colours, read back.
import * as THREE from 'three';

export class Picker {
  constructor(stage) {
    this.stage = stage;
    this.scene = new THREE.Scene();
  }

  // Numbers at width x height, rows from the top; 0: nothing. `entries` tells whose they are: {layer, object} of n - 1.
  draw(layers, width, height, region = null) {
    const { renderer, camera } = this.stage, entries = [], made = [];
    for (const layer of layers) {
      const thing = layer.idMesh?.(entries.length + 1);
      if (!thing) continue;
      made.push(thing);
      this.scene.add(thing);
      if (!layer.table) entries.push({ layer }); // drops are one thing
      else for (let object = 0; object < layer.table.count; object++) entries.push({ layer, object });
    }
    const shot = camera.clone(), { x, y, ...size } = region ?? { x: 0, y: 0, width, height };
    shot.aspect = width / height;
    shot.setViewOffset(width, height, ...this.stage.offset(), width, height);
    // The whole picture, of which no more than the region is filled: points would not be drawn in one that ends before
    // their middles.
    const target = new THREE.WebGLRenderTarget(width, height), bottom = height - y - size.height;
    target.scissorTest = true;
    target.scissor.set(x, bottom, size.width, size.height);
    const color = renderer.getClearColor(new THREE.Color()), alpha = renderer.getClearAlpha();
    renderer.setRenderTarget(target);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.render(this.scene, shot);
    const bytes = new Uint8Array(4 * size.width * size.height);
    renderer.readRenderTargetPixels(target, x, bottom, size.width, size.height, bytes);
    renderer.setRenderTarget(null);
    renderer.setClearColor(color, alpha);
    target.dispose();
    this.scene.clear();
    for (const thing of made) thing.material.dispose();
    return { entries, numbers: decode(bytes, size.width, size.height), width: size.width, height: size.height };
  }

  // The object at a place, in pixels from the top left. What is clear hides nothing behind it.
  pick(layers, x, y, width, height) {
    const region = { x, y, width: 1, height: 1 };
    for (const some of [layers.filter((l) => !l.isClear), layers.filter((l) => l.isClear)]) {
      const { entries, numbers } = this.draw(some, width, height, region);
      if (numbers[0] > 0) return entries[numbers[0] - 1];
    }
    return null;
  }
}

function decode(bytes, width, height) {
  const numbers = new Uint32Array(width * height);
  for (let row = 0; row < height; row++)
    for (let i = 0; i < width; i++) {
      const from = 4 * ((height - 1 - row) * width + i);
      if (bytes[from + 3] > 0) numbers[row * width + i] = bytes[from] | (bytes[from + 1] << 8) | (bytes[from + 2] << 16);
    }
  return numbers;
}

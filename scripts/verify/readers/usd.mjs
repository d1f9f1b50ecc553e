// node usd.mjs MODULES three|tinyusdz FILE: the vertices of each mesh in the world, by the name of its prim, as JSON. A mesh
// called `surface` goes by the prim above it.
// node usd.mjs MODULES layer FILE: the file as tinyusdz has read it, written again as text; it makes no scene of points.
import { readFileSync } from 'node:fs';

const [modules, reader, file] = process.argv.slice(2);
const bytes = readFileSync(file);
const out = {};

// Column-major, as three.js has it; USD's rows are its columns.
function place(m, points) {
  const placed = [];
  for (let i = 0; i < points.length; i += 3) {
    const [x, y, z] = [points[i], points[i + 1], points[i + 2]];
    for (let r = 0; r < 3; r++) placed.push(m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
  }
  return placed;
}

const titled = (name, above) => (name === 'surface' ? above : name);

async function byThree() {
  const { USDLoader } = await import(`${modules}/three/examples/jsm/loaders/USDLoader.js`);
  const scene = new USDLoader().parse(bytes.toString());
  scene.updateMatrixWorld(true);
  scene.traverse((object) => {
    const points = object.isMesh && object.geometry.attributes.position;
    if (points) out[titled(object.name, object.parent.name)] = place(object.matrixWorld.elements, points.array);
  });
}

// Its package is built for browsers; what it asks for before it starts is a window.
async function openTinyusdz() {
  globalThis.window = {};
  Object.defineProperty(process, 'type', { value: 'renderer' });
  const create = (await import(`${modules}/tinyusdz/tinyusdz.js`)).default;
  const code = readFileSync(`${modules}/tinyusdz/tinyusdz.wasm`);
  const start = (imports, done) => {
    WebAssembly.instantiate(code, imports).then((made) => done(made.instance, made.module));
    return {};
  };
  return new (await create({ instantiateWasm: start })).TinyUSDZLoaderNative();
}

async function byTinyusdz() {
  const loader = await openTinyusdz();
  if (!loader.loadFromBinary(bytes, 'run.usda')) throw new Error(loader.error());
  const visit = (node, above) => {
    if (node.nodeType === 'mesh' && node.contentId >= 0)
      out[titled(node.primName, above)] = place(node.globalMatrix, loader.getMesh(node.contentId).points);
    for (const child of node.children) visit(child, node.primName);
  };
  visit(loader.getDefaultRootNode(), '');
}

async function asLayer() {
  const loader = await openTinyusdz();
  if (!loader.loadAsLayerFromBinary(bytes, 'run.usda')) throw new Error(loader.error());
  process.stdout.write(loader.layerToString());
}

if (reader === 'layer') {
  await asLayer();
} else {
  await (reader === 'three' ? byThree() : byTinyusdz());
  process.stdout.write(JSON.stringify(out));
}

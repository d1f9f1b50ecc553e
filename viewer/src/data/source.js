// Where runs come from: the server of `plimsoll view`, or the page's own file. Both answer the same questions.
import { decodeBlock } from './block.js';

export class ServerSource {
  constructor(token) {
    this.headers = { 'X-Plimsoll-Token': token };
    this.canControl = true;
    this.requests = 0;
    this.bytes = 0;
  }

  async ask(path, options = {}) {
    this.requests++;
    const answer = await fetch(path, { headers: this.headers, cache: 'no-store', ...options });
    const bytes = await answer.arrayBuffer();
    this.bytes += bytes.byteLength;
    if (!answer.ok) throw new Error(new TextDecoder().decode(bytes) || `the server answers ${answer.status}`);
    return bytes;
  }

  async askJson(path, options) {
    return JSON.parse(new TextDecoder().decode(await this.ask(path, options)));
  }

  run() {
    return this.askJson('/run');
  }

  state() {
    return this.askJson('/state');
  }

  // `paths`: those of "GROUP/ARRAY" that are wanted of what changes.
  async frame(number, { shapes = false, paths = [] } = {}) {
    const wanted = encodeURIComponent(paths.join(','));
    return decodeBlock(await this.ask(`/frame?n=${number}&shapes=${shapes ? 1 : 0}&arrays=${wanted}`));
  }

  async table(name, from = 0) {
    return new TextDecoder().decode(await this.ask(`/table?name=${name}&from=${from}`));
  }

  control(action) {
    return this.askJson(`/control?do=${action}`, { method: 'POST' });
  }
}

// Data in elements of the page: run, frame-N, shapes, probes.csv, stats.csv.
export class FileSource {
  constructor() {
    this.canControl = false;
    this.requests = 0;
    this.bytes = 0;
  }

  text(id) {
    return document.getElementById(`data-${id}`)?.textContent ?? null;
  }

  async run() {
    return { ...JSON.parse(this.text('run')), running: false, ours: false, can_start: false, version: 'file' };
  }

  async state() {
    return this.run();
  }

  async frame(number, { shapes = false } = {}) {
    const text = this.text(shapes ? 'shapes' : `frame-${number}`);
    if (text === null) throw new Error(`this file has no frame ${number}`);
    return decodeBlock(await unpack(text));
  }

  async table(name) {
    return this.text(name) ?? '';
  }
}

// Base64 of a zlib stream.
async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

export function openSource() {
  if (document.getElementById('data-run')) return new FileSource();
  return new ServerSource(new URLSearchParams(location.search).get('token') ?? '');
}

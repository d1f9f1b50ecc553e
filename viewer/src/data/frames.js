// Frames that were fetched, by number, as far as memory goes; arrays that never change are kept apart.

const MOST_BYTES = 512 * 1024 * 1024;

export class FrameStore {
  constructor(source) {
    this.source = source;
    this.clear();
  }

  clear() {
    this.frames = new Map(); // number -> {block, bytes}, the one used longest ago first
    this.fixed = new Map(); // "GROUP/ARRAY" -> values
    this.bytes = 0;
    this.pending = new Map();
  }

  // The header of a frame, with whatever arrays are there. Fetches arrays that never change with the first.
  async header(number) {
    const known = this.frames.get(number);
    if (known) return known.block;
    if (this.fixed.size === 0) await this.fetchFixed(number);
    return this.fetch(number, []);
  }

  async fetchFixed(number) {
    const block = await this.source.frame(number, { shapes: true, paths: [] });
    for (const group of block.groups)
      for (const array of group.arrays)
        if (array.fixed && array.values) this.fixed.set(`${group.name}/${array.name}`, array.values);
    this.fixed.set('', null); // asked, even if there is none
  }

  // The frame with at least the arrays `needs(group)` names of each group.
  async get(number, needs) {
    const block = await this.header(number);
    const missing = [];
    for (const group of block.groups)
      for (const name of needs(group)) {
        const array = group.arrays.find((a) => a.name === name);
        if (!array || array.values) continue;
        const path = `${group.name}/${name}`;
        if (array.fixed) array.values = this.fixed.get(path);
        else missing.push(path);
      }
    if (missing.length > 0) await this.fetch(number, missing);
    return this.frames.get(number)?.block ?? block;
  }

  async fetch(number, paths) {
    const key = `${number}:${paths.join(',')}`;
    if (!this.pending.has(key)) {
      const job = this.source.frame(number, { paths }).then((block) => this.merge(number, block));
      this.pending.set(key, job.finally(() => this.pending.delete(key)));
    }
    return this.pending.get(key);
  }

  merge(number, block) {
    const known = this.frames.get(number);
    this.frames.delete(number);
    let kept = block;
    if (known) {
      kept = known.block;
      for (const group of block.groups) {
        const old = kept.groups.find((g) => g.name === group.name);
        for (const array of group.arrays) {
          if (array.values && old) old.arrays.find((a) => a.name === array.name).values = array.values;
        }
      }
    }
    this.frames.set(number, { block: kept, bytes: (known?.bytes ?? 0) + block.bytes });
    this.bytes += block.bytes;
    this.forget(number);
    return kept;
  }

  forget(number) {
    for (const [other, entry] of this.frames) {
      if (this.bytes <= MOST_BYTES) return;
      if (other === number) continue;
      this.bytes -= entry.bytes;
      this.frames.delete(other);
    }
  }

  has(number, needs) {
    const entry = this.frames.get(number);
    return (
      !!entry &&
      entry.block.groups.every((group) =>
        needs(group).every((name) => {
          const array = group.arrays.find((a) => a.name === name);
          return !array || array.values || array.fixed;
        })
      )
    );
  }
}

// The values of an array of a group; undefined when it is not there.
export function valuesOf(group, name) {
  return group.arrays.find((array) => array.name === name)?.values;
}

export function arrayOf(group, name) {
  return group.arrays.find((array) => array.name === name);
}

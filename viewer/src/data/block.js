// A packed frame (src/io/frame_pack.h): a JSON header and the arrays it names, as views of one buffer.

const TYPES = { f32: Float32Array, f64: Float64Array, i32: Int32Array, u64: BigUint64Array, u8: Uint8Array };
const PREFIX = 16;
const MAGIC = 'PLIMPACK';

export function decodeBlock(buffer) {
  const magic = String.fromCharCode(...new Uint8Array(buffer, 0, 8));
  if (magic !== MAGIC) throw new Error('this is not a frame of Plimsoll');
  const length = new DataView(buffer).getUint32(8, true);
  const block = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, PREFIX, length)));
  const start = PREFIX + length;
  for (const group of block.groups)
    for (const array of group.arrays) {
      if (array.offset === undefined) continue;
      array.values = new TYPES[array.type](buffer, start + array.offset, array.rows * array.columns);
    }
  block.bytes = buffer.byteLength;
  return block;
}

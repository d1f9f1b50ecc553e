// Normals of a mesh that are interpolated across edges that bend less than 40 degrees: where they bend more, a vertex
// becomes several. Found once for a mesh whose triangles stay, then used in every frame.

const CREASE = Math.cos((40 * Math.PI) / 180);

export function faceNormals(positions, triangles, out) {
  const normals = out && out.length === triangles.length ? out : new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    normals[t] = uy * vz - uz * vy;
    normals[t + 1] = uz * vx - ux * vz;
    normals[t + 2] = ux * vy - uy * vx;
  }
  return normals;
}

// `source`: the vertex that each split one comes from; `index`: triangles of split ones.
export function splitCreases(positions, triangles, objects, smooth) {
  const limit = smooth ? CREASE : 0.9999;
  const count = positions.length / 3;
  const normals = faceNormals(positions, triangles);
  const index = new Uint32Array(triangles.length);
  const source = [];
  const first = new Int32Array(count).fill(-1); // of the split ones of a vertex
  const next = []; // the next split one of the same vertex
  const face = []; // the face that a split one was made for
  for (let corner = 0; corner < triangles.length; corner++) {
    const vertex = triangles[corner], own = corner - (corner % 3);
    let split = first[vertex];
    while (split >= 0 && !bendsLess(normals, own, face[split], limit)) split = next[split];
    if (split < 0) {
      split = source.length;
      source.push(vertex);
      face.push(own);
      next.push(first[vertex]);
      first[vertex] = split;
    }
    index[corner] = split;
  }
  const object = new Float32Array(source.length);
  for (let corner = 0; corner < triangles.length; corner++) object[index[corner]] = objects[(corner / 3) | 0];
  return { source: Uint32Array.from(source), index, object };
}

function bendsLess(normals, a, b, limit) {
  const dot = normals[a] * normals[b] + normals[a + 1] * normals[b + 1] + normals[a + 2] * normals[b + 2];
  const size = Math.hypot(normals[a], normals[a + 1], normals[a + 2]) * Math.hypot(normals[b], normals[b + 1], normals[b + 2]);
  return dot >= limit * size;
}

// Sums of the normals of faces by their areas, into `out`, 3 a vertex.
export function vertexNormals(positions, index, out) {
  out.fill(0);
  for (let t = 0; t < index.length; t += 3) {
    const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    out[a] += x; out[a + 1] += y; out[a + 2] += z;
    out[b] += x; out[b + 1] += y; out[b + 2] += z;
    out[c] += x; out[c + 1] += y; out[c + 2] += z;
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    out[i] /= length; out[i + 1] /= length; out[i + 2] /= length;
  }
}

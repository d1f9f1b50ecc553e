// Quantities that can be shown as colours: any array of numbers that a group has, and what follows from it.

// What an array of several columns, or a name that says little, is called and coloured as.
const KNOWN = {
  velocities: { label: 'speed', scale: 'speed', zero: true },
  velocity: { label: 'speed', scale: 'speed', zero: true },
  stress: { label: 'stress', scale: 'heat', zero: true },
  stretch: { label: 'stretch', scale: 'heat' },
  pressure: { label: 'pressure', scale: 'pressure' },
  smoke: { label: 'smoke', scale: 'ink', zero: true },
  temperature: { label: 'temperature', scale: 'heat' },
  level: { label: 'distance to the surface', scale: 'diverging', symmetric: true },
  radii: { label: 'radius', scale: 'speed' },
};

// Arrays that are places or numbers of things.
const NOT_SHOWN = new Set(['vertices', 'positions', 'nodes', 'triangles', 'tetrahedra', 'objects', 'colors', 'checks',
  'solid', 'poses', 'motions', 'names', 'kinds', 'masses', 'normals', 'contact_points', 'contact_normals', 'contact_forces']);

export function quantityOf(array) {
  const known = KNOWN[array.name] ?? {};
  return { array: array.name, label: array.name, scale: 'speed', unit: array.unit ?? '', ...known };
}

// Of a group of vertices or points: one value each.
export function quantitiesOf(group, rows) {
  return group.arrays
    .filter((a) => !NOT_SHOWN.has(a.name) && a.type.startsWith('f') && a.rows === rows)
    .map(quantityOf);
}

// One number a row: the value itself, or the length of a vector.
export function scalarsOf(values, columns, into) {
  if (columns === 1) return values;
  const rows = values.length / columns;
  const out = into && into.length === rows ? into : new Float32Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let c = 0; c < columns; c++) sum += values[columns * i + c] ** 2;
    out[i] = Math.sqrt(sum);
  }
  return out;
}

// What arrows can show. Contacts lie between bodies, so that their arrows are drawn over them.
export const ARROWS = {
  velocities: { label: 'velocities', unit: 'm/s', onTop: false },
  contact_forces: { label: 'contact forces', unit: 'N', onTop: true, from: 'contact_points' },
  contact_normals: { label: 'contact normals', unit: '', onTop: true, from: 'contact_points' },
};

// Lowest and highest number; null when there is none.
export function rangeOf(values) {
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

// The range as it is shown: from zero, or symmetric about it, where that is the habit.
export function shownRange(quantity, range) {
  let [low, high] = range ?? [0, 1];
  if (quantity.zero) low = Math.min(0, low);
  if (quantity.symmetric) {
    high = Math.max(Math.abs(low), Math.abs(high));
    low = -high;
  }
  if (!(high > low)) high = low + (Math.abs(low) > 0 ? 1e-3 * Math.abs(low) : 1);
  return [low, high];
}

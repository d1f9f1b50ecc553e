// Colour scales, the same as in the pictures of `plimsoll render` (src/render/color.c).
import * as THREE from 'three';

const DEGREE = Math.PI / 180;
const STEPS = 256;

function encode(light) {
  const x = Math.min(Math.max(light, 0), 1);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

// Lightness, colourfulness and hue in Oklab.
function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos(hue * DEGREE), b = chroma * Math.sin(hue * DEGREE);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const SPEED = [
  [0.12, 0.14, 0.33], [0.14, 0.33, 0.55], [0.12, 0.54, 0.58], [0.3, 0.72, 0.48], [0.68, 0.84, 0.34], [0.99, 0.9, 0.3],
];

function speed(t) {
  const at = t * (SPEED.length - 1), i = Math.min(Math.floor(at), SPEED.length - 2);
  return SPEED[i].map((value, c) => value + (at - i) * (SPEED[i + 1][c] - value));
}

function diverging(t) {
  const side = 2 * t - 1, away = Math.abs(side);
  const chroma = away < 0.7 ? 0.235 * away * (1 - 0.35 * away) : 0.1242 + 0.02 * (away - 0.7);
  return oklch(0.965 - 0.5 * away, chroma, side < 0 ? 254 - 8 * away : 32 - 6 * away);
}

const SCALES = {
  speed,
  diverging,
  ink: (t) => oklch(0.97 - 0.7 * t, 0.008 + 0.09 * t * (1.6 - t), 235 + 35 * t),
  pressure: (t) => oklch(0.28 + 0.64 * t, 0.145 - 0.16 * (t - 0.45) ** 2, 295 + 155 * t),
  heat: (t) => oklch(0.16 + 0.8 * t, 0.05 + 0.5 * t * (1 - t) * (1 - 0.25 * t), -75 + 170 * t),
};

// sRGB, three numbers 0 to 1.
export function scaleColor(scale, t) {
  return SCALES[scale](t);
}

const textures = new Map();

export function scaleTexture(scale) {
  if (!textures.has(scale)) {
    const data = new Uint8Array(4 * STEPS);
    for (let i = 0; i < STEPS; i++) {
      const color = scaleColor(scale, i / (STEPS - 1));
      for (let c = 0; c < 3; c++) data[4 * i + c] = Math.round(255 * color[c]);
      data[4 * i + 3] = 255;
    }
    const texture = new THREE.DataTexture(data, STEPS, 1);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.minFilter = texture.magFilter = THREE.LinearFilter;
    texture.needsUpdate = true;
    textures.set(scale, texture);
  }
  return textures.get(scale);
}

// Materials of surfaces: three's, with the colour of the object, or of a value, or of a checkerboard put in.
import * as THREE from 'three';
import { SOLID, CLEAR, WIRE, TABLE_DECLARATION, TABLE_DROP } from './object_table.js';

// What all materials of a mesh share.
export function meshUniforms(table) {
  return {
    objectTable: { value: table.texture },
    scale: { value: null }, // colours of values
    range: { value: new THREE.Vector2(0, 1) },
    byValue: { value: false },
    highlight: { value: -1 },
  };
}

const VERTEX = `${TABLE_DECLARATION}
attribute float value;
attribute vec2 check;
varying vec3 vOwn;
varying float vValue;
varying vec2 vCheck;
varying float vChosen;
uniform float highlight;
`;

const FRAGMENT = /* glsl */ `
varying vec3 vOwn;
varying float vValue;
varying vec2 vCheck;
varying float vChosen;
uniform sampler2D scale;
uniform vec2 range;
uniform bool byValue;
`;

const COLOR = /* glsl */ `
vec3 own = vOwn;
if (vCheck.x < 1e8 && mod(floor(vCheck.x) + floor(vCheck.y), 2.0) > 0.5) own = mix(own, vec3(0.92), 0.75);
if (byValue) {
  float t = clamp((vValue - range.x) / (range.y - range.x), 0.0, 1.0);
  own = texture2D(scale, vec2(t * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
}
diffuseColor.rgb *= own;
`;

// Outlines would need another pass: what is chosen glows at its rim instead.
const RIM = /* glsl */ `
if (vChosen > 0.5) {
  float rim = 1.0 - abs(dot(normalize(vViewPosition), normal));
  totalEmissiveRadiance += vec3(1.0, 0.55, 0.05) * (0.18 + 0.9 * rim * rim);
}
`;

function dress(material, uniforms, pass) {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms, { objectPass: { value: pass } });
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${VERTEX}`)
      .replace('#include <begin_vertex>', `#include <begin_vertex>
        vOwn = objectEntry().rgb; vValue = value; vCheck = check;
        vChosen = abs(object - highlight) < 0.5 ? 1.0 : 0.0;`)
      .replace('#include <project_vertex>', `#include <project_vertex>\n${TABLE_DROP}`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${FRAGMENT}`)
      .replace('#include <color_fragment>', `#include <color_fragment>\n${COLOR}`)
      .replace('#include <emissivemap_fragment>', `#include <emissivemap_fragment>\n${RIM}`);
  };
  material.customProgramCacheKey = () => `plimsoll-${pass}`;
  return material;
}

export function solidMaterial(uniforms) {
  return dress(new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0, side: THREE.DoubleSide }), uniforms, SOLID);
}

export function clearMaterial(uniforms) {
  return dress(
    new THREE.MeshStandardMaterial({
      roughness: 0.5, transparent: true, opacity: 0.3, depthWrite: false, side: THREE.DoubleSide,
    }),
    uniforms, CLEAR
  );
}

export function wireMaterial(uniforms) {
  const material = new THREE.MeshStandardMaterial({ wireframe: true, roughness: 1 });
  return dress(material, uniforms, WIRE);
}

// Shadows of what is drawn solid.
export function shadowMaterial(uniforms) {
  const material = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking, side: THREE.DoubleSide });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms, { objectPass: { value: SOLID } });
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${TABLE_DECLARATION}`)
      .replace('#include <project_vertex>', `#include <project_vertex>\n${TABLE_DROP}`);
  };
  return material;
}

// Water: light goes through it, bent, and loses colour on its way. `depth` is a length that counts as deep.
export function waterMaterial(absorption, depth) {
  const tint = new THREE.Color().setRGB(...absorption.map((a) => Math.exp(-Math.min(a * depth, 4) - 0.02)));
  return new THREE.MeshPhysicalMaterial({
    color: 0xffffff, roughness: 0.04, metalness: 0, transmission: 1, ior: 1.333, thickness: depth,
    attenuationColor: tint, attenuationDistance: depth, side: THREE.DoubleSide, specularIntensity: 1,
    envMapIntensity: 1.2,
  });
}

// Numbers of objects as colours, for picking and silhouettes: `base` is that of the first one.
export function idMaterial(uniforms, base) {
  return new THREE.ShaderMaterial({
    uniforms: { ...uniforms, objectPass: { value: -1 }, base: { value: base } },
    clipping: true,
    side: THREE.DoubleSide,
    vertexShader: `${TABLE_DECLARATION}
      #include <clipping_planes_pars_vertex>
      flat varying int vId;
      uniform int base;
      void main() {
        #include <begin_vertex>
        vId = base + int(object + 0.5);
        #include <project_vertex>
        #include <clipping_planes_vertex>
        ${TABLE_DROP}
      }`,
    fragmentShader: /* glsl */ `
      #include <clipping_planes_pars_fragment>
      flat varying int vId;
      void main() {
        #include <clipping_planes_fragment>
        gl_FragColor = vec4(float(vId & 255), float((vId >> 8) & 255), float((vId >> 16) & 255), 255.0) / 255.0;
      }`,
  });
}

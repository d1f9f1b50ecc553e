// Drops and particles: points drawn as lit spheres.
import * as THREE from 'three';
import { arrayOf, valuesOf } from '../data/frames.js';
import { MOVES } from './fit.js';
import { quantitiesOf, rangeOf, scalarsOf } from './quantity.js';

const VERTEX = /* glsl */ `
#include <clipping_planes_pars_vertex>
attribute float radius;
attribute float value;
uniform float pixels; // of a length of 1 m, 1 m away
varying float vValue;
void main() {
  #include <begin_vertex>
  vValue = value;
  #include <project_vertex>
  #include <clipping_planes_vertex>
  gl_PointSize = max(1.5, 2.0 * radius * pixels / -mvPosition.z);
}`;

const FRAGMENT = /* glsl */ `
#include <clipping_planes_pars_fragment>
uniform vec3 color, sun;
uniform sampler2D scale;
uniform vec2 range;
uniform bool byValue;
varying float vValue;
void main() {
  #include <clipping_planes_fragment>
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float outside = dot(at, at);
  if (outside > 1.0) discard;
  vec3 normal = vec3(at.x, -at.y, sqrt(1.0 - outside));
  float light = 0.55 + 0.5 * max(0.0, dot(normal, sun));
  vec3 own = color;
  if (byValue) own = texture2D(scale, vec2(clamp((vValue - range.x) / (range.y - range.x), 0.0, 1.0), 0.5)).rgb;
  gl_FragColor = vec4(own * light + 0.25 * pow(max(0.0, dot(normal, normalize(sun + vec3(0, 0, 1)))), 40.0), 1.0);
  #include <colorspace_fragment>
}`;

const ID_FRAGMENT = /* glsl */ `
#include <clipping_planes_pars_fragment>
uniform vec3 color;
void main() {
  #include <clipping_planes_fragment>
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  if (dot(at, at) > 1.0) discard;
  gl_FragColor = vec4(color, 1.0);
}`;

function idColor(number) {
  return new THREE.Vector3(number & 255, (number >> 8) & 255, (number >> 16) & 255).multiplyScalar(1 / 255);
}

export class PointsLayer {
  constructor(view, group) {
    this.view = view;
    this.name = group.name;
    this.kind = 'points';
    this.visible = !hasSkin(view, group.name);
    this.uniforms = {
      color: { value: new THREE.Color(0.55, 0.74, 0.88) },
      sun: { value: new THREE.Vector3(0.4, 0.8, 0.45).normalize() },
      pixels: { value: 1000 },
      scale: { value: null },
      range: { value: new THREE.Vector2(0, 1) },
      byValue: { value: false },
    };
    const material = new THREE.ShaderMaterial({
      uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, clipping: true,
    });
    this.geometry = new THREE.BufferGeometry();
    this.root = new THREE.Points(this.geometry, material);
    this.root.frustumCulled = false;
    this.sizeBy(this.root);
    this.root.visible = this.visible;
  }

  // Points have sizes in pixels.
  sizeBy(points) {
    points.onBeforeRender = (renderer, scene, camera) => {
      const height = renderer.getRenderTarget()?.height ?? renderer.domElement.height;
      this.uniforms.pixels.value = 0.5 * height * camera.projectionMatrix.elements[5];
    };
  }

  needs(group) {
    if (!this.visible) return [];
    const names = ['positions', 'radii'];
    const shown = this.view.settings.color;
    if (arrayOf(group, shown)) names.push(shown);
    if (this.view.settings.arrows === 'velocities') names.push('velocities');
    return names;
  }

  quantities(group) {
    return quantitiesOf(group, arrayOf(group, 'positions').rows);
  }

  update(group) {
    this.group = group;
    const positions = valuesOf(group, 'positions'), radii = valuesOf(group, 'radii');
    this.refresh();
    if (!positions) return;
    const array = arrayOf(group, this.view.settings.color);
    const values = array?.values ? scalarsOf(array.values, array.columns) : new Float32Array(positions.length / 3);
    this.uniforms.byValue.value = !!array?.values;
    this.valueRange = array?.values ? rangeOf(values) : null;
    this.geometry.dispose();
    this.geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    this.geometry.setAttribute('radius', new THREE.BufferAttribute(radii ?? new Float32Array(values.length).fill(0.01), 1));
    this.geometry.setAttribute('value', new THREE.BufferAttribute(values, 1));
    this.view.uploads += 3;
  }

  setScale(texture, range) {
    this.uniforms.scale.value = texture;
    this.uniforms.range.value.set(...range);
  }

  refresh() {
    this.root.visible = this.visible;
  }

  growBox(box) {
    const positions = this.group && valuesOf(this.group, 'positions'), point = new THREE.Vector3();
    if (!this.visible || !positions) return;
    for (let i = 0; i < positions.length; i += 3) box.expandByPoint(point.fromArray(positions, i));
  }

  // Drops fly wide: where there is a surface of a liquid, that is what to look at.
  eachBall(tell) {
    const positions = this.group && valuesOf(this.group, 'positions'), radii = valuesOf(this.group, 'radii');
    if (!this.visible || !positions || [...this.view.layers.values()].some((layer) => layer.isClear && layer.visible)) return;
    for (let i = 0; 3 * i < positions.length; i++)
      tell(MOVES, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], radii?.[i] ?? 0);
  }

  arrows(array) {
    const positions = array === 'velocities' && this.group && valuesOf(this.group, 'positions'), velocities = this.group && valuesOf(this.group, 'velocities');
    if (!this.visible || !positions || !velocities) return [];
    const out = [], count = positions.length / 3, stride = Math.ceil(count / 1500) || 1;
    for (let i = 0; i < count; i += stride)
      out.push({ from: [...positions.subarray(3 * i, 3 * i + 3)], vector: [...velocities.subarray(3 * i, 3 * i + 3)] });
    return out;
  }

  objectName() {
    return this.name;
  }

  idMesh(base) {
    if (!this.visible || !this.geometry.attributes.position) return null;
    const uniforms = { pixels: this.uniforms.pixels, color: { value: idColor(base) } };
    const points = new THREE.Points(this.geometry, new THREE.ShaderMaterial({
      uniforms, vertexShader: VERTEX, fragmentShader: ID_FRAGMENT, clipping: true,
    }));
    points.frustumCulled = false;
    points.scale.copy(this.root.scale);
    this.sizeBy(points);
    return points;
  }

  dispose() {
    this.geometry.dispose();
  }
}

// All particles of a splash whose surface and spray are there, too.
function hasSkin(view, name) {
  return name.endsWith('particles') && view.groupNames.has(name.slice(0, -'particles'.length) + 'spray');
}

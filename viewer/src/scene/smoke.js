// Smoke: rays through a box of cells, with light of the sun that the smoke itself dims.
import * as THREE from 'three';

const VERTEX = /* glsl */ `
varying vec3 vWorld;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  vWorld = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = /* glsl */ `
precision highp sampler3D;
uniform sampler3D cells;
uniform sampler2D behind; // depth of what is opaque
uniform vec3 low, size, sun;
uniform vec2 picture;
uniform float extinction, stepLength;
uniform mat4 inverseView;
uniform vec4 clip;
uniform bool clips;
varying vec3 vWorld;
float density(vec3 x) {
  return max(0.0, texture(cells, (x - low) / size).r);
}
float noise(vec2 at) {
  return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715))));
}
void main() {
  vec3 direction = normalize(vWorld - cameraPosition);
  vec3 a = (low - cameraPosition) / direction, b = (low + size - cameraPosition) / direction;
  vec3 nearest = min(a, b), farthest = max(a, b);
  float start = max(max(nearest.x, nearest.y), max(nearest.z, 0.0)), end = min(farthest.x, min(farthest.y, farthest.z));
  vec2 screen = gl_FragCoord.xy / picture;
  float depth = texture2D(behind, screen).r;
  if (depth < 1.0) {
    vec4 world = inverseView * vec4(vec3(screen, depth) * 2.0 - 1.0, 1.0);
    end = min(end, distance(world.xyz / world.w, cameraPosition));
  }
  float through = 1.0;
  vec3 light = vec3(0.0);
  for (float t = start + stepLength * noise(gl_FragCoord.xy); t < end && through > 0.01; t += stepLength) {
    vec3 x = cameraPosition + t * direction;
    if (clips && dot(clip.xyz, x) + clip.w < 0.0) continue;
    float here = density(x) * extinction;
    if (here <= 0.0) continue;
    float shade = 0.0;
    for (int i = 1; i <= 5; i++) shade += density(x + sun * stepLength * 2.0 * (float(i) - 0.5));
    float lit = exp(-shade * extinction * stepLength * 1.2);
    float taken = 1.0 - exp(-here * stepLength);
    light += through * taken * (vec3(0.62, 0.66, 0.72) * 0.62 + vec3(1.0, 0.97, 0.92) * 0.6 * lit);
    through *= 1.0 - taken;
  }
  if (through > 0.999) discard;
  gl_FragColor = vec4(light / max(1.0 - through, 1e-4), 1.0 - through);
  #include <colorspace_fragment>
}`;

export class Smoke {
  constructor() {
    this.uniforms = {
      cells: { value: null }, behind: { value: null }, low: { value: new THREE.Vector3() },
      size: { value: new THREE.Vector3(1, 1, 1) }, sun: { value: new THREE.Vector3(0.5, 1, 0.35).normalize() },
      picture: { value: new THREE.Vector2() }, extinction: { value: 1 }, stepLength: { value: 0.1 },
      inverseView: { value: new THREE.Matrix4() }, clip: { value: new THREE.Vector4() }, clips: { value: false },
    };
    const material = new THREE.ShaderMaterial({
      uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.BackSide,
      transparent: true, depthTest: false, depthWrite: false,
    });
    this.mesh = new THREE.Mesh(new THREE.BoxGeometry(1, 1, 1), material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    this.mesh.renderOrder = 10;
  }

  update(group, values, thickness) {
    const n = group.cells, texture = this.uniforms.cells.value;
    const halves = texture?.image.data.length === values.length ? texture.image.data : new Uint16Array(values.length);
    for (let i = 0; i < values.length; i++) halves[i] = THREE.DataUtils.toHalfFloat(Math.min(values[i], 60000));
    if (texture?.image.data === halves) {
      texture.needsUpdate = true;
    } else {
      texture?.dispose();
      const cells = new THREE.Data3DTexture(halves, n[0], n[1], n[2]);
      cells.format = THREE.RedFormat;
      cells.type = THREE.HalfFloatType;
      cells.minFilter = cells.magFilter = THREE.LinearFilter;
      cells.unpackAlignment = 1;
      cells.needsUpdate = true;
      this.uniforms.cells.value = cells;
    }
    const size = n.map((count) => count * group.spacing);
    this.uniforms.low.value.fromArray(group.origin);
    this.uniforms.size.value.fromArray(size);
    this.uniforms.extinction.value = (thickness * 80) / Math.max(...size);
    this.uniforms.stepLength.value = Math.max(0.7 * group.spacing, Math.max(...size) / 160);
    this.mesh.scale.fromArray(size);
    this.mesh.position.fromArray(group.origin.map((x, a) => x + 0.5 * size[a]));
  }
}

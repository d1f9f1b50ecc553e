// The stage: renderer, light, ground, background. Draws only when something has changed.
import * as THREE from 'three';

const SUN = new THREE.Vector3(0.5, 1, 0.35).normalize();
const SUN_FLAT = new THREE.Vector3(0.35, 0.6, 1).normalize();

export class Stage {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.scene = new THREE.Scene();
    this.content = new THREE.Group();
    this.scene.add(this.content);
    this.scene.background = backgroundTexture();
    this.addLight();
    this.addGround();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
    this.size = 1; // m, of what there is to see
    this.width = this.height = 1; // pixels
    this.free = { left: 0, right: 0, top: 0, bottom: 0 }; // pixels at the edges that panels cover
    this.smokes = []; // drawn over the rest, with its depth
    this.wanted = true;
    this.pictures = 0;
    this.listeners = [];
    requestAnimationFrame(() => this.loop());
  }

  addLight() {
    const pmrem = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = pmrem.fromScene(skyScene(), 0.02, 0.1, 100, { size: 64 }).texture;
    this.scene.environmentIntensity = 0.62;
    pmrem.dispose();
    this.sun = new THREE.DirectionalLight(0xfff4e2, 2.3);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.02;
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target);
  }

  addGround() {
    this.groundUniforms = { checker: { value: 1 }, fade: { value: 10 }, middle: { value: new THREE.Vector3() } };
    const material = new THREE.MeshStandardMaterial({ color: 0xffffff, roughness: 0.95, transparent: true });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.groundUniforms);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec3 vGround;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nvGround = (modelMatrix * vec4(position, 1.0)).xyz;');
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', '#include <common>\nvarying vec3 vGround;\nuniform float checker, fade;\nuniform vec3 middle;')
        .replace('#include <color_fragment>', `
          vec2 cell = vGround.xz / checker;
          vec2 wide = fwidth(cell);
          vec2 soft = clamp((abs(fract(cell * 0.5) - 0.5) - 0.25) / max(wide, 1e-6) * 2.0, -0.5, 0.5);
          float odd = 0.5 - 2.0 * soft.x * soft.y;
          diffuseColor.rgb = mix(vec3(0.60, 0.63, 0.67), vec3(0.74, 0.765, 0.79), mix(odd, 0.5, clamp(max(wide.x, wide.y) * 1.2, 0.0, 1.0)));
          diffuseColor.a = 1.0 - smoothstep(0.35, 1.0, distance(vGround.xz, middle.xz) / fade);`);
    };
    this.ground = new THREE.Mesh(new THREE.CircleGeometry(1, 96).rotateX(-Math.PI / 2), material);
    this.ground.receiveShadow = true;
    this.ground.renderOrder = -1;
    this.scene.add(this.ground);
  }

  // The box around what there is to see; where the ground is; whether all lies in a plane.
  setBox(box, groundHeight, flat) {
    const center = box.getCenter(new THREE.Vector3());
    this.box = box;
    this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-6);
    this.flat = flat;
    this.ground.position.set(center.x, groundHeight, center.z);
    this.ground.scale.setScalar(12 * this.size);
    this.groundUniforms.fade.value = 7 * this.size;
    this.groundUniforms.middle.value.copy(center);
    this.groundUniforms.checker.value = 10 ** Math.floor(Math.log10(this.size / 4));
    this.aimSun(center);
  }

  aimSun(center) {
    const reach = 0.62 * this.size, { shadow } = this.sun;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(this.flat ? SUN_FLAT : SUN, 2 * this.size);
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.size, far: 4 * this.size });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = 0.0015 * this.size;
    shadow.bias = -0.0004;
  }

  // The middle of the picture is the middle of what `free` leaves of it.
  resize(width, height, free = this.free) {
    Object.assign(this, { width, height, free });
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.setViewOffset(width, height, ...this.offset(), width, height);
    this.draw();
  }

  // Whole pixels: the same ones for picking.
  offset() {
    const { left, right, top, bottom } = this.free;
    return [Math.round((right - left) / 2), Math.round((bottom - top) / 2)];
  }

  // Content has changed: shadows, too.
  change() {
    this.renderer.shadowMap.needsUpdate = true;
    this.draw();
  }

  draw() {
    this.wanted = true;
  }

  loop() {
    requestAnimationFrame(() => this.loop());
    if (!this.wanted) return;
    this.wanted = false;
    this.render();
    for (const listener of this.listeners) listener();
  }

  render() {
    const smokes = this.smokes.filter((smoke) => smoke.mesh.visible && smoke.mesh.parent?.visible);
    if (smokes.length > 0) this.renderDepth(smokes);
    this.renderer.render(this.scene, this.camera);
    this.pictures++;
  }

  // Smoke ends where something opaque begins.
  renderDepth(smokes) {
    const size = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    if (this.depth?.width !== size.x || this.depth?.height !== size.y) {
      this.depth?.dispose();
      this.depth = new THREE.WebGLRenderTarget(size.x, size.y, { depthTexture: new THREE.DepthTexture(size.x, size.y) });
    }
    for (const smoke of smokes) smoke.mesh.visible = false;
    this.renderer.setRenderTarget(this.depth);
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    this.renderer.setRenderTarget(null);
    const inverse = this.camera.matrixWorld.clone().multiply(this.camera.projectionMatrixInverse);
    const plane = this.renderer.clippingPlanes[0];
    for (const { mesh, uniforms } of smokes) {
      mesh.visible = true;
      uniforms.behind.value = this.depth.depthTexture;
      uniforms.picture.value.copy(size);
      uniforms.inverseView.value.copy(inverse);
      uniforms.clips.value = !!plane;
      if (plane) uniforms.clip.value.set(...plane.normal.toArray(), plane.constant);
    }
  }

  // The picture as it is, as a blob.
  async picture() {
    this.render();
    return new Promise((done) => this.renderer.domElement.toBlob(done, 'image/png'));
  }
}

function backgroundTexture() {
  const canvas = document.createElement('canvas');
  canvas.width = 4;
  canvas.height = 256;
  const pen = canvas.getContext('2d'), fill = pen.createLinearGradient(0, 0, 0, 256);
  fill.addColorStop(0, '#c3d3e6');
  fill.addColorStop(0.55, '#e6edf4');
  fill.addColorStop(1, '#dfe4ea');
  pen.fillStyle = fill;
  pen.fillRect(0, 0, 4, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

function skyScene() {
  const material = new THREE.ShaderMaterial({
    side: THREE.BackSide,
    vertexShader: 'varying vec3 vAt; void main() { vAt = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: `varying vec3 vAt; void main() {
      float up = normalize(vAt).y;
      vec3 sky = mix(vec3(1.15, 1.2, 1.25), vec3(0.55, 0.75, 1.15), smoothstep(0.0, 0.9, up));
      gl_FragColor = vec4(mix(vec3(0.5, 0.5, 0.5), sky, smoothstep(-0.12, 0.08, up)), 1.0); }`,
  });
  const scene = new THREE.Scene();
  scene.add(new THREE.Mesh(new THREE.SphereGeometry(10, 32, 16), material));
  return scene;
}

// What is being looked at: the run, the frame, its layers, what is chosen, how it is shown.
import * as THREE from 'three';
import { arrayOf, FrameStore } from './data/frames.js';
import { Table } from './data/table.js';
import { Arrows } from './scene/arrows.js';
import { CameraControl } from './scene/camera.js';
import { scaleTexture } from './scene/colors.js';
import { ElementsLayer } from './scene/elements_layer.js';
import { MeshLayer } from './scene/mesh_layer.js';
import { FIELD_OF_VIEW, FirstView } from './scene/fit.js';
import { Picker } from './scene/picking.js';
import { PointsLayer } from './scene/points_layer.js';
import { ARROWS, shownRange } from './scene/quantity.js';
import { Stage } from './scene/stage.js';
import { VolumeLayer } from './scene/volume_layer.js';

const LAYERS = { mesh: MeshLayer, points: PointsLayer, volume: VolumeLayer, elements: ElementsLayer };

export class View extends EventTarget {
  constructor(source, canvas) {
    super();
    this.source = source;
    this.stage = new Stage(canvas);
    this.camera = new CameraControl(this.stage, canvas);
    this.picker = new Picker(this.stage);
    this.store = new FrameStore(source);
    this.probes = new Table(source, 'probes.csv');
    this.stats = new Table(source, 'stats.csv');
    this.arrows = new Arrows();
    this.stage.scene.add(this.arrows.root);
    this.layers = new Map();
    this.groupNames = new Set();
    this.settings = { color: 'own', range: null, arrows: '', clip: null, ground: true };
    this.uploads = 0;
    this.selection = null;
    this.index = 0;
    this.following = true; // new frames are shown as they come, until another one is asked for
    this.needsOf = (group) => this.layers.get(group.name)?.needs(group) ?? [];
  }

  get size() {
    return this.stage.size;
  }

  tell(name) {
    this.dispatchEvent(new Event(name));
  }

  async open() {
    this.run = await this.source.run();
    this.frames = this.run.frames;
    this.tell('run');
    if (this.frames.length > 0) await this.first();
    await this.probes.refresh();
    this.tell('tables');
  }

  // The first picture: layers, the box around what is seen in the first and last frame, the camera. The frame between
  // them tells of what goes and comes back.
  async first() {
    await this.show(0);
    const box = this.box(), { groups } = this.block, last = this.frames.length - 1;
    this.flat = groups.some((g) => g.dim === 2) || box.getSize(new THREE.Vector3()).z === 0;
    for (const layer of this.layers.values()) this.flatten(layer);
    this.stage.camera.fov = FIELD_OF_VIEW;
    const { x, y } = this.camera.slopes(), view = new FirstView(x, y, this.flat);
    view.add([...this.layers.values()]);
    for (const index of new Set([last >> 1, last])) {
      if (index === 0) continue;
      await this.show(index);
      box.union(this.box());
      view.add([...this.layers.values()]);
    }
    if (last > 0) await this.show(0);
    this.setStage(box, groups);
    this.camera.start(this.run.camera, view.end());
    this.stage.change();
    this.isReady = true;
    this.tell('ready');
  }

  // In the plane bodies are columns along z: seen as the discs that they are.
  flatten(layer) {
    if (layer.kind !== 'volume') layer.root.scale.z = this.flat ? 1e-3 : 1;
  }

  // Ground and depths, by the box around what there is.
  setStage(box, groups) {
    const { flat } = this, volumes = groups.filter((g) => g.kind === 'volume' && g.dim === 3);
    let floor = box.min.y - (volumes.length ? 0 : 0.002 * box.getSize(new THREE.Vector3()).length());
    for (const group of volumes) floor = Math.min(floor, group.origin[1]);
    this.stage.setBox(box, this.run.camera?.ground_height ?? floor, flat);
    for (const layer of this.layers.values()) layer.slice?.moveBack(flat ? 2e-3 * this.size : 0);
    this.settings.ground = !flat && this.run.camera?.ground !== false;
    this.stage.ground.visible = this.settings.ground;
    for (const layer of this.layers.values()) {
      if (!layer.water) continue;
      layer.water.material.thickness = layer.water.material.attenuationDistance = 0.15 * this.size;
    }
  }

  box() {
    const box = new THREE.Box3();
    for (const layer of this.layers.values()) layer.growBox(box);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 1, 1));
    return box;
  }

  // Layers for groups that are new.
  prepare(block) {
    this.groupNames = new Set(block.groups.map((group) => group.name));
    for (const group of block.groups) {
      if (this.layers.has(group.name) || !LAYERS[group.kind]) continue;
      const layer = new LAYERS[group.kind](this, group);
      this.layers.set(group.name, layer);
      this.flatten(layer);
      this.stage.content.add(layer.root);
      if (layer.smoke) this.stage.smokes.push(layer.smoke);
    }
  }

  async show(index) {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const number = this.frames[index];
    this.prepare(await this.store.header(number));
    const block = await this.store.get(number, this.needsOf);
    if (asked !== this.asked) return;
    this.index = index;
    this.block = block;
    for (const [name, layer] of this.layers) {
      const group = block.groups.find((g) => g.name === name);
      layer.root.visible = !!group && layer.visible;
      if (group) layer.update(group);
    }
    this.recolor();
    this.point();
    this.stage.change();
    this.tell('frame');
  }

  // Fetches what settings newly ask for, and draws the frame again.
  refresh() {
    return this.show(this.index);
  }

  prefetch(index) {
    const number = this.frames[index];
    if (number !== undefined && !this.store.has(number, this.needsOf)) this.store.get(number, this.needsOf).catch(() => {});
  }

  // ---- colours of surfaces and points ----

  quantities() {
    const found = new Map();
    for (const group of this.block?.groups ?? [])
      if (group.kind === 'mesh' || group.kind === 'points')
        for (const q of this.layers.get(group.name).quantities(group)) found.set(q.array, q);
    return [...found.values()];
  }

  recolor() {
    this.quantity = this.quantities().find((q) => q.array === this.settings.color) ?? null;
    if (!this.quantity) return;
    let range = null;
    for (const layer of this.layers.values())
      if (layer.valueRange && layer.visible)
        range = range ? [Math.min(range[0], layer.valueRange[0]), Math.max(range[1], layer.valueRange[1])] : layer.valueRange;
    this.measured = shownRange(this.quantity, range);
    this.range = this.settings.range ?? this.measured;
    for (const layer of this.layers.values()) layer.setScale?.(scaleTexture(this.quantity.scale), this.range);
  }

  legends() {
    const out = this.quantity ? [{ quantity: this.quantity, range: this.range }] : [];
    for (const layer of this.layers.values()) if (layer.legend?.()) out.push(layer.legend());
    return out;
  }

  // What arrows can show of this run.
  arrowKinds() {
    const has = (array) => (this.block?.groups ?? []).some((group) => arrayOf(group, array));
    return Object.keys(ARROWS).filter((array) => !ARROWS[array].from || has(array));
  }

  point() {
    const { arrows } = this.settings;
    this.arrows.root.visible = !!arrows;
    if (!arrows) return;
    const list = [...this.layers.values()].flatMap((layer) => layer.arrows?.(arrows) ?? []);
    this.longestArrow = this.arrows.update(list, 0.12 * this.size, ARROWS[arrows].onTop);
  }

  // ---- what is chosen ----

  pickAt(x, y) {
    const { clientWidth, clientHeight } = this.stage.renderer.domElement;
    return this.picker.pick([...this.layers.values()], Math.round(x), Math.round(y), clientWidth, clientHeight);
  }

  select(found) {
    this.selection = found;
    for (const layer of this.layers.values()) layer.highlight?.(found?.layer === layer ? found.object : -1);
    this.stage.draw();
    this.tell('selection');
    if (found) this.refresh();
  }

  // The camera on what is chosen, or on all that is shown.
  fit(chosen, direction = null) {
    const { selection } = this, add = (to) => (interest, ...ball) => to(...ball);
    const each = (to) => {
      if (chosen && selection) return selection.layer.eachBall?.(add(to), selection.object);
      for (const layer of this.layers.values()) layer.eachBall?.(add(to));
    };
    this.camera.fit(each, direction);
  }

  // ---- objects ----

  setVisible(layer, object, on) {
    if (object === undefined) layer.visible = on;
    else layer.table.visible[object] = on ? 1 : 0;
    layer.refresh();
    this.stage.change();
    this.tell('objects');
    if (on) this.refresh();
  }

  setMode(layer, object, mode) {
    if (!layer.table) return;
    layer.table.mode[object] = mode;
    layer.refresh();
    this.stage.change();
    this.tell('objects');
  }

  isolate(layer, object) {
    for (const other of this.layers.values()) {
      if (!other.table) other.visible = other === layer;
      else other.table.visible.fill(0);
      if (other === layer && other.table) other.table.visible[object] = 1;
      other.refresh();
    }
    this.stage.change();
    this.tell('objects');
  }

  showAll() {
    for (const layer of this.layers.values()) {
      if (layer.kind !== 'elements') layer.visible = true;
      layer.table?.visible.fill(1);
      layer.table?.mode.set(layer.table.first);
      layer.refresh();
    }
    this.tell('objects');
    return this.refresh();
  }

  // A plane across an axis; what is beyond it is not drawn. null: none.
  setClip(clip) {
    this.settings.clip = clip;
    const planes = [];
    if (clip) {
      const box = this.stage.box, normal = new THREE.Vector3();
      normal.setComponent(clip.axis, clip.flip ? 1 : -1);
      const at = box.min.getComponent(clip.axis) + clip.at * (box.max.getComponent(clip.axis) - box.min.getComponent(clip.axis));
      planes.push(new THREE.Plane(normal, clip.flip ? -at : at));
    }
    this.stage.renderer.clippingPlanes = planes;
    this.stage.draw();
  }

  // A run that goes on: new frames, and new rows of tables. Another run: all anew.
  async follow(state) {
    const another = state.version !== this.run.version;
    const grown = state.frames.length !== this.frames.length, ended = this.run.running && !state.running;
    Object.assign(this.run, state);
    this.frames = state.frames;
    if (another) {
      for (const layer of this.layers.values()) {
        this.stage.content.remove(layer.root);
        layer.dispose();
      }
      this.layers.clear();
      this.stage.smokes.length = 0;
      this.store.clear();
      this.probes.clear();
      this.stats.clear();
      this.selection = null;
      this.following = true;
      await this.open();
    } else if (grown && this.frames.length > 0) {
      if (!this.isReady) await this.first();
      if (this.following || this.index >= this.frames.length) await this.show(this.frames.length - 1);
      await this.probes.refresh();
      this.tell('tables');
    } else if (ended) { // rows after the last frame was seen
      await this.probes.refresh();
      this.tell('tables');
    }
    this.tell('run');
  }
}

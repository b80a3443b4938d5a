// The robot in 3D, drawn from its table alone. It renders when something changed, and never otherwise.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { type Pose, type Scene, type Vector, axis, elements, frameOf, origin, reach, times, tips } from "./geometry";
import { inLegs, isInLeg } from "./legs";
import type { Plate } from "./platform";
import type { Parameter, Robot } from "./robot";

/** Pixels of a drawing for one of the page, while something moves and there is no graphics processor. */
const COARSE = 0.6;

export interface Colours {
  joints: string[];
  x: string; y: string; z: string;
  link: string; body: string; cloud: string; ground: string; grid: string; shadow: string; dimension: string; lit: string;
}
export interface Label { key: string; kind: string; at: Vector; from?: Vector; text: string; below: string; faded: boolean }
export interface Ghost { scene: Scene; colour: string }
export interface Dimension { joint: number; parameter: Parameter }
export interface Shown { frames: boolean; links: boolean; labels: boolean; meshes: boolean; workspace: boolean }
/** Something of a link to be drawn: where it is in the frame of the link, 0 the base. */
export interface Part { link: number; pose: Pose; object: THREE.Object3D }

const UP = new THREE.Vector3(0, 0, 1);
const matrix = new THREE.Matrix4();
const quaternion = new THREE.Quaternion();
const colour = new THREE.Color();

const vector = (v: Vector) => new THREE.Vector3(...v);

/** A kind of solid that occurs many times: one draw call for all of them. */
class Solids {
  readonly mesh: THREE.InstancedMesh;
  readonly shadow: THREE.InstancedMesh | null;
  joints: number[] = [];

  constructor(parent: THREE.Object3D, geometry: THREE.BufferGeometry, material: THREE.Material, most: number, shadow: THREE.Material | null) {
    this.mesh = new THREE.InstancedMesh(geometry, material, most);
    this.mesh.frustumCulled = false;
    this.shadow = shadow ? new THREE.InstancedMesh(geometry, shadow, most) : null;
    parent.add(this.mesh);
    if (this.shadow) {
      this.shadow.frustumCulled = false;
      parent.add(this.shadow);
    }
    this.clear();
  }

  clear(): void {
    this.mesh.count = 0;
    this.joints = [];
    if (this.shadow) this.shadow.count = 0;
  }

  add(at: THREE.Matrix4, colourText: string, joint: number, flat: THREE.Matrix4 | null): void {
    const k = this.mesh.count;
    if (k >= this.mesh.instanceMatrix.count) return;
    this.mesh.setMatrixAt(k, at);
    this.mesh.setColorAt(k, colour.set(colourText));
    this.joints[k] = joint;
    this.mesh.count = k + 1;
    if (this.shadow && flat) {
      this.shadow.setMatrixAt(k, matrix.multiplyMatrices(flat, at));
      this.shadow.count = k + 1;
    }
  }

  done(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    if (this.shadow) this.shadow.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }
}

let software: boolean | null = null;

/** Whether the browser draws without a graphics processor. */
function drawsBySoftware(): boolean {
  if (software !== null) return software;
  const gl = document.createElement("canvas").getContext("webgl");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  software = /swiftshader|llvmpipe|software/i.test(String(about ? gl!.getParameter(about.UNMASKED_RENDERER_WEBGL) : ""));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return software;
}

/** A solid of height 1 along z between two points, with a radius. */
function between(a: THREE.Vector3, b: THREE.Vector3, radius: number): THREE.Matrix4 {
  const along = b.clone().sub(a);
  const length = along.length() || 1e-9;
  quaternion.setFromUnitVectors(UP, along.divideScalar(length));
  return new THREE.Matrix4().compose(a, quaternion.clone(), new THREE.Vector3(radius, radius, length));
}

/** Points in the order in which they go round a centre. */
function around(points: THREE.Vector3[], centre: THREE.Vector3): THREE.Vector3[] {
  if (points.length < 3) return points;
  const x = points[0].clone().sub(centre).normalize();
  const normal = points.map((p) => x.clone().cross(p.clone().sub(centre))).reduce((a, b) => (b.lengthSq() > a.lengthSq() ? b : a)).normalize();
  const y = normal.clone().cross(x);
  const angle = (p: THREE.Vector3) => Math.atan2(p.clone().sub(centre).dot(y), p.clone().sub(centre).dot(x));
  return [...points].sort((a, b) => angle(a) - angle(b));
}

export class Scene3D {
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private world = new THREE.Scene();
  private tubes: Solids; private bodies: Solids; private bands: Solids; private boxes: Solids; private shafts: Solids; private heads: Solids;
  private ghostTubes: Solids; private ghostBodies: Solids;
  private marks = new THREE.Group();
  private parts: Part[] = [];
  private grid: THREE.GridHelper | null = null;
  private asked = 0;
  private rest = 0;
  private slow: boolean;
  private size = 1;
  private hidden = true;
  private low = 0;
  private stands = true;
  private robot: Robot | null = null;
  private last: Scene | null = null;
  private shown: Shown = { frames: true, links: true, labels: true, meshes: true, workspace: false };
  private cloud: THREE.Points | null = null;
  labels: Label[] = [];
  drawn = 0;
  onDrawn: () => void = () => undefined;

  constructor(canvas: HTMLCanvasElement, private colours: Colours, controlled = true) {
    this.slow = controlled && drawsBySoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.slow, alpha: true, preserveDrawingBuffer: !controlled });
    this.renderer.setPixelRatio(this.slow ? COARSE : Math.min(2, devicePixelRatio));
    this.camera.up.copy(UP);
    this.controls = new OrbitControls(this.camera, controlled ? canvas : null);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.ask());
    const sky = new THREE.HemisphereLight(0xffffff, 0x8a94a6, 1.9);
    sky.position.copy(UP);
    const sun = new THREE.DirectionalLight(0xffffff, 1.7);
    sun.position.set(-1.2, -1.6, 2.4);
    this.world.add(sky, sun, this.marks);
    const solid = new THREE.MeshLambertMaterial();
    const ghost = new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.42 });
    const flat = new THREE.MeshBasicMaterial({ color: colours.shadow });
    const up = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2);
    const tube = up(new THREE.CylinderGeometry(0.86, 1, 1, 16)).translate(0, 0, 0.5);
    const body = up(new THREE.CylinderGeometry(1, 1, 1, 20));
    const head = up(new THREE.ConeGeometry(1, 1, 10)).translate(0, 0, 0.5);
    this.tubes = new Solids(this.world, tube, solid, 400, flat);
    this.bodies = new Solids(this.world, body, solid, 400, flat);
    this.bands = new Solids(this.world, body, solid, 400, null);
    this.boxes = new Solids(this.world, new THREE.BoxGeometry(1, 1, 1), solid, 400, flat);
    this.shafts = new Solids(this.world, tube, solid, 900, null);
    this.heads = new Solids(this.world, head, solid, 900, null);
    this.ghostTubes = new Solids(this.world, tube, ghost, 600, null);
    this.ghostBodies = new Solids(this.world, body, ghost, 600, null);
  }

  /** Draw before the next frame; many calls are one. */
  ask(): void {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  }

  draw(): void {
    if (this.slow) this.refineSoon();
    this.renderer.render(this.world, this.camera);
    this.drawn += 1;
    this.onDrawn();
  }

  /** Without a graphics processor: coarse pixels while something moves, fine ones when it rests. */
  private refineSoon(): void {
    clearTimeout(this.rest);
    if (this.renderer.getPixelRatio() !== COARSE) this.renderer.setPixelRatio(COARSE);
    this.rest = window.setTimeout(() => {
      this.renderer.setPixelRatio(2);
      this.renderer.render(this.world, this.camera);
    }, 180);
  }

  resize(width: number, height: number): void {
    if (!width || !height) return; // it is hidden
    const first = this.hidden;
    this.hidden = false;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    if (first) this.fit();
    this.ask();
  }

  setColours(colours: Colours): void {
    this.colours = colours;
    (this.tubes.shadow!.material as THREE.MeshBasicMaterial).color.set(colours.shadow);
    (this.cloud?.material as THREE.PointsMaterial | undefined)?.color.set(colours.cloud);
    if (this.robot && this.last) this.setRobot(this.robot, this.last, false);
  }

  /** A new robot: its size, the ground, and a camera that sees all of it. */
  setRobot(robot: Robot, scene: Scene, look = true): void {
    this.robot = robot;
    this.size = reach(scene);
    const heights = [...scene.frames.map((f) => f[11]), ...(scene.plate?.points ?? []).map((p) => p[2])];
    const lowest = Math.min(scene.base[11], ...heights);
    this.stands = robot.base.kind === "fixed" && !robot.parallel && lowest > scene.base[11] - 0.4 * this.size;
    this.low = this.stands ? scene.base[11] - 0.42 * this.size : lowest - 0.06 * this.size;
    if (this.grid) this.world.remove(this.grid);
    this.grid = new THREE.GridHelper(this.size * 8, 32, this.colours.grid, this.colours.grid);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.set(scene.base[3], scene.base[7], this.low - 0.002 * this.size);
    (this.grid.material as THREE.Material).transparent = true;
    (this.grid.material as THREE.Material).opacity = 0.55;
    this.world.add(this.grid);
    if (look) this.fit(scene);
  }

  /** What the links look like, where files say it; it is drawn in the place of links from the table. */
  setParts(parts: Part[]): void {
    for (const { object } of this.parts) {
      this.world.remove(object);
      object.traverse((node) => node instanceof THREE.Mesh && node.geometry.dispose());
    }
    this.parts = parts;
    parts.forEach(({ object }) => (object.matrixAutoUpdate = false, this.world.add(object)));
    if (this.last) this.update(this.last, this.shown, null);
  }

  /** Points that the robot reaches; none takes them away. */
  setCloud(points: Vector[]): void {
    if (this.cloud) {
      this.world.remove(this.cloud);
      this.cloud.geometry.dispose();
      this.cloud = null;
    }
    if (points.length) {
      const geometry = new THREE.BufferGeometry().setFromPoints(points.map(vector));
      const material = new THREE.PointsMaterial({ color: this.colours.cloud, size: 2.2, sizeAttenuation: false, transparent: true, opacity: 0.5, depthWrite: false });
      this.world.add((this.cloud = new THREE.Points(geometry, material)));
    }
    this.ask();
  }

  private placeParts(scene: Scene, shown: boolean, lit: number | null): void {
    for (const { link, pose, object } of this.parts) {
      object.traverse((node) => node instanceof THREE.Mesh && (node.material as THREE.MeshLambertMaterial).emissive?.set(lit === link && link ? this.colours.lit : 0).multiplyScalar(0.45));
      const p = times(frameOf(scene, link) ?? scene.base, pose);
      object.visible = shown;
      object.matrix.set(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], 0, 0, 0, 1);
      object.matrixWorldNeedsUpdate = true;
    }
  }

  fit(scene: Scene | null = this.last): void {
    if (!scene) return;
    if (this.hidden) return;
    const margin = 0.2 * this.size;
    const ends = (f: Pose) => ([0, 2] as const).map((k) => vector(origin(f)).addScaledVector(vector(axis(f, k)), margin));
    const all = [scene.base, ...scene.frames, ...(scene.plate?.points ?? []).map((p) => [1, 0, 0, p[0], 0, 1, 0, p[1], 0, 0, 1, p[2]])];
    const points = all.flatMap((f) => [vector(origin(f)), vector(origin(f)).addScaledVector(UP, 0.12 * this.size), ...ends(f)]);
    const foot = new THREE.Vector3(scene.base[3], scene.base[7], this.low);
    for (const [x, y] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) points.push(foot.clone().add(new THREE.Vector3(x, y, 0).multiplyScalar(this.stands ? 0.17 * this.size : 0)));
    const box = new THREE.Box3().setFromPoints(points);
    const middle = box.getCenter(new THREE.Vector3());
    let away = Math.max(box.getSize(new THREE.Vector3()).length(), 0.6 * this.size) * 2;
    for (let round = 0; round < 4; round += 1) {
      this.lookAt(middle, away);
      away *= this.centred(points, middle, away);
    }
    this.lookAt(middle, away);
    this.ask();
  }

  private lookAt(middle: THREE.Vector3, away: number): void {
    this.camera.near = away / 50;
    this.camera.far = away * 20;
    this.camera.position.copy(middle).add(new THREE.Vector3(0.62, -1, 0.5).normalize().multiplyScalar(away));
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.controls.update();
    this.camera.updateMatrixWorld();
  }

  /** Put the middle of what is seen of the points into `middle`; the answer is how much farther away the camera must be to see them all. */
  private centred(points: THREE.Vector3[], middle: THREE.Vector3, away: number): number {
    const seen = new THREE.Box3().setFromPoints(points.map((p) => p.clone().project(this.camera)));
    const [centre, extent] = [seen.getCenter(new THREE.Vector3()), seen.getSize(new THREE.Vector3())];
    const half = away * Math.tan((this.camera.fov * Math.PI) / 360);
    const [right, up] = [0, 1].map((k) => new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, k));
    middle.addScaledVector(right, centre.x * half * this.camera.aspect).addScaledVector(up, (centre.y - 0.1) * half); // tools above it, numbers below
    return Math.max(extent.x / 1.7, extent.y / 1.52);
  }

  /** The light falls from above; a shadow is the solid, flattened on the ground. */
  private flatten(): THREE.Matrix4 {
    const [x, y, z] = [0.5, 0.32, -1];
    const h = this.low;
    return new THREE.Matrix4().set(1, 0, -x / z, (x / z) * h, 0, 1, -y / z, (y / z) * h, 0, 0, 1e-4, h, 0, 0, 0, 1);
  }

  update(scene: Scene, shown: Shown, lit: number | null, ghosts: Ghost[] = []): void {
    const robot = this.robot;
    if (!robot) return;
    this.last = scene;
    this.shown = shown;
    this.placeParts(scene, shown.meshes, lit);
    if (this.cloud) this.cloud.visible = shown.workspace;
    const all = [this.tubes, this.bodies, this.bands, this.boxes, this.shafts, this.heads, this.ghostTubes, this.ghostBodies];
    all.forEach((s) => s.clear());
    this.labels = [];
    const unit = (robot.cuts.length ? 0.034 : robot.parallel ? 0.046 : 0.056) * this.size * Math.min(1, Math.max(0.45, 9 / Math.max(6, robot.joints.length)));
    const flat = this.flatten();
    if (shown.links && !(shown.meshes && this.parts.length)) {
      if (this.stands) this.pedestal(scene, unit, flat);
      this.links(robot, scene, unit, flat, lit, this.tubes, this.bodies, this.bands, null);
      if (scene.plate) this.plate(robot, scene, scene.plate, unit, flat, lit);
      for (const ghost of ghosts) this.links(robot, ghost.scene, unit * 0.97, null, null, this.ghostTubes, this.ghostBodies, null, ghost.colour);
    }
    if (shown.frames) this.arrows(robot, scene, unit, shown.labels, lit);
    if (shown.labels)
      for (const cut of robot.cuts)
        this.labels.push({ key: `cut${cut.joint}`, kind: "cut", at: origin(scene.frames[cut.joint - 1]), text: `✂ ${cut.joint}, ${cut.mate}`, below: "", faded: false });
    all.forEach((s) => s.done());
    this.ask();
  }

  private pedestal(scene: Scene, unit: number, flat: THREE.Matrix4): void {
    const top = vector(origin(scene.base));
    const foot = new THREE.Vector3(top.x, top.y, this.low);
    this.tubes.add(between(foot, top, unit * 1.5), this.colours.link, 0, flat);
    this.bodies.add(between(foot, foot.clone().setZ(this.low + unit * 0.9), 1).multiply(new THREE.Matrix4().makeScale(unit * 2.9, unit * 2.9, 1)).multiply(new THREE.Matrix4().makeTranslation(0, 0, 0.5)), this.colours.body, 0, flat);
  }

  private links(robot: Robot, scene: Scene, unit: number, flat: THREE.Matrix4 | null, lit: number | null, tubes: Solids, bodies: Solids, bands: Solids | null, tint: string | null): void {
    const inTree = robot.joints.length - robot.cuts.length;
    const seen: THREE.Vector3[] = [];
    const ends = new Set(tips(robot));
    robot.joints.forEach((joint, k) => {
      const parent = frameOf(scene, joint.parent);
      if (!parent) return;
      const from = joint.parent || !robot.parallel ? vector(origin(parent)) : this.foot(robot, scene, k);
      const to = vector(origin(scene.frames[k]));
      const c = this.colours;
      const passive = joint.kind !== "fixed" && !joint.actuated;
      const thick = unit * (robot.cuts.length && (passive || k >= inTree - 1) ? 0.6 : 0.82);
      const along = vector(axis(scene.frames[k], 2));
      const corner = to.clone().addScaledVector(along, -scene.rows[k].r); // along d first, then along r
      const bent = from.distanceTo(corner) > 0.6 * unit && corner.distanceTo(to) > 0.6 * unit;
      for (const [a, b] of bent ? [[from, corner], [corner, to]] : [[from, to]])
        if (a.distanceTo(b) > 0.2 * unit) tubes.add(between(a, b, thick), tint ?? (lit === k + 1 ? c.lit : c.link), k + 1, flat);
      if (bent) bodies.add(new THREE.Matrix4().compose(corner, quaternion.setFromUnitVectors(UP, along).clone(), new THREE.Vector3(thick, thick, 2 * thick)), tint ?? (lit === k + 1 ? c.lit : c.link), k + 1, flat);
      if (k >= inTree) return;
      const r = joint.kind === "revolute" ? scene.rows[k].r : 0;
      const at = to.clone();
      if (Math.abs(r) > 3 * unit) at.addScaledVector(along, -r + Math.sign(r) * Math.min(0.3 * Math.abs(r), 2.6 * unit));
      const same = seen.filter((p) => p.distanceTo(at) < 0.6 * unit).length;
      seen.push(at.clone());
      const radius = unit * 1.25 * 0.8 ** same;
      if (joint.kind === "fixed") return;
      quaternion.setFromUnitVectors(UP, along);
      const place = (x: number, y: number, z: number, offset = 0) =>
        new THREE.Matrix4().compose(at.clone().addScaledVector(along, offset), quaternion.clone(), new THREE.Vector3(x, y, z));
      const own = tint ?? c.body;
      if (joint.kind === "prismatic" && !tint) this.boxes.add(place(radius * 1.6, radius * 1.6, radius * 2.2), own, k + 1, flat);
      else bodies.add(place(radius, radius, radius * 2.1), own, k + 1, flat);
      bands?.add(place(radius * 1.03, radius * 1.03, radius * 0.34, radius * (same ? 0.72 : 0.45)), c.joints[k % 8], k + 1, flat);
      if (ends.has(k + 1)) bodies.add(place(radius * 0.55, radius * 0.55, radius * 1.8, radius * 1.9), own, k + 1, flat);
    });
  }

  /** The platform: a ring through its attachments with spokes, a ball at each attachment, and the ring of the base. */
  private plate(robot: Robot, scene: Scene, plate: Plate, unit: number, flat: THREE.Matrix4, lit: number | null): void {
    const c = this.colours;
    const centre = vector(origin(plate.pose));
    const ball = (at: THREE.Vector3, radius: number, tint: string) => this.bodies.add(new THREE.Matrix4().compose(at, quaternion.identity().clone(), new THREE.Vector3(radius, radius, radius * 1.6)), tint, 0, flat);
    const ring = (points: THREE.Vector3[], about: THREE.Vector3, radius: number) => {
      const turned = around(points, about);
      turned.forEach((p, k) => points.length > 1 && this.tubes.add(between(p, turned[(k + 1) % turned.length], radius), c.body, 0, flat));
    };
    const points = plate.points.map(vector);
    ring(points, centre, unit * 0.5);
    points.forEach((p, k) => {
      const link = plate.links[k];
      if (p.distanceTo(centre) > 0.2 * unit) this.tubes.add(between(centre, p, unit * 0.42), c.body, 0, flat);
      const end = vector(plate.ends[k]);
      if (end.distanceTo(p) > 0.2 * unit) this.tubes.add(between(end, p, unit * 0.6), lit === link ? c.lit : c.link, link, flat);
      ball(p, unit * 0.8, c.joints[k % 8]);
    });
    const feet = robot.joints.map((_, k) => k).filter((k) => robot.joints[k].parent === 0 && isInLeg(robot, k + 1)).map((k) => this.foot(robot, scene, k));
    ring(feet, feet.reduce((s, p) => s.add(p), new THREE.Vector3()).divideScalar(feet.length), unit * 0.42);
  }

  /** Where a leg stands: the origin of its first frame, less the way that a slider has gone. */
  private foot(robot: Robot, scene: Scene, k: number): THREE.Vector3 {
    const slid = robot.joints[k].kind === "prismatic" ? scene.rows[k].r : 0;
    return vector(origin(scene.frames[k])).addScaledVector(vector(axis(scene.frames[k], 2)), -slid);
  }

  private arrows(robot: Robot, scene: Scene, unit: number, labels: boolean, lit: number | null): void {
    const length = unit * 3;
    const many = robot.joints.length - inLegs(robot) > 12;
    const last = new Set(tips(robot));
    const count = robot.joints.length - robot.cuts.length;
    const draw = (pose: Pose, j: number | "P", k: 0 | 1 | 2, scale: number) => {
      const from = vector(origin(pose));
      const along = vector(axis(pose, k));
      const to = from.clone().addScaledVector(along, length * scale);
      const c = [this.colours.x, this.colours.y, this.colours.z][k];
      this.shafts.add(between(from, to, unit * 0.13), c, Number(j) || 0, null);
      this.heads.add(between(to, to.clone().addScaledVector(along, unit * 0.95), unit * 0.34), c, Number(j) || 0, null);
      if (labels) this.labels.push({ key: `${"xyz"[k]}${j}`, kind: "xyz"[k], from: origin(pose), at: to.addScaledVector(along, unit * 1.8).toArray() as Vector, text: "xyz"[k], below: String(j), faded: lit !== null && lit !== j });
    };
    draw(scene.base, 0, 0, 0.8);
    draw(scene.base, 0, 1, 0.8);
    draw(scene.base, 0, 2, 1);
    if (scene.plate) for (const k of [0, 1, 2] as const) draw(scene.plate.pose, "P", k, 0.8);
    const taken: string[] = [];
    scene.frames.slice(0, count).forEach((pose, k) => {
      if (isInLeg(robot, k + 1) || (many && !last.has(k + 1))) return;
      const here = (axisNumber: 0 | 2) => [...origin(pose), ...axis(pose, axisNumber)].map((x) => Math.round(x * 50)).join();
      const scale = 1 + 0.1 * (taken.filter((t) => t.startsWith(origin(pose).map((x) => Math.round(x * 50)).join())).length / 2);
      for (const a of [2, 0] as const) {
        if (taken.includes(here(a))) continue; // the same axis at the same place was drawn for an earlier frame
        taken.push(here(a));
        draw(pose, k + 1, a, scale);
      }
      if (last.has(k + 1) && !many) draw(pose, k + 1, 1, 0.6);
    });
  }

  // dimensions: a length as a line with arrows, an angle as an arc

  clearMarks(): void {
    for (const child of [...this.marks.children]) {
      this.marks.remove(child);
      if (child instanceof THREE.Mesh || child instanceof THREE.Line) child.geometry.dispose();
    }
    this.ask();
  }

  /** Draw a parameter; the place for its text, or null where it is not to be seen. */
  dimension(scene: Scene, { joint, parameter }: Dimension): Vector | null {
    this.clearMarks();
    const robot = this.robot;
    if (!robot?.joints[joint - 1]) return null;
    const steps = elements(scene.rows[joint - 1]);
    const parent = robot.joints[joint - 1].parent;
    const start = frameOf(scene, parent) ?? scene.base;
    const place = ["gamma", "b", "alpha", "d", "theta", "r"].indexOf(parameter);
    const before = steps.slice(0, place).reduce(times, start);
    const after = times(before, steps[place]);
    return place % 2 ? this.length(vector(origin(before)), vector(origin(after))) : this.angle(before, after, parameter === "alpha");
  }

  private mark(at: THREE.Matrix4, geometry: THREE.BufferGeometry): void {
    const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: this.colours.dimension, depthTest: false }));
    mesh.applyMatrix4(at);
    mesh.renderOrder = 5;
    this.marks.add(mesh);
  }

  private rod(a: THREE.Vector3, b: THREE.Vector3, radius: number): void {
    this.mark(between(a, b, radius), new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5));
  }

  private tip(a: THREE.Vector3, b: THREE.Vector3, radius: number): void {
    this.mark(between(a, b, radius), new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5));
  }

  private length(a: THREE.Vector3, b: THREE.Vector3): Vector {
    const thin = 0.0045 * this.size;
    const along = b.clone().sub(a);
    const far = along.length();
    if (far < 1e-6) {
      this.mark(new THREE.Matrix4().makeTranslation(a.x, a.y, a.z), new THREE.SphereGeometry(3 * thin, 12, 8));
      return a.toArray() as Vector;
    }
    along.normalize();
    const sight = this.camera.position.clone().sub(a).normalize();
    const side = along.clone().cross(sight).normalize().multiplyScalar(0.12 * this.size);
    if (side.z < 0) side.negate();
    const [c, d] = [a.clone().add(side), b.clone().add(side)];
    this.rod(a, a.clone().addScaledVector(side, 1.15), thin * 0.5);
    this.rod(b, b.clone().addScaledVector(side, 1.15), thin * 0.5);
    const headLength = Math.min(0.3 * far, 7 * thin);
    this.rod(c.clone().addScaledVector(along, headLength), d.clone().addScaledVector(along, -headLength), thin);
    this.tip(c.clone().addScaledVector(along, headLength), c, 2.6 * thin);
    this.tip(d.clone().addScaledVector(along, -headLength), d, 2.6 * thin);
    return c.add(d).multiplyScalar(0.5).addScaledVector(side, 0.5).toArray() as Vector;
  }

  private angle(before: Pose, after: Pose, aboutX: boolean): Vector {
    const at = vector(origin(before));
    const about = vector(axis(before, aboutX ? 0 : 2));
    const from = vector(axis(before, aboutX ? 2 : 0));
    const to = vector(axis(after, aboutX ? 2 : 0));
    const thin = 0.0045 * this.size;
    const radius = 0.16 * this.size;
    const turn = Math.atan2(about.dot(from.clone().cross(to)), from.dot(to));
    const points = Array.from({ length: 33 }, (_, k) => at.clone().addScaledVector(from.clone().applyAxisAngle(about, (turn * k) / 32), radius));
    if (Math.abs(turn) > 1e-6) this.mark(new THREE.Matrix4(), new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 32, thin, 8));
    this.rod(at, at.clone().addScaledVector(from, radius * 1.2), thin * 0.5);
    this.rod(at, at.clone().addScaledVector(to, radius * 1.2), thin * 0.5);
    if (Math.abs(turn) > 0.15) this.tip(points[29], points[32], 2.6 * thin);
    return at.addScaledVector(from.applyAxisAngle(about, turn / 2), radius * 1.35).toArray() as Vector;
  }

  // places

  /** Where an axis of the base points on the screen, and how far away from the eye, as parts of its length. */
  direction(k: 0 | 1 | 2): { x: number; y: number; depth: number } {
    const along = this.last ? vector(axis(this.last.base, k)) : new THREE.Vector3().setComponent(k, 1);
    along.transformDirection(this.camera.matrixWorldInverse);
    return { x: along.x, y: -along.y, depth: -along.z };
  }

  project(at: Vector, width: number, height: number): { x: number; y: number; front: boolean } {
    const p = vector(at).project(this.camera);
    return { x: ((p.x + 1) / 2) * width, y: ((1 - p.y) / 2) * height, front: p.z < 1 };
  }

  /** The link under a place of the view, from −1 to 1; 0 is the base, null where there is nothing. */
  pick(x: number, y: number): number | null {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const kinds = [this.bodies, this.bands, this.tubes, this.boxes].filter((s) => s.mesh.count);
    kinds.forEach((s) => s.mesh.computeBoundingSphere());
    const hits = kinds.flatMap((s) => ray.intersectObject(s.mesh).map((hit) => ({ far: hit.distance, joint: s.joints[hit.instanceId ?? 0] })));
    if (this.shown.meshes) for (const { link, object } of this.parts) hits.push(...ray.intersectObject(object, true).slice(0, 1).map((hit) => ({ far: hit.distance, joint: link })));
    hits.sort((a, b) => a.far - b.far);
    return hits.length ? hits[0].joint : null;
  }

  /** The point of the plane through `at`, facing the camera, under a place of the view. */
  onPlane(x: number, y: number, at: Vector): Vector | null {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), vector(at));
    const hit = ray.ray.intersectPlane(plane, new THREE.Vector3());
    return hit ? (hit.toArray() as Vector) : null;
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    clearTimeout(this.rest);
    this.controls.dispose();
    this.renderer.dispose();
  }
}

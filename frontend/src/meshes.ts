// What links look like, as objects of three: boxes, cylinders, spheres, and meshes from STL, OBJ and Collada.

import * as THREE from "three";
import { ColladaLoader } from "three/addons/loaders/ColladaLoader.js";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { STLLoader } from "three/addons/loaders/STLLoader.js";
import type { Visual } from "./api";
import { type Dropped, dressOf } from "./files";
import { poseOf, times } from "./geometry";
import { type Robot, numbersOf } from "./robot";
import type { Part } from "./scene3d";

/** The parts of a robot that was dropped with its meshes, and what cannot be read. */
export function partsOf(robot: Robot): { parts: Part[]; broken: string[] } {
  const dress = dressOf(robot.name);
  const parts: Part[] = [];
  const broken = new Set<string>();
  const value = numbersOf(robot);
  for (const visual of dress?.visuals ?? []) {
    const frame = robot.frames.find((f) => f.name === visual.frame);
    const file = dress!.meshes.get(visual.mesh);
    if (!frame || (visual.kind === "mesh" && !file)) continue;
    try {
      const object = file ? meshOf(file, visual) : primitive(visual);
      if (object) parts.push({ link: frame.link, pose: times(poseOf(frame.pose, value), visual.pose), object });
    } catch {
      broken.add(`${file?.path}: the mesh cannot be read`);
    }
  }
  return { parts, broken: [...broken] };
}

const material = (visual: Visual, other: THREE.ColorRepresentation = "#c4c9d1") => {
  const [r, g, b, a] = visual.colour ?? [];
  const tint = visual.colour ? new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace) : new THREE.Color(other);
  return new THREE.MeshLambertMaterial({ color: tint, side: THREE.DoubleSide, transparent: a !== undefined && a < 1, opacity: a ?? 1 });
};

function primitive(visual: Visual): THREE.Object3D | null {
  const [a, b, c] = visual.sizes;
  const shapes: Record<string, () => THREE.BufferGeometry> = {
    box: () => new THREE.BoxGeometry(a, b, c),
    sphere: () => new THREE.SphereGeometry(a, 24, 16),
    cylinder: () => new THREE.CylinderGeometry(a, a, b, 24).rotateX(Math.PI / 2),
    capsule: () => new THREE.CapsuleGeometry(a, b, 6, 24).rotateX(Math.PI / 2),
  };
  return shapes[visual.kind] ? within(new THREE.Mesh(shapes[visual.kind](), material(visual))) : null;
}

function meshOf({ path, bytes }: Dropped, visual: Visual): THREE.Object3D {
  const buffer = bytes.slice().buffer;
  const text = () => new TextDecoder().decode(bytes);
  let object: THREE.Object3D;
  if (/\.stl$/i.test(path)) object = new THREE.Mesh(new STLLoader().parse(buffer));
  else if (/\.obj$/i.test(path)) object = new OBJLoader().parse(text());
  else object = collada(text());
  let corners = 0;
  object.traverse((node) => {
    if (!(node instanceof THREE.Mesh)) return;
    corners += node.geometry.getAttribute("position")?.count ?? 0;
    if (!node.geometry.getAttribute("normal")) node.geometry.computeVertexNormals();
    const own = Array.isArray(node.material) ? node.material[0] : node.material;
    node.material = material(visual, /\.dae$/i.test(path) ? (own?.color ?? undefined) : undefined);
  });
  if (!corners) throw new Error("no triangles");
  object.scale.multiply(new THREE.Vector3(...(visual.sizes as [number, number, number])));
  return within(object);
}

/** The unit of the file is applied; the direction that the file calls up is not, as in the tools of ROS. Pictures are left out. */
function collada(text: string): THREE.Object3D {
  const read = new ColladaLoader().parse(text.replace(/<library_images>[\s\S]*?<\/library_images>/g, ""), "");
  if (!read?.scene) throw new Error("no scene");
  read.scene.rotation.set(0, 0, 0);
  return read.scene;
}

/** Its own scale stays, while the group around it is placed. */
const within = (object: THREE.Object3D) => new THREE.Group().add(object);

// The pose of a base that is free to move: a point and a quaternion (x, y, z, w), as the models take them.

import type { Pose, Vector } from "./geometry";

export interface FreePose { position: Vector; quat: [number, number, number, number] }

export const AT_REST: FreePose = { position: [0, 0, 0], quat: [0, 0, 0, 1] };

export function poseOfFree({ position: [x, y, z], quat: [a, b, c, w] }: FreePose): Pose {
  return [
    1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w), x,
    2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w), y,
    2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b), z,
  ];
}

/** A quaternion of roll, pitch and yaw: R = Rz(yaw) Ry(pitch) Rx(roll). */
export function quatOfRpy([roll, pitch, yaw]: Vector): FreePose["quat"] {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((x) => [Math.cos(x / 2), Math.sin(x / 2)]);
  return [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy];
}

export const freeOf = (position: Vector, angles: Vector): FreePose => ({ position, quat: quatOfRpy(angles) });

/** Between two near quaternions: the straight way, made unit again. */
export function turnedBetween(a: number[], b: number[], part: number): FreePose["quat"] {
  const sign = a.reduce((s, x, i) => s + x * b[i], 0) < 0 ? -1 : 1;
  const mixed = a.map((x, i) => x + part * (sign * b[i] - x));
  const size = Math.hypot(...mixed) || 1;
  return mixed.map((x) => x / size) as FreePose["quat"];
}


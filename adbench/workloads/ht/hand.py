"""A hand model by a seeded generator: 22 bones, and a skin of tubes around them with any number of vertices.

Lengths are in centimetres and roughly those of an adult's left hand: x across the palm, from the thumb on, y along the
fingers, z out of the palm. A bone's own y axis is along it, so that joints bend about x and spread about z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adbench.workloads.base import Array, Inputs
from adbench.workloads.ht.reference import FINGER_BONES, FINGERS, LEAST_BONES

BONES = LEAST_BONES
PALM_LENGTH, PALM_WIDTH, PALM_THICKNESS = 9.0, 8.0, 2.6
SPREAD = 0.03
"""Standard deviation of a generated hand's lengths, as a share of them."""


@dataclass(frozen=True)
class Finger:
    """Where a finger starts in the palm's frame, its direction (turned about z), its bones' lengths, its radius."""

    start: tuple[float, float, float]
    angle: float
    lengths: tuple[float, float, float]
    radius: float


HAND = (
    Finger((-3.4, 3.0, -0.5), 0.75, (4.2, 3.2, 2.6), 1.0),
    Finger((-2.9, 9.0, 0.0), 0.12, (4.4, 2.6, 2.1), 0.85),
    Finger((-0.9, 9.4, 0.0), 0.02, (4.9, 3.0, 2.2), 0.85),
    Finger((1.1, 9.1, 0.0), -0.08, (4.5, 2.8, 2.2), 0.8),
    Finger((3.0, 8.4, 0.0), -0.2, (3.5, 2.1, 2.0), 0.7),
)


@dataclass(frozen=True)
class Tube:
    """A tube of skin: along y of ``frame`` from 0 to ``length``, elliptic, around bones that start at ``joints``."""

    frame: Array
    length: float
    radii: tuple[float, float]
    bones: tuple[int, ...]
    joints: tuple[float, ...]


def translation(x: float, y: float, z: float) -> Array:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def about_z(angle: float) -> Array:
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return matrix


def make_hand(vertices: int, seed: int) -> Inputs:
    """The arrays of a model: parents, relatives, inverses, rest, weights, triangles; and its numbers."""
    random = np.random.default_rng([seed, vertices])
    scales = 1.0 + SPREAD * random.standard_normal(FINGERS + 1)
    parents, relatives, tubes = skeleton(scales)
    places: list[Array] = []
    for parent, relative in zip(parents, relatives, strict=True):
        places.append(relative if parent < 0 else places[parent] @ relative)
    framed = [Tube(places[tube.bones[0]], tube.length, tube.radii, tube.bones, tube.joints) for tube in tubes]
    positions, weights, triangles = mesh(framed, vertices)
    return {
        "bones": BONES,
        "vertices": vertices,
        "mirrored": 0,
        "parents": np.array(parents, dtype=np.int32),
        "relatives": np.array(relatives),
        "inverses": np.linalg.inv(np.array(places)),
        "rest": np.concatenate([positions.T, np.ones((1, vertices))]),
        "weights": np.ascontiguousarray(weights.T),
        "triangles": triangles.astype(np.int32),
    }


def skeleton(scales: Array) -> tuple[list[int], list[Array], list[Tube]]:
    """Parents, places in the parents' frames, and the tubes around the bones (their frames are filled in later)."""
    palm = PALM_LENGTH * float(scales[-1])
    parents, relatives = [-1, 0], [np.eye(4), translation(0.0, 0.15 * palm, 0.0)]
    radii = (0.5 * PALM_WIDTH, 0.5 * PALM_THICKNESS)
    tubes = [Tube(np.eye(4), palm, radii, (0, 1), (0.0, 0.15 * palm))]
    for finger, scale in zip(HAND, scales[:-1], strict=True):
        x, y, z = finger.start
        lengths = [float(scale) * length for length in finger.lengths]
        first = len(parents)
        parents += [1, first, first + 1, first + 2]
        relatives.append(translation(x, y * float(scales[-1]) - 0.15 * palm, z) @ about_z(finger.angle))
        relatives += [translation(0.0, length, 0.0) for length in lengths]
        joints = tuple(float(value) for value in np.cumsum([0.0, *lengths]))
        bones = tuple(range(first, first + FINGER_BONES))
        tubes.append(Tube(np.eye(4), joints[-1], (finger.radius, finger.radius), bones, joints))
    return parents, relatives, tubes


def mesh(tubes: list[Tube], vertices: int) -> tuple[Array, Array, Array]:
    """(positions (v, 3), weights (v, bones), triangles (t, 3)) of ``vertices`` vertices."""
    around, spacing = resolution(tubes, vertices)
    parts = [skin_tube(tube, around, max(2, int(tube.length / spacing))) for tube in tubes]
    counts = np.cumsum([0, *(len(part[0]) for part in parts)])
    positions, weights = (np.concatenate([part[index] for part in parts]) for index in (0, 1))
    triangles = np.concatenate([part[2] + start for part, start in zip(parts, counts, strict=False)])
    return refined(positions, weights, triangles, vertices)


def resolution(tubes: list[Tube], vertices: int) -> tuple[int, float]:
    """How many vertices go around a tube, and the distance of its rings: the finest that is not too many."""
    total = sum(tube.length for tube in tubes)
    around = max(6, int(0.45 * np.sqrt(vertices)))
    least = around * 2 * len(tubes) + 2 * len(tubes)
    if vertices < least:
        raise ValueError(f"a hand needs at least {least} vertices")
    rings = (vertices - 2 * len(tubes)) / around
    spacing = total / rings
    while sum(max(2, int(tube.length / spacing)) * around + 2 for tube in tubes) > vertices:
        spacing *= 1.01
    return around, spacing


def skin_tube(tube: Tube, around: int, rings: int) -> tuple[Array, Array, Array]:
    """Rings along the tube and a vertex at each end; each vertex belongs to the bones whose joints it is near."""
    along = np.linspace(0.0, tube.length, rings)
    angle = 2.0 * np.pi * np.arange(around) / around
    x, z = tube.radii[0] * np.cos(angle), tube.radii[1] * np.sin(angle)
    ring = np.stack([x, np.zeros(around), z], axis=1)
    local = (ring[None, :, :] + along[:, None, None] * np.array([0.0, 1.0, 0.0])).reshape(-1, 3)
    ends = np.array([[0.0, -0.4 * tube.radii[1], 0.0], [0.0, tube.length + 0.8 * tube.radii[1], 0.0]])
    local = np.concatenate([local, ends])
    positions = local @ tube.frame[:3, :3].T + tube.frame[:3, 3]

    index = np.arange(rings * around).reshape(rings, around)
    following = np.roll(index, -1, axis=1)
    lower = np.stack([index[:-1], following[:-1], index[1:]], axis=-1).reshape(-1, 3)
    upper = np.stack([following[:-1], following[1:], index[1:]], axis=-1).reshape(-1, 3)
    first, last = rings * around, rings * around + 1
    bottom = np.stack([following[0], index[0], np.full(around, first)], axis=-1)
    top = np.stack([index[-1], following[-1], np.full(around, last)], axis=-1)
    return positions, bone_weights(tube, local[:, 1]), np.concatenate([lower, upper, bottom, top])


def bone_weights(tube: Tube, along: Array) -> Array:
    """Weights (v, bones): from one bone to the next in a smooth step, a radius wide on both sides of a joint."""
    weights = np.zeros((len(along), BONES))
    reached = np.ones(len(along))
    for bone, following, joint in zip(tube.bones, tube.bones[1:], tube.joints[1:], strict=False):
        share = np.clip((along - joint) / (2.0 * tube.radii[1]) + 0.5, 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        weights[:, bone] = reached * (1.0 - share)
        reached = reached * share
        weights[:, following] = reached
    return weights


def refined(positions: Array, weights: Array, triangles: Array, vertices: int) -> tuple[Array, Array, Array]:
    """With a vertex in the middle of as many triangles as vertices are missing, spread over the whole skin."""
    missing = vertices - len(positions)
    chosen = np.linspace(0, len(triangles) - 1, missing).astype(np.int64) if missing else np.zeros(0, dtype=np.int64)
    corners = triangles[chosen]
    middle = len(positions) + np.arange(missing)
    positions = np.concatenate([positions, positions[corners].mean(axis=1)])
    weights = np.concatenate([weights, weights[corners].mean(axis=1)])
    split = [np.stack([corners[:, i], corners[:, (i + 1) % 3], middle], axis=1) for i in range(3)]
    return positions, weights, np.concatenate([np.delete(triangles, chosen, axis=0), *split])

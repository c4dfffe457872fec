// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Whether a value really is an observation. Pure. What instrumentation publishes always is; what a channel or a wire carries
 * may be anything, and the engine must not fall over it.
 */

import type { Observation, RefreshPolicy } from '../../semconv/observation.ts';
import {
  CATALOG_SHAPE,
  EPOCH_SHAPE,
  IDENTITY_SHAPE,
  KIND_SHAPES,
  POLICY_SHAPE,
  type Shape,
  SPAN_SHAPE,
} from './observation-shapes.ts';

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function fits(value: unknown, shape: Shape): boolean {
  if (!isRecord(value)) return false;
  return Object.entries(shape).every(([key, type]) => {
    const member = value[key];
    if (typeof type !== 'string') return typeof member === 'string' && type.includes(member);
    if (member === undefined) return type.endsWith('?');
    switch (type.replace('?', '')) {
      case 'strings':
        return Array.isArray(member) && member.every((item) => typeof item === 'string');
      case 'entries':
        return Array.isArray(member) && member.every((item) => fits(item, { name: 'string', digest: 'string' }));
      case 'span':
        return fits(member, SPAN_SHAPE);
      case 'policy':
        return (
          fits(member, POLICY_SHAPE) &&
          ((member as RefreshPolicy).kind === 'interval') === (Reflect.get(member as object, 'seconds') !== undefined)
        );
      case 'count':
        return Number.isSafeInteger(member) && (member as number) >= 0;
      case 'number':
        return Number.isFinite(member);
      default:
        return typeof member === type.replace('?', '');
    }
  });
}

export function isObservation(value: unknown): value is Observation {
  try {
    if (!isRecord(value) || typeof value.kind !== 'string' || !Object.hasOwn(KIND_SHAPES, value.kind)) return false;
    const shape = KIND_SHAPES[value.kind as Observation['kind']];
    if (
      !fits(value, IDENTITY_SHAPE) ||
      !fits(value.epoch, EPOCH_SHAPE) ||
      !fits(value, shape) ||
      value.sequence === 0 ||
      Number(value.timeMs) <= 0
    )
      return false;
    if ('catalog' in value && !fits(value.catalog, CATALOG_SHAPE)) return false;
    return value.kind === 'traversal' || value.kind === 'installed' || value.kind === 'delivered'
      ? isRecord(value.catalog)
      : true;
  } catch {
    return false;
  }
}

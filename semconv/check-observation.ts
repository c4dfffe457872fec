// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Whether a value really is an observation, and if not, what is wrong. Pure. What instrumentation publishes always is; what a
 * channel, a wire or a file carries may be anything, and nothing may fall over it. Unknown members are let be.
 */

import { MAX_ENTRIES, MAX_NUMBER, MAX_TEXT } from './limits.ts';
import type { Observation } from './observation.ts';
import { IDENTITY_SHAPE, KIND_SHAPES, type Member, type Shape } from './observation-shapes.ts';

type Json = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Put together from the inside out, so that what is right costs no text. */
interface Fault {
  /** The way to the member, empty for the value itself. */
  readonly at: string;
  readonly what: string;
}

const here = (what: string): Fault => ({ at: '', what });

function below(key: string, { at, what }: Fault): Fault {
  return { at: at === '' ? key : at.startsWith('[') ? `${key}${at}` : `${key}.${at}`, what };
}

/** The first fault; undefined when there is none. */
function faultOf(value: unknown, check: Omit<Member, 'optional'>): Fault | undefined {
  const member = check as Member;
  switch (member.type) {
    case 'text':
      if (typeof value === 'string' && value.length <= MAX_TEXT) return undefined;
      return here(`must be text of at most ${MAX_TEXT} characters`);
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : here('must be a whole number from 0');
    case 'number':
      if (typeof value === 'number' && Math.abs(value) <= MAX_NUMBER) return undefined;
      return here(`must be a number of at most ${MAX_NUMBER}`);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : here('must be true or false');
    case 'words':
      return member.words.includes(value as string) ? undefined : here(`must be one of ${member.words.join(', ')}`);
    case 'shape':
      return faultIn(value, member.shape);
    case 'list': {
      if (!Array.isArray(value) || value.length > MAX_ENTRIES) return here(`must be a list of at most ${MAX_ENTRIES}`);
      for (let i = 0; i < value.length; i++) {
        const fault = faultOf(value[i], member.of);
        if (fault) return below(`[${i}]`, fault);
      }
      return undefined;
    }
  }
}

function faultIn(value: unknown, shape: Shape): Fault | undefined {
  if (!isRecord(value)) return here('must be an object');
  for (const key of Object.keys(shape)) {
    const member = shape[key] as Member;
    const found = value[key];
    if (found === undefined && member.optional) continue;
    const fault = found === undefined ? here('is missing') : faultOf(found, member);
    if (fault) return below(key, fault);
  }
  return undefined;
}

/** What no table of types says. */
function contradictionIn(value: Json): string | undefined {
  if (value.sequence === 0) return 'sequence must count from 1';
  if (Number(value.timeMs) <= 0) return 'timeMs must be a Unix time in milliseconds';
  const { policy } = value as { policy?: { kind: string; seconds?: number } };
  if (policy && (policy.kind === 'interval') !== (policy.seconds !== undefined))
    return 'policy.seconds belongs to an interval, and to nothing else';
  return undefined;
}

/** Undefined for an observation; otherwise the first thing that is wrong. Never throws. */
export function observationFault(value: unknown): string | undefined {
  try {
    if (!isRecord(value)) return 'it must be an object';
    const { kind } = value;
    if (typeof kind !== 'string' || !Object.hasOwn(KIND_SHAPES, kind))
      return `kind must be one of ${Object.keys(KIND_SHAPES).join(', ')}`;
    const fault = faultIn(value, IDENTITY_SHAPE) ?? faultIn(value, KIND_SHAPES[kind as Observation['kind']]);
    return fault ? `${fault.at} ${fault.what}` : contradictionIn(value);
  } catch {
    return 'it cannot be read';
  }
}

export function isObservation(value: unknown): value is Observation {
  return observationFault(value) === undefined;
}

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Moves the fields of a plain object to span or log attributes and back, as a table of fields says. Pure. Reading refuses what
 * cannot have been written: another type, a count that is none, a digest of another length, a word that the registry does not
 * list. Free text that was cut short cannot be told from shorter text.
 */

import { VALUES } from './names.ts';

export type AttributeValue = string | number | boolean | string[];
export type AttributeMap = Record<string, AttributeValue>;

/** `milliseconds` stand as seconds in attributes, where durations have that unit; `hex` types say how many digits. */
type FieldType =
  | 'string'
  | 'boolean'
  | 'number'
  | 'count'
  | 'milliseconds'
  | 'hex16'
  | 'hex32'
  | 'hex64'
  | 'strings'
  | 'hex16s'
  | 'hex32s';

export interface Field {
  readonly key: string;
  readonly attribute: string;
  readonly type: FieldType;
  readonly required: boolean;
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const hex =
  (digits: number): Check =>
  (value) =>
    typeof value === 'string' && value.length === digits && /^[0-9a-f]*$/.test(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const CHECKS: Readonly<Record<FieldType, Check>> = {
  string: text,
  boolean: (value) => typeof value === 'boolean',
  number: Number.isFinite,
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  milliseconds: Number.isFinite,
  hex16: hex(16),
  hex32: hex(32),
  hex64: hex(64),
  strings: list(text),
  hex16s: list(hex(16)),
  hex32s: list(hex(32)),
};

export function required(key: string, attribute: string, type: FieldType): Field {
  return { key, attribute, type, required: true };
}

export function optional(key: string, attribute: string, type: FieldType): Field {
  return { key, attribute, type, required: false };
}

const LISTS: ReadonlySet<FieldType> = new Set(['strings', 'hex16s', 'hex32s']);

/** Undefined fields are left out; so are empty lists, which mean the same as none. */
export function writeFields(attributes: AttributeMap, fields: readonly Field[], source: object): void {
  for (const { key, attribute, type } of fields) {
    const value: unknown = Reflect.get(source, key);
    if (value === undefined) continue;
    if (LISTS.has(type)) {
      if ((value as string[]).length > 0) attributes[attribute] = [...(value as string[])];
    } else if (type === 'milliseconds') attributes[attribute] = (value as number) / 1000;
    else attributes[attribute] = value as AttributeValue;
  }
}

/** Undefined when a required field is missing or any field is not as it was written. A missing required list is an empty one. */
export function readFields(
  attributes: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
): Record<string, unknown> | undefined {
  const target: Record<string, unknown> = {};
  for (const { key, attribute, type, required } of fields) {
    const value = attributes[attribute];
    if (value === undefined) {
      if (required && !LISTS.has(type)) return undefined;
      if (required) target[key] = [];
      continue;
    }
    if (!CHECKS[type](value) || !isListed(attribute, value)) return undefined;
    target[key] = type === 'milliseconds' ? toMilliseconds(value as number) : value;
  }
  return target;
}

function isListed(attribute: string, value: unknown): boolean {
  if (!Object.hasOwn(VALUES, attribute)) return true;
  const words: readonly unknown[] = VALUES[attribute as keyof typeof VALUES];
  return Array.isArray(value) ? value.every((item) => words.includes(item)) : words.includes(value);
}

/** To the microsecond, as they were before the division; where no microseconds are left in a double, as near as it gets. */
function toMilliseconds(seconds: number): number {
  const microseconds = Math.round(seconds * 1_000_000);
  return Number.isSafeInteger(microseconds) ? microseconds / 1000 : seconds * 1000;
}

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Moves the fields of a plain object to span or log attributes and back, as a table of fields says. Pure. */

export type AttributeValue = string | number | boolean | string[];
export type AttributeMap = Record<string, AttributeValue>;

/** `milliseconds` stand as seconds in attributes, where durations have that unit. */
type FieldType = 'string' | 'number' | 'boolean' | 'strings' | 'milliseconds';

export interface Field {
  readonly key: string;
  readonly attribute: string;
  readonly type: FieldType;
  readonly required: boolean;
}

export function required(key: string, attribute: string, type: FieldType): Field {
  return { key, attribute, type, required: true };
}

export function optional(key: string, attribute: string, type: FieldType): Field {
  return { key, attribute, type, required: false };
}

/** Undefined fields are left out; so are empty lists, which mean the same as none. */
export function writeFields(attributes: AttributeMap, fields: readonly Field[], source: object): void {
  for (const { key, attribute, type } of fields) {
    const value: unknown = Reflect.get(source, key);
    if (value === undefined) continue;
    if (type === 'strings') {
      if ((value as string[]).length > 0) attributes[attribute] = [...(value as string[])];
    } else if (type === 'milliseconds') attributes[attribute] = (value as number) / 1000;
    else attributes[attribute] = value as AttributeValue;
  }
}

/** Undefined when a required field is missing or any field has another type. A missing required list is an empty one. */
export function readFields(
  attributes: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
): Record<string, unknown> | undefined {
  const target: Record<string, unknown> = {};
  for (const field of fields) {
    const value = attributes[field.attribute];
    if (value === undefined) {
      if (field.type === 'strings' && field.required) target[field.key] = [];
      else if (field.required) return undefined;
      continue;
    }
    const read = readValue(value, field.type);
    if (read === undefined) return undefined;
    target[field.key] = read;
  }
  return target;
}

function readValue(value: unknown, type: FieldType): unknown {
  switch (type) {
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
    case 'milliseconds':
      return typeof value === 'number' ? Math.round(value * 1_000_000) / 1000 : undefined;
    default:
      return typeof value === type ? value : undefined;
  }
}

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Tells whether a list of tools is plain data: what `JSON.parse(JSON.stringify(tools))` gives back unchanged for every reader of
 * ours. Pure, reads no getter, and ends early on cycles and on parts that are shared so often that writing them out would not end.
 * In doubt the answer is no. A proxy cannot be told from what it stands for.
 */

import { MAX_DEPTH } from './limits.ts';

/** Values looked at; ten thousand tools, the most that one walk keeps, have about 140 each. */
const MAX_VALUES = 2_000_000;
/** Characters of keys and strings; ten thousand tools have some 2500 each, and escapes may make six of one when written. */
const MAX_CHARACTERS = 33_554_432;
/** Down to the members of a tool's members the projection reads by name, elsewhere by enumeration. */
const READ_BY_NAME = 2;

/** What may still be looked at. */
interface Budget {
  values: number;
  characters: number;
}

export function isPlainJson(tools: unknown): boolean {
  return isPlain(tools, 0, { values: MAX_VALUES, characters: MAX_CHARACTERS });
}

function isPlain(value: unknown, depth: number, left: Budget): boolean {
  left.values -= 1;
  if (left.values < 0) return false;
  switch (typeof value) {
    case 'string':
      return spend(value.length, left);
    case 'number':
    case 'boolean':
    case 'undefined':
      return true;
    case 'object':
      if (value === null) return true;
      if (depth > MAX_DEPTH || 'toJSON' in value) return false;
      return Array.isArray(value) ? areItemsPlain(value, depth, left) : areMembersPlain(value, depth, left);
    default:
      return false;
  }
}

function areItemsPlain(items: readonly unknown[], depth: number, left: Budget): boolean {
  const { length } = items;
  if (Object.getPrototypeOf(items) !== Array.prototype || length > left.values) return false;
  for (let index = 0; index < length; index += 1) if (!isOwnDataPlain(items, index, depth, left)) return false;
  return true;
}

function areMembersPlain(members: object, depth: number, left: Budget): boolean {
  const prototype: unknown = Object.getPrototypeOf(members);
  const keys = Object.keys(members);
  if (prototype !== Object.prototype) {
    if (prototype !== null || depth <= READ_BY_NAME) return false;
  }
  // A member that is not enumerated is not written either, but would be read.
  if (depth <= READ_BY_NAME && Object.getOwnPropertyNames(members).length !== keys.length) return false;
  for (const key of keys) if (!spend(key.length, left) || !isOwnDataPlain(members, key, depth, left)) return false;
  return true;
}

/** False for getters, which may answer otherwise the next time, and for holes, which may be filled by a prototype. */
function isOwnDataPlain(container: object, key: string | number, depth: number, left: Budget): boolean {
  const property = Object.getOwnPropertyDescriptor(container, key);
  return property !== undefined && 'value' in property && isPlain(property.value, depth + 1, left);
}

function spend(characters: number, left: Budget): boolean {
  left.characters -= characters;
  return left.characters >= 0;
}

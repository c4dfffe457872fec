// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The projection recipe `tools/1`: a tool definition to the small agreed value that is compared and digested. Pure.
 *
 * Kept are `name title description inputSchema outputSchema annotations execution`; of the last two only the members that
 * MCP defines, because both SDK majors strip all others before an app sees them. Sets of names in JSON Schema (`required`,
 * `type`, ...) are sorted where they are keywords; instance data keeps its order, and a property called `required` is a
 * property. `$ref` is never resolved. Hostile input gives a limit, never an exception.
 */

import { type LimitName, MAX_DEFINITION_BYTES, MAX_DEPTH, MAX_NODES } from './limits.ts';

export const PROJECTION_RECIPE = 'tools/1';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Projected =
  /** `remote`: a schema refers to another document, whose content no digest of this one covers. */
  | { readonly value: { readonly [key: string]: Json; readonly name: string }; readonly remote: boolean }
  | { readonly limit: LimitName };

export interface ProjectionOptions {
  /** Whether `execution` takes part. A client of MCP 2026-07-28 never sees it: that revision took it out. @default true */
  readonly execution?: boolean;
}

const ANNOTATIONS = ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint', 'title'];
const EXECUTION = ['taskSupport'];

/** Thrown inside this module only, to leave a deep walk. */
class LimitReached extends Error {
  readonly limit: LimitName;
  constructor(limit: LimitName) {
    super(limit);
    this.limit = limit;
  }
}

/** Keywords whose value is one schema, or an array of schemas, or (draft-07 `items`) either. */
const SCHEMA_KEYWORDS = new Set([
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value maps names to schemas. */
const SCHEMA_MAP_KEYWORDS = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);
/** Keywords that refer to a schema elsewhere. Never followed; where they lead is looked at. */
const REFERENCE_KEYWORDS = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
/** Draft-07 keyword whose value maps each name to a schema or to a set of names. */
const DEPENDENCIES = 'dependencies';
/** Keywords whose value is a set of names. */
const NAME_SET_KEYWORDS = new Set(['required', 'type']);
/** Keywords whose value maps names to sets of names. */
const NAME_SET_MAP_KEYWORDS = new Set(['dependentRequired']);

class Projector {
  #nodes = 0;
  #characters = 0;
  readonly #path = new Set<object>();
  /** Documents that schemas refer to, and those that they are; an identifier may come after what refers to it. */
  readonly #targets = new Set<string>();
  readonly #identifiers = new Set<string>();

  /** Whether any schema refers to a document that is not in the definition itself. */
  get remote(): boolean {
    return [...this.#targets].some((target) => !this.#identifiers.has(target));
  }

  /** Copies plain JSON, in order. */
  data(value: unknown, depth: number): Json {
    return this.#enter(value, depth, (container) => {
      if (Array.isArray(container)) return this.#items(container, (item) => this.data(item, depth + 1));
      return this.#members(container, (_, member) => this.data(member, depth + 1));
    });
  }

  /** A value at a place where JSON Schema expects a schema. */
  schema(value: unknown, depth: number): Json {
    return this.#enter(value, depth, (container) => {
      if (Array.isArray(container)) return this.#items(container, (item) => this.schema(item, depth + 1));
      return this.#members(container, (keyword, member) => {
        if (SCHEMA_KEYWORDS.has(keyword)) return this.schema(member, depth + 1);
        if (SCHEMA_MAP_KEYWORDS.has(keyword))
          return this.#map(member, depth + 1, (each) => this.schema(each, depth + 2));
        if (keyword === DEPENDENCIES)
          return this.#map(member, depth + 1, (each) => this.#schemaOrNames(each, depth + 2));
        if (NAME_SET_KEYWORDS.has(keyword)) return this.#names(member, depth + 1);
        if (REFERENCE_KEYWORDS.has(keyword)) this.#note(this.#targets, member);
        if (keyword === '$id') this.#note(this.#identifiers, member);
        if (NAME_SET_MAP_KEYWORDS.has(keyword))
          return this.#map(member, depth + 1, (each) => this.#names(each, depth + 2));
        return this.data(member, depth + 1);
      });
    });
  }

  /** Without the fragment, which stays within its document; a fragment alone names no other. */
  #note(documents: Set<string>, reference: unknown): void {
    const document = typeof reference === 'string' ? reference.split('#', 1)[0] : undefined;
    if (document) documents.add(document);
  }

  #schemaOrNames(value: unknown, depth: number): Json {
    return Array.isArray(value) ? this.#names(value, depth) : this.schema(value, depth);
  }

  /** A set, when it is an array of strings; anything else is nonsense that stays as it is. */
  #names(value: unknown, depth: number): Json {
    const copy = this.data(value, depth);
    if (!Array.isArray(copy) || !copy.every((item) => typeof item === 'string')) return copy;
    return [...new Set(copy as string[])].sort();
  }

  #map(value: unknown, depth: number, project: (member: unknown) => Json): Json {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.data(value, depth);
    return this.#enter(value, depth, (container) => this.#members(container as object, (_, member) => project(member)));
  }

  #enter(value: unknown, depth: number, project: (container: object | readonly unknown[]) => Json): Json {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new LimitReached('nodes');
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#text(value);
    // What JSON.stringify makes of NaN and the infinities, so that a host's object equals its own wire form.
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value !== 'object') throw new LimitReached('not_json');
    if (depth > MAX_DEPTH || this.#path.has(value)) throw new LimitReached('depth');
    // A Date and its like have no members to compare by: two different ones would look equal.
    if (typeof Reflect.get(value, 'toJSON') === 'function') throw new LimitReached('not_json');
    this.#path.add(value);
    const projected = project(value);
    this.#path.delete(value);
    return projected;
  }

  /** Counted while walking: text that many places share grows out of all bounds only when it is written out. */
  #text(text: string): string {
    this.#characters += text.length;
    if (this.#characters > MAX_DEFINITION_BYTES) throw new LimitReached('definition_bytes');
    return text;
  }

  /** By index onto a plain array: no subclass, own iterator or hole of the host decides what is copied, or how long it takes. */
  #items(items: readonly unknown[], project: (item: unknown) => Json): Json {
    const { length } = items;
    if (length > MAX_NODES) throw new LimitReached('nodes');
    const copy: Json[] = [];
    for (let index = 0; index < length; index += 1) copy.push(project(items[index] ?? null));
    return copy;
  }

  /** Onto an object without prototype: `__proto__` is a property name like any other. */
  #members(container: object, project: (key: string, member: unknown) => Json): Json {
    const copy: Record<string, Json> = Object.create(null);
    for (const key of Object.keys(container)) {
      const member: unknown = Reflect.get(container, key);
      if (member !== undefined && typeof member !== 'function' && typeof member !== 'symbol')
        copy[this.#text(key)] = project(key, member);
    }
    return copy;
  }
}

function pick(value: unknown, keys: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const picked: Record<string, unknown> = {};
  for (const key of keys) if (Object.hasOwn(value, key)) picked[key] = Reflect.get(value, key);
  return picked;
}

/** Projects one definition. A value that is no object with a string `name` gives the limit `not_a_tool`. */
export function projectTool(tool: unknown, options: ProjectionOptions = {}): Projected {
  try {
    if (typeof tool !== 'object' || tool === null) return { limit: 'not_a_tool' };
    const name: unknown = Reflect.get(tool, 'name');
    if (typeof name !== 'string') return { limit: 'not_a_tool' };
    const projector = new Projector();
    const value: { [key: string]: Json; name: string } = Object.assign(Object.create(null), {
      name: projector.data(name, 0),
    });
    const keep = (key: string, project: (member: unknown) => Json) => {
      const member: unknown = Reflect.get(tool, key);
      if (member !== undefined) value[key] = project(member);
    };
    for (const key of ['title', 'description']) keep(key, (member) => projector.data(member, 0));
    for (const key of ['inputSchema', 'outputSchema']) keep(key, (member) => projector.schema(member, 0));
    keep('annotations', (member) => projector.data(pick(member, ANNOTATIONS), 0));
    if (options.execution !== false) keep('execution', (member) => projector.data(pick(member, EXECUTION), 0));
    return { value, remote: projector.remote };
  } catch (error) {
    // A getter or a proxy of the host may throw anything; what cannot be read is not JSON.
    return { limit: error instanceof LimitReached ? error.limit : 'not_json' };
  }
}

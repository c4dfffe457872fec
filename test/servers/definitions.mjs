// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The short forms of tools in a plan (see `script.mjs`), written out, and definitions in another order that mean the same. Pure. */

export const definePage = (page) => page.flatMap(defineTools);

function defineTools(tool) {
  if (typeof tool === 'string') return [fromText(tool)];
  if (tool.many !== undefined) {
    const numbers = Array.from({ length: tool.to - tool.from + 1 }, (_, index) => tool.from + index);
    return numbers.map((number) => fromText(`${tool.many}${String(number).padStart(3, '0')}`));
  }
  if (tool.large !== undefined) return [withSchema(tool.large, { description: 'x'.repeat(tool.kilobytes * 1024) })];
  if (tool.deep !== undefined) return [withSchema(tool.deep, nest(tool.levels))];
  return [tool];
}

function fromText(text) {
  const [, name, list] = /^([^()]+)(?:\((.*)\))?$/.exec(text) ?? [];
  if (list === undefined) return { name, inputSchema: { type: 'object' } };
  const required = list.split(',').map((each) => each.trim());
  const properties = Object.fromEntries(required.map((each) => [each, { type: 'string' }]));
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties, required } };
}

const withSchema = (name, property) => ({ name, inputSchema: { type: 'object', properties: { it: property } } });

function nest(levels) {
  let schema = { type: 'string' };
  for (let i = 0; i < levels; i++) schema = { type: 'array', items: schema };
  return schema;
}

/** By a third of the list each turn, so that pages of a rotated list share tools with those of the one before. */
export function rotate(list, turn) {
  const by = list.length === 0 ? 0 : (turn * Math.max(1, Math.floor(list.length / 3))) % list.length;
  return [...list.slice(by), ...list.slice(0, by)];
}

export function shuffleRequired(tool, turn) {
  const { required } = tool.inputSchema;
  return required ? { ...tool, inputSchema: { ...tool.inputSchema, required: rotate(required, turn) } } : tool;
}

/** The keys of every object, all the way down. */
export function shuffleKeys(value, turn) {
  if (Array.isArray(value)) return value.map((each) => shuffleKeys(each, turn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(rotate(Object.entries(value), turn).map(([key, each]) => [key, shuffleKeys(each, turn)]));
}

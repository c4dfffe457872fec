// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What counts as volatile in a definition, and where. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { diffCatalogs, digestCatalog } from '../../semconv/index.ts';

const VECTORS: readonly { name: string; left: string; right: string; same: boolean }[] = JSON.parse(
  readFileSync(new URL('./vectors/volatile.json', import.meta.url), 'utf8'),
);
const A = '0b9bb4a5-1c38-4a84-9c0b-6f4a8ad3a111';
const B = '5e5a3f5e-8f5b-4f39-8d3a-2a45ba7c0222';

/** Names that differ between two catalogs of one tool. */
function changed(left: object, right: object): readonly string[] {
  const entries = (tool: object) =>
    digestCatalog([{ name: 't', inputSchema: { type: 'object' }, ...tool }]).entries ?? [];
  return diffCatalogs(entries(left), entries(right)).changed;
}

describe('definitions that differ', () => {
  for (const { name, left, right, same } of VECTORS) {
    it(`by ${name} in the description are ${same ? 'no' : 'a'} change`, () => {
      assert.notEqual(left, right);
      assert.deepEqual(changed({ description: left }, { description: right }), same ? [] : ['t']);
    });
  }

  const property = (member: object) => ({
    inputSchema: { type: 'object', properties: { x: { type: 'string', ...member } } },
  });
  for (const [place, make, same] of [
    ['the title', (id: string) => ({ title: id }), true],
    ['the title of an annotation', (id: string) => ({ annotations: { title: id } }), true],
    ['the description of a property', (id: string) => property({ description: id }), true],
    ['a comment', (id: string) => property({ $comment: id }), true],
    [
      'a schema under a property called description',
      (id: string) => ({ inputSchema: { properties: { description: { description: id } } } }),
      true,
    ],
    ['a default', (id: string) => property({ default: id }), false],
    ['a description inside a default', (id: string) => property({ default: { description: id } }), false],
    ['an enumeration', (id: string) => property({ enum: [id] }), false],
    ['a constant', (id: string) => property({ const: id }), false],
    ['an example', (id: string) => property({ examples: [id] }), false],
    ['the name of a property', (id: string) => ({ inputSchema: { properties: { [id]: {} } } }), false],
    ['a reference', (id: string) => property({ $ref: `#/$defs/${id}` }), false],
  ] as const) {
    it(`by a UUID in ${place} are ${same ? 'no' : 'a'} change`, () => {
      assert.deepEqual(changed(make(A), make(B)), same ? [] : ['t']);
    });
  }

  it('keep digests of their own, so that what was really read can be told', () => {
    const [left, right] = [A, B].map((id) => digestCatalog([{ name: 't', description: id }]));
    assert.notEqual(left?.digest, right?.digest);
    assert.notEqual(left?.entries?.[0]?.digest, right?.entries?.[0]?.digest);
    assert.equal(left?.entries?.[0]?.masked, right?.entries?.[0]?.masked);
  });

  it('carry no masked digest where nothing is volatile', () => {
    const [entry] = digestCatalog([{ name: 't', description: 'plain', inputSchema: { default: A } }]).entries ?? [];
    assert.deepEqual(Object.keys(entry ?? {}), ['name', 'digest']);
  });
});

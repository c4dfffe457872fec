// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalize } from '../../semconv/index.ts';
import { maskVolatile, mayBeVolatile } from '../../semconv/volatile.ts';

const PIECES = [
  '2026-01-31',
  '1764547200',
  '1764547200123',
  'deadbeefdeadbeef',
  'DEADBEEFDEADBEEF0',
  'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa',
  '0F8FAD5B-d9cb-469f-a165-70867728950e',
  '2026-01-31T10:11:12.5Z',
];

describe('the quick look for volatile prose', () => {
  for (const piece of PIECES) {
    it(`finds ${piece} wherever it stands`, () => {
      for (let before = 0; before < 40; before++) {
        for (const after of ['', ' g', ' and so on, and so on']) {
          const value = { description: `${'z'.repeat(before)} ${piece}${after}` };
          assert.notEqual(maskVolatile(value), value);
          assert.ok(mayBeVolatile(canonicalize(value)), `at ${before}`);
        }
      }
    });
  }

  it('finds all that is masked in random text', () => {
    const alphabet = '0123456789abcdefABCDEF- gT:Z';
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let found = 0;
    for (let round = 0; round < 20_000; round++) {
      const letters = 12 + random(alphabet.length - 12);
      const text = Array.from({ length: random(60) }, () => alphabet[random(letters)]).join('');
      const value = { description: text };
      if (maskVolatile(value) === value) continue;
      found += 1;
      assert.ok(mayBeVolatile(canonicalize(value)), text);
    }
    assert.ok(found > 1000, String(found));
  });

  it('passes over ordinary prose', () => {
    for (const text of ['Reads a file. See https://example.org/a-b-c', 'a----b', 'decade-facade', '2026', ''])
      assert.equal(mayBeVolatile(canonicalize({ description: text })), false);
  });
});

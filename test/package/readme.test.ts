// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What documents say of names and numbers is what the code says. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DEFAULT_LIMITS } from '../../processor/core/index.ts';
import * as bounds from '../../semconv/limits.ts';
import { ROOT } from '../support/cached-install.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the README', () => {
  it('lists every limit of the engine with its default, and no other', () => {
    const section = read('README.md').split('### Bounds')[1]?.split('\n### ')[0] ?? '';
    const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, value]) => [name, Number(value)]);
    assert.deepEqual(Object.fromEntries(rows), DEFAULT_LIMITS);
    const values = [...section.matchAll(/^\| [^`|]+ \| (\d+) \| `\w+` \|$/gm)].map(([, value]) => Number(value));
    const { MAX_DEPTH, MAX_DEFINITION_BYTES, MAX_NODES, MAX_TEXT, MAX_TOOLS, MAX_ENTRIES } = bounds;
    assert.deepEqual(values, [MAX_DEPTH, MAX_DEFINITION_BYTES, MAX_NODES, MAX_TEXT, MAX_TOOLS, MAX_ENTRIES]);
  });
});

describe('the list of fixtures', () => {
  it('names cases that are there', () => {
    const names = [...read('test/cases/README.md').matchAll(/`([a-z-]+\/[a-z-]+)`/g)].map(([, name]) => name ?? '');
    assert.ok(names.length > 30);
    assert.deepEqual(
      names.filter((name) => !existsSync(join(ROOT, 'test/cases', name, 'case.json'))),
      [],
    );
  });
});

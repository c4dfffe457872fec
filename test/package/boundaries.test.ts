// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Who may know whom. Each folder names what it may import, of ours and of others; anything else fails. `import type` is held
 * to the same folders, but may name any package, since it is gone when the program runs.
 */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../support/cached-install.ts';

interface Rule {
  readonly folder: string;
  /** Folders of ours besides itself. */
  readonly ours: readonly string[];
  readonly packages: RegExp;
}

const OTEL_API = '@opentelemetry/api(-logs)?$';

/** The longest matching folder decides. */
const RULES: readonly Rule[] = [
  { folder: 'semconv', ours: [], packages: /^(fast-json-stable-stringify$|node:crypto$)/ },
  { folder: 'semconv/render.ts', ours: ['semconv'], packages: /^(node:|yaml$)/ },
  { folder: 'processor/core', ours: ['semconv'], packages: /^\b$/ },
  { folder: 'processor', ours: ['processor/core', 'semconv'], packages: new RegExp(`^(node:|${OTEL_API})`) },
  {
    folder: 'processor/service',
    ours: ['processor', 'processor/core', 'semconv'],
    packages: new RegExp(`^(node:|${OTEL_API})`),
  },
  { folder: 'processor/recording', ours: ['processor/core', 'processor/service', 'semconv'], packages: /^node:/ },
  // The command line composes, as the entry points do, but starts the instrumentation in other processes only.
  {
    folder: 'processor/cli',
    ours: ['processor', 'processor/core', 'processor/recording', 'processor/service', 'semconv'],
    packages: new RegExp(`^(node:|${OTEL_API})`),
  },
  { folder: 'instrumentation', ours: ['semconv'], packages: new RegExp(`^(node:|${OTEL_API})`) },
  {
    folder: 'register',
    ours: ['instrumentation', 'processor', 'processor/core', 'semconv'],
    packages: /^(node:|@opentelemetry\/)/,
  },
];

const SOURCES = ['semconv', 'processor', 'instrumentation', 'register'];
const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?:(?<type>type)\s)?(?:[^'";]*?\sfrom\s)?'(?<from>[^']+)'/g;
const LOAD = /\b(?:import|require)\(\s*'(?<from>[^']+)'\s*\)/g;
/** A package name in the imports and requires of built files, where each stands on a line of its own. */
const BUILT_IMPORT = /^(?:import|export|(?:let|const|var)\b.*\brequire\()[^"'\n]*["']([^"'.][^"'\n]*)["']\)?;$/gm;

async function listFiles(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return entries.map((entry) => join(folder, entry)).filter((file) => pattern.test(file));
}

async function importsOf(file: string) {
  const text = await readFile(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT), ...text.matchAll(LOAD)].map(({ groups }) => ({
    type: groups?.type !== undefined,
    from: groups?.from ?? '',
  }));
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

function ruleOf(file: string): Rule | undefined {
  const found = RULES.filter(({ folder }) => isWithin(file, folder));
  return found.sort((a, b) => b.folder.length - a.folder.length)[0];
}

describe('imports of the sources', () => {
  for (const folder of SOURCES) {
    it(`of ${folder} stay within what that part may know`, async () => {
      const files = await listFiles(folder, /\.ts$/);
      assert.ok(files.length > 0);
      const wrong: string[] = [];
      for (const file of files) {
        const rule = ruleOf(file);
        for (const { type, from } of await importsOf(file)) {
          const allowed = from.startsWith('.')
            ? mayKnow(rule, relative(ROOT, join(ROOT, dirname(file), from)))
            : type || rule?.packages.test(from);
          if (!allowed) wrong.push(`${file} imports ${from}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }

  function mayKnow(rule: Rule | undefined, target: string): boolean {
    const there = ruleOf(target)?.folder;
    return there !== undefined && (there === rule?.folder || (rule?.ours.includes(there) ?? false));
  }
});

describe('imports of the examples', () => {
  it('are published entry points, packages, and other examples', async () => {
    // A bundle is there only while the example that makes it runs.
    const files = (await listFiles('examples', /\.[mc]?[jt]s$/)).filter((file) => !file.includes('/bundle-'));
    assert.ok(files.length > 0);
    const wrong: string[] = [];
    for (const file of files) {
      for (const { from } of await importsOf(file)) {
        const inside = isWithin(relative(ROOT, join(ROOT, dirname(file), from)), 'examples');
        if (from.startsWith('.') && !inside) wrong.push(`${file} imports ${from}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
});

describe('the built package', () => {
  it('loads no other package in semconv than the one that canonicalises', async () => {
    const loaded = new Set<string>();
    for (const file of await listFiles('dist/semconv', /\.[mc]js$/)) {
      const text = await readFile(join(ROOT, file), 'utf8');
      for (const [, from] of text.matchAll(BUILT_IMPORT)) loaded.add(from ?? '');
    }
    assert.deepEqual([...loaded].sort(), ['fast-json-stable-stringify', 'node:crypto']);
  });
});

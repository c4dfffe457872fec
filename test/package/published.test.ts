// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What a stranger would find wrong with the package as published: its manifest, its files, its types. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT } from '../support/cached-install.ts';
import { pack } from '../support/packed.ts';

let tarball: Buffer;

before(async () => {
  tarball = await readFile(await pack());
});

describe('the packed package', () => {
  it('is in order by publint, strictly', async () => {
    const { messages, pkg } = await publint({ pkgDir: ROOT, strict: true, pack: 'npm' });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
  });

  it('has the right types for import and for require on Node', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(tarball));
    assert.ok(analysis.types);
    // The resolution of before `exports` is the one that this package does not serve.
    const problems = analysis.problems.filter(
      (problem) => !('resolutionKind' in problem) || problem.resolutionKind !== 'node10',
    );
    assert.deepEqual(problems, []);
  });

  it('ships no tests, no sources and no pins of suites', () => {
    const { files } = readTarball();
    const strange = files.filter(
      (file) =>
        !/^package\/(dist\/|semconv\/(registry\.yaml|recording\.schema\.json)$|[A-Z]+(\.md)?$|package\.json$)/.test(
          file,
        ),
    );
    assert.deepEqual(strange, []);
  });

  function readTarball() {
    return {
      files: createPackageFromTarballData(tarball)
        .listFiles()
        .map((file) => file.replace(/^\/node_modules\/[^/]+/, 'package')),
    };
  }
});

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { reportInstalledRegistry } from '../../instrumentation/index.ts';
import { observeSdks } from '../support/observed-sdks.ts';
import { pages, ScriptedPeer, tool } from '../support/scripted-peer.ts';

const sdks = await observeSdks();
const { v1, v2 } = sdks;

after(() => sdks.instrumentation.disable());
beforeEach(() => sdks.reset());

describe('a catalog that is seen again', () => {
  for (const [major, { Client, InMemoryTransport }] of Object.entries({ v1, v2 })) {
    it(`on another connection or layer is digested once, with SDK ${major}`, async () => {
      const seen = [];
      for (const name of ['one', 'other']) {
        const [mine, theirs] = InMemoryTransport.createLinkedPair();
        await new ScriptedPeer(theirs as never, { 'tools/list': pages([tool('a'), tool('b')]) }).start();
        const client = new Client({ name, version: '1' });
        await client.connect(mine as never);
        const { tools } = await client.listTools();
        reportInstalledRegistry(client, { tools });
        await client.close();
      }
      for (const kind of ['traversal', 'delivered', 'installed'] as const)
        seen.push(...sdks.of(kind).map(({ catalog }) => catalog.entries));
      assert.equal(seen.length, 6);
      assert.equal(seen[0]?.length, 2);
      assert.equal(new Set(seen).size, 1);
    });
  }
});

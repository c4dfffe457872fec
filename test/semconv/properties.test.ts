// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What holds of every definition and of every observation: digests see each change and no order, the codec loses nothing. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { observationFault } from '../../semconv/check-observation.ts';
import { digestCatalog, digestTool, encodeObservation, projectTool } from '../../semconv/index.ts';
import { MAX_TOOLS } from '../../semconv/limits.ts';
import { decodeObservation } from '../../semconv/observation-attributes.ts';
import { arbitraryObservation } from '../support/arbitrary-observation.ts';
import { type Change, change, isInSet, reorderTool, tool, waysInto } from '../support/arbitrary-tools.ts';
import { runs } from '../support/fixed-runs.ts';
import { arm, unarmed } from '../support/hostile-values.ts';

describe('the digest', () => {
  it('sees no order of tools, of keys, or within sets of names', () => {
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 4 }), (tools) => {
        const again = tools.toReversed().map(reorderTool);
        assert.deepEqual(digestCatalog(again), digestCatalog(tools));
      }),
      runs(600),
    );
  });

  it('sees every change of what is projected: another value, one less, another key, another order of data', () => {
    const changes = fc.constantFrom<Change>('other', 'drop', 'rename', 'swap');
    let seen = 0;
    fc.assert(
      fc.property(tool, fc.nat(), changes, (one, choice, how) => {
        const ways = [...waysInto(one)].filter((way) => !(how === 'swap' && isInSet(way)));
        const way = ways[choice % ways.length] ?? [];
        const changed = change(one, way, how);
        if (changed === undefined) return;
        seen += 1;
        const [before, after] = [digestTool(one), digestTool(changed)];
        assert.ok('digest' in before && (!('digest' in after) || after.digest !== before.digest), way.join('.'));
      }),
      runs(1500),
    );
    assert.ok(seen > 800, `${seen} changes`);
  });

  it('of anything at all is a digest or names a bound, and nothing is thrown', () => {
    fc.assert(
      fc.property(unarmed, fc.array(fc.oneof(unarmed, tool), { maxLength: 3 }), fc.boolean(), (...drawn) => {
        const [one, list, execution] = [arm(drawn[0]), arm(drawn[1]), drawn[2]];
        const projected = projectTool(one, { execution });
        assert.notEqual('value' in projected, 'limit' in projected);
        for (const tools of [one, list]) {
          const catalog = digestCatalog(tools as readonly unknown[], { execution });
          assert.notEqual(catalog.digest === undefined, catalog.limit === undefined);
          assert.ok(Number.isSafeInteger(catalog.size) && catalog.size >= 0);
        }
      }),
      runs(1500),
    );
  });

  it('of a list that lies about its length names a bound, and so does one of more tools than are digested', () => {
    for (const length of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '2']) {
      const list = new Proxy([], { get: (_, key) => (key === 'length' ? length : { name: 'a' }) });
      assert.equal(digestCatalog(list).limit, 'not_a_list', `${length} tools`);
    }
    const many = (count: number) => digestCatalog(Array.from({ length: count }, (_, i) => ({ name: `t${i}` })));
    assert.equal(many(MAX_TOOLS).limit, undefined);
    assert.deepEqual(many(MAX_TOOLS + 1), { recipe: 'tools/1', size: MAX_TOOLS + 1, limit: 'tools' });
  });
});

describe('the codec', () => {
  it('gives back every observation as it was', () => {
    fc.assert(
      fc.property(arbitraryObservation, (observation) => {
        assert.equal(observationFault(observation), undefined);
        const startTimeMs = observation.kind === 'traversal' ? observation.startTimeMs : observation.timeMs;
        const timing = {
          startTimeMs,
          endTimeMs: observation.timeMs,
          ...(observation.span && { span: observation.span }),
        };
        assert.deepEqual(decodeObservation(encodeObservation(observation), timing), observation);
      }),
      runs(3000),
    );
  });
});

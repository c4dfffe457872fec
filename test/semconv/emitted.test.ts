// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What the demo really sends, held against the registry: no name that is not in it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readRegistry } from '../../semconv/render.ts';
import { ROOT } from '../support/cached-install.ts';
import { type OtlpSink, startOtlpSink } from '../support/otlp-sink.ts';
import { runProgram } from '../support/run-program.ts';

const registry = readRegistry();
const OWN = 'mcp_convergence.';
let sink: OtlpSink;

before(async () => {
  sink = await startOtlpSink();
  const { code, stdout, stderr } = await runProgram([
    join(ROOT, 'examples/six-observations/main.mjs'),
    '--otlp',
    sink.url,
  ]);
  assert.equal(code, 0, stdout + stderr);
});
after(() => sink.close());

const unknown = (names: Iterable<string>, known: readonly unknown[]): string[] =>
  [...new Set(names)].filter((name) => name.startsWith(OWN) && !known.includes(name));

describe('what the demo sends', () => {
  it('has only attributes that the registry defines, with values that it lists', () => {
    const all = [...sink.spans, ...sink.logs].flatMap(({ attributes }) => Object.entries(attributes));
    assert.ok(all.length > 500);
    assert.deepEqual(
      unknown(
        all.map(([key]) => key),
        registry.attributes.map(({ key }) => key),
      ),
      [],
    );
    for (const { key, type } of registry.attributes) {
      if (typeof type === 'string') continue;
      const values = type.members.map(({ value }) => value);
      for (const [, value] of all.filter(([name]) => name === key))
        assert.ok(values.includes(String(value)), `${key}=${value}`);
    }
  });

  it('has only spans, events and metrics that the registry defines', () => {
    const nameOf = ({ name, type }: { name?: unknown; type?: string }) => (typeof name === 'string' ? name : type);
    assert.deepEqual(
      unknown(
        sink.spans.map(({ name }) => name),
        registry.spans.map(nameOf),
      ),
      [],
    );
    assert.deepEqual(
      unknown(
        sink.logs.map(({ eventName }) => eventName ?? ''),
        registry.events.map(nameOf),
      ),
      [],
    );
    assert.deepEqual(unknown(sink.metricNames, registry.metrics.map(nameOf)), []);
    for (const metric of ['mcp_convergence.verdicts', 'mcp.client.operation.duration', 'mcp.client.session.duration']) {
      assert.ok(sink.metricNames.has(metric), metric);
    }
  });

  it('has the required attributes on every MCP span, numbered without gaps on each connection', () => {
    const spans = sink.spans.filter(({ attributes }) => attributes['mcp_convergence.observation.kind'] !== undefined);
    const byConnection = Map.groupBy(spans, ({ attributes }) => attributes['mcp_convergence.connection.id']);
    assert.ok(byConnection.size >= 6);
    for (const own of byConnection.values()) {
      const numbers = own.map(({ attributes }) => Number(attributes['mcp_convergence.sequence'])).sort((a, b) => a - b);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      );
      for (const { attributes } of own)
        assert.ok(attributes['mcp_convergence.epoch.id'] && attributes['mcp_convergence.epoch.source']);
    }
  });

  it('carries no arguments, results, descriptions, schemas, cursors or commands', () => {
    const text = JSON.stringify([sink.spans, sink.logs]);
    for (const secret of ['help desk', 'ticketId', 'inputSchema', 'server.mjs'])
      assert.ok(!text.includes(secret), secret);
  });
});

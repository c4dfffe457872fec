// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { JsonLogsSerializer, JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { readPairs } from '../../processor/key-value-list.ts';
import type { PlainLog, PlainSpan } from '../../processor/service/decode-otlp-json.ts';
import { createForwarder } from '../../processor/service/forward.ts';
import { type RawRequest, type Receiver, startReceiver } from '../../processor/service/receiver.ts';
import { toHrTime } from '../../semconv/hr-time.ts';
import { decodeObservation, encodeObservation } from '../../semconv/index.ts';
import { SAMPLES } from '../support/sample-observations.ts';

const spans: PlainSpan[] = [];
const logs: PlainLog[] = [];
let receiver: Receiver;

before(async () => {
  receiver = await startReceiver({ onSpans: (more) => spans.push(...more), onLogs: (more) => logs.push(...more) });
});
after(() => receiver.close());

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${receiver.url}${path}`, {
    method: 'POST',
    body: body as never,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('the receiver', () => {
  it('gives back every observation from what the SDK exports', async () => {
    const exporter = new InMemorySpanExporter();
    const tracer = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('t');
    for (const sample of SAMPLES) {
      const startTime = toHrTime(sample.kind === 'traversal' ? sample.startTimeMs : sample.timeMs);
      tracer.startSpan('x', { startTime, attributes: encodeObservation(sample) }).end(toHrTime(sample.timeMs));
    }
    const response = await post(
      '/v1/traces',
      JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans()) as Uint8Array,
    );
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.deepEqual(await response.json(), {});
    const decoded = spans.splice(0).map((span) => {
      const { span: _, ...observation } = decodeObservation(span.attributes, span) ?? {};
      return observation;
    });
    assert.deepEqual(
      decoded,
      SAMPLES.map(({ span: _, ...sample }) => sample),
    );
  });

  it('reads events with their names, times and attributes, also when compressed', async () => {
    const exporter = new InMemoryLogRecordExporter();
    const logger = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }).getLogger('t');
    const attributes = { text: 'é€', number: 7, fraction: 0.5, flag: true, list: ['a', 'b'] };
    logger.emit({ eventName: 'e', timestamp: [1_764_547_200, 123_457_000], severityNumber: 13, attributes });
    const body = JsonLogsSerializer.serializeRequest(exporter.getFinishedLogRecords()) as Uint8Array;
    assert.equal((await post('/v1/logs', gzipSync(body), { 'content-encoding': 'gzip' })).status, 200);
    const [log] = logs.splice(0);
    assert.partialDeepStrictEqual(
      { ...log, attributes: { ...log?.attributes } },
      { eventName: 'e', timeMs: 1_764_547_200_123.457, severityNumber: 13, attributes },
    );
  });

  it('takes 64-bit numbers in either spelling and skips what it does not know', async () => {
    const record = {
      timeUnixNano: '1764547200000000000',
      attributes: [
        { key: 'a', value: { intValue: '5' } },
        { key: 'b', value: { intValue: 6 } },
        { key: 'c', value: { futureValue: 1 } },
        7,
      ],
      novelty: {},
    };
    await post(
      '/v1/logs',
      JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record, null] }] }, 5], novelty: 1 }),
    );
    const [log] = logs.splice(0);
    assert.deepEqual({ ...log?.attributes }, { a: 5, b: 6, c: null });
  });

  const refusals: [string, () => Promise<Response>, number][] = [
    ['another path', () => post('/v2/traces', '{}'), 404],
    ['another method', () => fetch(`${receiver.url}/v1/traces`), 405],
    ['another content type', () => post('/v1/traces', '{}', { 'content-type': 'text/plain' }), 415],
    [
      'protobuf, which it cannot decode',
      () => post('/v1/traces', '', { 'content-type': 'application/x-protobuf' }),
      415,
    ],
    ['another encoding', () => post('/v1/traces', '{}', { 'content-encoding': 'br' }), 415],
    ['a body that is not JSON', () => post('/v1/traces', '{'), 400],
    ['a body that is not gzip', () => post('/v1/traces', '{}', { 'content-encoding': 'gzip' }), 400],
    ['a body that is too large', () => post('/v1/traces', ' '.repeat(17 * 1024 * 1024)), 413],
    [
      'a body that is too large once decompressed',
      () => post('/v1/traces', gzipSync(Buffer.alloc(65 * 1024 * 1024, ' ')), { 'content-encoding': 'gzip' }),
      413,
    ],
  ];
  for (const [what, send, status] of refusals) {
    it(`answers ${status} to ${what}`, async () => {
      const response = await send();
      assert.equal(response.status, status);
      assert.equal(typeof ((await response.json()) as { message: string }).message, 'string');
    });
  }

  it('lets a sender that is still writing read why it was refused', async () => {
    for (let i = 0; i < 10; i++) {
      const status = await new Promise((resolve) => {
        const sending = request(
          `${receiver.url}/v1/traces`,
          { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': 24 * 1024 * 1024 } },
          (response) => resolve(response.resume().statusCode),
        );
        sending.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
        const chunk = Buffer.alloc(1024 * 1024, ' ');
        let written = 0;
        const write = () => {
          if (written++ < 24) sending.write(chunk, () => setImmediate(write));
          else sending.end();
        };
        write();
      });
      assert.equal(status, 413);
    }
  });

  it('closes within seconds although a sender never finishes', async () => {
    const stuck = await startReceiver();
    const { hostname, port } = new URL(stuck.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write('POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const startedMs = Date.now();
    await stuck.close();
    assert.ok(Date.now() - startedMs < 5000);
  });

  it('loses no record because another holds a value that makes no sense', async () => {
    const nested = `${'{"arrayValue":{"values":['.repeat(20_000)}{"stringValue":"deep"}${']}}'.repeat(20_000)}`;
    const odd = [
      { intValue: { toString: 1, valueOf: 1 } },
      { intValue: '' },
      { doubleValue: 'x'.repeat(1e6) },
      'NESTED',
    ];
    const attributes = odd.map((value, index) => ({ key: `odd${index}`, value }));
    const logRecords = [
      { timeUnixNano: '9'.repeat(1e6), attributes },
      { timeUnixNano: null, attributes: [{ key: 'fine', value: { intValue: null, doubleValue: 2.5 } }] },
    ];
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }).replace('"NESTED"', nested);
    assert.equal((await post('/v1/logs', body)).status, 200);
    const [first, second] = logs.splice(0);
    assert.partialDeepStrictEqual({ ...first?.attributes }, { odd0: null, odd1: null, odd2: null });
    assert.equal(first?.timeMs, 0);
    assert.deepEqual({ ...second?.attributes }, { fine: 2.5 });
  });

  it('accepts JSON of any shape and goes on', async () => {
    for (const body of [
      'null',
      '[]',
      '5',
      '{"resourceSpans":5}',
      '{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}',
    ]) {
      assert.equal((await post('/v1/traces', body)).status, 200);
    }
    assert.equal(spans.splice(0).length, 1);
  });

  it('has answered before a consumer fails', async () => {
    const failing = await startReceiver({
      onSpans: () => {
        throw new Error('consumer');
      },
    });
    const warned = once(process, 'warning');
    const response = await fetch(`${failing.url}/v1/traces`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(response.status, 200);
    assert.match(String((await warned)[0]), /a consumer of received telemetry failed: consumer/);
    await failing.close();
  });

  it('survives a sender that goes away in the middle', async () => {
    const url = new URL(`${receiver.url}/v1/traces`);
    await new Promise<void>((resolve) => {
      const sending = request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': '1000' },
      });
      sending.on('error', () => resolve());
      sending.write('{');
      setTimeout(() => sending.destroy(), 20);
    });
    assert.equal((await post('/v1/traces', '{}')).status, 200);
  });
});

describe('forwarding', () => {
  it('hands on protobuf and JSON byte for byte, with headers, and tells a failure once', async () => {
    const got: RawRequest[] = [];
    const target = await startReceiver({ onRaw: (raw) => got.push(raw) });
    const failures: string[] = [];
    const forwarder = createForwarder({
      endpoint: `${target.url}/`,
      headers: { 'x-team': 't' },
      onFailure: (message) => failures.push(message),
    });
    const bytes = Buffer.from([10, 0, 255, 1]);
    forwarder.forward({ signal: 'traces', contentType: 'application/x-protobuf', body: bytes });
    forwarder.forward({ signal: 'metrics', contentType: 'application/json', body: Buffer.from('{"a":1}') });
    await forwarder.settle();
    assert.deepEqual(got.find(({ signal }) => signal === 'traces')?.body, bytes);
    assert.equal(got.find(({ signal }) => signal === 'metrics')?.body.toString(), '{"a":1}');
    await target.close();
    for (let i = 0; i < 4; i++) {
      forwarder.forward({ signal: 'logs', contentType: 'application/json', body: Buffer.from('{}') });
      await forwarder.settle();
    }
    assert.equal(failures.filter((message) => message.includes('ECONNREFUSED')).length, 1);
  });
});

describe('a list of pairs in the environment', () => {
  it('is percent-decoded, and taken as it stands where it is not well encoded', () => {
    assert.deepEqual(readPairs(undefined), {});
    assert.deepEqual(readPairs('x-team=a%20b, y = 2 ,z=a=b,bad, =x,w=%zz'), {
      'x-team': 'a b',
      y: '2',
      z: 'a=b',
      w: '%zz',
    });
  });
});

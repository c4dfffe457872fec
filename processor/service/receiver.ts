// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An OTLP/HTTP receiver on `node:http`: routes, bounds, decompresses, answers, and only then hands over, so that a slow or
 * broken consumer never costs a sender its answer (OTLP specification, OTLP/HTTP). Takes JSON; protobuf is handed on raw, to be
 * forwarded, but not decoded.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { decodeLogsRequest, decodeTracesRequest, type PlainLog, type PlainSpan } from './decode-otlp-json.ts';

/** A body on the wire, and after decompression; exporters send batches of 512, far below. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

export type OtlpSignal = 'traces' | 'logs' | 'metrics';

export interface RawRequest {
  readonly signal: OtlpSignal;
  readonly contentType: string;
  /** Decompressed. */
  readonly body: Buffer;
}

export interface ReceiverOptions {
  /** @default 0, any free port */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  readonly onSpans?: (spans: readonly PlainSpan[]) => void;
  readonly onLogs?: (logs: readonly PlainLog[]) => void;
  /** Every accepted request; with this, protobuf is accepted too. */
  readonly onRaw?: (request: RawRequest) => void;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error) => {
      const status = error instanceof HttpError ? error.status : 500;
      if (!response.headersSent)
        response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(
        JSON.stringify({ code: status, message: error instanceof HttpError ? error.message : 'internal error' }),
      );
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ReceiverOptions): Promise<void> {
  const signal = /^\/v1\/(traces|logs|metrics)$/.exec((request.url ?? '').split('?')[0] ?? '')?.[1] as
    | OtlpSignal
    | undefined;
  if (!signal) throw new HttpError(404, 'only /v1/traces, /v1/logs and /v1/metrics are served');
  if (request.method !== 'POST') throw new HttpError(405, 'only POST is served');
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isJson = contentType === 'application/json';
  if (!isJson && !(contentType === 'application/x-protobuf' && options.onRaw)) {
    throw new HttpError(415, 'send OTLP as application/json (OTEL_EXPORTER_OTLP_PROTOCOL=http/json)');
  }
  const body = await decompress(await readBody(request), request.headers['content-encoding']);
  const parsed = isJson ? parse(body) : undefined;
  response.writeHead(200, { 'content-type': contentType });
  response.end(isJson ? '{}' : '');
  consume(() => options.onRaw?.({ signal, contentType, body }));
  if (signal === 'traces' && isJson) consume(() => options.onSpans?.(decodeTracesRequest(parsed)));
  if (signal === 'logs' && isJson) consume(() => options.onLogs?.(decodeLogsRequest(parsed)));
}

/** The sender has its answer; what a consumer makes of the data is not its business. */
function consume(body: () => void): void {
  try {
    body();
  } catch (error) {
    process.emitWarning(
      `a consumer of received telemetry failed: ${error instanceof Error ? error.message : error}`,
      'McpConvergenceWarning',
    );
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new HttpError(413, `a body may have ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function decompress(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding !== 'gzip') throw new HttpError(415, 'only gzip is understood as content-encoding');
  try {
    return (await promisify(gunzip)(body, { maxOutputLength: MAX_DECOMPRESSED_BYTES })) as Buffer;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new HttpError(413, `a body may have ${MAX_DECOMPRESSED_BYTES} bytes`);
    throw new HttpError(400, 'the body is not gzip');
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new HttpError(400, 'the body is not JSON');
  }
}

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An OTLP/HTTP receiver on `node:http`: routes, bounds, decompresses, answers, and only then hands over, so that a slow or
 * broken consumer never costs a sender its answer (OTLP specification, OTLP/HTTP). Takes JSON; protobuf is handed on raw, to be
 * forwarded, but not decoded.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { decodeLogsRequest, decodeTracesRequest, type PlainLog, type PlainSpan } from './decode-otlp-json.ts';

/** A body on the wire, and after decompression; exporters send batches of 512, far below. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;
/** How long a sender that was refused may go on sending before the connection is cut. */
const LINGER_MS = 5000;
/** How long `close` waits for requests under way. */
const CLOSE_MS = 1000;

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
  /** Takes no more; resolves when what was under way is answered, or cut after a second. */
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
      refuse(request, response, error instanceof HttpError ? error : new HttpError(500, 'internal error'));
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
        const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
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

/**
 * Gives the reason at once, and the end of the answer only when the sender is through: closing the socket under one that still
 * writes resets it, the reason is lost, and an exporter takes that for a failure to be retried.
 */
function refuse(request: IncomingMessage, response: ServerResponse, { status, message }: HttpError): void {
  const body = JSON.stringify({ code: status, message });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.write(body);
  const cut = setTimeout(() => request.destroy(), LINGER_MS);
  finished(request, () => {
    clearTimeout(cut);
    response.end();
  });
  request.resume();
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
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new HttpError(413, `a body may have ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function decompress(body: Buffer, contentEncoding: string | undefined): Promise<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase();
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

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Hands received requests on to another OTLP endpoint, byte for byte. Failures are told once; nothing waits for them. */

import type { RawRequest } from './receiver.ts';

/** Requests under way at once; past it new ones are dropped, and that is told. */
const MAX_IN_FLIGHT = 64;
const TIMEOUT_MS = 10_000;

export interface Forwarder {
  forward(request: RawRequest): void;
  /** Resolves when everything under way has been answered or given up. */
  settle(): Promise<void>;
}

export interface ForwarderOptions {
  /** Base URL; `/v1/<signal>` is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Told of the first failure of each kind. */
  readonly onFailure: (message: string) => void;
}

export function createForwarder({ endpoint, headers, onFailure }: ForwarderOptions): Forwarder {
  const base = endpoint.replace(/\/$/, '');
  const underWay = new Set<Promise<void>>();
  const told = new Set<string>();
  const fail = (message: string) => {
    if (told.has(message)) return;
    told.add(message);
    onFailure(message);
  };
  const post = async ({ signal, contentType, body }: RawRequest) => {
    try {
      const response = await fetch(`${base}/v1/${signal}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': contentType },
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) fail(`${base}/v1/${signal} answered ${response.status}`);
    } catch (error) {
      const { message, cause } = error as { message: string; cause?: { code?: string } };
      fail(`${base} cannot be reached: ${cause?.code ?? message}`);
    }
  };
  return {
    forward(request) {
      if (underWay.size >= MAX_IN_FLIGHT) {
        fail(`${base} is too slow, telemetry is dropped`);
        return;
      }
      const posting = post(request).finally(() => underWay.delete(posting));
      underWay.add(posting);
    },
    async settle() {
      await Promise.all(underWay);
    },
  };
}

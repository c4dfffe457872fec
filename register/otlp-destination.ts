// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Where `OTEL_*` says that logs and traces go, for the last post of a process. HTTP only: gRPC needs a client of its own. */

import type { Destination } from './outbox.ts';

const DEFAULT_ENDPOINT = 'http://localhost:4318';

export function readDestination(env: NodeJS.ProcessEnv): Destination {
  const logsUrl = urlOf(env, 'LOGS', 'logs');
  const tracesUrl = urlOf(env, 'TRACES', 'traces');
  return {
    headers: readPairs(env.OTEL_EXPORTER_OTLP_HEADERS),
    resource: {
      'service.name': 'unknown_service:node',
      ...readPairs(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME && { 'service.name': env.OTEL_SERVICE_NAME }),
      'process.pid': String(process.pid),
    },
    ...(logsUrl && { logsUrl }),
    ...(tracesUrl && { tracesUrl }),
  };
}

function urlOf(env: NodeJS.ProcessEnv, signal: 'LOGS' | 'TRACES', path: string): string | undefined {
  const exporter = env[`OTEL_${signal}_EXPORTER`] ?? 'otlp';
  const protocol = env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (!exporter.split(',').includes('otlp') || protocol === 'grpc') return undefined;
  const own = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  return own || `${(env.OTEL_EXPORTER_OTLP_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/$/, '')}/v1/${path}`;
}

/** `key=value,key=value`, values percent-encoded (OpenTelemetry specification, environment variables). */
export function readPairs(text: string | undefined): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const part of text?.split(',') ?? []) {
    const at = part.indexOf('=');
    const key = part.slice(0, Math.max(0, at)).trim();
    if (key) pairs[key] = decode(part.slice(at + 1).trim());
  }
  return pairs;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

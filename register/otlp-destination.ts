// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Where `OTEL_*` says that logs and traces go, for the last post of a process. HTTP only: gRPC needs a client of its own. */

import { readPairs } from '../processor/key-value-list.ts';
import type { Destination, Target } from './outbox.ts';

const DEFAULT_ENDPOINT = 'http://localhost:4318';

export function readDestination(env: NodeJS.ProcessEnv): Destination {
  const logs = targetOf(env, 'LOGS', 'logs');
  const traces = targetOf(env, 'TRACES', 'traces');
  return {
    resource: {
      'service.name': 'unknown_service:node',
      ...readPairs(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME && { 'service.name': env.OTEL_SERVICE_NAME }),
      'process.pid': String(process.pid),
    },
    ...(logs && { logs }),
    ...(traces && { traces }),
  };
}

/** An empty variable is an unset one (OpenTelemetry specification, environment variables). */
function targetOf(env: NodeJS.ProcessEnv, signal: 'LOGS' | 'TRACES', path: string): Target | undefined {
  const exporters = (env[`OTEL_${signal}_EXPORTER`] || 'otlp').split(',').map((name) => name.trim());
  const protocol = env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (!exporters.includes('otlp') || protocol === 'grpc') return undefined;
  const own = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  return {
    url: own || `${(env.OTEL_EXPORTER_OTLP_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/$/, '')}/v1/${path}`,
    headers: {
      ...readPairs(env.OTEL_EXPORTER_OTLP_HEADERS),
      ...readPairs(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
  };
}

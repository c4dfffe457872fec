// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Tells what a transport object is and where it leads, by class name first (subclasses included), then by its members. */

import type { TransportKind } from '../semconv/observation.ts';
import type { Endpoint } from './describe-operation.ts';

const KIND_BY_CLASS: Readonly<Record<string, TransportKind>> = {
  StdioClientTransport: 'stdio',
  StreamableHTTPClientTransport: 'streamable_http',
  SSEClientTransport: 'sse',
  WebSocketClientTransport: 'websocket',
  InMemoryTransport: 'in_memory',
};

/** Members that only one kind of SDK transport has; a minifier changes class names but not these. */
const KIND_BY_MEMBER: readonly (readonly [string, TransportKind])[] = [
  ['_serverParams', 'stdio'],
  ['_reconnectionOptions', 'streamable_http'],
  ['_eventSourceInit', 'sse'],
  ['_messageQueue', 'in_memory'],
];

export function kindOf(transport: object): TransportKind {
  for (let holder = Object.getPrototypeOf(transport); holder; holder = Object.getPrototypeOf(holder)) {
    const name: unknown = Reflect.get(Reflect.get(holder, 'constructor') ?? {}, 'name');
    const kind = typeof name === 'string' ? KIND_BY_CLASS[name] : undefined;
    if (kind) return kind;
  }
  return KIND_BY_MEMBER.find(([member]) => member in transport)?.[1] ?? 'custom';
}

const NETWORK: Readonly<Record<TransportKind, Endpoint>> = {
  stdio: { networkTransport: 'pipe' },
  streamable_http: { networkTransport: 'tcp', protocolName: 'http' },
  sse: { networkTransport: 'tcp', protocolName: 'http' },
  websocket: { networkTransport: 'tcp', protocolName: 'websocket' },
  in_memory: {},
  custom: {},
};

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 };

export function describeEndpoint(transport: object): Endpoint {
  const network = NETWORK[kindOf(transport)];
  const url: unknown = Reflect.get(transport, '_url');
  if (!(url instanceof URL)) return network;
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  return {
    ...network,
    serverAddress: url.hostname.replace(/^\[|\]$/g, ''),
    ...(port !== undefined && { serverPort: port }),
  };
}

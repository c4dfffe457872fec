// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** What was negotiated: from an `initialize` result, a `server/discover` result, or the SDK that adopted one. Pure. */

import type { Handshake } from '../semconv/observation.ts';
import type { SightingOf } from './connection.ts';
import { eraOf, isObject, type JsonObject } from './json-rpc.ts';

export type HandshakeSighting = SightingOf<Handshake>;

/** `_meta` key under which a modern server names itself in every result. */
const SERVER_INFO_META_KEY = 'io.modelcontextprotocol/serverInfo';

/** Characters kept of what a server calls itself; a label needs no more, and an observation may hold no more than some. */
const MAX_LABEL = 256;

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, MAX_LABEL) : undefined;
}

function describeHandshake(
  method: Handshake['method'],
  protocolVersion: string | undefined,
  capabilities: unknown,
  serverInfo: unknown,
): HandshakeSighting {
  const tools = isObject(capabilities) ? capabilities.tools : undefined;
  const server = isObject(serverInfo) ? serverInfo : {};
  const serverName = text(server.name);
  const serverVersion = text(server.version);
  return {
    kind: 'handshake',
    method,
    era: method === 'server/discover' ? 'modern' : eraOf(protocolVersion),
    tools: isObject(tools),
    listChanged: isObject(tools) && tools.listChanged === true,
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(serverName !== undefined && { serverName }),
    ...(serverVersion !== undefined && { serverVersion }),
  };
}

export function readInitializeResult(result: JsonObject): HandshakeSighting {
  return describeHandshake('initialize', text(result.protocolVersion), result.capabilities, result.serverInfo);
}

/** `requested` is the version that the discover request named; the server may offer others. */
export function readDiscoverResult(result: JsonObject, requested: string | undefined): HandshakeSighting {
  const offered = Array.isArray(result.supportedVersions) ? result.supportedVersions.map(text) : [];
  const version = offered.includes(requested) ? requested : (offered[0] ?? requested);
  const meta = isObject(result._meta) ? result._meta : {};
  return describeHandshake(
    'server/discover',
    version,
    result.capabilities,
    meta[SERVER_INFO_META_KEY] ?? result.serverInfo,
  );
}

/** The members of an SDK client that tell what it negotiated; v1 has no version getter. */
export interface NegotiatedClient {
  getServerCapabilities?(): unknown;
  getServerVersion?(): unknown;
  getNegotiatedProtocolVersion?(): unknown;
}

/**
 * A handshake that never crossed this connection: probed on a throw-away child process, adopted from a stored result,
 * or made before the session was resumed. Undefined while the SDK knows of none.
 */
export function readNegotiated(client: NegotiatedClient): HandshakeSighting | undefined {
  const capabilities = client.getServerCapabilities?.();
  if (capabilities === undefined) return undefined;
  const version = text(client.getNegotiatedProtocolVersion?.());
  const method = eraOf(version) === 'modern' ? 'server/discover' : 'initialize';
  return describeHandshake(method, version, capabilities, client.getServerVersion?.());
}

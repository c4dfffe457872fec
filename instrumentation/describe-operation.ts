// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Maps an MCP request or notification, and how it ended, to span name, attributes and status by the GenAI/MCP
 * semantic conventions. Pure. Puts no arguments, results or prompt variables on anything: those are opt-in and not offered.
 */

import * as upstream from '../semconv/upstream.ts';
import type { JsonObject, ReplyFrame, RequestId } from './json-rpc.ts';

export type Simple = Record<string, string | number | boolean>;

/** How an operation ended, before any telemetry is known. `description` goes to the span status. */
export type Ending =
  | { readonly kind: 'ok' }
  | { readonly kind: 'input_required' }
  | { readonly kind: 'tool_error'; readonly description?: string }
  | { readonly kind: 'rpc_error'; readonly code: number; readonly description: string }
  /** No JSON-RPC answer: a timeout, a dead pipe, an HTTP status. */
  | { readonly kind: 'failure'; readonly errorType: string; readonly description?: string }
  /** The caller changed its mind; not an error. */
  | { readonly kind: 'cancelled' };

/** Where the peer is, constant for a connection. */
export interface Endpoint {
  readonly networkTransport?: 'pipe' | 'tcp';
  readonly protocolName?: 'http' | 'websocket';
  readonly serverAddress?: string;
  readonly serverPort?: number;
}

const RESOURCE_METHODS = new Set([
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'notifications/resources/updated',
]);

function textOf(params: JsonObject | undefined, key: string): string | undefined {
  const value = params?.[key];
  return typeof value === 'string' ? value : undefined;
}

export function toolNameOf(method: string, params: JsonObject | undefined): string | undefined {
  return method === 'tools/call' ? textOf(params, 'name') : undefined;
}

/** `{mcp.method.name} {target}`; the target is a tool or prompt name, never a URI. */
export function nameOperation(method: string, params: JsonObject | undefined): string {
  const target = method === 'tools/call' || method === 'prompts/get' ? textOf(params, 'name') : undefined;
  return target === undefined ? method : `${method} ${target}`;
}

/** Attributes that spans and the duration metrics share. All known at the start, so samplers see them. */
export function describeForMetric(
  method: string,
  params: JsonObject | undefined,
  endpoint: Endpoint,
  protocolVersion: string | undefined,
): Simple {
  const attributes: Simple = { [upstream.ATTR_MCP_METHOD_NAME]: method };
  const set = (key: string, value: string | number | undefined) => {
    if (value !== undefined) attributes[key] = value;
  };
  if (method === 'tools/call') {
    set(upstream.ATTR_GEN_AI_TOOL_NAME, textOf(params, 'name'));
    set(upstream.ATTR_GEN_AI_OPERATION_NAME, upstream.GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL);
  }
  if (method === 'prompts/get') set(upstream.ATTR_GEN_AI_PROMPT_NAME, textOf(params, 'name'));
  set(upstream.ATTR_MCP_PROTOCOL_VERSION, protocolVersion);
  set(upstream.ATTR_NETWORK_TRANSPORT, endpoint.networkTransport);
  set(upstream.ATTR_NETWORK_PROTOCOL_NAME, endpoint.protocolName);
  return attributes;
}

/** Methods of MCP up to 2026-07-28, tasks included; whatever else a peer may send is one label of a metric, not one each. */
const METHODS: ReadonlySet<string> = new Set([
  ...['initialize', 'ping', 'server/discover', 'subscriptions/listen', 'completion/complete', 'logging/setLevel'],
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get', 'roots/list', 'sampling/createMessage'],
  ...['resources/list', 'resources/templates/list', 'resources/read', 'resources/subscribe', 'resources/unsubscribe'],
  ...['elicitation/create', 'tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'tasks/update'],
  ...['notifications/initialized', 'notifications/cancelled', 'notifications/progress', 'notifications/message'],
  ...['notifications/tools/list_changed', 'notifications/prompts/list_changed', 'notifications/roots/list_changed'],
  ...['notifications/resources/list_changed', 'notifications/resources/updated', 'notifications/tasks/status'],
  ...['notifications/elicitation/complete', 'notifications/subscriptions/acknowledged'],
]);

/** The attributes of {@link describeForMetric}, of a bounded number of methods. */
export function foldMethod(attributes: Simple): Simple {
  const method = String(attributes[upstream.ATTR_MCP_METHOD_NAME]);
  return METHODS.has(method) ? attributes : { ...attributes, [upstream.ATTR_MCP_METHOD_NAME]: '_OTHER' };
}

/** Attributes of the client side only; the conventions keep them off server spans. */
export function describeServer(endpoint: Endpoint): Simple {
  const attributes: Simple = {};
  if (endpoint.serverAddress !== undefined) attributes[upstream.ATTR_SERVER_ADDRESS] = endpoint.serverAddress;
  if (endpoint.serverPort !== undefined) attributes[upstream.ATTR_SERVER_PORT] = endpoint.serverPort;
  return attributes;
}

/** Attributes of the session duration metric. */
export function describeSession(endpoint: Endpoint, protocolVersion: string | undefined): Simple {
  const attributes = describeServer(endpoint);
  if (protocolVersion !== undefined) attributes[upstream.ATTR_MCP_PROTOCOL_VERSION] = protocolVersion;
  if (endpoint.networkTransport !== undefined) attributes[upstream.ATTR_NETWORK_TRANSPORT] = endpoint.networkTransport;
  if (endpoint.protocolName !== undefined) attributes[upstream.ATTR_NETWORK_PROTOCOL_NAME] = endpoint.protocolName;
  return attributes;
}

/** Attributes of the span alone: too many values, or too sensitive, for a metric. */
export function describeForSpan(
  method: string,
  params: JsonObject | undefined,
  id: RequestId | undefined,
  sessionId: string | undefined,
): Simple {
  const attributes: Simple = {};
  if (id !== undefined) attributes[upstream.ATTR_JSONRPC_REQUEST_ID] = String(id);
  if (sessionId !== undefined) attributes[upstream.ATTR_MCP_SESSION_ID] = sessionId;
  const uri = RESOURCE_METHODS.has(method) ? textOf(params, 'uri') : undefined;
  if (uri !== undefined) attributes[upstream.ATTR_MCP_RESOURCE_URI] = uri;
  return attributes;
}

/** Characters of an error message on a span; servers put whole values into them. */
const MAX_DESCRIPTION = 256;

/** JSON-RPC codes that say the caller was at fault; on the serving side they are not the server's error. */
const CALLER_FAULTS = new Set([-32700, -32600, -32601, -32602, -32002]);

/** `error.type` and `rpc.response.status_code`, equal on span and metric. Empty on success and on cancellation. */
export function describeEnding(ending: Ending, side: 'client' | 'server'): Simple {
  switch (ending.kind) {
    case 'tool_error':
      return { [upstream.ATTR_ERROR_TYPE]: upstream.ERROR_TYPE_VALUE_TOOL_ERROR };
    case 'rpc_error': {
      const code = String(ending.code);
      const status = { [upstream.ATTR_RPC_RESPONSE_STATUS_CODE]: code };
      const fault = side === 'server' && CALLER_FAULTS.has(ending.code);
      return fault ? status : { ...status, [upstream.ATTR_ERROR_TYPE]: code };
    }
    case 'failure':
      return { [upstream.ATTR_ERROR_TYPE]: ending.errorType };
    default:
      return {};
  }
}

export function errorTypeOf(ending: Ending, side: 'client' | 'server'): string | undefined {
  const type = describeEnding(ending, side)[upstream.ATTR_ERROR_TYPE];
  return type === undefined ? undefined : String(type);
}

/** How a reply ends its request. `isError` is read of `tools/call` only; no other result has it. */
export function endingOf(frame: ReplyFrame, method?: string): Ending {
  if (frame.kind === 'error')
    return { kind: 'rpc_error', code: frame.code, description: frame.message.slice(0, MAX_DESCRIPTION) };
  if (method === 'tools/call' && frame.result.isError === true) {
    const description = readErrorText(frame.result)?.slice(0, MAX_DESCRIPTION);
    return description === undefined ? { kind: 'tool_error' } : { kind: 'tool_error', description };
  }
  return { kind: frame.result.resultType === 'input_required' ? 'input_required' : 'ok' };
}

/** What a server says with `isError`: read for {@link refusalOf} and never put on a span. */
function readErrorText({ content }: JsonObject): string | undefined {
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  const text: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : undefined;
  return typeof text === 'string' ? text : undefined;
}

/**
 * Servers refuse a tool they do not know in two shapes, an error or a result with `isError`, and in a few wordings of which
 * each names the tool; that name tells them from what a tool itself may say.
 */
export function refusalOf(ending: Ending, tool: string): 'unknown_tool' | 'invalid_params' | undefined {
  if (ending.kind !== 'rpc_error' && ending.kind !== 'tool_error') return undefined;
  const said = (ending.description ?? '').replace(/^MCP error -?\d+: /, '').replaceAll(/["'`]/g, '');
  const unknown = [
    `unknown tool: ${tool}`,
    `unknown tool ${tool}`,
    `tool ${tool} not found`,
    `tool not found: ${tool}`,
  ];
  if (unknown.some((wording) => said.toLowerCase().startsWith(wording.toLowerCase()))) return 'unknown_tool';
  return ending.kind === 'rpc_error' && ending.code === -32602 ? 'invalid_params' : undefined;
}

export function failureOf(error: unknown): Ending {
  return { kind: 'failure', errorType: classifyError(error) };
}

/** Low-cardinality class of an error that came without a JSON-RPC answer. Never its message. */
function classifyError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '_OTHER';
  const { code, data } = error as { code?: unknown; data?: { status?: unknown } };
  // SDK v2 keeps the HTTP status in `data`, v1 in `code`, where its own and JSON-RPC's codes are negative.
  const status = data?.status ?? code;
  if (typeof status === 'number' && status >= 100 && status <= 599) return String(status);
  if (typeof code === 'string' && code.length <= 64) return code;
  const className = (error as object).constructor?.name;
  return className && className !== 'Object' ? className : '_OTHER';
}

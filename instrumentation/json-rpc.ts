// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Tells the four kinds of JSON-RPC frames apart. Pure. Data from the wire comes in as `unknown` and is never trusted. */

export type JsonObject = Readonly<Record<string, unknown>>;
export type RequestId = string | number;

export type Frame =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly params: JsonObject | undefined;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject | undefined }
  | { readonly kind: 'result'; readonly id: RequestId; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly id: RequestId; readonly code: number; readonly message: string };

export type RequestFrame = Extract<Frame, { kind: 'request' }>;
export type ReplyFrame = Extract<Frame, { kind: 'result' | 'error' }>;
export type NotificationFrame = Extract<Frame, { kind: 'notification' }>;

/** The signal: a hint that a refresh is due. */
export const LIST_CHANGED = 'notifications/tools/list_changed';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

/** Undefined for batches and for anything that is not a frame. */
export function readFrame(message: unknown): Frame | undefined {
  if (!isObject(message)) return undefined;
  const { id, method } = message;
  const params = isObject(message.params) ? message.params : undefined;
  if (typeof method === 'string') {
    if (isRequestId(id)) return { kind: 'request', id, method, params };
    return id === undefined ? { kind: 'notification', method, params } : undefined;
  }
  if (!isRequestId(id)) return undefined;
  if (isObject(message.result)) return { kind: 'result', id, result: message.result };
  const error = message.error;
  if (!isObject(error) || typeof error.code !== 'number') return undefined;
  return {
    kind: 'error',
    id,
    code: error.code,
    message: typeof error.message === 'string' ? error.message : '',
  };
}

/** Both SDKs match a reply by `Number(id)`, so a server that answers `"7"` to 7 is answered too. */
export function replyKey(id: RequestId): string {
  return String(id);
}

export function readMeta(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?._meta;
  return isObject(meta) ? meta : undefined;
}

/** `_meta` key with which every request of a 2026-07-28 connection names its protocol version. */
const PROTOCOL_VERSION_META_KEY = 'io.modelcontextprotocol/protocolVersion';

/** First revision without sessions and handshake. */
const FIRST_MODERN_VERSION = '2026-07-28';

export function readProtocolVersion(params: JsonObject | undefined): string | undefined {
  const version = readMeta(params)?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === 'string' ? version : undefined;
}

/** Protocol versions are dates, so they compare as text. */
export function eraOf(protocolVersion: string | undefined): 'legacy' | 'modern' {
  return protocolVersion !== undefined && protocolVersion >= FIRST_MODERN_VERSION ? 'modern' : 'legacy';
}

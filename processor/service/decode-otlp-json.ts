// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * OTLP/JSON export requests to plain spans and log records. Pure. Tolerates unknown fields and either spelling of 64-bit
 * numbers, as the OTLP specification asks of a receiver; anything that is not of the right shape is skipped.
 */

export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };
export type PlainAttributes = Readonly<Record<string, PlainValue>>;

export interface PlainSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly startTimeMs: number;
  readonly endTimeMs: number;
  readonly attributes: PlainAttributes;
  readonly resource: PlainAttributes;
}

export interface PlainLog {
  readonly eventName: string | undefined;
  readonly timeMs: number;
  readonly severityNumber: number;
  readonly attributes: PlainAttributes;
  readonly resource: PlainAttributes;
}

type Json = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordsOf(value: unknown, key: string): readonly Json[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** Longer text is no 64-bit number, and costs time to read as one. */
const MAX_DIGITS = 20;
/** Nesting of attribute values; telemetry has two or three levels. */
const MAX_VALUE_DEPTH = 32;

/** Nanoseconds as a number or a string of digits, to milliseconds rounded to the microsecond; 0 for anything else. */
function toMs(nanos: unknown): number {
  const digits = typeof nanos === 'number' && Number.isSafeInteger(nanos) ? String(nanos) : nanos;
  if (typeof digits !== 'string' || digits.length > MAX_DIGITS || !/^\d+$/.test(digits)) return 0;
  return Number(BigInt(digits) / 1000n) / 1000;
}

/** Undefined for what is neither a number nor the text of one. */
function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value === '' || value.length > 2 * MAX_DIGITS) return undefined;
  return Number(value);
}

function decodeValue(value: unknown, depth = 0): PlainValue {
  if (!isRecord(value) || depth > MAX_VALUE_DEPTH) return null;
  if (typeof value.stringValue === 'string') return value.stringValue;
  if (typeof value.boolValue === 'boolean') return value.boolValue;
  const number = toNumber(value.intValue) ?? toNumber(value.doubleValue);
  if (number !== undefined) return number;
  if (isRecord(value.arrayValue))
    return recordsOf(value.arrayValue, 'values').map((each) => decodeValue(each, depth + 1));
  if (isRecord(value.kvlistValue)) return decodeAttributes(value.kvlistValue.values, depth + 1);
  return typeof value.bytesValue === 'string' ? value.bytesValue : null;
}

function decodeAttributes(list: unknown, depth = 0): PlainAttributes {
  const attributes: Record<string, PlainValue> = Object.create(null);
  for (const { key, value } of recordsOf({ list }, 'list'))
    if (typeof key === 'string') attributes[key] = decodeValue(value, depth);
  return attributes;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

function resourceOf(group: Json): PlainAttributes {
  return decodeAttributes(isRecord(group.resource) ? group.resource.attributes : undefined);
}

export function decodeTracesRequest(request: unknown): readonly PlainSpan[] {
  return recordsOf(request, 'resourceSpans').flatMap((group) => {
    const resource = resourceOf(group);
    const spans = recordsOf(group, 'scopeSpans').flatMap((scope) => recordsOf(scope, 'spans'));
    return spans.map((span) => ({
      name: textOf(span.name),
      traceId: textOf(span.traceId),
      spanId: textOf(span.spanId),
      traceFlags: numberOf(span.flags) & 0xff,
      startTimeMs: toMs(span.startTimeUnixNano),
      endTimeMs: toMs(span.endTimeUnixNano),
      attributes: decodeAttributes(span.attributes),
      resource,
    }));
  });
}

export function decodeLogsRequest(request: unknown): readonly PlainLog[] {
  return recordsOf(request, 'resourceLogs').flatMap((group) => {
    const resource = resourceOf(group);
    const records = recordsOf(group, 'scopeLogs').flatMap((scope) => recordsOf(scope, 'logRecords'));
    return records.map((record) => ({
      eventName: typeof record.eventName === 'string' ? record.eventName : undefined,
      timeMs: toMs(record.timeUnixNano ?? record.observedTimeUnixNano),
      severityNumber: numberOf(record.severityNumber),
      attributes: decodeAttributes(record.attributes),
      resource,
    }));
  });
}

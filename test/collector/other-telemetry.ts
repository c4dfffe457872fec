// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Export requests of an application that has nothing to do with MCP, with every kind of attribute value that OTLP knows. */

const ATTRIBUTES = [
  { key: 'text', value: { stringValue: 'line\nbreak, \u2028 and a "quote"' } },
  { key: 'empty', value: { stringValue: '' } },
  { key: 'flag', value: { boolValue: false } },
  { key: 'whole', value: { intValue: '9223372036854775807' } },
  { key: 'real', value: { doubleValue: 0.5 } },
  { key: 'unbounded', value: { doubleValue: 'Infinity' } },
  { key: 'list', value: { arrayValue: { values: [{ intValue: '1' }, {}] } } },
  { key: 'nothing', value: { arrayValue: {} } },
  { key: 'map', value: { kvlistValue: { values: [{ key: 'in', value: { stringValue: 'side' } }] } } },
  { key: 'bytes', value: { bytesValue: 'AAEC' } },
  { key: 'unset', value: {} },
];
const TIME = '1796083200000000001';
const RESOURCE = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }, ...ATTRIBUTES] };
const SCOPE = { name: 'shop', version: '1' };

const SPAN = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  flags: 0x301,
  name: 'GET /cart',
  kind: 2,
  startTimeUnixNano: TIME,
  endTimeUnixNano: TIME,
  attributes: ATTRIBUTES,
  events: [{ timeUnixNano: TIME, name: 'exception', attributes: ATTRIBUTES }],
  links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203332' }],
  status: { code: 2, message: 'no cart' },
};

const POINT = { timeUnixNano: TIME, attributes: ATTRIBUTES };
const METRICS = [
  { name: 'carts', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...POINT, asInt: '3' }] } },
  { name: 'load', gauge: { dataPoints: [{ ...POINT, asDouble: 0.5 }] } },
];

/** By the last part of the path that they are sent to. */
export const OTHERS: Readonly<Record<string, object>> = {
  traces: { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: SCOPE, spans: [SPAN, { name: 'bare' }] }] }] },
  logs: {
    resourceLogs: [
      { resource: RESOURCE, scopeLogs: [{ logRecords: [{ timeUnixNano: TIME, body: { stringValue: 'sold' } }, {}] }] },
    ],
  },
  metrics: { resourceMetrics: [{ resource: RESOURCE, scopeMetrics: [{ scope: SCOPE, metrics: METRICS }] }] },
};

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * `key=value,key=value` of `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_RESOURCE_ATTRIBUTES`, values percent-encoded (OpenTelemetry
 * specification, environment variables). Pure. Never throws: a pair without a key is left out, a value that is not well
 * encoded is taken as it stands.
 */
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

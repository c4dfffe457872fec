// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Between Unix milliseconds rounded to the microsecond, as observations carry time, and OpenTelemetry's seconds and
 * nanoseconds. Pure, and exact both ways. A plain number would not do: OpenTelemetry reads one that lies before the start of
 * the process as an offset.
 */

export type HrTime = [seconds: number, nanoseconds: number];

export function toHrTime(timeMs: number): HrTime {
  const micros = Math.round(timeMs * 1000);
  const seconds = Math.floor(micros / 1_000_000);
  return [seconds, (micros - seconds * 1_000_000) * 1000];
}

export function fromHrTime([seconds, nanoseconds]: Readonly<HrTime>): number {
  return Math.round(seconds * 1_000_000 + nanoseconds / 1000) / 1000;
}

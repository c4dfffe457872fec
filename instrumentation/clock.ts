// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Reads the time as observations and spans carry it. */

/** The monotonic clock stands still while a laptop sleeps; beyond this the wall clock is trusted instead. */
const MAX_DRIFT_MS = 500;

/** Unix time in milliseconds, rounded to the microsecond so that it survives a span's nanosecond form. */
export function readClock(): number {
  const precise = performance.timeOrigin + performance.now();
  const wall = Date.now();
  return Math.round((Math.abs(precise - wall) > MAX_DRIFT_MS ? wall : precise) * 1000) / 1000;
}

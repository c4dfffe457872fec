// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Mints identifiers for connections, epochs and traversals: ULID form, so they sort by the time of minting. */

import { randomBytes } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** 26 characters of Crockford base32: 48 bits of Unix time in milliseconds, then 80 random bits. */
export function mintId(nowMs: number = Date.now()): string {
  let time = '';
  for (let rest = Math.floor(nowMs); time.length < TIME_CHARS; rest = Math.floor(rest / 32)) {
    time = CROCKFORD[rest % 32] + time;
  }
  let random = '';
  for (const byte of randomBytes(RANDOM_CHARS)) random += CROCKFORD[byte & 31];
  return time + random;
}

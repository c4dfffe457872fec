// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Sees the `list_changed` frames that the SDK's stdio reader rejects. A frame that breaks the schema never reaches a
 * handler, but that the server sent it is evidence. Costs nothing while frames are well-formed.
 */

import { isObject, LIST_CHANGED } from './json-rpc.ts';
import { applyPatch } from './patch.ts';

/** Reports each rejected `list_changed` of a stdio transport to `rejected`; does nothing for other transports. */
export function watchFrames(transport: object, rejected: () => void): void {
  const reader: unknown = Reflect.get(transport, '_readBuffer');
  if (typeof reader !== 'object' || reader === null) return;
  applyPatch(reader, 'readMessage', (original) => {
    return function readMessage(this: { _buffer?: unknown }, ...args: unknown[]) {
      const before = this._buffer;
      try {
        return Reflect.apply(original, this, args);
      } catch (error) {
        if (Buffer.isBuffer(before) && isListChanged(before, this._buffer)) rejected();
        throw error;
      }
    };
  });
}

/** Whether the last line that the reader took out of its buffer is a `list_changed`, whatever else is wrong with it. */
function isListChanged(before: Buffer, after: unknown): boolean {
  const left = Buffer.isBuffer(after) ? after.length : 0;
  const taken = before
    .subarray(0, before.length - left)
    .toString('utf8')
    .trimEnd();
  try {
    const frame: unknown = JSON.parse(taken.slice(taken.lastIndexOf('\n') + 1));
    return isObject(frame) && frame.method === LIST_CHANGED;
  } catch {
    return false;
  }
}

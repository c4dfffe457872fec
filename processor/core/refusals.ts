// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What refused calls tell of a catalog. Pure. A server that no longer knows a tool of its newest list has changed since; one
 * that lists the tool once more and still refuses it, or that refuses arguments again and again, has a list and a validator
 * that disagree, which no refresh repairs.
 */

import type { Call, Traversal } from '../../semconv/observation.ts';
import type { Limits } from './limits.ts';

export interface Refusals {
  /** A call of a listed tool that the server did not know, and no list since. */
  unknownTool: { readonly tool: string; readonly timeMs: number } | undefined;
  /** Tools that were listed again after they had been refused as unknown, and are listed and refused still. */
  readonly listedAgain: Set<string>;
  /** Calls refused for their arguments, since the last that was not. */
  inARow: number;
}

/** Tools remembered that a server lists and refuses. */
const MAX_LISTED_AGAIN = 64;

export function createRefusals(): Refusals {
  return { unknownTool: undefined, listedAgain: new Set(), inARow: 0 };
}

export function forgetRefusals(refusals: Refusals): void {
  refusals.unknownTool = undefined;
  refusals.listedAgain.clear();
  refusals.inARow = 0;
}

/** `newest`: the newest complete walk when the call ended. */
export function foldCall(refusals: Refusals, call: Call, newest: Traversal | undefined): void {
  if (call.refusal === 'invalid_params') refusals.inARow += 1;
  else if (call.outcome === 'ok') {
    refusals.inARow = 0;
    refusals.listedAgain.delete(call.tool);
  }
  if (call.refusal !== 'unknown_tool' || refusals.listedAgain.has(call.tool)) return;
  // Refused by what answered before the list was read, the tool says nothing of the list.
  if (!newest || call.startSequence <= newest.sequence || !lists(newest, call.tool)) return;
  refusals.unknownTool ??= { tool: call.tool, timeMs: call.timeMs };
}

/** A walk that began after a refusal answers it; one that no longer has the tool ends the disagreement. */
export function foldList(refusals: Refusals, walk: Traversal): void {
  const { unknownTool, listedAgain } = refusals;
  for (const tool of listedAgain) if (!lists(walk, tool)) listedAgain.delete(tool);
  if (!unknownTool || walk.startTimeMs < unknownTool.timeMs) return;
  if (lists(walk, unknownTool.tool) && listedAgain.size < MAX_LISTED_AGAIN) listedAgain.add(unknownTool.tool);
  refusals.unknownTool = undefined;
}

/** Whether calls are refused that the list says may be made. */
export function disagrees(refusals: Refusals, limits: Limits): boolean {
  return refusals.listedAgain.size > 0 || refusals.inARow >= limits.refusals;
}

function lists({ catalog }: Traversal, tool: string): boolean {
  return catalog.entries?.some(({ name }) => name === tool) ?? false;
}

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * How far discovery of one connection has come, as a table. Pure.
 *
 * 1. A phase changes here and nowhere else.
 * 2. This file knows nothing of what a host installed, of time, or of verdicts.
 */

/**
 * `unlisted`: no walk ended in this epoch. `partial`: walks ended, none complete. `torn`: the newest complete one is no
 * snapshot. `current`: a complete one began after the newest signal. `signalled`: a signal came after the newest complete
 * one had begun. `storm`: more signals than can be answered. `lost`: observations are missing.
 */
export type Phase = 'unlisted' | 'partial' | 'torn' | 'current' | 'signalled' | 'storm' | 'lost';

/**
 * `complete`: a whole, untorn walk that began after the newest signal and the newest gap. `overtaken`: whole and untorn, but
 * a signal came after it had begun. `incomplete`: ended before its end. `torn`: pages of several snapshots. `settled`: several
 * walks in a row gave the same catalog, whatever was signalled in between.
 */
export type PhaseEvent =
  | 'complete'
  | 'overtaken'
  | 'incomplete'
  | 'torn'
  | 'settled'
  | 'signal'
  | 'storm'
  | 'epoch'
  | 'gap';

export const TRANSITIONS: Readonly<Record<Phase, Readonly<Record<PhaseEvent, Phase>>>> = {
  unlisted: {
    complete: 'current',
    overtaken: 'signalled',
    incomplete: 'partial',
    torn: 'torn',
    settled: 'current',
    signal: 'unlisted',
    storm: 'unlisted',
    epoch: 'unlisted',
    gap: 'lost',
  },
  partial: {
    complete: 'current',
    overtaken: 'signalled',
    incomplete: 'partial',
    torn: 'torn',
    settled: 'current',
    signal: 'partial',
    storm: 'partial',
    epoch: 'unlisted',
    gap: 'lost',
  },
  torn: {
    complete: 'current',
    overtaken: 'signalled',
    incomplete: 'torn',
    torn: 'torn',
    settled: 'current',
    signal: 'torn',
    storm: 'storm',
    epoch: 'unlisted',
    gap: 'lost',
  },
  // A later walk that does not come to its end takes nothing away from one that did.
  current: {
    complete: 'current',
    overtaken: 'signalled',
    incomplete: 'current',
    torn: 'torn',
    settled: 'current',
    signal: 'signalled',
    storm: 'storm',
    epoch: 'unlisted',
    gap: 'lost',
  },
  signalled: {
    complete: 'current',
    overtaken: 'signalled',
    incomplete: 'signalled',
    torn: 'torn',
    settled: 'current',
    signal: 'signalled',
    storm: 'storm',
    epoch: 'unlisted',
    gap: 'lost',
  },
  storm: {
    complete: 'current',
    overtaken: 'storm',
    incomplete: 'storm',
    torn: 'storm',
    settled: 'current',
    signal: 'storm',
    storm: 'storm',
    epoch: 'unlisted',
    gap: 'lost',
  },
  // Only a walk that began after the gap can tell anything again; the signals of the gap are older than it.
  lost: {
    complete: 'current',
    overtaken: 'lost',
    incomplete: 'lost',
    torn: 'lost',
    settled: 'current',
    signal: 'lost',
    storm: 'lost',
    epoch: 'lost',
    gap: 'lost',
  },
};

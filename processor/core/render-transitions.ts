// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The transition table as a Mermaid diagram and as a table, for the README. Pure; nothing else imports it. */

import { type Phase, type PhaseEvent, TRANSITIONS } from './transitions.ts';

const PHASES = Object.keys(TRANSITIONS) as Phase[];
const EVENTS = Object.keys(TRANSITIONS.unlisted) as PhaseEvent[];

/** One arrow for each pair of phases, with the events that lead along it; what changes nothing is left to the table. */
function renderDiagram(): string {
  const arrows = PHASES.flatMap((from) =>
    PHASES.filter((to) => to !== from).flatMap((to) => {
      const events = EVENTS.filter((event) => TRANSITIONS[from][event] === to);
      return events.length > 0 ? [`    ${from} --> ${to} : ${events.join(', ')}`] : [];
    }),
  );
  return ['```mermaid', 'stateDiagram-v2', '    [*] --> unlisted', ...arrows, '```'].join('\n');
}

function renderTable(): string {
  const cell = (from: Phase, event: PhaseEvent) => (TRANSITIONS[from][event] === from ? '·' : TRANSITIONS[from][event]);
  const rows = PHASES.map((from) => [`\`${from}\``, ...EVENTS.map((event) => cell(from, event))]);
  const head = ['from', ...EVENTS];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export function renderTransitions(): Readonly<Record<string, string>> {
  return { diagram: renderDiagram(), transitions: renderTable() };
}

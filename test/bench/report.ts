// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** How every topic of the benchmark measures and prints: as multiples of a floor of the same run, since times tell of the machine. */

export interface Subject {
  readonly name: string;
  readonly run: () => unknown;
  /** Around each measurement, and not part of it. */
  readonly before?: () => void;
  readonly after?: () => void;
}

/** `--quick`: only what proves that everything runs. */
export const QUICK: boolean = process.argv.includes('--quick');

const ROUNDS = QUICK ? 3 : 21;
/** Rounds past this are left out, but a few are always made. */
const MOST_MS = QUICK ? 1000 : 15_000;
const LEAST_ROUNDS = 3;
/** Each measurement goes on for at least so long, so that the clock's grain and one garbage collection matter little. */
const LEAST_MS = QUICK ? 2 : 80;

export interface Ratio {
  readonly name: string;
  readonly ratio: number;
  /** The middle half of the rounds. */
  readonly spread: readonly [low: number, high: number];
  /** Median time of one run; for rates beside the ratio. */
  readonly onceMs: number;
}

/**
 * Measures all by turns, the floor first in each round: on a shared machine a slow second then hits all of them, and the
 * median of the rounds' ratios is steady where times are not.
 */
export async function measure(floor: Subject, subjects: readonly Subject[]): Promise<Ratio[]> {
  const all = [floor, ...subjects];
  const rounds: number[][] = [];
  for (const subject of all) await timeOnce(subject);
  const startMs = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    if (round >= LEAST_ROUNDS && performance.now() - startMs > MOST_MS) break;
    const times: number[] = [];
    for (const subject of all) times.push(await timeOnce(subject));
    rounds.push(times);
  }
  return all.map(({ name }, index) => {
    const ratios = rounds.map((times) => (times[index] ?? Number.NaN) / (times[0] ?? Number.NaN)).sort(byNumber);
    const times = rounds.map((each) => each[index] ?? Number.NaN).sort(byNumber);
    return {
      name,
      ratio: quantile(ratios, 0.5),
      spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      onceMs: quantile(times, 0.5),
    };
  });
}

async function timeOnce({ run, before, after }: Subject): Promise<number> {
  before?.();
  const startMs = performance.now();
  let runs = 0;
  let elapsedMs = 0;
  do {
    const result = run();
    if (result instanceof Promise) await result;
    runs += 1;
    elapsedMs = performance.now() - startMs;
  } while (elapsedMs < LEAST_MS);
  after?.();
  return elapsedMs / runs;
}

const byNumber = (a: number, b: number): number => a - b;

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}

export type Row = readonly (string | number)[];

export function rowOf({ name, ratio, spread: [low, high] }: Ratio): [string, string, string] {
  return [name, short(ratio), `${short(low)} to ${short(high)}`];
}

/** Three digits that mean something. */
export function short(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

export function printTable(title: string, floor: string, head: Row, rows: readonly Row[]): void {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const write = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const [first = [], ...others] = lines;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  console.log(`\n${title}\nfloor: ${floor}\n`);
  for (const line of [first, rule, ...others]) console.log(write(line));
}

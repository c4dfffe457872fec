// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Exporters that try no more once nobody listens at their endpoint. The receiver of a run lives on this machine and does not
 * come back; the retries of every batch would hold up the end of an agent that outlives it. A receiver that is only slow is
 * tried again.
 */

interface Result {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Items> {
  export(items: Items, done: (result: Result) => void): void;
}

const FAILED: Result = { code: 1 };

export class Endpoint {
  #gone = false;

  get gone(): boolean {
    return this.#gone;
  }

  /** Changes `exporter` and returns it. `sent` is told of every batch that arrived. */
  watch<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, sent?: (items: Items) => void): E {
    const original = exporter.export.bind(exporter);
    exporter.export = (items, done) => {
      if (this.#gone) {
        done(FAILED);
        return;
      }
      original(items, (result) => {
        if (result.code === 0) sent?.(items);
        else if ((result.error as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED') this.#gone = true;
        done(result);
      });
    };
    return exporter;
  }
}

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Gets verdicts out before the process ends, without changing how it ends: the same signal, the same exit code, the app's own
 * handlers first. What no code can save is SIGKILL, an abort, and running out of memory.
 */

export interface EndHandlers {
  /** Decides what is pending. Synchronous, called once. */
  readonly finish: () => void;
  /** Sends what was emitted so far; the process may go on. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Sends what was emitted, for the last time. Never rejects. @default flush */
  readonly shutdown?: () => Promise<void>;
  /** `process.exit()` or an uncaught error: only synchronous work is possible from here on. */
  readonly flushSync?: () => void;
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A collector that does not answer may not hold up a process that was asked to stop. */
const FLUSH_MS = 2000;

export function onProcessEnd({ finish, flush, shutdown = flush, flushSync }: EndHandlers): void {
  let finished = false;
  const finishOnce = () => {
    if (finished) return;
    finished = true;
    finish();
  };
  process.once('beforeExit', () => {
    finishOnce();
    void shutdown();
  });
  process.on('exit', () => {
    finishOnce();
    flushSync?.();
  });
  for (const signal of SIGNALS) listen(signal);

  function listen(signal: NodeJS.Signals): void {
    const onSignal = () => {
      // Others that end the process only when no one else listens (the signal-exit package does) must not find us.
      process.removeListener(signal, onSignal);
      if (process.listenerCount(signal) > 0) {
        // The app decides what this signal means, and may well go on.
        void flush();
        setImmediate(listen, signal);
        return;
      }
      finishOnce();
      void bounded(shutdown()).then(() => process.kill(process.pid, signal));
    };
    // First, while those who listen only once are still counted.
    process.prependListener(signal, onSignal);
  }
}

async function bounded(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FLUSH_MS);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}

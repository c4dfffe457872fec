// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps a scripted SDK server alive: when one ends, the next generation is started in its place, behind the same pipe or the
 * same URL, and the client is not told.
 *
 *     node test/servers/supervisor.mjs sdk-v1|sdk-v2 stdio|http '{ "generations": [plan...], "replay": "swallowed" | "answered" }'
 *
 * The plans are those of `script.mjs`; the last generation is started again and again. On stdio the recorded handshake is
 * replayed to each new one. Its answer is swallowed, so that the client sees one unbroken session, or handed on, so that the
 * client sees a second answer to an answered id.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [, , sdk, kind, json] = process.argv;
const { generations, replay = 'swallowed' } = JSON.parse(json);
const program = fileURLToPath(new URL(`./${sdk}.mjs`, import.meta.url));

let worker;
/** The `initialize` request and the `initialized` notification, as lines. */
const handshake = [];

function start(generation, more) {
  const plan = { ...generations[Math.min(generation, generations.length - 1)], ...more };
  worker = spawn(process.execPath, [program, kind, JSON.stringify(plan)], { stdio: ['pipe', 'pipe', 'inherit'] });
  // What is written while one ends is lost, as it would be.
  worker.stdin.on('error', () => {});
  return createInterface({ input: worker.stdout });
}

async function superviseStdio() {
  for (let generation = 0; ; generation++) {
    const lines = start(generation);
    const [request, notification] = handshake;
    let replays = request !== undefined;
    lines.on('line', (line) => {
      if (!replays || replay === 'answered') process.stdout.write(`${line}\n`);
      // Nothing else can come before the answer to the replayed `initialize`.
      if (replays && notification) worker.stdin.write(`${notification}\n`);
      replays = false;
    });
    if (replays) worker.stdin.write(`${request}\n`);
    await once(worker, 'close');
  }
}

async function superviseHttp() {
  let port = 0;
  for (let generation = 0; ; generation++) {
    const lines = start(generation, { port, endsWithStdin: true });
    lines.once('line', (url) => {
      if (port === 0) console.log(url);
      port = Number(new URL(url).port);
    });
    await once(worker, 'close');
  }
}

process.on('SIGTERM', () => {
  worker.kill('SIGKILL');
  process.exit(0);
});

if (kind === 'http') await superviseHttp();
else {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    if (['initialize', 'notifications/initialized'].includes(JSON.parse(line).method)) handshake.push(line);
    worker.stdin.write(`${line}\n`);
  });
  lines.on('close', () => {
    worker.kill('SIGKILL');
    process.exit(0);
  });
  await superviseStdio();
}

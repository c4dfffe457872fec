// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** The steps of `agent-v1.mjs` and `agent-v2.mjs`; each brings its own way of connecting, listening and listing. */

import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportInstalledRegistry } from 'mcp-convergence/instrumentation';

export async function takeSteps(client, { connect, onSignal, listFirst, listAll }) {
  const seen = { server: undefined, version: undefined, listed: [], signals: 0 };
  let awaited = 0;
  let tools = [];

  onSignal(() => {
    seen.signals++;
  });
  await connect();
  seen.server = client.getServerVersion()?.name;
  seen.version = client.getNegotiatedProtocolVersion?.();

  for (const step of JSON.parse(process.argv[3])) {
    if (step === 'list' || step === 'first page') {
      ({ tools } = await (step === 'list' ? listAll() : listFirst()));
      seen.listed.push(tools.length);
    } else if (step === 'install') reportInstalledRegistry(client, { tools });
    else if (step === 'signal') await signalNumber(++awaited);
    else if (step === 'close') await client.close();
    else if (step.call) await client.callTool({ name: step.call, arguments: step.arguments ?? {} });
    else if (step.write) await writeFile(step.write, step.text);
    else if (step.wait) await sleep(step.wait);
  }

  /** Gives up quietly after ten seconds: what did not arrive is what the test wants to read. */
  async function signalNumber(wanted) {
    for (let tries = 0; tries < 200 && seen.signals < wanted; tries++) await sleep(50);
  }

  console.log(JSON.stringify(seen));
}

// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * An agent that has no OpenTelemetry of its own, exporting to a collector by the standard variables alone. The collector here
 * is a few lines of HTTP that keep the verdicts; any OTLP endpoint will do.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const verdicts = [];
const collector = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.url === '/v1/logs') verdicts.push(...readVerdicts(JSON.parse(body)));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

function readVerdicts({ resourceLogs }) {
  const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
  return records
    .filter((record) => record.eventName === 'mcp_convergence.verdict')
    .map(({ attributes }) => attributes.find(({ key }) => key === 'mcp_convergence.verdict').value.stringValue);
}

await once(collector.listen(0, '127.0.0.1'), 'listening');
const agent = fileURLToPath(new URL('../agent.mjs', import.meta.url));
const child = spawn(process.execPath, [agent], {
  stdio: 'inherit',
  env: {
    ...process.env,
    NODE_OPTIONS: `--import ${import.meta.resolve('mcp-convergence/register-sdk')}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  },
});
const [code] = await once(child, 'exit');
collector.closeAllConnections();
collector.close();
console.log(`verdicts: ${verdicts.join(', ')}`);
process.exitCode = code === 0 && verdicts.at(-1) === 'converged' ? 0 : 1;

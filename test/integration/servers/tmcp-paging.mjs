// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** A tmcp server whose `tools/list` truly pages: five tools, two a page. A call of `t1` adds a sixth and signals. */

import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';

const server = new McpServer(
  { name: 'tmcp-paging', version: '1.0.0', description: 'pages' },
  { capabilities: { tools: { listChanged: true } }, pagination: { tools: { size: 2 } } },
);
const text = { content: [{ type: 'text', text: 'ok' }] };
const addTool = (name, run = () => text) => server.tool({ name, description: name }, run);

addTool('t1', () => {
  addTool('t6');
  return text;
});
for (const name of ['t2', 't3', 't4', 't5']) addTool(name);
new StdioTransport(server).listen();

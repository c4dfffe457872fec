// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A client on `@modelcontextprotocol/sdk` 1.x that does what the scenarios of the conformance runner ask for.
 * The runner appends the URL of its server, and names the scenario in MCP_CONFORMANCE_SCENARIO.
 */

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { authorized, ConsentingUser } from './authorization.mjs';

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const url = new URL(process.argv.at(-1));

const client = new Client(
  { name: 'conformance-v1', version: '1.0.0' },
  { capabilities: scenario.startsWith('elicitation') ? { elicitation: { form: { applyDefaults: true } } } : {} },
);
if (scenario.startsWith('elicitation')) {
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
}

const authProvider = scenario.startsWith('auth/') ? createProvider() : undefined;
let transport;

async function connect() {
  transport = new StreamableHTTPClientTransport(url, authProvider ? { authProvider } : {});
  await client.connect(transport);
}

const withConsent = (action) =>
  authorized(action, {
    user: authProvider ?? {},
    finish: (callback) => transport.finishAuth(callback.get('code')),
    isUnauthorized: (error) => error instanceof UnauthorizedError,
  });

function createProvider() {
  if (scenario === 'auth/client-credentials-jwt') {
    return new PrivateKeyJwtProvider({
      clientId: context.client_id,
      privateKey: context.private_key_pem,
      algorithm: context.signing_algorithm ?? 'ES256',
    });
  }
  if (scenario === 'auth/client-credentials-basic') {
    return new ClientCredentialsProvider({ clientId: context.client_id, clientSecret: context.client_secret });
  }
  const registered = scenario === 'auth/pre-registration' && {
    client_id: context.client_id,
    client_secret: context.client_secret,
  };
  return new ConsentingUser(registered || undefined);
}

/** Arguments that fit a tool's required inputs, of whatever type. */
function fillIn({ properties = {}, required = [] }) {
  const example = { string: 'x', number: 2, integer: 2, boolean: true, array: [], object: {} };
  return Object.fromEntries(required.map((name) => [name, example[properties[name]?.type] ?? 'x']));
}

await withConsent(connect);
const { tools } = await withConsent(() => client.listTools());
if (scenario !== 'initialize') {
  for (const tool of tools) {
    await withConsent(() => client.callTool({ name: tool.name, arguments: fillIn(tool.inputSchema) }));
  }
}
await client.close();

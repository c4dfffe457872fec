// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A client on `@modelcontextprotocol/client` 2.x, modern era, that does what the scenarios of the conformance runner ask for.
 * The runner appends the URL of its server, and names the scenario in MCP_CONFORMANCE_SCENARIO.
 */

import {
  Client,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { authorized, ConsentingUser } from './authorization.mjs';

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const url = new URL(process.argv.at(-1));
// Scenarios that only exist for the handshake of older revisions.
const legacy = /^(initialize|sse-retry|elicitation-|auth\/2025-)/.test(scenario);

const client = new Client(
  { name: 'conformance-v2', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    ...(legacy ? {} : { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirmed: true } }));

const authProvider = scenario.startsWith('auth/') ? createProvider() : undefined;
let transport;

async function connect() {
  transport = new StreamableHTTPClientTransport(url, authProvider ? { authProvider } : {});
  await client.connect(transport);
}

const withConsent = (action) =>
  authorized(action, {
    user: authProvider ?? {},
    finish: (callback) => transport.finishAuth(callback),
    isUnauthorized: (error) => error instanceof UnauthorizedError,
  });

function createProvider() {
  const { client_id: clientId, client_secret: clientSecret } = context;
  switch (scenario) {
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId,
        privateKey: context.private_key_pem,
        algorithm: context.signing_algorithm ?? 'ES256',
      });
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId, clientSecret });
    case 'auth/enterprise-managed-authorization':
      return new CrossAppAccessProvider({ clientId, clientSecret, assertion: requestGrant });
    case 'auth/pre-registration':
      return new ConsentingUser({ client_id: clientId, client_secret: clientSecret });
    default:
      return new ConsentingUser();
  }
}

async function requestGrant({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
  const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
    idpUrl: context.idp_issuer,
    audience: authorizationServerUrl,
    resource: resourceUrl,
    idToken: context.idp_id_token,
    clientId: context.idp_client_id,
    scope,
    fetchFn,
  });
  return jwtAuthGrant;
}

/** Arguments that fit a tool's required inputs, of whatever type. */
function fillIn({ properties = {}, required = [] }) {
  // The one object that a scenario asks for is the schema of another tool, as received.
  const schema = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema ?? {};
  const example = { string: 'x', number: 2, integer: 2, boolean: true, array: [], object: schema };
  return Object.fromEntries(required.map((name) => [name, example[properties[name]?.type] ?? 'x']));
}

await withConsent(connect);
const { tools } = await withConsent(() => client.listTools());
/** Some scenarios say themselves what to call, with which arguments. */
const calls = context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: fillIn(tool.inputSchema) }));
if (scenario !== 'initialize') {
  for (const call of calls) await withConsent(() => client.callTool(call)).catch(reportRefusal);
}
await client.close();

/** A tool that must not be called, or whose answer must be refused, is a refusal here and no failure of the run. */
function reportRefusal(error) {
  if (scenario.startsWith('auth/')) throw error;
  console.error(String(error));
}

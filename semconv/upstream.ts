// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Names of the OpenTelemetry conventions that we set, copied because they are unstable: GenAI/MCP semantic conventions
 * v0.1.0 (`mcp.*`, `gen_ai.*`), core semantic conventions v1.45.0 (the rest).
 */

/** Exact JSON-RPC method. */
export const ATTR_MCP_METHOD_NAME = 'mcp.method.name' as const;
/** Negotiated or requested protocol version, such as `2025-11-25`. */
export const ATTR_MCP_PROTOCOL_VERSION = 'mcp.protocol.version' as const;
/** Only what a server issued in `Mcp-Session-Id`. */
export const ATTR_MCP_SESSION_ID = 'mcp.session.id' as const;
/** `resources/read`, subscribe, unsubscribe and `notifications/resources/updated`. */
export const ATTR_MCP_RESOURCE_URI = 'mcp.resource.uri' as const;
/** Requests only, as a string. */
export const ATTR_JSONRPC_REQUEST_ID = 'jsonrpc.request.id' as const;
/** JSON-RPC error code as a string. */
export const ATTR_RPC_RESPONSE_STATUS_CODE = 'rpc.response.status_code' as const;
export const ATTR_GEN_AI_TOOL_NAME = 'gen_ai.tool.name' as const;
export const ATTR_GEN_AI_PROMPT_NAME = 'gen_ai.prompt.name' as const;
/** `execute_tool` on `tools/call`, and on nothing else. */
export const ATTR_GEN_AI_OPERATION_NAME = 'gen_ai.operation.name' as const;
export const GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL = 'execute_tool' as const;
/** Present exactly when the operation failed. */
export const ATTR_ERROR_TYPE = 'error.type' as const;
/** A result with `isError`. */
export const ERROR_TYPE_VALUE_TOOL_ERROR = 'tool_error' as const;
/** `pipe` for stdio, `tcp` for HTTP and WebSocket. */
export const ATTR_NETWORK_TRANSPORT = 'network.transport' as const;
export const ATTR_NETWORK_PROTOCOL_NAME = 'network.protocol.name' as const;
export const ATTR_SERVER_ADDRESS = 'server.address' as const;
export const ATTR_SERVER_PORT = 'server.port' as const;

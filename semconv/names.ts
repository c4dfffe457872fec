// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** Generated from registry.yaml by `npm run generate`; edit there. */

/** One client-to-server connection, from transport start to close; minted by the instrumentation. The key to shard by. */
export const ATTR_MCP_CONVERGENCE_CONNECTION_ID = 'mcp_convergence.connection.id' as const;

/** Number of the observation within its connection, from 1 without gaps; a missing one is a lost observation. On a verdict, the newest one taken into account. */
export const ATTR_MCP_CONVERGENCE_SEQUENCE = 'mcp_convergence.sequence' as const;

/** The code that answers calls now, as told by an observer other than the server. */
export const ATTR_MCP_CONVERGENCE_EPOCH_ID = 'mcp_convergence.epoch.id' as const;

/** Who minted the epoch id, and so how far it can be trusted. */
export const ATTR_MCP_CONVERGENCE_EPOCH_SOURCE = 'mcp_convergence.epoch.source' as const;

/** Why a new epoch began while the connection lives on. */
export const ATTR_MCP_CONVERGENCE_EPOCH_CAUSE = 'mcp_convergence.epoch.cause' as const;

/** What the span tells the verdict engine. */
export const ATTR_MCP_CONVERGENCE_OBSERVATION_KIND = 'mcp_convergence.observation.kind' as const;

/** Kind of transport. */
export const ATTR_MCP_CONVERGENCE_CONNECTION_TRANSPORT = 'mcp_convergence.connection.transport' as const;

/** The connection that the same client object had before this one. */
export const ATTR_MCP_CONVERGENCE_CONNECTION_PREVIOUS_ID = 'mcp_convergence.connection.previous_id' as const;

/** Who ended the connection. */
export const ATTR_MCP_CONVERGENCE_CONNECTION_CLOSE_CAUSE = 'mcp_convergence.connection.close_cause' as const;

/** Method of the handshake, also where the SDK made it elsewhere and only tells of it. */
export const ATTR_MCP_CONVERGENCE_HANDSHAKE_METHOD = 'mcp_convergence.handshake.method' as const;

/** Protocol era; cursor rules and signal channels differ. */
export const ATTR_MCP_CONVERGENCE_HANDSHAKE_ERA = 'mcp_convergence.handshake.era' as const;

/** The server declared the tools capability. */
export const ATTR_MCP_CONVERGENCE_HANDSHAKE_TOOLS = 'mcp_convergence.handshake.tools' as const;

/** The server declared tools.listChanged. Not evidence that it will ever send one. */
export const ATTR_MCP_CONVERGENCE_HANDSHAKE_LIST_CHANGED = 'mcp_convergence.handshake.list_changed' as const;

/** What the server calls itself. A label, never an identity. */
export const ATTR_MCP_CONVERGENCE_SERVER_NAME = 'mcp_convergence.server.name' as const;

/** The version that the server gives itself. */
export const ATTR_MCP_CONVERGENCE_SERVER_VERSION = 'mcp_convergence.server.version' as const;

/** What happened to a channel for signals. */
export const ATTR_MCP_CONVERGENCE_COVERAGE_STATE = 'mcp_convergence.coverage.state' as const;

/** The channel on which a signal would arrive. */
export const ATTR_MCP_CONVERGENCE_COVERAGE_CHANNEL = 'mcp_convergence.coverage.channel' as const;

/** The server had declared that it sends such signals. Absent when no handshake was seen. */
export const ATTR_MCP_CONVERGENCE_SIGNAL_ADVERTISED = 'mcp_convergence.signal.advertised' as const;

/** The frame breaks the schema, so that an SDK rejects it. */
export const ATTR_MCP_CONVERGENCE_SIGNAL_MALFORMED = 'mcp_convergence.signal.malformed' as const;

/** Received before the handshake was over, when SDKs have no handler yet. */
export const ATTR_MCP_CONVERGENCE_SIGNAL_EARLY = 'mcp_convergence.signal.early' as const;

/** Seconds from the newest signal to the verdict. */
export const ATTR_MCP_CONVERGENCE_SIGNAL_LAG = 'mcp_convergence.signal.lag' as const;

/** Version of the projection recipe. Digests of different recipes are never compared. */
export const ATTR_MCP_CONVERGENCE_CATALOG_PROJECTION = 'mcp_convergence.catalog.projection' as const;

/** sha256 over the canonical JSON (RFC 8785) of the projection; 64 hex digits. On MCP spans that of the newest complete catalog. */
export const ATTR_MCP_CONVERGENCE_CATALOG_DIGEST = 'mcp_convergence.catalog.digest' as const;

/** Ordinal of the digest among the distinct digests of the connection's discovered catalogs, from 1. */
export const ATTR_MCP_CONVERGENCE_CATALOG_REVISION = 'mcp_convergence.catalog.revision' as const;

/** Number of definitions, duplicates by name included. */
export const ATTR_MCP_CONVERGENCE_CATALOG_SIZE = 'mcp_convergence.catalog.size' as const;

/** Tool names, sorted; absent beyond 1000 tools. */
export const ATTR_MCP_CONVERGENCE_CATALOG_TOOL_NAMES = 'mcp_convergence.catalog.tool_names' as const;

/** Digest of each named tool's projection, in the order of the names; 32 hex digits. */
export const ATTR_MCP_CONVERGENCE_CATALOG_TOOL_DIGESTS = 'mcp_convergence.catalog.tool_digests' as const;

/** The same with volatile pieces of prose (UUIDs, times, hexadecimal tokens) masked, where any tool has such; 32 hex digits. */
export const ATTR_MCP_CONVERGENCE_CATALOG_TOOL_MASKED_DIGESTS = 'mcp_convergence.catalog.tool_masked_digests' as const;

/** Names that occur more than once, bounded. */
export const ATTR_MCP_CONVERGENCE_CATALOG_DUPLICATES = 'mcp_convergence.catalog.duplicates' as const;

/** Tools whose schemas refer to another document, which no digest covers; bounded. */
export const ATTR_MCP_CONVERGENCE_CATALOG_REMOTE_REFERENCES = 'mcp_convergence.catalog.remote_references' as const;

/** Digest of the tool's definition in the newest complete catalog when the call was made; 32 hex digits. */
export const ATTR_MCP_CONVERGENCE_TOOL_DIGEST = 'mcp_convergence.tool.digest' as const;

/** Ordinal of that digest among the distinct definitions of this tool, from 1. */
export const ATTR_MCP_CONVERGENCE_TOOL_SCHEMA_REVISION = 'mcp_convergence.tool.schema_revision' as const;

/** One walk over tools/list. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_ID = 'mcp_convergence.traversal.id' as const;

/** The sequence number that was next when the first page was requested; signals below it came before the walk. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_START_SEQUENCE = 'mcp_convergence.traversal.start_sequence' as const;

/** How the walk ended. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_OUTCOME = 'mcp_convergence.traversal.outcome' as const;

/** Why the pages are not one snapshot. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_TORN_BY = 'mcp_convergence.traversal.torn_by' as const;

/** Pages received. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_PAGES = 'mcp_convergence.traversal.pages' as const;

/** What the walk was made for. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_TRIGGER = 'mcp_convergence.traversal.trigger' as const;

/** Sequence number of the signal that caused the walk. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_SIGNAL_SEQUENCE = 'mcp_convergence.traversal.signal_sequence' as const;

/** First 16 hex digits of the sha256 of each nextCursor, in order, at most 64. A raw cursor may hold data. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_CURSORS = 'mcp_convergence.traversal.cursors' as const;

/** Smallest ttlMs of the pages, in seconds; absent unless every page had one. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_TTL = 'mcp_convergence.traversal.ttl' as const;

/** cacheScope of the pages; private when any of them is. */
export const ATTR_MCP_CONVERGENCE_TRAVERSAL_CACHE_SCOPE = 'mcp_convergence.traversal.cache_scope' as const;

/** Where a list that the SDK returned came from. */
export const ATTR_MCP_CONVERGENCE_DELIVERED_SOURCE = 'mcp_convergence.delivered.source' as const;

/** The returned list says that more pages follow. */
export const ATTR_MCP_CONVERGENCE_DELIVERED_PARTIAL = 'mcp_convergence.delivered.partial' as const;

/** The layer that is reported or judged. */
export const ATTR_MCP_CONVERGENCE_LAYER = 'mcp_convergence.layer' as const;

/** Server names left out on purpose. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_FILTERED = 'mcp_convergence.installed.filtered' as const;

/** Server names shown only later or elsewhere. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_WITHHELD = 'mcp_convergence.installed.withheld' as const;

/** Server names left out because of a limit on the number of tools. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_CAPPED = 'mcp_convergence.installed.capped' as const;

/** Server names whose definition the host could not take. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_REJECTED = 'mcp_convergence.installed.rejected' as const;

/** Server names hidden by a tool of another server. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_SHADOWED = 'mcp_convergence.installed.shadowed' as const;

/** Tools that carry a host name of their own. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_RENAMED = 'mcp_convergence.installed.renamed' as const;

/** The boundary up to which the host promises nothing; an older registry counts as stale only past it. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_VISIBILITY = 'mcp_convergence.installed.visibility' as const;

/** The visibility boundary that the host passed. A session begins a turn, and a turn a model request. */
export const ATTR_MCP_CONVERGENCE_BOUNDARY = 'mcp_convergence.boundary' as const;

/** For whom the connection acts, or the registry was obtained; first 16 hex digits of the sha256 of the host's label. */
export const ATTR_MCP_CONVERGENCE_PRINCIPAL = 'mcp_convergence.principal' as const;

/** How the host says that it keeps its registry fresh without signals. */
export const ATTR_MCP_CONVERGENCE_POLICY_KIND = 'mcp_convergence.policy.kind' as const;

/** Seconds between two fetches, with the policy interval. */
export const ATTR_MCP_CONVERGENCE_POLICY_INTERVAL = 'mcp_convergence.policy.interval' as const;

/** How a tools/call ended. */
export const ATTR_MCP_CONVERGENCE_CALL_OUTCOME = 'mcp_convergence.call.outcome' as const;

/** The sequence number that was next when the call was sent. */
export const ATTR_MCP_CONVERGENCE_CALL_START_SEQUENCE = 'mcp_convergence.call.start_sequence' as const;

/** How the server refused the call, by its error or by a result that says so. */
export const ATTR_MCP_CONVERGENCE_CALL_REFUSAL = 'mcp_convergence.call.refusal' as const;

/** The request was given up by its sender; not an error. */
export const ATTR_MCP_CONVERGENCE_CANCELLED = 'mcp_convergence.cancelled' as const;

/** The SDK asked the transport to resume an earlier reply instead of sending the message again. */
export const ATTR_MCP_CONVERGENCE_RESUMED = 'mcp_convergence.resumed' as const;

/** The reply asks for more input; the request is sent again under a new id. */
export const ATTR_MCP_CONVERGENCE_INPUT_REQUIRED = 'mcp_convergence.input_required' as const;

/** Why something may be missing from the telemetry. */
export const ATTR_MCP_CONVERGENCE_PROBLEM = 'mcp_convergence.problem' as const;

/** Whether the registry in use equals the catalog that the server advertises. Says nothing of safety, access control, task success or reachability. */
export const ATTR_MCP_CONVERGENCE_VERDICT = 'mcp_convergence.verdict' as const;

/** The verdict before this one in the same view. */
export const ATTR_MCP_CONVERGENCE_PREVIOUS_VERDICT = 'mcp_convergence.previous_verdict' as const;

/** Why. Every reason belongs to one verdict. */
export const ATTR_MCP_CONVERGENCE_REASON = 'mcp_convergence.reason' as const;

/** The safe next step for a person or a policy; never carried out by this package. */
export const ATTR_MCP_CONVERGENCE_NEXT_STEP = 'mcp_convergence.next_step' as const;

/** What narrows the verdict without changing it; one or more of a closed list of notes. */
export const ATTR_MCP_CONVERGENCE_NOTES = 'mcp_convergence.notes' as const;

/** How the installed registry is known. */
export const ATTR_MCP_CONVERGENCE_EVIDENCE = 'mcp_convergence.evidence' as const;

/** Digest of the newest complete catalog; 64 hex digits. */
export const ATTR_MCP_CONVERGENCE_DISCOVERED_DIGEST = 'mcp_convergence.discovered.digest' as const;

/** Revision of the newest complete catalog. */
export const ATTR_MCP_CONVERGENCE_DISCOVERED_REVISION = 'mcp_convergence.discovered.revision' as const;

/** Digest of the installed registry; 64 hex digits. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_DIGEST = 'mcp_convergence.installed.digest' as const;

/** The discovered revision that the installed registry equals, if any. */
export const ATTR_MCP_CONVERGENCE_INSTALLED_REVISION = 'mcp_convergence.installed.revision' as const;

/** Discovered and not installed, sorted, at most 20. */
export const ATTR_MCP_CONVERGENCE_TOOLS_ADDED = 'mcp_convergence.tools.added' as const;

/** Installed and no longer discovered, sorted, at most 20. */
export const ATTR_MCP_CONVERGENCE_TOOLS_REMOVED = 'mcp_convergence.tools.removed' as const;

/** Under one name on both sides with different definitions, sorted, at most 20. */
export const ATTR_MCP_CONVERGENCE_TOOLS_CHANGED = 'mcp_convergence.tools.changed' as const;

/** The bound that was hit. */
export const ATTR_MCP_CONVERGENCE_LIMIT = 'mcp_convergence.limit' as const;

/** One walk over tools/list; its pages are its children, its parent is the caller. */
export const SPAN_MCP_CONVERGENCE_TRAVERSAL = 'mcp_convergence.traversal' as const;

/** A list that the SDK returned to its caller, from the wire or from its cache. */
export const SPAN_MCP_CONVERGENCE_DELIVERED = 'mcp_convergence.delivered' as const;

/** The host said what it registered. */
export const SPAN_MCP_CONVERGENCE_INSTALLED = 'mcp_convergence.installed' as const;

/** A transport was started. */
export const SPAN_MCP_CONVERGENCE_CONNECTION_OPENED = 'mcp_convergence.connection.opened' as const;

/** Nothing follows on this connection. */
export const SPAN_MCP_CONVERGENCE_CONNECTION_CLOSED = 'mcp_convergence.connection.closed' as const;

/** A handshake that did not cross this connection (probed on another process, adopted, resumed), as the SDK tells of it. */
export const SPAN_MCP_CONVERGENCE_HANDSHAKE = 'mcp_convergence.handshake' as const;

/** A window in which a signal could arrive opened or closed. */
export const SPAN_MCP_CONVERGENCE_COVERAGE = 'mcp_convergence.coverage' as const;

/** Other code may answer from here on, although the connection lives. */
export const SPAN_MCP_CONVERGENCE_EPOCH_CHANGED = 'mcp_convergence.epoch.changed' as const;

/** The host said for whom the connection acts from here on. */
export const SPAN_MCP_CONVERGENCE_PRINCIPAL = 'mcp_convergence.principal' as const;

/** The host passed a visibility boundary. */
export const SPAN_MCP_CONVERGENCE_BOUNDARY = 'mcp_convergence.boundary' as const;

/** A reply to a request that had been given up; linked to it. */
export const SPAN_MCP_CONVERGENCE_LATE_REPLY = 'mcp_convergence.late_reply' as const;

/** The verdict for backends that store only traces; linked to the spans that were judged. Same attributes as the event. */
export const SPAN_MCP_CONVERGENCE_VERDICT = 'mcp_convergence.verdict' as const;

/** A verdict on one view. Severity INFO (9) when converged, WARN (13) otherwise. */
export const EVENT_MCP_CONVERGENCE_VERDICT = 'mcp_convergence.verdict' as const;

/** A tool was called while its definition in use was known to be stale. Severity ERROR (17). */
export const EVENT_MCP_CONVERGENCE_STALE_CALL = 'mcp_convergence.stale_call' as const;

/** Verdicts given. Every combination exists from the start at zero, so that the first stale one can alert. */
export const METRIC_MCP_CONVERGENCE_VERDICTS = 'mcp_convergence.verdicts' as const;

/** Live connections by their last verdict. */
export const METRIC_MCP_CONVERGENCE_CONNECTIONS = 'mcp_convergence.connections' as const;

/** Time from a signal to the converged verdict that answers it. */
export const METRIC_MCP_CONVERGENCE_SIGNAL_CONVERGENCE_DURATION = 'mcp_convergence.signal.convergence.duration' as const;

/** Tool calls made while the definition in use was known to be stale. */
export const METRIC_MCP_CONVERGENCE_STALE_CALLS = 'mcp_convergence.stale_calls' as const;

/** Observations or states dropped at a bound of the engine. */
export const METRIC_MCP_CONVERGENCE_OBSERVATIONS_DROPPED = 'mcp_convergence.observations.dropped' as const;

/** Occasions on which something may be missing from the telemetry. */
export const METRIC_MCP_CONVERGENCE_INSTRUMENTATION_PROBLEMS = 'mcp_convergence.instrumentation.problems' as const;

/** Reported by a supervisor or gateway that starts the code. */
export const MCP_CONVERGENCE_EPOCH_SOURCE_VALUE_SUPERVISOR = 'supervisor' as const;

/** The child process that the client started. */
export const MCP_CONVERGENCE_EPOCH_SOURCE_VALUE_PROCESS = 'process' as const;

/** The session id that an HTTP server issued. */
export const MCP_CONVERGENCE_EPOCH_SOURCE_VALUE_SESSION = 'session' as const;

/** The connection alone; the weakest. */
export const MCP_CONVERGENCE_EPOCH_SOURCE_VALUE_CONNECTION = 'connection' as const;

/** The server no longer knows the session. */
export const MCP_CONVERGENCE_EPOCH_CAUSE_VALUE_SESSION_LOST = 'session_lost' as const;

/** Another session id was issued. */
export const MCP_CONVERGENCE_EPOCH_CAUSE_VALUE_SESSION_CHANGED = 'session_changed' as const;

/** A second handshake on one connection. */
export const MCP_CONVERGENCE_EPOCH_CAUSE_VALUE_HANDSHAKE_REPEATED = 'handshake_repeated' as const;

/** A request that was answered is answered again over the same pipe. */
export const MCP_CONVERGENCE_EPOCH_CAUSE_VALUE_REPLY_REPEATED = 'reply_repeated' as const;

/** The server calls itself something else. */
export const MCP_CONVERGENCE_EPOCH_CAUSE_VALUE_IDENTITY_CHANGED = 'identity_changed' as const;

/** The host reported it. */
export const MCP_CONVERGENCE_EPOCH_CAUSE_VALUE_REPORTED = 'reported' as const;

/** A transport was started. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_CONNECTION_OPENED = 'connection_opened' as const;

/** Protocol version and capabilities are known. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_HANDSHAKE = 'handshake' as const;

/** A window for signals opened or closed. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_COVERAGE = 'coverage' as const;

/** A tool list change was announced. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_SIGNAL = 'signal' as const;

/** A walk over tools/list ended. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_TRAVERSAL = 'traversal' as const;

/** The SDK returned a list to its caller. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_DELIVERED = 'delivered' as const;

/** The host said what it registered. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_INSTALLED = 'installed' as const;

/** A tools/call ended. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_CALL = 'call' as const;

/** Any other MCP message. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_OPERATION = 'operation' as const;

/** Other code may answer from here on. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_EPOCH_CHANGED = 'epoch_changed' as const;

/** The host said for whom the connection acts. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_PRINCIPAL = 'principal' as const;

/** The host passed a visibility boundary. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_BOUNDARY = 'boundary' as const;

/** Nothing follows on this connection. */
export const MCP_CONVERGENCE_OBSERVATION_KIND_VALUE_CONNECTION_CLOSED = 'connection_closed' as const;

/** Pipes to a child process. */
export const MCP_CONVERGENCE_CONNECTION_TRANSPORT_VALUE_STDIO = 'stdio' as const;

/** Streamable HTTP. */
export const MCP_CONVERGENCE_CONNECTION_TRANSPORT_VALUE_STREAMABLE_HTTP = 'streamable_http' as const;

/** The old HTTP+SSE transport. */
export const MCP_CONVERGENCE_CONNECTION_TRANSPORT_VALUE_SSE = 'sse' as const;

/** WebSocket. */
export const MCP_CONVERGENCE_CONNECTION_TRANSPORT_VALUE_WEBSOCKET = 'websocket' as const;

/** A pair of transports in one process. */
export const MCP_CONVERGENCE_CONNECTION_TRANSPORT_VALUE_IN_MEMORY = 'in_memory' as const;

/** Any other transport object. */
export const MCP_CONVERGENCE_CONNECTION_TRANSPORT_VALUE_CUSTOM = 'custom' as const;

/** The client closed it. */
export const MCP_CONVERGENCE_CONNECTION_CLOSE_CAUSE_VALUE_LOCAL = 'local' as const;

/** The server or the network closed it. */
export const MCP_CONVERGENCE_CONNECTION_CLOSE_CAUSE_VALUE_REMOTE = 'remote' as const;

/** The client process ended. */
export const MCP_CONVERGENCE_CONNECTION_CLOSE_CAUSE_VALUE_EXIT = 'exit' as const;

/** The handshake of legacy versions. */
export const MCP_CONVERGENCE_HANDSHAKE_METHOD_VALUE_INITIALIZE = 'initialize' as const;

/** The discovery of modern versions. */
export const MCP_CONVERGENCE_HANDSHAKE_METHOD_VALUE_SERVER_DISCOVER = 'server/discover' as const;

/** Protocol versions up to 2025-11-25. */
export const MCP_CONVERGENCE_HANDSHAKE_ERA_VALUE_LEGACY = 'legacy' as const;

/** Protocol versions from 2026-07-28 on. */
export const MCP_CONVERGENCE_HANDSHAKE_ERA_VALUE_MODERN = 'modern' as const;

/** From here on a signal could arrive. */
export const MCP_CONVERGENCE_COVERAGE_STATE_VALUE_OPENED = 'opened' as const;

/** From here on silence means nothing. */
export const MCP_CONVERGENCE_COVERAGE_STATE_VALUE_CLOSED = 'closed' as const;

/** The server offers no such channel. */
export const MCP_CONVERGENCE_COVERAGE_STATE_VALUE_REFUSED = 'refused' as const;

/** Standard output of a child process. */
export const MCP_CONVERGENCE_COVERAGE_CHANNEL_VALUE_PIPE = 'pipe' as const;

/** WebSocket. */
export const MCP_CONVERGENCE_COVERAGE_CHANNEL_VALUE_SOCKET = 'socket' as const;

/** Event stream of the old HTTP+SSE transport. */
export const MCP_CONVERGENCE_COVERAGE_CHANNEL_VALUE_SSE = 'sse' as const;

/** Event stream of a legacy Streamable HTTP session. */
export const MCP_CONVERGENCE_COVERAGE_CHANNEL_VALUE_GET_STREAM = 'get_stream' as const;

/** An acknowledged subscriptions/listen that names tools. */
export const MCP_CONVERGENCE_COVERAGE_CHANNEL_VALUE_LISTEN = 'listen' as const;

/** In-process pair. */
export const MCP_CONVERGENCE_COVERAGE_CHANNEL_VALUE_IN_MEMORY = 'in_memory' as const;

/** From a request without cursor to a reply without nextCursor. */
export const MCP_CONVERGENCE_TRAVERSAL_OUTCOME_VALUE_COMPLETE = 'complete' as const;

/** A cursor was left and nobody went on. */
export const MCP_CONVERGENCE_TRAVERSAL_OUTCOME_VALUE_ABANDONED = 'abandoned' as const;

/** A page was answered by an error, or not at all. */
export const MCP_CONVERGENCE_TRAVERSAL_OUTCOME_VALUE_FAILED = 'failed' as const;

/** A cursor came back. */
export const MCP_CONVERGENCE_TRAVERSAL_OUTCOME_VALUE_LOOPED = 'looped' as const;

/** A limit on pages or tools was reached. */
export const MCP_CONVERGENCE_TRAVERSAL_OUTCOME_VALUE_CAPPED = 'capped' as const;

/** The pages are not one snapshot. */
export const MCP_CONVERGENCE_TRAVERSAL_OUTCOME_VALUE_TORN = 'torn' as const;

/** A signal was received while it went on. */
export const MCP_CONVERGENCE_TRAVERSAL_TORN_BY_VALUE_SIGNAL = 'signal' as const;

/** A tool is on two of its pages. */
export const MCP_CONVERGENCE_TRAVERSAL_TORN_BY_VALUE_OVERLAP = 'overlap' as const;

/** Another epoch began. */
export const MCP_CONVERGENCE_TRAVERSAL_TORN_BY_VALUE_EPOCH = 'epoch' as const;

/** Walks at once could not be told apart by their cursors. */
export const MCP_CONVERGENCE_TRAVERSAL_TORN_BY_VALUE_AMBIGUOUS = 'ambiguous' as const;

/** The app asked for the list. */
export const MCP_CONVERGENCE_TRAVERSAL_TRIGGER_VALUE_APP = 'app' as const;

/** The handling of a signal did. */
export const MCP_CONVERGENCE_TRAVERSAL_TRIGGER_VALUE_SIGNAL = 'signal' as const;

/** The SDK did, inside a tool call. */
export const MCP_CONVERGENCE_TRAVERSAL_TRIGGER_VALUE_CALL = 'call' as const;

/** Any cache may hand the list to anybody. */
export const MCP_CONVERGENCE_TRAVERSAL_CACHE_SCOPE_VALUE_PUBLIC = 'public' as const;

/** The list is for one principal. */
export const MCP_CONVERGENCE_TRAVERSAL_CACHE_SCOPE_VALUE_PRIVATE = 'private' as const;

/** Requested from the server. */
export const MCP_CONVERGENCE_DELIVERED_SOURCE_VALUE_WIRE = 'wire' as const;

/** Answered by the SDK from its cache. */
export const MCP_CONVERGENCE_DELIVERED_SOURCE_VALUE_CACHE = 'cache' as const;

/** Answered empty by the SDK without asking. */
export const MCP_CONVERGENCE_DELIVERED_SOURCE_VALUE_NONE = 'none' as const;

/** On the wire. */
export const MCP_CONVERGENCE_LAYER_VALUE_DISCOVERED = 'discovered' as const;

/** What the host registered. */
export const MCP_CONVERGENCE_LAYER_VALUE_INSTALLED = 'installed' as const;

/** What one model request carried. */
export const MCP_CONVERGENCE_LAYER_VALUE_USED = 'used' as const;

/** The next model request shows a change. */
export const MCP_CONVERGENCE_INSTALLED_VISIBILITY_VALUE_MODEL_CALL = 'model_call' as const;

/** The next turn of the conversation does. */
export const MCP_CONVERGENCE_INSTALLED_VISIBILITY_VALUE_TURN = 'turn' as const;

/** Only the next session does. */
export const MCP_CONVERGENCE_INSTALLED_VISIBILITY_VALUE_SESSION = 'session' as const;

/** A model request is about to be made. */
export const MCP_CONVERGENCE_BOUNDARY_VALUE_MODEL_CALL = 'model_call' as const;

/** A turn of the conversation begins. */
export const MCP_CONVERGENCE_BOUNDARY_VALUE_TURN = 'turn' as const;

/** A session begins. */
export const MCP_CONVERGENCE_BOUNDARY_VALUE_SESSION = 'session' as const;

/** The list is fetched on each connection. */
export const MCP_CONVERGENCE_POLICY_KIND_VALUE_ON_RECONNECT = 'on_reconnect' as const;

/** The list is fetched before each run. */
export const MCP_CONVERGENCE_POLICY_KIND_VALUE_BEFORE_RUN = 'before_run' as const;

/** The list is fetched every so many seconds. */
export const MCP_CONVERGENCE_POLICY_KIND_VALUE_INTERVAL = 'interval' as const;

/** The registry is frozen on purpose. */
export const MCP_CONVERGENCE_POLICY_KIND_VALUE_PINNED = 'pinned' as const;

/** Answered. */
export const MCP_CONVERGENCE_CALL_OUTCOME_VALUE_OK = 'ok' as const;

/** Answered with isError. */
export const MCP_CONVERGENCE_CALL_OUTCOME_VALUE_TOOL_ERROR = 'tool_error' as const;

/** Answered by a JSON-RPC error or not at all. */
export const MCP_CONVERGENCE_CALL_OUTCOME_VALUE_ERROR = 'error' as const;

/** The caller gave it up. */
export const MCP_CONVERGENCE_CALL_OUTCOME_VALUE_CANCELLED = 'cancelled' as const;

/** The time of the client ran out. */
export const MCP_CONVERGENCE_CALL_OUTCOME_VALUE_TIMEOUT = 'timeout' as const;

/** The server asks for more; the call is sent again under a new id. */
export const MCP_CONVERGENCE_CALL_OUTCOME_VALUE_INPUT_REQUIRED = 'input_required' as const;

/** The server does not know the tool. */
export const MCP_CONVERGENCE_CALL_REFUSAL_VALUE_UNKNOWN_TOOL = 'unknown_tool' as const;

/** The server did not take the arguments (-32602). */
export const MCP_CONVERGENCE_CALL_REFUSAL_VALUE_INVALID_PARAMS = 'invalid_params' as const;

/** An MCP SDK was loaded before the instrumentation. */
export const MCP_CONVERGENCE_PROBLEM_VALUE_LOADED_BEFORE = 'loaded_before' as const;

/** The process talks MCP to a child over a client that is not seen. */
export const MCP_CONVERGENCE_PROBLEM_VALUE_PROCESS_WITHOUT_CONNECTION = 'process_without_connection' as const;

/** A fault of the instrumentation itself; the host was not affected. */
export const MCP_CONVERGENCE_PROBLEM_VALUE_INTERNAL_ERROR = 'internal_error' as const;

/** A complete, untorn traversal started after the last signal, in the current epoch, and the installed registry equals its declared projection. */
export const MCP_CONVERGENCE_VERDICT_VALUE_CONVERGED = 'converged' as const;

/** Evidence that what is installed belongs to an earlier catalog, epoch, principal or approval. */
export const MCP_CONVERGENCE_VERDICT_VALUE_STALE = 'stale' as const;

/** No full catalog was obtained or installed. */
export const MCP_CONVERGENCE_VERDICT_VALUE_INCOMPLETE = 'incomplete' as const;

/** The evidence cannot decide. */
export const MCP_CONVERGENCE_VERDICT_VALUE_UNVERIFIABLE = 'unverifiable' as const;

/** It was converged. */
export const MCP_CONVERGENCE_PREVIOUS_VERDICT_VALUE_CONVERGED = 'converged' as const;

/** It was stale. */
export const MCP_CONVERGENCE_PREVIOUS_VERDICT_VALUE_STALE = 'stale' as const;

/** It was incomplete. */
export const MCP_CONVERGENCE_PREVIOUS_VERDICT_VALUE_INCOMPLETE = 'incomplete' as const;

/** It was unverifiable. */
export const MCP_CONVERGENCE_PREVIOUS_VERDICT_VALUE_UNVERIFIABLE = 'unverifiable' as const;

/** A full catalog is known and the registry equals it. */
export const MCP_CONVERGENCE_REASON_VALUE_REGISTRY_EQUAL = 'registry_equal' as const;

/** A signal came after the newest complete traversal had started and no other followed. */
export const MCP_CONVERGENCE_REASON_VALUE_SIGNAL_UNANSWERED = 'signal_unanswered' as const;

/** The registry holds earlier definitions under the same names. */
export const MCP_CONVERGENCE_REASON_VALUE_DEFINITION_CHANGED = 'definition_changed' as const;

/** The registry holds an earlier set of tools. */
export const MCP_CONVERGENCE_REASON_VALUE_TOOL_SET_CHANGED = 'tool_set_changed' as const;

/** The registry is bound to an earlier epoch or connection. */
export const MCP_CONVERGENCE_REASON_VALUE_EPOCH_CHANGED = 'epoch_changed' as const;

/** The registry was obtained for another principal, or before the connection's principal changed. */
export const MCP_CONVERGENCE_REASON_VALUE_PRINCIPAL_CHANGED = 'principal_changed' as const;

/** The server refused a call of a tool that its newest list has. */
export const MCP_CONVERGENCE_REASON_VALUE_TOOL_UNKNOWN = 'tool_unknown' as const;

/** The registry holds tools that the host itself says it filters out. */
export const MCP_CONVERGENCE_REASON_VALUE_FILTER_NOT_APPLIED = 'filter_not_applied' as const;

/** The list was not read to its end. */
export const MCP_CONVERGENCE_REASON_VALUE_CURSOR_LEFT = 'cursor_left' as const;

/** A page of the list failed. */
export const MCP_CONVERGENCE_REASON_VALUE_PAGE_FAILED = 'page_failed' as const;

/** The server gave a cursor twice. */
export const MCP_CONVERGENCE_REASON_VALUE_CURSOR_LOOP = 'cursor_loop' as const;

/** A limit on pages or tools ended the walk. */
export const MCP_CONVERGENCE_REASON_VALUE_PAGE_CAP = 'page_cap' as const;

/** The host left tools out because of a limit on their number. */
export const MCP_CONVERGENCE_REASON_VALUE_TOOLS_CAPPED = 'tools_capped' as const;

/** The host could not take some definitions. */
export const MCP_CONVERGENCE_REASON_VALUE_TOOLS_REJECTED = 'tools_rejected' as const;

/** Tools are hidden by another server's tools of the same name. */
export const MCP_CONVERGENCE_REASON_VALUE_TOOLS_SHADOWED = 'tools_shadowed' as const;

/** The host never said what it registered. */
export const MCP_CONVERGENCE_REASON_VALUE_INSTALLED_UNKNOWN = 'installed_unknown' as const;

/** Registered definitions equal no catalog that was ever discovered. */
export const MCP_CONVERGENCE_REASON_VALUE_UNKNOWN_TRANSFORM = 'unknown_transform' as const;

/** Discovered tools are missing from the registry and the host gave no reason. */
export const MCP_CONVERGENCE_REASON_VALUE_UNACCOUNTED_TOOLS = 'unaccounted_tools' as const;

/** The two digests were made by different projection recipes. */
export const MCP_CONVERGENCE_REASON_VALUE_RECIPE_DIFFERS = 'recipe_differs' as const;

/** A definition or a catalog is too large, too deep or not JSON. */
export const MCP_CONVERGENCE_REASON_VALUE_LIMIT_REACHED = 'limit_reached' as const;

/** A schema refers to another document, which may change while every digest stays the same. */
export const MCP_CONVERGENCE_REASON_VALUE_REMOTE_REFERENCE = 'remote_reference' as const;

/** Observations are missing. */
export const MCP_CONVERGENCE_REASON_VALUE_OBSERVATION_GAP = 'observation_gap' as const;

/** No discovery was tried in the current epoch. */
export const MCP_CONVERGENCE_REASON_VALUE_NOT_LISTED = 'not_listed' as const;

/** The pages of the newest list are not one snapshot. */
export const MCP_CONVERGENCE_REASON_VALUE_PAGES_TORN = 'pages_torn' as const;

/** Signals come faster than the list can be read. */
export const MCP_CONVERGENCE_REASON_VALUE_SIGNAL_STORM = 'signal_storm' as const;

/** Without any signal, list after list brings back an earlier catalog: several builds answer behind one address. */
export const MCP_CONVERGENCE_REASON_VALUE_CATALOGS_ALTERNATE = 'catalogs_alternate' as const;

/** The server does not declare listChanged and no bounded refresh is recorded. */
export const MCP_CONVERGENCE_REASON_VALUE_SIGNAL_NOT_ADVERTISED = 'signal_not_advertised' as const;

/** Signals are declared but no channel for them was open. */
export const MCP_CONVERGENCE_REASON_VALUE_NO_SIGNAL_CHANNEL = 'no_signal_channel' as const;

/** The channel for signals was not open all the time since the list was read. */
export const MCP_CONVERGENCE_REASON_VALUE_SIGNAL_COVERAGE_LOST = 'signal_coverage_lost' as const;

/** The recorded refresh policy was not kept. */
export const MCP_CONVERGENCE_REASON_VALUE_REFRESH_OVERDUE = 'refresh_overdue' as const;

/** The connection or process ended before the grace period was over. */
export const MCP_CONVERGENCE_REASON_VALUE_ENDED_WITHIN_GRACE = 'ended_within_grace' as const;

/** The engine dropped the state of this connection at a bound. */
export const MCP_CONVERGENCE_REASON_VALUE_EVICTED = 'evicted' as const;

/** The host reported its definitions. */
export const MCP_CONVERGENCE_EVIDENCE_VALUE_REPORTED = 'reported' as const;

/** Nothing is known of the registry. */
export const MCP_CONVERGENCE_EVIDENCE_VALUE_NONE = 'none' as const;

/** The words of each attribute that takes no others, or of which a list is made. */
export const VALUES = {
  'mcp_convergence.epoch.source': ['supervisor', 'process', 'session', 'connection'],
  'mcp_convergence.epoch.cause': ['session_lost', 'session_changed', 'handshake_repeated', 'reply_repeated', 'identity_changed', 'reported'],
  'mcp_convergence.observation.kind': ['connection_opened', 'handshake', 'coverage', 'signal', 'traversal', 'delivered', 'installed', 'call', 'operation', 'epoch_changed', 'principal', 'boundary', 'connection_closed'],
  'mcp_convergence.connection.transport': ['stdio', 'streamable_http', 'sse', 'websocket', 'in_memory', 'custom'],
  'mcp_convergence.connection.close_cause': ['local', 'remote', 'exit'],
  'mcp_convergence.handshake.method': ['initialize', 'server/discover'],
  'mcp_convergence.handshake.era': ['legacy', 'modern'],
  'mcp_convergence.coverage.state': ['opened', 'closed', 'refused'],
  'mcp_convergence.coverage.channel': ['pipe', 'socket', 'sse', 'get_stream', 'listen', 'in_memory'],
  'mcp_convergence.traversal.outcome': ['complete', 'abandoned', 'failed', 'looped', 'capped', 'torn'],
  'mcp_convergence.traversal.torn_by': ['signal', 'overlap', 'epoch', 'ambiguous'],
  'mcp_convergence.traversal.trigger': ['app', 'signal', 'call'],
  'mcp_convergence.traversal.cache_scope': ['public', 'private'],
  'mcp_convergence.delivered.source': ['wire', 'cache', 'none'],
  'mcp_convergence.layer': ['discovered', 'installed', 'used'],
  'mcp_convergence.installed.visibility': ['model_call', 'turn', 'session'],
  'mcp_convergence.boundary': ['model_call', 'turn', 'session'],
  'mcp_convergence.policy.kind': ['on_reconnect', 'before_run', 'interval', 'pinned'],
  'mcp_convergence.call.outcome': ['ok', 'tool_error', 'error', 'cancelled', 'timeout', 'input_required'],
  'mcp_convergence.call.refusal': ['unknown_tool', 'invalid_params'],
  'mcp_convergence.problem': ['loaded_before', 'process_without_connection', 'internal_error'],
  'mcp_convergence.verdict': ['converged', 'stale', 'incomplete', 'unverifiable'],
  'mcp_convergence.previous_verdict': ['converged', 'stale', 'incomplete', 'unverifiable'],
  'mcp_convergence.reason': ['registry_equal', 'signal_unanswered', 'definition_changed', 'tool_set_changed', 'epoch_changed', 'principal_changed', 'tool_unknown', 'filter_not_applied', 'cursor_left', 'page_failed', 'cursor_loop', 'page_cap', 'tools_capped', 'tools_rejected', 'tools_shadowed', 'installed_unknown', 'unknown_transform', 'unaccounted_tools', 'recipe_differs', 'limit_reached', 'remote_reference', 'observation_gap', 'not_listed', 'pages_torn', 'signal_storm', 'catalogs_alternate', 'signal_not_advertised', 'no_signal_channel', 'signal_coverage_lost', 'refresh_overdue', 'ended_within_grace', 'evicted'],
  'mcp_convergence.notes': ['filtered', 'withheld', 'renamed', 'pinned', 'cached_as_of', 'bounded_refresh', 'settled_by_equal_digests', 'unadvertised_signal', 'malformed_signal', 'early_signal', 'volatile_content', 'catalog_emptied', 'shared_cache', 'calls_refused', 'awaiting_boundary'],
  'mcp_convergence.evidence': ['reported', 'none'],
} as const;

/** What can be said of a view. */
export type VerdictKind =
  | 'converged'
  | 'stale'
  | 'incomplete'
  | 'unverifiable'
;

/** The closed list of reasons. */
export type Reason =
  | 'registry_equal'
  | 'signal_unanswered'
  | 'definition_changed'
  | 'tool_set_changed'
  | 'epoch_changed'
  | 'principal_changed'
  | 'tool_unknown'
  | 'filter_not_applied'
  | 'cursor_left'
  | 'page_failed'
  | 'cursor_loop'
  | 'page_cap'
  | 'tools_capped'
  | 'tools_rejected'
  | 'tools_shadowed'
  | 'installed_unknown'
  | 'unknown_transform'
  | 'unaccounted_tools'
  | 'recipe_differs'
  | 'limit_reached'
  | 'remote_reference'
  | 'observation_gap'
  | 'not_listed'
  | 'pages_torn'
  | 'signal_storm'
  | 'catalogs_alternate'
  | 'signal_not_advertised'
  | 'no_signal_channel'
  | 'signal_coverage_lost'
  | 'refresh_overdue'
  | 'ended_within_grace'
  | 'evicted'
;

/** What narrows a verdict without changing it. */
export type Note =
  | 'filtered'
  | 'withheld'
  | 'renamed'
  | 'pinned'
  | 'cached_as_of'
  | 'bounded_refresh'
  | 'settled_by_equal_digests'
  | 'unadvertised_signal'
  | 'malformed_signal'
  | 'early_signal'
  | 'volatile_content'
  | 'catalog_emptied'
  | 'shared_cache'
  | 'calls_refused'
  | 'awaiting_boundary'
;

/** The verdict that each reason belongs to, and the safe next step. */
export const REASONS: Readonly<Record<Reason, { readonly verdict: VerdictKind; readonly nextStep: string }>> = {
  registry_equal: { verdict: 'converged', nextStep: 'Continue; call, effect and result checks stay separate.' },
  signal_unanswered: { verdict: 'stale', nextStep: 'Stop choosing from this server; ask for one bounded refresh; verify before repeating.' },
  definition_changed: { verdict: 'stale', nextStep: 'Stop choosing the changed tools; re-register from the newest list; verify before repeating.' },
  tool_set_changed: { verdict: 'stale', nextStep: 'Stop choosing removed tools; re-register from the newest list; verify before repeating.' },
  epoch_changed: { verdict: 'stale', nextStep: 'Re-register against the current connection; renew approvals before calls that need them.' },
  principal_changed: { verdict: 'stale', nextStep: 'List and re-register under the current principal; never share a registry between principals.' },
  tool_unknown: { verdict: 'stale', nextStep: 'Stop choosing this tool; list once; verify before repeating.' },
  filter_not_applied: { verdict: 'stale', nextStep: 'Re-register under the current filter.' },
  cursor_left: { verdict: 'incomplete', nextStep: 'Resume from the expected cursor if the client can, else restart discovery once.' },
  page_failed: { verdict: 'incomplete', nextStep: 'Restart discovery once.' },
  cursor_loop: { verdict: 'incomplete', nextStep: 'Do not retry in a loop; have the server\'s paging repaired.' },
  page_cap: { verdict: 'incomplete', nextStep: 'Raise the client\'s page limit or shorten the server\'s list.' },
  tools_capped: { verdict: 'incomplete', nextStep: 'Filter on purpose, or raise the host\'s limit.' },
  tools_rejected: { verdict: 'incomplete', nextStep: 'Have the named schemas repaired, or filter them on purpose.' },
  tools_shadowed: { verdict: 'incomplete', nextStep: 'Give the servers distinct prefixes.' },
  installed_unknown: { verdict: 'unverifiable', nextStep: 'Add to the host, after it registers tools: reportInstalledRegistry(client, { tools }) from \'mcp-convergence/instrumentation\'.' },
  unknown_transform: { verdict: 'unverifiable', nextStep: 'Report definitions before the host rewrites them.' },
  unaccounted_tools: { verdict: 'unverifiable', nextStep: 'Report what was filtered, withheld, capped, rejected or shadowed.' },
  recipe_differs: { verdict: 'unverifiable', nextStep: 'Use one version of the projection on both sides.' },
  limit_reached: { verdict: 'unverifiable', nextStep: 'See mcp_convergence.limit; have the named bound kept.' },
  remote_reference: { verdict: 'unverifiable', nextStep: 'Have the server carry the schema inside the definition.' },
  observation_gap: { verdict: 'unverifiable', nextStep: 'Do not sample MCP spans; plan a bounded refresh.' },
  not_listed: { verdict: 'unverifiable', nextStep: 'List the tools once on this connection.' },
  pages_torn: { verdict: 'unverifiable', nextStep: 'Restart discovery once, from the first page.' },
  signal_storm: { verdict: 'unverifiable', nextStep: 'Wait for a quiet point, then list once; have the server coalesce its signals.' },
  catalogs_alternate: { verdict: 'unverifiable', nextStep: 'Keep the connection on one replica, or have all replicas run one build.' },
  signal_not_advertised: { verdict: 'unverifiable', nextStep: 'Treat the signal as unavailable; reconnect or plan a bounded refresh and report its policy.' },
  no_signal_channel: { verdict: 'unverifiable', nextStep: 'Open the channel (GET stream, subscriptions/listen), or plan a bounded refresh.' },
  signal_coverage_lost: { verdict: 'unverifiable', nextStep: 'List once now that the channel is open, or reopen it first.' },
  refresh_overdue: { verdict: 'unverifiable', nextStep: 'Refresh now, or record the policy that is really kept.' },
  ended_within_grace: { verdict: 'unverifiable', nextStep: 'None for this run; the next one starts with a fresh list.' },
  evicted: { verdict: 'unverifiable', nextStep: 'Raise the bound, or shard by connection id.' },
};

/** What each note says. */
export const NOTES: Readonly<Record<Note, string>> = {
  filtered: 'The host left tools out on purpose.',
  withheld: 'The host shows some tools only later or elsewhere.',
  renamed: 'The host registered tools under names of its own.',
  pinned: 'The host froze its registry on purpose; an alert may skip it.',
  cached_as_of: 'Nothing but the ttlMs of the list vouches for it, until that has run out.',
  bounded_refresh: 'Nothing but the refresh policy vouches for it, and it was kept.',
  settled_by_equal_digests: 'Signals kept coming, and walk after walk found the same catalog.',
  unadvertised_signal: 'A signal came from a server that declared none.',
  malformed_signal: 'A signal came that a strict SDK rejects.',
  early_signal: 'A signal came before the handshake was over, when the SDK has no handler yet.',
  volatile_content: 'Definitions differ in UUIDs, times or hexadecimal tokens of their prose, and in nothing else.',
  catalog_emptied: 'The newest list is empty and an earlier one was not.',
  shared_cache: 'The list may have come from a cache that serves others as well (cacheScope public).',
  calls_refused: 'The server refuses calls of tools that it lists; its list and its validator may disagree.',
  awaiting_boundary: 'Nothing new shows before the visibility boundary that the host declared.',
};

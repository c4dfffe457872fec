// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * All that is kept of one connection while it lives, and its two directions: what the client sends (`outbound.ts`) and what it
 * receives (`inbound.ts`).
 */

import { readClock } from './clock.ts';
import type { Connection } from './connection.ts';
import { describeEnding, describeSession, type Ending, errorTypeOf } from './describe-operation.ts';
import { Discovery } from './discovery.ts';
import { Inbound } from './inbound.ts';
import type { RequestId } from './json-rpc.ts';
import { type Operation, Operations } from './operations.ts';
import { Outbound } from './outbound.ts';
import { Subscriptions } from './subscriptions.ts';
import type { OpenTraversal } from './traversals.ts';

export class Wire {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly operations: Operations;
  readonly subscriptions: Subscriptions;
  readonly outbound: Outbound;
  readonly inbound: Inbound;
  /** The traversal that a `tools/list` request belongs to. */
  readonly pages: WeakMap<Operation, OpenTraversal> = new WeakMap();

  /** `strictCursors`: see {@link Discovery}. `readSessionId` gives what the transport was issued by now. */
  constructor(connection: Connection, strictCursors: boolean, readSessionId: () => string | undefined) {
    this.connection = connection;
    this.discovery = new Discovery(connection, strictCursors);
    this.operations = new Operations(connection);
    this.subscriptions = new Subscriptions(connection);
    this.outbound = new Outbound(this);
    this.inbound = new Inbound(this, readSessionId);
  }

  /** The client cancelled a request, or its time was up; no reply will be taken. */
  giveUp(id: RequestId, reason: unknown): void {
    const given = this.operations.abandon('client', id, reason);
    if (given) this.failPage(given.operation, given.ending);
    this.subscriptions.ended(id);
  }

  /** When `operation` asked for a page, its walk has failed. */
  failPage(operation: Operation, ending: Ending): void {
    const traversal = this.pages.get(operation);
    if (!traversal) return;
    this.pages.delete(operation);
    this.discovery.fail(traversal, errorTypeOf(ending, 'client') ?? ending.kind);
  }

  close(cause: 'local' | 'remote' | 'exit'): void {
    const { connection } = this;
    if (connection.closed) return;
    const { observer } = connection;
    const errorType = cause === 'exit' ? 'process_exit' : 'connection_closed';
    const ending: Ending = { kind: 'failure', errorType };
    // One by one, so that a span processor that throws at one span does not keep the rest open.
    for (const operation of this.operations.close(ending))
      observer.guard(() => this.failPage(operation, ending), undefined);
    observer.guard(() => this.discovery.close(), undefined);
    observer.guard(() => connection.close(cause), undefined);
    observer.guard(() => {
      const seconds = (readClock() - connection.openedMs) / 1000;
      const ended = describeEnding(cause === 'local' ? { kind: 'ok' } : ending, 'client');
      const attributes = { ...describeSession(connection.endpoint, connection.protocolVersion), ...ended };
      const active = observer.telemetry.activeContext();
      observer.telemetry.recordDuration('mcp.client.session.duration', seconds, attributes, active);
    }, undefined);
  }
}

import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import { closedByHost } from '../connection/connection-errors.ts';
import type { ForwardedRequest, ForwardedServer } from './forward.ts';
import { NOT_ACCEPTED } from './forward.ts';
import type { ManagedServer } from '../host/managed-server.ts';
import type { McpSession } from '../connection/mcp-session.ts';
import type { ConversationConnection } from './extra-connection.ts';
import { explainRejectedTurn, toScheduledCall } from './scheduled-call.ts';

/**
 * Forwards a request. A tool call waits for its turn and uses the connection of its conversation.
 *
 * @throws ProtocolError as {@link ForwardedServer.request} does
 */
export async function forwardInTurn(
  entry: ManagedServer,
  first: ForwardedServer,
  request: ForwardedRequest,
): Promise<JsonObject> {
  if (request.method !== 'tools/call') return first.request(request);
  const { id } = entry.config;
  const entered = entry.calls.enter(toScheduledCall(entry, request.params['task'] !== undefined, request.options));
  const turn = entered instanceof Promise ? await entered : entered;
  if (turn.kind !== 'admitted') throw new ProtocolError(NOT_ACCEPTED, explainRejectedTurn(turn.kind, id).message);
  const { connection, roots, release } = turn;
  try {
    if (connection === undefined) {
      await entry.session?.useRoots(roots);
      return await first.request(request);
    }
    const session = await sessionOn(connection, id);
    await session.useRoots(roots);
    return await session.forwarded().request(request);
  } finally {
    release();
  }
}

async function sessionOn(connection: ConversationConnection, serverId: string): Promise<McpSession> {
  try {
    const session = await connection.session();
    if (session !== undefined) return session;
  } catch (thrown) {
    throw new ProtocolError(NOT_ACCEPTED, toErrorInfo(thrown).message);
  }
  throw new ProtocolError(NOT_ACCEPTED, closedByHost(serverId).message);
}

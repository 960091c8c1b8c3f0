import type { ErrorInfo, JsonObject, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { readsOnlyInside, ToolyardError, toErrorInfo } from '@toolyard/protocol';
import { notSent } from '../calls/call-failure.ts';
import type { ConversationConnection } from '../calls/extra-connection.ts';
import { explainRejectedTurn, toScheduledCall } from '../calls/scheduled-call.ts';
import { closedByHost, notReady } from '../connection/connection-errors.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { ManagedServer } from './managed-server.ts';
import type { McpSession } from '../connection/mcp-session.ts';
import { shownState } from './server-states.ts';
import { unreachableTask } from '../tasks/task-result.ts';
import type { CallToolOptions, ServerConfig } from '../types.ts';

/**
 * Sends an idempotent request. Waits for a server that is reconnecting, and repeats the request if its session was
 * lost.
 *
 * @param waitForReconnect resolves when the server is back or the wait times out
 * @throws ToolyardError
 */
export async function askServer<T>(
  entry: ManagedServer,
  waitForReconnect: () => Promise<void>,
  ask: (session: McpSession) => Promise<T>,
): Promise<T> {
  if (entry.isReconnecting) await waitForReconnect();
  try {
    return await ask(getSession(entry));
  } catch (thrown) {
    if (!entry.isRenewing) throw thrown;
    await waitForReconnect();
    return ask(getSession(entry));
  }
}

/** Errors of a call that never reached its server. */
const NOT_REACHED: ReadonlySet<string> = new Set(['server_closed', 'server_unreachable', 'server_exited']);

/**
 * Makes a call when its turn comes, on the connection of its conversation. Repeats it only if that is harmless. Never
 * throws.
 */
export async function callServer(
  entry: ManagedServer,
  waitForReconnect: () => Promise<void>,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<ToolResult> {
  for (let wasLost = false; ; wasLost = true) {
    const isTask = entry.session?.isWantedAsTask(tool.name) === true;
    const entered = entry.calls.enter(toScheduledCall(entry, isTask, options));
    const turn = entered instanceof Promise ? await entered : entered;
    if (turn.kind !== 'admitted') return notSent(explainRejectedTurn(turn.kind, entry.config.id));
    const { connection: extra, roots, release } = turn;
    let handle: TaskHandle | undefined;
    const onTask = async (made: TaskHandle): Promise<void> => {
      // The server continues the task on its own: no request is in flight.
      release();
      handle = made;
      entry.tasks.add(made);
      await options.onTask?.(made);
    };
    try {
      const waited = extra === undefined && entry.isReconnecting;
      if (waited) await waitForReconnect();
      const isHarmless = mayBeRepeated(entry.config, entry.tools.get(tool.name));
      const { session, refusal } = extra === undefined ? sessionNow(entry) : await extraSession(extra, tool.serverId);
      const told = session?.useRoots(roots);
      if (told) await told;
      const result = session ? await session.call(tool.name, args, { ...options, onTask }) : notSent(refusal);
      if (extra !== undefined) {
        // This call found out that the connection of its conversation was lost: it is made again on a new one.
        if (!wasLost && extra.isLost && result.outcome === 'not_sent') continue;
        return result;
      }
      if (handle !== undefined) return await followOn(entry, waitForReconnect, handle, options, result);
      const notReached = result.outcome === 'not_sent' && NOT_REACHED.has(result.error?.code ?? '');
      // The connection or its session was lost before the call. Wait for it once; after an unknown outcome only a
      // harmless call is repeated.
      const mayRetry = entry.isRenewing || (notReached && entry.isReconnecting && !waited);
      if (!mayRetry || result.outcome === 'done' || (result.outcome !== 'not_sent' && !isHarmless)) return result;
      await waitForReconnect();
      return entry.session === undefined ? result : await entry.session.call(tool.name, args, { ...options, onTask });
    } finally {
      release();
    }
  }
}

type SessionOrRefusal = { session: McpSession; refusal?: never } | { session?: never; refusal: ErrorInfo };

function sessionNow({ session, config, stage, error }: ManagedServer): SessionOrRefusal {
  return session ? { session } : { refusal: error ?? notReady(config.id, shownState(stage)) };
}

async function extraSession(connection: ConversationConnection, serverId: string): Promise<SessionOrRefusal> {
  try {
    const session = await connection.session();
    return session ? { session } : { refusal: closedByHost(serverId) };
  } catch (thrown) {
    return { refusal: toErrorInfo(thrown) };
  }
}

/**
 * Waits for a task whose connection may be lost and reopened meanwhile; the call itself is not repeated. Only the
 * server knows the result, so the wait lasts as long as the server may return.
 */
export async function followServerTask(
  entry: ManagedServer,
  waitForReconnect: () => Promise<void>,
  handle: TaskHandle,
  options: CallToolOptions,
): Promise<ToolResult> {
  entry.tasks.add(handle);
  return followOn(entry, waitForReconnect, handle, options, await followOnce(entry, handle, options));
}

async function followOn(
  entry: ManagedServer,
  waitForReconnect: () => Promise<void>,
  handle: TaskHandle,
  options: CallToolOptions,
  first: ToolResult,
): Promise<ToolResult> {
  let result = first;
  while (result.outcome === 'unknown' && entry.isConnecting && options.signal?.aborted !== true) {
    await waitForReconnect();
    if (entry.session === undefined && entry.isConnecting) continue;
    result = await followOnce(entry, handle, options);
  }
  return result;
}

async function followOnce(entry: ManagedServer, handle: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
  const { session, refusal } = sessionNow(entry);
  return session ? session.followTask(handle, options) : unreachableTask(handle, refusal.message);
}

function getSession(entry: ManagedServer): McpSession {
  const { session, refusal } = sessionNow(entry);
  if (session) return session;
  throw new ToolyardError(refusal);
}

/** The annotations of a server's tools count only if its operator trusts them. */
function mayBeRepeated(config: ServerConfig, tool: ListedTool | undefined): boolean {
  if (config.builtIn === true) return readsOnlyInside(tool?.annotations) || tool?.annotations?.idempotent === true;
  if (config.trusted !== true) return false;
  return tool?.annotations?.readOnly === true || tool?.annotations?.idempotent === true;
}

import type { ErrorInfo, JsonObject, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError, toErrorInfo } from '@toolyard/protocol';
import { notSent } from '../calls/call-failure.ts';
import type { ConversationConnection } from '../calls/extra-connection.ts';
import { takeTurn, explainRefusedTurn } from '../calls/take-turn.ts';
import { closedByHost, notReady } from '../connection/connection-errors.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { ManagedServer } from './managed-server.ts';
import type { Session } from '../connection/session.ts';
import { shownState } from './server-states.ts';
import { unreachableTask } from '../tasks/task-result.ts';
import type { CallToolOptions, ServerConfig } from '../types.ts';

/**
 * Asks a server for something that may be asked for twice: a server that is reconnecting is waited for, and a session
 * that is lost under the request is replaced and asked again.
 *
 * @param whenBack resolves when the server is back or will not be waited for any longer
 * @throws ToolyardError
 */
export async function askServer<T>(
  entry: ManagedServer,
  whenBack: () => Promise<void>,
  ask: (session: Session) => Promise<T>,
): Promise<T> {
  if (entry.isReconnecting) await whenBack();
  try {
    return await ask(sessionOf(entry));
  } catch (thrown) {
    if (!entry.isRenewing) throw thrown;
    await whenBack();
    return ask(sessionOf(entry));
  }
}

/** Nobody was there to take a call. */
const NOT_THERE: ReadonlySet<string> = new Set(['server_closed', 'server_unreachable', 'server_exited']);

/**
 * Makes a call when it is its turn, on the connection of its conversation; it is made a second time only where that can
 * do no harm. Never throws.
 */
export async function callServer(
  entry: ManagedServer,
  whenBack: () => Promise<void>,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<ToolResult> {
  for (let wasLost = false; ; wasLost = true) {
    const entered = takeTurn(entry, entry.session?.isWantedAsTask(tool.name) === true, options);
    const turn = entered instanceof Promise ? await entered : entered;
    if (turn.kind !== 'admitted') return notSent(explainRefusedTurn(turn.kind, entry.config.id));
    const { connection: extra, release } = turn;
    let handle: TaskHandle | undefined;
    const onTask = async (made: TaskHandle): Promise<void> => {
      // The server goes on by itself: nothing of it is in flight.
      release();
      handle = made;
      await options.onTask?.(made);
    };
    try {
      const waited = extra === undefined && entry.isReconnecting;
      if (waited) await whenBack();
      const isHarmless = mayBeRepeated(entry.config, entry.tools.get(tool.name));
      const { session, refusal } = extra === undefined ? sessionNow(entry) : await extraSession(extra, tool.serverId);
      const result = session ? await session.call(tool.name, args, { ...options, onTask }) : notSent(refusal);
      if (extra !== undefined) {
        // The connection of the conversation had been lost, which was found out by this call: another one is opened.
        if (!wasLost && extra.isLost && result.outcome === 'not_sent') continue;
        return result;
      }
      if (handle !== undefined) return await followOn(entry, whenBack, handle, options, result);
      const foundNobody = result.outcome === 'not_sent' && NOT_THERE.has(result.error?.code ?? '');
      // The connection was lost before the call, or the session under it. It is waited for once; where nobody can say
      // whether the call took effect, only some may be made twice.
      const mayComeBack = entry.isRenewing || (foundNobody && entry.isReconnecting && !waited);
      if (!mayComeBack || result.outcome === 'done' || (result.outcome !== 'not_sent' && !isHarmless)) return result;
      await whenBack();
      return entry.session === undefined ? result : await entry.session.call(tool.name, args, { ...options, onTask });
    } finally {
      release();
    }
  }
}

type SessionOrRefusal = { session: Session; refusal?: never } | { session?: never; refusal: ErrorInfo };

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
 * Waits for a task whose connection may be lost and opened again meanwhile: the call itself is not made again. Nobody
 * else knows what came of it, so it is waited for as long as the server may still come.
 */
export async function followServerTask(
  entry: ManagedServer,
  whenBack: () => Promise<void>,
  handle: TaskHandle,
  options: CallToolOptions,
): Promise<ToolResult> {
  return followOn(entry, whenBack, handle, options, await followOnce(entry, handle, options));
}

async function followOn(
  entry: ManagedServer,
  whenBack: () => Promise<void>,
  handle: TaskHandle,
  options: CallToolOptions,
  first: ToolResult,
): Promise<ToolResult> {
  let result = first;
  while (result.outcome === 'unknown' && entry.isConnecting && options.signal?.aborted !== true) {
    await whenBack();
    if (entry.session === undefined && entry.isConnecting) continue;
    result = await followOnce(entry, handle, options);
  }
  return result;
}

async function followOnce(entry: ManagedServer, handle: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
  const { session, refusal } = sessionNow(entry);
  return session ? session.followTask(handle, options) : unreachableTask(handle, refusal.message);
}

function sessionOf(entry: ManagedServer): Session {
  const { session, refusal } = sessionNow(entry);
  if (session) return session;
  throw new ToolyardError(refusal);
}

/** What a server says of its own tools counts only if its owner vouches for it. */
function mayBeRepeated(config: ServerConfig, tool: ListedTool | undefined): boolean {
  if (config.builtIn !== true && config.trusted !== true) return false;
  return tool?.annotations?.readOnly === true || tool?.annotations?.idempotent === true;
}

import type { JsonObject, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError, toErrorInfo } from '@toolyard/protocol';
import { notSent } from '../calls/call-failure.ts';
import type { ConversationConnection } from '../calls/extra-connection.ts';
import { takeTurn, turnRefused } from '../calls/take-turn.ts';
import { closedByUs, notReady } from '../connection/connection-errors.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { ServerSlot } from './server-slot.ts';
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
  slot: ServerSlot,
  whenBack: () => Promise<void>,
  ask: (session: Session) => Promise<T>,
): Promise<T> {
  if (slot.isReconnecting) await whenBack();
  try {
    return await ask(sessionOf(slot));
  } catch (thrown) {
    if (!slot.isRenewing) throw thrown;
    await whenBack();
    return ask(sessionOf(slot));
  }
}

/** Nobody was there to take a call. */
const NOT_THERE: ReadonlySet<string> = new Set(['server_closed', 'server_unreachable', 'server_exited']);

/**
 * Makes a call when it is its turn, on the connection of its conversation; it is made a second time only where that can
 * do no harm. Never throws.
 */
export async function callServer(
  slot: ServerSlot,
  whenBack: () => Promise<void>,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<ToolResult> {
  const made = await callInTurn(slot, whenBack, tool, args, options);
  return made.lostBefore ? (await callInTurn(slot, whenBack, tool, args, options)).result : made.result;
}

/** `lostBefore`: the connection of the conversation had been lost, which was found out by this call; it was not made. */
async function callInTurn(
  slot: ServerSlot,
  whenBack: () => Promise<void>,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<{ result: ToolResult; lostBefore: boolean }> {
  const entered = takeTurn(slot, slot.session?.isWantedAsTask(tool.name) === true, options);
  const turn = entered instanceof Promise ? await entered : entered;
  if (turn.kind !== 'admitted') {
    return { result: notSent(turnRefused(turn.kind, slot.config.id)), lostBefore: false };
  }
  const { connection, release } = turn;
  const onTask = async (handle: TaskHandle): Promise<void> => {
    // The server goes on by itself: nothing of it is in flight.
    release();
    await options.onTask?.(handle);
  };
  try {
    if (connection === undefined) {
      const result = await callOnFirst(slot, whenBack, tool, args, { ...options, onTask });
      return { result, lostBefore: false };
    }
    const result = await callOnExtra(connection, tool, args, options);
    return { result, lostBefore: connection.isLost && result.outcome === 'not_sent' };
  } finally {
    release();
  }
}

async function callOnExtra(
  connection: ConversationConnection,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<ToolResult> {
  try {
    const session = await connection.session();
    return session === undefined
      ? notSent(closedByUs(tool.serverId))
      : await session.callTool(tool.name, args, options);
  } catch (thrown) {
    return notSent(toErrorInfo(thrown));
  }
}

async function callOnFirst(
  slot: ServerSlot,
  whenBack: () => Promise<void>,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<ToolResult> {
  const waited = slot.isReconnecting;
  if (waited) await whenBack();
  const definition = slot.tools.get(tool.name);
  let handle: TaskHandle | undefined;
  const onTask = async (made: TaskHandle): Promise<void> => {
    handle = made;
    await options.onTask?.(made);
  };
  const result = await callOnce(slot, tool, args, { ...options, onTask });
  if (handle !== undefined) return followOn(slot, whenBack, handle, options, result);
  const foundNobody = result.outcome === 'not_sent' && NOT_THERE.has(result.error?.code ?? '');
  // It is waited for once.
  if (!slot.isRenewing && !(foundNobody && slot.isReconnecting && !waited)) return result;
  // The connection was lost before the call, or the session under it: where nobody can say whether it took effect, only
  // some may be made twice.
  const isHarmless = result.outcome === 'not_sent' || mayBeRepeated(slot.config, definition);
  if (result.outcome === 'done' || !isHarmless) return result;
  await whenBack();
  return slot.session === undefined ? result : callOnce(slot, tool, args, options);
}

/**
 * Waits for a task whose connection may be lost and opened again meanwhile: the call itself is not made again. Nobody
 * else knows what came of it, so it is waited for as long as the server may still come.
 */
export async function followServerTask(
  slot: ServerSlot,
  whenBack: () => Promise<void>,
  handle: TaskHandle,
  options: CallToolOptions,
): Promise<ToolResult> {
  return followOn(slot, whenBack, handle, options, await followOnce(slot, handle, options));
}

async function followOn(
  slot: ServerSlot,
  whenBack: () => Promise<void>,
  handle: TaskHandle,
  options: CallToolOptions,
  first: ToolResult,
): Promise<ToolResult> {
  let result = first;
  while (result.outcome === 'unknown' && slot.isConnecting && options.signal?.aborted !== true) {
    await whenBack();
    if (slot.session === undefined && slot.isConnecting) continue;
    result = await followOnce(slot, handle, options);
  }
  return result;
}

async function followOnce(slot: ServerSlot, handle: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
  const { session, config, stage, error } = slot;
  if (session !== undefined) return session.followTask(handle, options);
  return unreachableTask(handle, (error ?? notReady(config.id, shownState(stage))).message);
}

async function callOnce(
  slot: ServerSlot,
  tool: ToolReference,
  args: JsonObject,
  options: CallToolOptions,
): Promise<ToolResult> {
  const { session, config, stage, error } = slot;
  if (session === undefined) return notSent(error ?? notReady(config.id, shownState(stage)));
  return session.callTool(tool.name, args, options);
}

function sessionOf(slot: ServerSlot): Session {
  const { session, config, stage, error } = slot;
  if (session !== undefined) return session;
  throw new ToolyardError(error ?? notReady(config.id, shownState(stage)));
}

/** What a server says of its own tools counts only if its owner vouches for it. */
function mayBeRepeated(config: ServerConfig, tool: ListedTool | undefined): boolean {
  if (config.builtIn !== true && config.trusted !== true) return false;
  return tool?.annotations?.readOnly === true || tool?.annotations?.idempotent === true;
}

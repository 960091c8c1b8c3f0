import type { ErrorInfo } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import { seconds } from './call-failure.ts';
import type { ManagedServer } from '../host/managed-server.ts';
import type { Caller, ToolProgress } from '../types.ts';
import type { CallTurn, ScheduledCall } from './call-scheduler.ts';
import { QUEUE_TIMEOUT_MS } from './call-scheduler.ts';

/** Who makes a call, and the progress callback while it waits for its turn. */
export type TurnOptions = {
  caller?: Caller;
  signal?: AbortSignal;
  onProgress?: (progress: ToolProgress) => void;
};

/** A call for the scheduler of its server; while it waits for its turn, it reports as progress what it waits for. */
export function toScheduledCall(
  { config }: ManagedServer,
  isTask: boolean,
  { caller, signal, onProgress }: TurnOptions,
): ScheduledCall {
  const text = `Waiting for other calls to "${config.id}".`;
  return {
    caller,
    isTask,
    signal,
    onWait: (waitsFor) =>
      onProgress?.(
        waitsFor === null ? { progress: 0 } : { progress: 0, text, waitsFor: conversationsFor(caller, waitsFor) },
      ),
  };
}

/** Why a call was not made. */
export function explainRejectedTurn(kind: Exclude<CallTurn<unknown>['kind'], 'admitted'>, serverId: string): ErrorInfo {
  switch (kind) {
    case 'aborted':
      return createErrorInfo({ code: 'cancelled', message: say`The call was cancelled before it was made.` });
    case 'closed':
      return createErrorInfo({
        code: 'server_closed',
        message: say`The connection to "${serverId}" was closed before the call was made.`,
      });
    case 'timed_out':
      return createErrorInfo({
        code: 'timed_out',
        message: say`The call waited ${seconds(QUEUE_TIMEOUT_MS)} for other calls to "${serverId}" and was not made.`,
        hint: say`Answer the requests of "${serverId}" in the other chats, or stop those calls, then retry.`,
      });
  }
}

/** Conversations of other principals are left out. */
function conversationsFor(caller: Caller | undefined, waitsFor: readonly Caller[]): string[] {
  const own = waitsFor.filter(({ principal }) => principal === caller?.principal);
  return [...new Set(own.flatMap(({ conversationId }) => conversationId ?? []))];
}

import type { GroupCallResult } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { CallView } from '../transcript/calls.ts';
import type { AssistantRow } from '../transcript/rows.ts';
import type { Transcript } from '../transcript/transcript.ts';

const GROUP_SERVER = 'group';
/** The decisions of a group that are turns of members, or its end. */
const DECISIONS = ['speak', 'broadcast', 'delegate', 'execute_task', 'execute_tasks', 'vote', 'finish'];

/** The result of a call of the built-in server `group`, which only this server stores; null for any other call. */
export function readGroupResult({ tool, result }: Pick<CallView, 'tool' | 'result'>): GroupCallResult | null {
  if (tool?.serverId !== GROUP_SERVER || !isJsonObject(result?.structured)) return null;
  const { group } = result.structured;
  return isJsonObject(group) && Array.isArray(group['members']) ? (group as unknown as GroupCallResult) : null;
}

/**
 * How a call is shown. The decisions of a group are not shown as calls, only what they lead to: the answers of members
 * are rows of their own, votes, failures and stopped turns are an `outcome`.
 */
export function groupView(call: CallView): 'card' | 'hidden' | 'outcome' {
  const { tool, name, result, interrupt, malformed } = call;
  // The server of a call is known when its arguments are complete.
  const isDecision =
    tool === null
      ? call.arguments === null && DECISIONS.includes(name)
      : tool.serverId === GROUP_SERVER && DECISIONS.includes(tool.name);
  if (!isDecision || interrupt !== null || malformed !== null) return 'card';
  if (result === null) return call.over ? 'outcome' : 'hidden';
  const group = readGroupResult(call);
  if (group !== null) {
    const hasOutcome = group.vote !== undefined || group.members.some(({ status }) => status !== 'done');
    return hasOutcome ? 'outcome' : 'hidden';
  }
  return isStopped(call) ? 'outcome' : 'card';
}

/** True for a decision that the user stopped. */
export function isStopped({ result, over }: CallView): boolean {
  if (result === null) return over;
  return result.error?.code === 'cancelled' || result.outcome === 'unknown';
}

/** True for a message that is only the decision of a group without supervisor: no model wrote it. */
export function isDecision({ model, agent }: Pick<AssistantRow, 'model' | 'agent'>): boolean {
  return model === GROUP_SERVER && agent === undefined;
}

/** The turn that a run is, by its id: the server derives it from the call that asked for the turn. */
export function readTurn(runId: string): { parentRunId: string; callId: string; task: number } | null {
  const found = /^((.*?)\.\d+(?:~\d+)?\.\d+)\.task\.(\d+)$/.exec(runId);
  const [, callId, parentRunId, task] = found ?? [];
  if (callId === undefined || parentRunId === undefined) return null;
  return { parentRunId, callId, task: Number(task) };
}

/** A call of the run in progress. */
export function findCall(transcript: Transcript | null, callId: string): CallView | null {
  for (const row of transcript?.tail ?? []) {
    if (row.kind !== 'assistant') continue;
    for (const block of row.blocks) if (block.type === 'call' && block.call.callId === callId) return block.call;
  }
  return null;
}

export function isPrivateCall(call: CallView | null): boolean {
  return call?.arguments?.['private'] === true;
}

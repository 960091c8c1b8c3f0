import type {
  ApprovalInterrupt,
  AssistantMessage,
  NewRun,
  Owner,
  RunCommit,
  RunEvent,
  UserMessage,
} from '@toolyard/protocol';
import { RUN_EVENT_VERSION } from '@toolyard/protocol';

export const ANNE: Owner = { ownerId: 'anne' };
export const BERT: Owner = { ownerId: 'bert' };
/** Length of leases in tests, in milliseconds of the test clock. */
export const LEASE_MS = 15_000;

export function userMessage(id: string, parentId: string | null = null): UserMessage {
  return { id, parentId, createdAt: 1, role: 'user', parts: [{ type: 'text', text: 'What time is it in Tokyo?' }] };
}

export function reply(id: string, of: { parentId: string; runId: string; text: string }): AssistantMessage {
  const { parentId, runId, text } = of;
  const parts = [{ type: 'text' as const, text }];
  return { id, parentId, createdAt: 2, role: 'assistant', runId, model: 'demo', finishReason: 'stop', parts };
}

/** `count` deltas after `baseSeq`. */
export function deltas(runId: string, baseSeq: number, count: number): RunEvent[] {
  return Array.from({ length: count }, (_none, index) => ({
    v: RUN_EVENT_VERSION,
    seq: baseSeq + index + 1,
    runId,
    step: 0,
    attempt: 1,
    at: 1_000 + index,
    type: 'text_delta',
    messageId: `${runId}.0`,
    text: `${baseSeq + index + 1} `,
  }));
}

/** A run with the user's message, held by `owner`. */
export function newRun(id: string, conversationId: string, more: Partial<NewRun> = {}): NewRun {
  const message = userMessage(`${id}.question`);
  const lease = { owner: 'process-1', ms: LEASE_MS };
  return { id, conversationId, place: 'server', at: 1, messages: [message], leaf: message.id, lease, ...more };
}

export function createCommit(runId: string, more: Partial<RunCommit> = {}): RunCommit {
  return { runId, fence: 1, baseSeq: 0, events: [], durability: 'normal', ...more };
}

export function approval(id: string): ApprovalInterrupt {
  const tool = { serverId: 'files', name: 'delete' };
  return { id, kind: 'approval', callId: `${id}.call`, tool, name: 'delete', arguments: { path: '/tmp/x' } };
}

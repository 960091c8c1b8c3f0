import type { RunEvent } from '@toolyard/protocol';
import type { History, StoredUsage } from './history.ts';

/**
 * Every answer that a run has is counted once, with the tokens that the model server reported; a tool call is counted once.
 * What an interrupted process requested may be lost, or counted although it never left: at most one request for each
 * interruption, and one effect for each call in doubt.
 */
export function usageProblems(history: History): string[] {
  return history.usage.flatMap((usage) => [...modelProblems(history, usage), ...toolProblems(history, usage)]);
}

function modelProblems({ runs, events, requests, interruptions }: History, usage: StoredUsage): string[] {
  const { conversationId: id, modelCalls, uncounted, inputTokens, outputTokens } = usage;
  const own = runs.filter(({ conversationId }) => conversationId === id).flatMap((run) => events.get(run.id) ?? []);
  const reported = own.flatMap((event) => listInputTokens(event));
  const made = requests.get(id) ?? 0;
  const unknown = interruptions.get(id) ?? 0;
  const sum = reported.reduce((total, tokens) => total + tokens, 0);
  const neverReported = reported.filter((tokens) => !Number.isInteger(Math.log2(tokens)) || tokens >= 2 ** made);
  return [
    ...(new Set(reported).size === reported.length ? [] : [`usage: an answer of ${id} is stored twice`]),
    ...neverReported.map((tokens) => `usage: an answer of ${id} has ${String(tokens)} tokens, which no model reported`),
    ...(inputTokens === sum && outputTokens === reported.length
      ? []
      : [
          `usage: ${id} counts ${String(inputTokens)} + ${String(outputTokens)} tokens, ` +
            `and its answers have ${String(sum)} + ${String(reported.length)}`,
        ]),
    ...(modelCalls - uncounted === reported.length
      ? []
      : [`usage: ${id} counts ${String(modelCalls - uncounted)} answers, and has ${String(reported.length)}`]),
    ...(Math.abs(made - modelCalls) <= unknown
      ? []
      : [
          `usage: ${id} counts ${String(modelCalls)} model calls; the model server got ${String(made)}, ` +
            `and was interrupted ${String(unknown)} times`,
        ]),
  ];
}

function listInputTokens(event: RunEvent): number[] {
  const tokens = event.type === 'message_finished' ? event.message.usage?.inputTokens : undefined;
  return tokens === undefined ? [] : [tokens];
}

function toolProblems({ runs, calls, interrupts, effects }: History, usage: StoredUsage): string[] {
  if (effects === null) return [];
  const { conversationId: id, toolCalls } = usage;
  const ofConversation = new Set(runs.filter(({ conversationId }) => conversationId === id).map((run) => run.id));
  const own = calls.filter(({ runId }) => ofConversation.has(runId));
  const made = own.reduce((sum, { call }) => sum + (effects.get(call) ?? 0), 0);
  const inDoubt = interrupts.filter(({ kind, runId }) => kind === 'in_doubt' && ofConversation.has(runId)).length;
  const unsettled = own.filter(({ status }) => status !== 'done').length;
  if (Math.abs(toolCalls - made) <= inDoubt + unsettled) return [];
  return [`usage: ${id} counts ${String(toolCalls)} tool calls; the tool was called ${String(made)} times`];
}

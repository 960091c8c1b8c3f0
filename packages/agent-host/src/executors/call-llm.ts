import type { RunJournal, UnmadeCall, Usage } from '@toolyard/protocol';
import { costOf, defined, isAbortError, ZERO_SPENT, toErrorInfo, say, withTemplates } from '@toolyard/protocol';
import type { AgentState, Executor } from '@toolyard/agent-runtime';
import { unreadableTypes, withModelCall, withPendingCalls } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { StreamedMessage } from './answer.ts';
import { assembleRequest, toRecord } from './assemble-request.ts';
import { createPreludeKeeper } from './prelude-keeper.ts';
import { requestInputs } from './request-inputs.ts';
import { noticeLeftOut } from './notice-left-out.ts';
import { noticeUnpriced } from './notice-unpriced.ts';
import { createTextCallJudge } from '../text-calls/judge-text-call.ts';

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** Sends one request to the model and adds its answer to the conversation. */
export function createCallLlm(host: RunHost): Executor<'call_llm'> {
  const { conversation, journal, tools, agent, modelId: model } = host;
  const keepPrelude = createPreludeKeeper(host.keepPrelude);
  return async ({ toolChoice, afterCompression, continues }, state) => {
    const parentId = conversation.messages().at(-1)?.id ?? null;
    const inputs = requestInputs(host, { toolChoice, ...(continues ? { continues: continues.parts } : {}) });
    const { request, fill } = assembleRequest(inputs);
    const judge = createTextCallJudge({ messages: request.messages, inputs });
    const answer = new StreamedMessage(messageIdOf(state, journal.attempt), journal, tools, judge);
    const { messageId } = answer;
    noticeLeftOut(unreadableTypes(inputs.conversation, inputs.sources.inputs), model, journal);
    const prelude = keepPrelude(inputs);
    journal.append({ type: 'request_made', messageId, request: toRecord(inputs, fill, prelude) });
    journal.append({ type: 'message_started', messageId, parentId, model, ...defined({ agent }) });
    if (continues) answer.beginWith(continues.parts);
    await host.usageStored?.();
    const began = host.used ? host.clock.monotonic() : 0;
    try {
      for await (const batch of host.model.chat(request, { signal: host.signal })) {
        for (const part of batch) answer.take(part);
      }
    } catch (thrown) {
      if (host.signal.aborted && isAbortError(thrown)) answer.cancel();
      else answer.fail(toErrorInfo(thrown));
    }

    const { price } = state.limits;
    const cost = (answer.usage && price && costOf(answer.usage, price)) ?? answer.cost;
    const message = answer.toMessage({
      ...defined({ cost, agent }),
      parentId,
      createdAt: host.clock.now(),
      runId: state.runId,
      model,
    });
    conversation.add(message);
    journal.append({ type: 'message_finished', message });
    const { error } = answer;
    // A request that was rejected before any output has used nothing, which is known.
    const isRejected = error !== undefined && message.parts.every(({ type }) => type === 'error');
    host.used?.({
      kind: 'model',
      at: message.createdAt,
      durationMs: Math.round(host.clock.monotonic() - began),
      providerId: host.model.provider,
      modelId: host.modelId,
      usage: answer.usage ?? (isRejected ? NO_USAGE : null),
      cost: cost ?? (isRejected && !answer.usage ? 0 : null),
      ...(error ? { failed: true as const } : {}),
    });
    if (answer.finishReason === 'length') {
      journal.append({
        type: 'notice',
        level: 'warning',
        code: 'answer_cut',
        text: 'The answer was cut off: it reached the maximum of output tokens.',
      });
    }

    noticeUnmade(answer.unmadeCalls, journal);
    if (!error && !host.signal.aborted) noticeUnpriced(host, state, cost);
    // A request that exceeded the window does not count: it is repeated after a compaction.
    const isRefused = error?.code === 'context_exceeded' && !afterCompression;
    const counted = isRefused ? state : withUsage(state, answer.usage, cost);
    return {
      state: withPendingCalls(counted, answer.pendingCalls()),
      context: {
        phase: 'llm_result',
        hasText: answer.hasText,
        toolChoice,
        filtered: answer.finishReason === 'content_filter',
        ...(afterCompression ? { afterCompression } : {}),
        ...defined({ error }),
      },
    };
  };
}

function noticeUnmade(calls: readonly UnmadeCall[], journal: RunJournal): void {
  if (calls.length === 0) return;
  const names = [...new Set(calls.map(({ name }) => `"${name}"`))].join(', ');
  const text = say`The answer contains text that looks like a call of ${names}. It was not run: this model calls tools natively.`;
  journal.append(withTemplates({ type: 'notice', level: 'info', code: 'text_not_called', text }));
}

/**
 * Derived from run and step; an answer that was restarted after a crash gets another id than the abandoned one.
 *
 * @example
 * messageIdOf({ runId: 'r', step: 2 }, 1); // 'r.2'
 * messageIdOf({ runId: 'r', step: 2 }, 3); // 'r.2~3'
 */
export function messageIdOf(state: Pick<AgentState, 'runId' | 'step'>, attempt: number): string {
  const id = `${state.runId}.${state.step}`;
  return attempt === 1 ? id : `${id}~${attempt}`;
}

function withUsage(state: AgentState, usage: Usage | undefined, cost: number | undefined): AgentState {
  const turn = { ...state, turns: state.turns + 1, spent: { ...state.spent, turn: ZERO_SPENT } };
  return withModelCall(turn, usage, cost);
}

import type { Usage } from '@toolyard/protocol';
import { costOf, isAbortError, NOTHING_SPENT, toErrorInfo } from '@toolyard/protocol';
import type { AgentState, Executor } from '@toolyard/agent-runtime';
import { buildContext, withModelCall, withPendingCalls } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { Answer } from './answer.ts';

/** Asks the model once and puts its answer into the conversation. */
export function createCallLlm(host: RunHost): Executor<'call_llm'> {
  const { conversation, journal, tools } = host;
  return async ({ toolChoice }, state) => {
    const messages = conversation.messages();
    const parentId = messages.at(-1)?.id ?? null;
    const answer = new Answer(messageIdOf(state, journal.attempt), journal, tools);
    journal.append({ type: 'message_started', messageId: answer.messageId, parentId, model: host.modelId });

    const request = {
      model: host.modelId,
      messages: buildContext(messages, host.contextSources()),
      tools: tools.tools(),
      toolChoice,
      toolMode: host.toolMode,
      parameters: host.parameters,
    };
    const began = host.clock.monotonic();
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
      ...(cost === undefined ? {} : { cost }),
      parentId,
      createdAt: host.clock.now(),
      runId: state.runId,
      model: host.modelId,
    });
    conversation.add(message);
    journal.append({ type: 'message_finished', message });
    host.used?.({
      kind: 'model',
      at: message.createdAt,
      durationMs: Math.round(host.clock.monotonic() - began),
      providerId: host.model.provider,
      modelId: host.modelId,
      usage: answer.usage ?? null,
      cost: cost ?? null,
    });
    if (answer.finishReason === 'length') {
      journal.append({
        type: 'notice',
        level: 'warning',
        code: 'answer_cut',
        text: 'The answer was cut off: the model reached the most tokens it may write.',
      });
    }

    const { error } = answer;
    return {
      state: withPendingCalls(withUsage(state, answer.usage, cost), answer.pendingCalls()),
      context: {
        phase: 'llm_result',
        hasText: answer.hasText,
        toolChoice,
        filtered: answer.finishReason === 'content_filter',
        ...(error ? { error } : {}),
      },
    };
  };
}

/** Made from run and step; an answer begun anew after a crash is another message beside the one it takes the place of. */
export function messageIdOf(state: Pick<AgentState, 'runId' | 'step'>, attempt: number): string {
  const id = `${state.runId}.${state.step}`;
  return attempt === 1 ? id : `${id}~${attempt}`;
}

function withUsage(state: AgentState, usage: Usage | undefined, cost: number | undefined): AgentState {
  const turn = { ...state, turns: state.turns + 1, spent: { ...state.spent, turn: NOTHING_SPENT } };
  return withModelCall(turn, usage, cost);
}

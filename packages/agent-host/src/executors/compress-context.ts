import type { ErrorInfo, Message, SystemMessage, Usage, UserMessage } from '@toolyard/protocol';
import { costOf, defined, isAbortError, toErrorInfo } from '@toolyard/protocol';
import type { Executor, CompactionPlan } from '@toolyard/agent-runtime';
import {
  ASSUMED_WINDOW,
  planCompaction,
  plainSummary,
  SUMMARY_INSTRUCTIONS,
  summaryRequest,
  summaryTokens,
  tokensOfText,
  withModelCall,
} from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { assembleRequest } from './assemble-request.ts';
import { requestInputs } from './request-inputs.ts';
import { noticeUnpriced } from './notice-unpriced.ts';

/** Has the older part of the conversation summed up by the model; a summary then stands for it in every request. */
export function createCompressContext(host: RunHost): Executor<'compress_context'> {
  const { conversation, journal, clock } = host;
  return async ({ because, continues }, state) => {
    const context = { phase: 'compressed' as const, ...defined({ continues }) };
    const messages = conversation.messages();
    const window = windowNow(host, because);
    const plan = planCompaction(messages, window, because);
    if (!plan || host.signal.aborted) return { state, context };

    const folded = messages.slice(plan.from, plan.to);
    const last = folded.at(-1);
    if (!last) return { state, context };
    const count = folded.filter(({ role }) => role !== 'system').length;
    journal.append({ type: 'compression_started', messages: count });
    const began = clock.monotonic();
    const { text, told, error } = await sumUp(host, messages, plan, window);
    const { price } = state.limits;
    const cost = told && ((price && costOf(told.usage, price)) ?? told.cost);
    host.used?.({
      kind: 'model',
      at: clock.now(),
      durationMs: Math.round(clock.monotonic() - began),
      providerId: host.model.provider,
      modelId: host.modelId,
      usage: told?.usage ?? null,
      cost: cost ?? null,
    });
    if (host.signal.aborted) return { state, context };
    if (error) journal.append({ type: 'compression_failed', error });
    else noticeUnpriced(host, state, cost);
    const summary = text ?? plainSummary(messages, plan, window);
    const message: SystemMessage = {
      id: `${state.runId}.${state.step}${journal.attempt === 1 ? '' : `~${journal.attempt}`}.summary`,
      parentId: messages.at(-1)?.id ?? null,
      createdAt: clock.now(),
      role: 'system',
      parts: [{ type: 'text', text: summary }],
      folds: {
        upTo: last.id,
        messages: count + (plan.before?.folds.messages ?? 0),
        tokensBefore: plan.tokens,
        tokensAfter: tokensOfText(summary),
      },
    };
    conversation.add(message);
    journal.append({ type: 'compression_finished', message, ...(told ? { usage: told.usage } : {}) });
    return { state: withModelCall(state, told?.usage, cost), context };
  };
}

/** A provider that refuses has a smaller window than was thought. */
function windowNow(host: RunHost, because: 'full' | 'refused'): number {
  const { window } = host.contextSources();
  if (because === 'full') return window ?? ASSUMED_WINDOW;
  const { fill } = assembleRequest(requestInputs(host, { toolChoice: 'none' }));
  return Math.min(fill.window, Math.max(1_000, Math.floor(fill.tokens * 0.9)));
}

type Told = { usage: Usage; cost?: number };

/** `text` null where the model could not do it. */
async function sumUp(
  host: RunHost,
  messages: readonly Message[],
  plan: CompactionPlan,
  window: number,
): Promise<{ text: string | null; told: Told | undefined; error?: ErrorInfo }> {
  const { model, modelId, toolMode, clock, signal } = host;
  const at = { parentId: null, createdAt: clock.now() };
  const system: SystemMessage = {
    ...at,
    id: 'instructions',
    role: 'system',
    parts: [{ type: 'text', text: SUMMARY_INSTRUCTIONS }],
  };
  const asked: UserMessage = {
    ...at,
    id: 'conversation',
    role: 'user',
    parts: [{ type: 'text', text: summaryRequest(messages, plan, window) }],
  };
  const request = {
    model: modelId,
    messages: [system, asked],
    tools: [],
    toolChoice: 'none' as const,
    toolMode,
    parameters: { maxOutputTokens: summaryTokens(window) },
  };
  let text = '';
  let told: Told | undefined;
  let error: ErrorInfo | undefined;
  try {
    for await (const batch of model.chat(request, { signal })) {
      for (const part of batch) {
        if (part.type === 'text') text += part.text;
        else if (part.type === 'usage') told = part;
        else if (part.type === 'error') ({ error } = part);
      }
    }
  } catch (thrown) {
    if (!signal.aborted || !isAbortError(thrown)) error = toErrorInfo(thrown);
  }
  if (!error && text.trim() !== '') return { text: text.trim(), told };
  return { text: null, told, error: error ?? NOTHING_SAID };
}

const NOTHING_SAID: ErrorInfo = {
  code: 'empty_response',
  message: 'The model gave no summary of the earlier conversation; what was said is shortened instead.',
};

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
import type { RunHost, SummaryModel } from '../run-host.ts';
import { assembleRequest } from './assemble-request.ts';
import { requestInputs } from './request-inputs.ts';
import { noticeUnpriced } from './notice-unpriced.ts';

/** Has the model summarize the older part of the conversation; the summary replaces it in later requests. */
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
    const writer = host.summaries ?? {
      model: host.model,
      modelId: host.modelId,
      ...defined({ price: state.limits.price }),
    };
    const { text, reported, error }: Summary =
      writer === 'off' ? NOT_WRITTEN : await summarize(host, writer, { messages, plan, window });
    const price = writer === 'off' ? undefined : writer.price;
    const cost = reported && ((price && costOf(reported.usage, price)) ?? reported.cost);
    if (writer !== 'off') {
      host.used?.({
        kind: 'model',
        at: clock.now(),
        durationMs: Math.round(clock.monotonic() - began),
        providerId: writer.model.provider,
        modelId: writer.modelId,
        usage: reported?.usage ?? null,
        cost: cost ?? null,
      });
    }
    if (host.signal.aborted) return { state, context };
    if (error) journal.append({ type: 'compression_failed', error });
    else if (writer !== 'off') noticeUnpriced(host, state, cost);
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
    journal.append({ type: 'compression_finished', message, ...(reported ? { usage: reported.usage } : {}) });
    return { state: writer === 'off' ? state : withModelCall(state, reported?.usage, cost), context };
  };
}

/** A provider that rejects the request has a smaller window than assumed. */
function windowNow(host: RunHost, because: 'full' | 'refused'): number {
  const { window } = host.contextSources();
  if (because === 'full') return window ?? ASSUMED_WINDOW;
  const { fill } = assembleRequest(requestInputs(host, { toolChoice: 'none' }));
  return Math.min(fill.window, Math.max(1_000, Math.floor(fill.tokens * 0.9)));
}

type ReportedUsage = { usage: Usage; cost?: number };
/** `text` is null if no model wrote a summary. */
type Summary = { text: string | null; reported: ReportedUsage | undefined; error?: ErrorInfo };

const NOT_WRITTEN: Summary = { text: null, reported: undefined };

async function summarize(
  host: RunHost,
  { model, modelId }: SummaryModel,
  { messages, plan, window }: { messages: readonly Message[]; plan: CompactionPlan; window: number },
): Promise<Summary> {
  const { toolMode, clock, signal } = host;
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
  let reported: ReportedUsage | undefined;
  let error: ErrorInfo | undefined;
  try {
    for await (const batch of model.chat(request, { signal })) {
      for (const part of batch) {
        if (part.type === 'text') text += part.text;
        else if (part.type === 'usage') reported = part;
        else if (part.type === 'error') ({ error } = part);
      }
    }
  } catch (thrown) {
    if (!signal.aborted || !isAbortError(thrown)) error = toErrorInfo(thrown);
  }
  if (!error && text.trim() !== '') return { text: text.trim(), reported };
  return { text: null, reported, error: error ?? NO_SUMMARY };
}

const NO_SUMMARY: ErrorInfo = {
  code: 'empty_response',
  message: 'The model returned no summary of the earlier conversation; it was shortened instead.',
};

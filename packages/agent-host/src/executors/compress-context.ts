import type { SystemMessage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { Executor } from '@toolyard/agent-runtime';
import { ASSUMED_WINDOW, planCompaction, plainSummary, tokensOfText, withModelCall } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { assembleRequest } from './assemble-request.ts';
import { requestInputs } from './request-inputs.ts';
import { noticeUnpriced } from './notice-unpriced.ts';
import { summarize } from './summarize.ts';

/** Has the model summarize the older part of the conversation; the summary replaces it in later requests. */
export function createCompressContext(host: RunHost): Executor<'compress_context'> {
  const { conversation, journal, clock } = host;
  return async ({ because, continues }, state) => {
    const context = { phase: 'compressed' as const, ...defined({ continues }) };
    const messages = conversation.messages();
    const window = windowNow(host, because);
    const plan = planCompaction(messages, window, because);
    if (!plan || host.signal.aborted) return { state, context };

    const compacted = messages.slice(plan.from, plan.to);
    const last = compacted.at(-1);
    if (!last) return { state, context };
    const count = compacted.filter(({ role }) => role !== 'system').length;
    journal.append({ type: 'compression_started', messages: count });
    const { text, wasRequested, usage, cost, error } = await summarize(host, state.limits, { messages, plan, window });
    if (host.signal.aborted) return { state, context };
    if (error) journal.append({ type: 'compression_failed', error });
    else if (wasRequested) noticeUnpriced(host, state, cost);
    const summary = text ?? plainSummary(messages, plan, window);
    const message: SystemMessage = {
      id: `${state.runId}.${state.step}${journal.attempt === 1 ? '' : `~${journal.attempt}`}.summary`,
      parentId: messages.at(-1)?.id ?? null,
      createdAt: clock.now(),
      role: 'system',
      parts: [{ type: 'text', text: summary }],
      compaction: {
        upTo: last.id,
        messages: count + (plan.before?.compaction.messages ?? 0),
        tokensBefore: plan.tokens,
        tokensAfter: tokensOfText(summary),
      },
    };
    conversation.add(message);
    journal.append({ type: 'compression_finished', message, ...defined({ usage }) });
    return { state: wasRequested ? withModelCall(state, usage, cost) : state, context };
  };
}

/** A provider that rejects the request has a smaller window than assumed. */
function windowNow(host: RunHost, because: 'full' | 'refused'): number {
  const { window } = host.contextSources();
  if (because === 'full') return window ?? ASSUMED_WINDOW;
  const { fill } = assembleRequest(requestInputs(host, { toolChoice: 'none' }));
  return Math.min(fill.window, Math.max(1_000, Math.floor(fill.tokens * 0.9)));
}

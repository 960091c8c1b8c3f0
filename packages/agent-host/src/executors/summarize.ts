import type { CompactionPlan } from '@toolyard/agent-runtime';
import { SUMMARY_INSTRUCTIONS, summaryRequest, summaryTokens } from '@toolyard/agent-runtime';
import type { ErrorInfo, Message, RunLimits, SystemMessage, Usage, UserMessage } from '@toolyard/protocol';
import { createErrorInfo, costOf, defined, isAbortError, toErrorInfo, say } from '@toolyard/protocol';
import type { RunHost, SummaryModel } from '../run-host.ts';

type Summarized = { messages: readonly Message[]; plan: CompactionPlan; window: number };

/** `text` is null if no model wrote a summary. */
export type WrittenSummary = {
  text: string | null;
  /** False if summaries are off. */
  wasRequested: boolean;
  usage?: Usage;
  cost?: number;
  error?: ErrorInfo;
};

/**
 * Has the model that writes summaries summarize messages, and records the usage of the request; makes no request if
 * summaries are off.
 */
export async function summarize(
  host: RunHost,
  limits: Pick<RunLimits, 'price'>,
  of: Summarized,
): Promise<WrittenSummary> {
  const { clock } = host;
  const writer = host.summaries ?? { model: host.model, modelId: host.modelId, ...defined({ price: limits.price }) };
  if (writer === 'off') return { text: null, wasRequested: false };
  const { price } = writer;
  await host.usageStored?.();
  const began = clock.monotonic();
  const { text, reported, error } = await request(host, writer, of);
  const cost = reported && ((price && costOf(reported.usage, price)) ?? reported.cost);
  host.used?.({
    kind: 'model',
    at: clock.now(),
    durationMs: Math.round(clock.monotonic() - began),
    providerId: writer.model.provider,
    modelId: writer.modelId,
    usage: reported?.usage ?? null,
    cost: cost ?? null,
    ...(error ? { failed: true as const } : {}),
  });
  return { text, wasRequested: true, ...defined({ usage: reported?.usage, cost, error }) };
}

type ReportedUsage = { usage: Usage; cost?: number };

async function request(
  host: RunHost,
  { model, modelId }: SummaryModel,
  { messages, plan, window }: Summarized,
): Promise<{ text: string | null; reported: ReportedUsage | undefined; error?: ErrorInfo }> {
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
  const chatRequest = {
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
    for await (const batch of model.chat(chatRequest, { signal })) {
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

const NO_SUMMARY: ErrorInfo = createErrorInfo({
  code: 'empty_response',
  message: say`The model returned no summary of the earlier conversation; it was shortened instead.`,
});

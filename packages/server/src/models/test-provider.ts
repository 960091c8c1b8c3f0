import type { ModelRuntime } from '@toolyard/model-runtime';
import { loadProviders } from '@toolyard/model-runtime';
import type { Clock, ErrorInfo, TestedProvider, WireName } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import { askModels } from './model-lists.ts';
import { isSameOrigin } from './provider-record.ts';

/** How long a provider has to show that it works. */
const TEST_MS = 10_000;

/** What the APIs are called to a person. */
const NAMES: Record<WireName, string> = {
  'openai-chat': 'OpenAI chat',
  'openai-responses': 'OpenAI responses',
  'anthropic-messages': 'Anthropic messages',
  'google-gemini': 'Gemini',
};

export type TestedProviderInput = {
  runtime: ModelRuntime;
  baseUrl: string;
  wire: WireName;
  /** True where the runtime has names of models from elsewhere, so that a list proves nothing. */
  isNamed: boolean;
};

/**
 * Asks a provider for its models; where it tells none, asks the first that was named for a word. Rejects only with an
 * AbortError of the signal.
 */
export async function testProviderModels(
  tried: TestedProviderInput,
  clock: Clock,
  signal?: AbortSignal,
): Promise<TestedProvider> {
  const { runtime, isNamed } = tried;
  const listed = await askModels(runtime, clock, TEST_MS, signal);
  if (!listed.ok) return { ok: false, error: await withRightWire(listed.error, tried) };
  const models = listed.models.map(({ id }) => id);
  if (!isNamed) return { ok: true, models };
  const [first] = models;
  if (first === undefined) {
    return {
      ok: false,
      error: {
        code: 'bad_request',
        message: `${runtime.provider} tells no list of its models, so that one must be named.`,
        hint: 'Enter the names of the models you want to use.',
      },
    };
  }
  const error = await askForAWord(runtime, first, clock, signal);
  return error === null ? { ok: true, models } : { ok: false, error: await withRightWire(error, tried) };
}

async function askForAWord(
  runtime: ModelRuntime,
  model: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<ErrorInfo | null> {
  const deadline = new AbortController();
  const callOff = clock.after(TEST_MS, () => deadline.abort());
  try {
    const request = {
      model,
      messages: [
        {
          id: 'm1',
          parentId: null,
          role: 'user' as const,
          createdAt: 0,
          parts: [{ type: 'text' as const, text: 'Say hi.' }],
        },
      ],
      tools: [],
      toolChoice: 'auto' as const,
      toolMode: 'native' as const,
      parameters: { maxOutputTokens: 16 },
    };
    const either = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
    for await (const parts of runtime.chat(request, { signal: either })) {
      for (const part of parts) {
        if (part.type === 'error') return part.error;
        // It answers: what it has to say does not matter.
        if (part.type === 'text' || part.type === 'reasoning' || part.type === 'finish') return null;
      }
    }
    return null;
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    if (!deadline.signal.aborted) return toErrorInfo(thrown);
    return {
      code: 'timed_out',
      message: `${runtime.provider} did not answer within ${TEST_MS / 1000} s.`,
      hint: 'Check the address and whether the server is busy.',
      retryable: true,
    };
  } finally {
    callOff();
  }
}

/** Says which API was tried and, where the address belongs to somebody who is known, which one it speaks. */
async function withRightWire(error: ErrorInfo, { baseUrl, wire }: TestedProviderInput): Promise<ErrorInfo> {
  const owners = (await loadProviders()).filter(
    (known) => known.place === 'hosted' && URL.canParse(known.baseUrl) && isSameOrigin(known.baseUrl, baseUrl),
  );
  const [owner] = owners;
  if (owner === undefined || owners.some((known) => known.wire === wire)) return error;
  const hint = `The ${NAMES[wire]} API was tried, and ${owner.label} speaks the ${NAMES[owner.wire]} API: choose that one.`;
  return { ...error, hint };
}

import type { ModelRuntime } from '@toolyard/model-runtime';
import { loadProviders } from '@toolyard/model-runtime';
import type { Clock, ErrorInfo, TestedProvider, WireName } from '@toolyard/protocol';
import { createErrorInfo, toErrorInfo, say } from '@toolyard/protocol';
import { askModels } from './model-lists.ts';
import { isSameOrigin } from './provider-record.ts';

/** Time limit of a provider test. */
const TEST_MS = 10_000;

/** Names of the API formats for users. */
const NAMES: Record<WireName, string> = {
  'openai-chat': 'OpenAI Chat',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  'google-gemini': 'Gemini',
  'bedrock-converse': 'Bedrock Converse',
};

export type TestedProviderInput = {
  runtime: ModelRuntime;
  baseUrl: string;
  wire: WireName;
  /** True if the model names come from another source, so that a list proves nothing. */
  isNamed: boolean;
};

/**
 * Queries a provider for its models; if it has no list, sends a short request to the first named model. Rejects only
 * with an AbortError of the signal.
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
      error: createErrorInfo({
        code: 'bad_request',
        message: say`${runtime.provider} has no model list, so the names of models are required.`,
        hint: say`Enter the names of the models you want to use.`,
      }),
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
        // Any response is a success.
        if (part.type === 'text' || part.type === 'reasoning' || part.type === 'finish') return null;
      }
    }
    return null;
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    if (!deadline.signal.aborted) return toErrorInfo(thrown);
    return createErrorInfo({
      code: 'timed_out',
      message: say`${runtime.provider} did not answer within ${TEST_MS / 1000} s.`,
      hint: say`Check the base URL and whether the server is busy.`,
      retryable: true,
    });
  } finally {
    callOff();
  }
}

/** Adds the tested API format to an error and, if the base URL belongs to a known provider, the right one. */
async function withRightWire(error: ErrorInfo, { baseUrl, wire }: TestedProviderInput): Promise<ErrorInfo> {
  const owners = (await loadProviders()).filter(
    (known) => known.place === 'hosted' && URL.canParse(known.baseUrl) && isSameOrigin(known.baseUrl, baseUrl),
  );
  const [owner] = owners;
  if (owner === undefined || owners.some((known) => known.wire === wire)) return error;
  const hint = say`The API format ${NAMES[wire]} was tested, but ${owner.label} uses ${NAMES[owner.wire]}: choose that one.`;
  return createErrorInfo({ ...error, hint });
}

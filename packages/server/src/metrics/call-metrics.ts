import { withChat, type CallOptions, type ModelRuntime, type StreamPart } from '@toolyard/model-runtime';
import { defined, type Usage } from '@toolyard/protocol';

/** `stopped`: cancelled by the caller. */
export type CallOutcome = 'done' | 'failed' | 'stopped';

/** The same runtime; `over` is called at the end of each call. */
export function withCallMetrics(
  runtime: ModelRuntime,
  over: (outcome: CallOutcome, usage: Usage | undefined) => void,
): ModelRuntime {
  type Call<Request, Result> = (request: Request, options?: CallOptions) => Promise<Result>;
  const counted =
    <Request, Result extends object>(call: Call<Request, Result>): Call<Request, Result> =>
    async (request, options) => {
      try {
        const result = await call(request, options);
        over('done', 'usage' in result ? (result.usage as Usage | undefined) : undefined);
        return result;
      } catch (thrown) {
        over(options?.signal?.aborted ? 'stopped' : 'failed', undefined);
        throw thrown;
      }
    };
  const chatting = withChat(runtime, (request, options) => countedParts(runtime.chat(request, options), over));
  const wrapped = <Request, Result extends object>(call: Call<Request, Result> | undefined) => call && counted(call);
  return {
    ...chatting,
    ...defined({
      embeddings: wrapped(chatting.embeddings?.bind(chatting)),
      createImage: wrapped(chatting.createImage?.bind(chatting)),
      textToSpeech: wrapped(chatting.textToSpeech?.bind(chatting)),
      transcribe: wrapped(chatting.transcribe?.bind(chatting)),
    }),
  };
}

async function* countedParts(
  batches: AsyncIterable<readonly StreamPart[]>,
  over: (outcome: CallOutcome, usage: Usage | undefined) => void,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  let outcome: CallOutcome = 'stopped';
  let usage: Usage | undefined;
  try {
    for await (const batch of batches) {
      for (const part of batch) {
        if (part.type === 'usage') ({ usage } = part);
        else if (part.type === 'finish') outcome = 'done';
        else if (part.type === 'error') outcome = 'failed';
      }
      yield batch;
    }
  } finally {
    over(outcome, usage);
  }
}

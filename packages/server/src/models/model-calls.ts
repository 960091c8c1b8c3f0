import type {
  CallOptions,
  ChatRequest,
  CreatedImages,
  Embeddings,
  EmbeddingsRequest,
  GeneratedObject,
  ImageRequest,
  ModelRuntime,
  ObjectRequest,
  SpeechRequest,
  StreamPart,
  Transcription,
} from '@toolyard/model-runtime';
import type { AudioPart, Clock, ImagePart, MediaSource, Message, Owner, Usage } from '@toolyard/protocol';
import { defined, isAbortError, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { withBlobsInPlace } from '../runs/run-media.ts';
import type { Models } from '../services.ts';
import type { CallPolicy, ApiModelCall } from './call-limit.ts';

/** Sound that was made, kept as a file. */
type KeptSpeech = { file: string; mimeType: string; size: number };

type TranscriptionOfPart = { model: string; audio: AudioPart; language?: string; prompt?: string };

/**
 * Single calls of models for whoever is outside: what they name by a file of theirs is put in place, what comes back as
 * bytes is kept as one. Everything but `chat` throws ToolyardError for whatever goes wrong.
 */
export type ModelCalls = {
  /** Throws ToolyardError where there is no such provider or the call is not permitted; the rest comes as parts. */
  chat(
    principal: Owner,
    providerId: string,
    request: ChatRequest,
    /** The run of a tab it is made for. */
    runId?: string,
  ): Promise<(signal: AbortSignal) => AsyncIterable<readonly StreamPart[]>>;
  embeddings: Ability<EmbeddingsRequest, Embeddings>;
  createImage: Ability<ImageRequest, CreatedImages>;
  textToSpeech: Ability<SpeechRequest, KeptSpeech>;
  transcribe: Ability<TranscriptionOfPart, Transcription>;
  generateObject: Ability<ObjectRequest, GeneratedObject>;
};

type Ability<Request, Result> = (
  principal: Owner,
  providerId: string,
  request: Request,
  signal: AbortSignal,
) => Promise<Result>;

export type ModelCallsOptions = {
  models: Pick<Models, 'open'>;
  blobs: SharedStorage['blobs'];
  clock: Pick<Clock, 'now'>;
  policy: CallPolicy;
};

export function createModelCalls({ models, blobs, clock, policy }: ModelCallsOptions): ModelCalls {
  const open = (principal: Owner, providerId: string, modelId: string): Promise<ModelRuntime> =>
    models.open(principal, { providerId, modelId });

  const inPlace = (principal: Owner, messages: readonly Message[]): Promise<Message[]> =>
    Promise.all(messages.map((message) => withBlobsInPlace(message, blobs, principal)));

  /** One call, begun and ended as the policy wants it. */
  async function call<Result extends object>(
    principal: Owner,
    of: ApiModelCall,
    signal: AbortSignal,
    make: (runtime: ModelRuntime, options: CallOptions) => Promise<Result>,
  ): Promise<Result> {
    const runtime = await open(principal, of.providerId, of.modelId);
    const over = await policy.admit(principal, of);
    let usage: Usage | undefined;
    try {
      const result = await make(runtime, { signal });
      if ('usage' in result) usage = result.usage as Usage | undefined;
      return result;
    } catch (thrown) {
      if (isAbortError(thrown)) throw new ToolyardError({ code: 'cancelled', message: 'The call was cancelled.' });
      throw thrown;
    } finally {
      over(usage);
    }
  }

  async function bytesOf(principal: Owner, source: MediaSource, what: string): Promise<Uint8Array> {
    if ('data' in source) return Buffer.from(source.data, 'base64');
    const bytes = 'blob' in source ? await blobs.read(principal, source.blob) : null;
    if (bytes !== null) return bytes;
    throw new ToolyardError({
      code: 'bad_request',
      message: `The ${what} is not here: it is named by ${'blob' in source ? 'a file that is not there' : 'an address'}.`,
      hint: 'Upload it with POST /api/files and name it by its sha256, or send its base64.',
    });
  }

  return {
    async chat(principal, providerId, request, runId) {
      const of: ApiModelCall = {
        providerId,
        modelId: request.model,
        ability: 'chat',
        ...defined({ runId }),
      };
      const runtime = await open(principal, providerId, request.model);
      const over = await policy.admit(principal, of);
      return (signal) =>
        chatParts(runtime, signal, over, async () => ({
          ...request,
          messages: await inPlace(principal, request.messages),
        }));
    },

    embeddings: (principal, providerId, request, signal) =>
      call(principal, { providerId, modelId: request.model, ability: 'embeddings' }, signal, (runtime, options) => {
        if (runtime.embeddings === undefined) throw cannot(runtime, 'turn texts into vectors');
        return runtime.embeddings(request, options);
      }),

    createImage: (principal, providerId, request, signal) =>
      call(principal, { providerId, modelId: request.model, ability: 'images' }, signal, async (runtime, options) => {
        if (runtime.createImage === undefined) throw cannot(runtime, 'make pictures');
        const { images = [], ...rest } = request;
        const given = await Promise.all(
          images.map(async (image): Promise<ImagePart> => {
            const data = Buffer.from(await bytesOf(principal, image.source, 'picture')).toString('base64');
            return { ...image, source: { data } };
          }),
        );
        const made = await runtime.createImage({ ...rest, ...(given.length === 0 ? {} : { images: given }) }, options);
        return { ...made, images: await Promise.all(made.images.map((image) => kept(principal, image))) };
      }),

    textToSpeech: (principal, providerId, request, signal) =>
      call(principal, { providerId, modelId: request.model, ability: 'speech' }, signal, async (runtime, options) => {
        if (runtime.textToSpeech === undefined) throw cannot(runtime, 'speak');
        const { mimeType, data } = await runtime.textToSpeech(request, options);
        const blob = await blobs.put(principal, data, { mimeType, at: clock.now() });
        return { file: blob.sha256, mimeType, size: data.byteLength };
      }),

    transcribe: (principal, providerId, { audio, ...request }, signal) =>
      call(
        principal,
        { providerId, modelId: request.model, ability: 'transcriptions' },
        signal,
        async (runtime, options) => {
          if (runtime.transcribe === undefined) throw cannot(runtime, 'write down what is said');
          const data = await bytesOf(principal, audio.source, 'recording');
          return runtime.transcribe({ ...request, audio: { mimeType: audio.mimeType, data } }, options);
        },
      ),

    generateObject: (principal, providerId, request, signal) =>
      call(principal, { providerId, modelId: request.model, ability: 'objects' }, signal, async (runtime, options) => {
        if (runtime.generateObject === undefined) throw cannot(runtime, 'make objects');
        return runtime.generateObject({ ...request, messages: await inPlace(principal, request.messages) }, options);
      }),
  };

  async function kept(principal: Owner, image: ImagePart): Promise<ImagePart> {
    if (!('data' in image.source)) return image;
    const bytes = Buffer.from(image.source.data, 'base64');
    const { sha256 } = await blobs.put(principal, bytes, { mimeType: image.mimeType, at: clock.now() });
    return { ...image, source: { blob: sha256 } };
  }
}

/** The answer; `over` is told at its end, also where nobody reads it to the end. */
async function* chatParts(
  runtime: ModelRuntime,
  signal: AbortSignal,
  over: (usage: Usage | undefined) => void,
  request: () => Promise<ChatRequest>,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  let usage: Usage | undefined;
  try {
    for await (const batch of runtime.chat(await request(), { signal })) {
      for (const part of batch) if (part.type === 'usage') ({ usage } = part);
      yield batch;
    }
  } catch (thrown) {
    // Nobody listens any more, or the server is stopping: the stream simply ends.
    if (isAbortError(thrown)) return;
    yield [{ type: 'error', error: toErrorInfo(thrown) }];
  } finally {
    over(usage);
  }
}

function cannot({ provider }: ModelRuntime, what: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_request',
    message: `The provider "${provider}" cannot ${what}.`,
    hint: 'Choose a provider that can.',
  });
}

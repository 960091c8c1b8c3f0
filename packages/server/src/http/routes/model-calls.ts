import type { StreamPart } from '@toolyard/model-runtime';
import { WebApiEncoder } from '@toolyard/model-runtime/webapi';
import type { Principal } from '@toolyard/protocol';
import {
  chatCall,
  embeddings,
  embeddingsCall,
  generatedObject,
  images,
  imagesCall,
  objectCall,
  speech,
  speechCall,
  transcription,
  transcriptionCall,
} from '@toolyard/protocol/schemas';
import { createCallLimit } from '../../models/call-limit.ts';
import { createModelCalls } from '../../models/model-calls.ts';
import { createUsagePolicy } from '../../models/usage-policy.ts';
import { toChatRequest, toMessages } from '../chat-call.ts';
import type { EventStreams, Frame } from '../event-stream.ts';
import type { Router } from '../router.ts';
import { checkSource } from '../user-parts.ts';
import type { HttpDeps } from '../types.ts';

/** A conversation with its pictures: a file of the largest kind, as base64, and what stands around it. */
const MAX_CALL_BYTES = 32 * 1024 * 1024;

/** Single calls of models: no conversation, no run, nothing stored but files that are made. */
export function addModelCallRoutes({ route }: Router, deps: HttpDeps, eventStreams: EventStreams): void {
  const { storage, models, configurations, clock, ids, log, telemetry } = deps;
  const next = deps.callPolicy ?? createCallLimit();
  const policy = createUsagePolicy({ storage, configurations, models, clock, next, log });
  const { blobs } = storage;
  const calls = createModelCalls({ models, blobs, clock, policy });
  const isKeptBy =
    (principal: Principal) =>
    async (sha256: string): Promise<boolean> =>
      (await blobs.info(principal, sha256)) !== null;

  route({
    method: 'post',
    path: '/webapi/chat/{provider}',
    summary:
      'One answer of a model, as it comes (server-sent events: text, reasoning, tool_calls, usage, stop, error, ...)',
    body: chatCall,
    maxBodyBytes: MAX_CALL_BYTES,
    status: 200,
    mediaType: 'text/event-stream',
    async handle({ c, principal, params: { provider }, body }) {
      const request = await toChatRequest(body, isKeptBy(principal));
      const price = await models.price(principal, { providerId: provider, modelId: request.model });
      const runId = c.req.header('x-toolyard-run');
      const parts = await calls.chat(principal, provider, request, runId);
      const encoder = new WebApiEncoder(provider, price);
      const id = ids.next();
      const call = { id, providerId: provider, request, ...(price ? { price } : {}), ...(runId ? { runId } : {}) };
      return eventStreams.answer(c, principal, (signal) => {
        const batches = telemetry ? telemetry.watch(call, parts(signal)) : parts(signal);
        return chatFrames(batches, encoder, id);
      });
    },
  });

  route({
    method: 'post',
    path: '/api/providers/{id}/embeddings',
    summary: 'Texts as vectors, in the same order',
    body: embeddingsCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: embeddings,
    handle: ({ c, principal, params: { id }, body }) => calls.embeddings(principal, id, body, c.req.raw.signal),
  });

  route({
    method: 'post',
    path: '/api/providers/{id}/images',
    summary: 'Pictures of what a text says, kept as files',
    body: imagesCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: images,
    async handle({ c, principal, params: { id }, body }) {
      for (const [at, { source }] of (body.images ?? []).entries())
        await checkSource(source, `images.${at}`, isKeptBy(principal));
      return calls.createImage(principal, id, body, c.req.raw.signal);
    },
  });

  route({
    method: 'post',
    path: '/api/providers/{id}/speech',
    summary: 'A text read aloud, kept as a file',
    body: speechCall,
    answer: speech,
    handle: ({ c, principal, params: { id }, body }) => calls.textToSpeech(principal, id, body, c.req.raw.signal),
  });

  route({
    method: 'post',
    path: '/api/providers/{id}/transcriptions',
    summary: 'What is said in a recording, as text',
    body: transcriptionCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: transcription,
    async handle({ c, principal, params: { id }, body }) {
      await checkSource(body.audio.source, 'audio', isKeptBy(principal));
      return calls.transcribe(principal, id, body, c.req.raw.signal);
    },
  });

  route({
    method: 'post',
    path: '/api/providers/{id}/objects',
    summary: 'An object that fits a schema, whichever way the model can be brought to give one',
    body: objectCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: generatedObject,
    async handle({ c, principal, params: { id }, body: { messages, ...request } }) {
      const filled = { ...request, messages: await toMessages(messages, isKeptBy(principal)) };
      return calls.generateObject(principal, id, filled, c.req.raw.signal);
    },
  });
}

/** The frames of an answer; its id stands in the first and counts for all. */
async function* chatFrames(
  batches: AsyncIterable<readonly StreamPart[]>,
  encoder: WebApiEncoder,
  id: string,
): AsyncGenerator<readonly Frame[]> {
  let isFirst = true;
  for await (const batch of batches) {
    const frames = encoder.encode(batch).map(({ event, data }): Frame => ({ event, json: JSON.stringify(data) }));
    const [first, ...rest] = frames;
    if (first === undefined) continue;
    yield isFirst ? [{ ...first, id }, ...rest] : frames;
    isFirst = false;
  }
}

import type { StreamPart } from '@toolyard/model-runtime';
import { WebApiEncoder } from '@toolyard/model-runtime/webapi';
import type { Principal } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { createCallLimit } from '../../models/call-limit.ts';
import type { ModelCalls } from '../../models/model-calls.ts';
import { createModelCalls } from '../../models/model-calls.ts';
import { createUsagePolicy } from '../../models/usage-policy.ts';
import { getChatSchema, toChatCall, toChatRequest, toMessages } from '../chat-calls/chat-call.ts';
import type { Frame } from '../transport/event-stream.ts';
import type { Router } from '../transport/router.ts';
import { checkSource } from '../chat-calls/user-parts.ts';
import type { HttpAppOptions } from '../types.ts';
import type { RouteContext } from '../route-context.ts';

/** The model calls of every route, within the budgets and limits of their owner. */
export function createHttpModelCalls(
  deps: Pick<HttpAppOptions, 'storage' | 'models' | 'configurations' | 'clock' | 'log' | 'callPolicy'>,
): ModelCalls {
  const { storage, models, configurations, clock, log } = deps;
  const next = deps.callPolicy ?? createCallLimit();
  const policy = createUsagePolicy({ storage, configurations, models, clock, next, log });
  return createModelCalls({ models, blobs: storage.blobs, clock, policy });
}

/** Single model calls without conversation or run; only generated files are stored. */
export function addModelCallRoutes({ route }: Router, deps: RouteContext): void {
  const { storage, models, ids, telemetry, calls, eventStreams } = deps;
  const { blobs } = storage;
  const isKeptBy =
    (principal: Principal) =>
    async (sha256: string): Promise<boolean> =>
      (await blobs.info(principal, sha256)) !== null;

  route(
    'POST /webapi/chat/{provider}',
    async ({ c, principal, params: { provider }, body }) => {
      const request = await toChatRequest(toChatCall(body), isKeptBy(principal));
      const price = await models.price(principal, { providerId: provider, modelId: request.model });
      const runId = c.req.header('x-toolyard-run');
      const parts = await calls.chat(principal, provider, request, runId);
      const encoder = new WebApiEncoder(provider, price);
      const id = ids.next();
      const call = { id, providerId: provider, request, ...defined({ price }), ...(runId ? { runId } : {}) };
      return eventStreams.answer(
        c,
        principal,
        (signal) => (telemetry ? telemetry.watch(call, parts(signal)) : parts(signal)),
        createChatFrames(encoder, id),
      );
    },
    { getSchema: getChatSchema },
  );

  route('POST /api/providers/{id}/embeddings', ({ c, principal, params: { id }, body }) =>
    calls.embeddings(principal, id, body, c.req.raw.signal),
  );

  route('POST /api/providers/{id}/images', async ({ c, principal, params: { id }, body }) => {
    for (const [at, { source }] of (body.images ?? []).entries())
      await checkSource(source, `images.${at}`, isKeptBy(principal));
    return calls.createImage(principal, id, body, c.req.raw.signal);
  });

  route('POST /api/providers/{id}/speech', ({ c, principal, params: { id }, body }) =>
    calls.textToSpeech(principal, id, body, c.req.raw.signal),
  );

  route('POST /api/providers/{id}/transcriptions', async ({ c, principal, params: { id }, body }) => {
    await checkSource(body.audio.source, 'audio', isKeptBy(principal));
    return calls.transcribe(principal, id, body, c.req.raw.signal);
  });

  route(
    'POST /api/providers/{id}/objects',
    async ({ c, principal, params: { id }, body: { messages, ...request } }) => {
      const filled = { ...request, messages: await toMessages(messages, isKeptBy(principal)) };
      return calls.generateObject(principal, id, filled, c.req.raw.signal);
    },
  );
}

/** The frames of a response; its id is in the first frame and valid for all. */
function createChatFrames(encoder: WebApiEncoder, id: string): (batch: readonly StreamPart[]) => readonly Frame[] {
  let isFirst = true;
  return (batch) => {
    const frames = encoder.encode(batch).map(({ event, data }): Frame => ({ event, json: JSON.stringify(data) }));
    const [first, ...rest] = frames;
    if (!isFirst || first === undefined) return frames;
    isFirst = false;
    return [{ ...first, id }, ...rest];
  };
}

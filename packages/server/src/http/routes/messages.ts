import type { Principal, UserPart } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { jsonAnswer } from '../responses.ts';
import { findStarter } from '../transport/start-limits.ts';
import { requestId } from '../transport/idempotency.ts';
import { findConversation } from '../views/conversation-view.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import { toRunView } from '../views/run-view.ts';
import type { HttpAppOptions } from '../types.ts';
import { checkParts } from '../chat-calls/user-parts.ts';

export function addMessageRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { storage, runs, clock } = deps;

  route(
    'GET /api/conversations/{id}/messages',
    async ({ principal, params: { id }, query: { leaf, before, limit } }) => {
      await findConversation(deps, principal, id);
      for (const message of [leaf, before]) {
        if (message === undefined) continue;
        if ((await storage.messages.get(principal, id, message)) === null) throw notFound('message', message);
      }
      return storage.messages.page(principal, id, {
        limit,
        ...defined({ leafId: leaf, before }),
      });
    },
  );

  route('POST /api/conversations/{id}/messages', async ({ c, principal, params: { id }, body }) => {
    await checkAttachments(principal, body.parts);
    const repeatable = c.req.header('idempotency-key') !== undefined;
    const message = repeatable
      ? { ...body, id: (await requestId(c, principal, { body, chosen: body.id }, deps)).id }
      : body;
    const sent = await runs.send(principal, id, message, {
      origin: principal.via === 'api_key' ? 'api' : 'chat',
      ...defined({ starter: findStarter(principal) }),
    });
    if ('queued' in sent) {
      return jsonAnswer(sent, { status: 202, acceptEncoding: c.req.header('accept-encoding') });
    }
    return { run: toRunView(sent.run), message: sent.message };
  });

  route('POST /api/conversations/{id}/regenerate', async ({ principal, params: { id }, body }) => {
    await findConversation(deps, principal, id);
    const { run } = await runs.regenerate(principal, id, body);
    return { run: toRunView(run) };
  });

  route('POST /api/conversations/{id}/continue', async ({ principal, params: { id }, body }) => {
    await findConversation(deps, principal, id);
    const { run, how } = await runs.continue(principal, id, body);
    return { run: toRunView(run), how };
  });

  route(
    'POST /api/conversations/{id}/messages/{message}/call',
    async ({ principal, params: { id, message }, body }) => {
      await findConversation(deps, principal, id);
      const { run } = await runs.makeCall(principal, id, { messageId: message, ...body }, findStarter(principal));
      return { run: toRunView(run) };
    },
  );

  route('GET /api/conversations/{id}/queue', async ({ principal, params: { id } }) => {
    await findConversation(deps, principal, id);
    return { items: await storage.queue.list(principal, id) };
  });

  route('PATCH /api/conversations/{id}/queue/{item}', async ({ principal, params: { id, item }, body }) => {
    await findConversation(deps, principal, id);
    if (body.parts !== undefined) await checkAttachments(principal, body.parts);
    const queued = await runs.changeQueued(principal, id, item, body);
    return queued;
  });

  route('DELETE /api/conversations/{id}/queue/{item}', async ({ principal, params: { id, item } }) => {
    await findConversation(deps, principal, id);
    await runs.removeQueued(principal, id, item);
  });

  route('POST /api/conversations/{id}/queue/{item}/send', async ({ principal, params: { id, item } }) => {
    await findConversation(deps, principal, id);
    await runs.sendQueued(principal, id, item);
  });

  function checkAttachments(principal: Principal, parts: readonly UserPart[]): Promise<void> {
    return checkParts(parts, async (sha256) => storage.blobs.touch(principal, sha256, clock.now()));
  }
}

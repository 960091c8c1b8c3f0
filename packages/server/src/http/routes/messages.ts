import type { Principal, UserPart } from '@toolyard/protocol';
import {
  changeQueuedMessage,
  continueConversation,
  continuedConversation,
  limit,
  messagePage,
  queuedMessage,
  queuePage,
  regenerate,
  regenerated,
  sendMessage,
  sentMessage,
  word,
} from '@toolyard/protocol/schemas';
import { z } from 'zod';
import { jsonAnswer } from '../answers.ts';
import { findConversation } from '../conversation-view.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../router.ts';
import { runView } from '../run-view.ts';
import type { HttpDeps } from '../types.ts';
import { checkParts } from '../user-parts.ts';

const PATH = '/api/conversations/{id}';

export function addMessageRoutes({ route }: Router, deps: HttpDeps): void {
  const { storage, runs, clock } = deps;

  route({
    method: 'get',
    path: `${PATH}/messages`,
    summary: 'A stretch of a branch: its end, or what is above before',
    query: z.strictObject({ leaf: word.exactOptional(), before: word.exactOptional(), limit: limit(60) }),
    answer: messagePage,
    async handle({ principal, params: { id }, query: { leaf, before, limit } }) {
      await findConversation(deps, principal, id);
      for (const message of [leaf, before]) {
        if (message === undefined) continue;
        if ((await storage.messages.get(principal, id, message)) === null) throw notFound('message', message);
      }
      return storage.messages.page(principal, id, {
        limit,
        ...(leaf === undefined ? {} : { leafId: leaf }),
        ...(before === undefined ? {} : { before }),
      });
    },
  });

  route({
    method: 'post',
    path: `${PATH}/messages`,
    summary: 'Say something: 201 with the run that answers it, or 202 where it waits for another run',
    body: sendMessage,
    answer: sentMessage,
    status: 201,
    also: { 202: 'It waits in the queue' },
    async handle({ c, principal, params: { id }, body }) {
      await checkAttachments(principal, body.parts);
      const sent = await runs.send(principal, id, body);
      if ('queued' in sent) {
        return jsonAnswer(sent, { status: 202, acceptEncoding: c.req.header('accept-encoding') });
      }
      return { run: runView(sent.run), message: sent.message };
    },
  });

  route({
    method: 'post',
    path: `${PATH}/regenerate`,
    summary: 'Answer the same message anew, as another branch',
    body: regenerate,
    answer: regenerated,
    status: 201,
    async handle({ principal, params: { id }, body }) {
      await findConversation(deps, principal, id);
      const { run } = await runs.regenerate(principal, id, body);
      return { run: runView(run) };
    },
  });

  route({
    method: 'post',
    path: `${PATH}/continue`,
    summary: 'Go on where the conversation broke off: in the same message where the model can, else in a new one',
    body: continueConversation,
    answer: continuedConversation,
    status: 201,
    async handle({ principal, params: { id }, body }) {
      await findConversation(deps, principal, id);
      const { run, how } = await runs.continue(principal, id, body);
      return { run: runView(run), how };
    },
  });

  route({
    method: 'get',
    path: `${PATH}/queue`,
    summary: 'What waits to be sent, in order',
    answer: queuePage,
    async handle({ principal, params: { id } }) {
      await findConversation(deps, principal, id);
      return { items: await storage.queue.list(principal, id) };
    },
  });

  route({
    method: 'patch',
    path: `${PATH}/queue/{item}`,
    summary: 'Change what a waiting message says, or its place',
    body: changeQueuedMessage,
    answer: queuedMessage,
    async handle({ principal, params: { id, item }, body }) {
      await findConversation(deps, principal, id);
      if (body.parts !== undefined) await checkAttachments(principal, body.parts);
      const queued = await runs.changeQueued(principal, id, item, body);
      return queued;
    },
  });

  route({
    method: 'delete',
    path: `${PATH}/queue/{item}`,
    summary: 'Take a waiting message back',
    async handle({ principal, params: { id, item } }) {
      await findConversation(deps, principal, id);
      await runs.removeQueued(principal, id, item);
    },
  });

  route({
    method: 'post',
    path: `${PATH}/queue/{item}/send`,
    summary: 'Stop what is under way and send this one at once',
    async handle({ principal, params: { id, item } }) {
      await findConversation(deps, principal, id);
      await runs.sendQueued(principal, id, item);
    },
  });

  function checkAttachments(principal: Principal, parts: readonly UserPart[]): Promise<void> {
    return checkParts(parts, async (sha256) => storage.blobs.touch(principal, sha256, clock.now()));
  }
}

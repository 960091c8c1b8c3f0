import type { AnsweredInterrupts } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { z } from 'zod';
import { askedCursorOf, readAskedCursor } from '../list-cursor.ts';
import { tellable } from '../problems.ts';
import type { Router } from '../router.ts';
import { limit, word } from '../schemas/query.ts';
import {
  answeredInterrupts,
  answerInterrupt,
  answerInterrupts,
  interruptCount,
  interruptPage,
  interruptStatus,
  storedInterrupt,
} from '../schemas/runs.ts';
import type { HttpDeps } from '../types.ts';

export function addInterruptRoutes({ route }: Router, { storage, runs }: HttpDeps): void {
  route({
    method: 'get',
    path: '/api/interrupts',
    summary: 'What a person is asked, the oldest first',
    query: z.strictObject({
      status: interruptStatus.default('open'),
      run: word.exactOptional(),
      conversation: word.exactOptional(),
      after: z.string().max(500).exactOptional(),
      limit: limit(100),
    }),
    answer: interruptPage,
    async handle({ principal, query: { status, run, conversation, after, limit } }) {
      const found = await storage.runs.listInterrupts(principal, {
        status,
        limit: limit + 1,
        ...(run === undefined ? {} : { runId: run }),
        ...(conversation === undefined ? {} : { conversationId: conversation }),
        ...(after === undefined ? {} : { after: readAskedCursor(after) }),
      });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(found.length > limit && last !== undefined ? { next: askedCursorOf(last) } : {}) };
    },
  });

  route({
    method: 'get',
    path: '/api/interrupts/count',
    summary: 'How many questions wait for an answer',
    answer: interruptCount,
    handle: async ({ principal }) => ({ open: await storage.runs.countInterrupts(principal) }),
  });

  route({
    method: 'post',
    path: '/api/interrupts/{id}/answer',
    summary: 'Answer; the first answer counts',
    body: answerInterrupt,
    answer: storedInterrupt,
    handle: ({ principal, params: { id }, body: { answer, shown } }) => runs.answer(principal, id, answer, shown),
  });

  route({
    method: 'post',
    path: '/api/interrupts/answers',
    summary: 'Answer many, one after the other; each has an outcome of its own',
    body: answerInterrupts,
    answer: answeredInterrupts,
    async handle({ principal, body: { answers } }) {
      const items: AnsweredInterrupts['items'] = [];
      // In their order: what one decides for later settles others of the same call.
      for (const { id, answer, shown } of answers) {
        try {
          items.push({ id, outcome: 'answered', interrupt: await runs.answer(principal, id, answer, shown) });
        } catch (thrown) {
          if (!ToolyardError.isInstance(thrown)) throw thrown;
          items.push({ id, outcome: 'refused', error: tellable(thrown) });
        }
      }
      return { items };
    },
  });
}

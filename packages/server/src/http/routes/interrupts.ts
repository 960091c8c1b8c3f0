import { z } from 'zod';
import type { Router } from '../router.ts';
import { limit, word } from '../schemas/query.ts';
import { answerInterrupt, interruptPage, interruptStatus, storedInterrupt } from '../schemas/runs.ts';
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
      limit: limit(100),
    }),
    answer: interruptPage,
    async handle({ principal, query: { status, run, conversation, limit } }) {
      const found = await storage.runs.listInterrupts(principal, {
        status,
        limit,
        ...(run === undefined ? {} : { runId: run }),
        ...(conversation === undefined ? {} : { conversationId: conversation }),
      });
      return { items: [...found] };
    },
  });

  route({
    method: 'post',
    path: '/api/interrupts/{id}/answer',
    summary: 'Answer; the first answer counts',
    body: answerInterrupt,
    answer: storedInterrupt,
    handle: ({ principal, params: { id }, body: { answer } }) => runs.answer(principal, id, answer),
  });
}

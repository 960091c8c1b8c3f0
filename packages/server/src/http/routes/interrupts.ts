import type { AnsweredInterrupts, ErrorInfo, Interrupt, Principal, Scope } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import {
  answeredInterrupts,
  answerInterrupt,
  answerInterrupts,
  interruptCount,
  interruptPage,
  interruptStatus,
  limit,
  storedInterrupt,
  word,
} from '@toolyard/protocol/schemas';
import { z } from 'zod';
import { requireScope } from '../auth/scopes.ts';
import { askedCursorOf, readAskedCursor } from '../list-cursor.ts';
import { ProblemAnswer, tellable } from '../problems.ts';
import type { Router } from '../router.ts';
import type { HttpDeps } from '../types.ts';

/** Their answers let a call run, or money be spent. */
const APPROVALS: ReadonlySet<Interrupt['kind']> = new Set(['approval', 'in_doubt', 'budget']);
const scope: readonly Scope[] = ['approve', 'answer'];

export function addInterruptRoutes({ route }: Router, { storage, runs }: HttpDeps): void {
  /** @throws ProblemAnswer 403 if the credential must not answer a question of this kind. */
  async function checkScope(principal: Principal, id: string): Promise<void> {
    const found = await storage.runs.getInterrupt(principal, id);
    if (found === null) return;
    requireScope(principal, APPROVALS.has(found.interrupt.kind) ? 'approve' : 'answer');
  }

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
    summary: 'Answer; the first answer counts. Approvals, calls in doubt and budgets need the scope approve',
    scope,
    body: answerInterrupt,
    answer: storedInterrupt,
    async handle({ principal, params: { id }, body: { answer, shown } }) {
      await checkScope(principal, id);
      return runs.answer(principal, id, answer, shown);
    },
  });

  route({
    method: 'post',
    path: '/api/interrupts/answers',
    summary: 'Answer many, one after the other; each has an outcome of its own',
    scope,
    body: answerInterrupts,
    answer: answeredInterrupts,
    async handle({ principal, body: { answers } }) {
      const items: AnsweredInterrupts['items'] = [];
      // In their order: what one decides for later settles others of the same call.
      for (const { id, answer, shown } of answers) {
        try {
          await checkScope(principal, id);
          items.push({ id, outcome: 'answered', interrupt: await runs.answer(principal, id, answer, shown) });
        } catch (thrown) {
          const error = errorOf(thrown);
          if (error === null) throw thrown;
          items.push({ id, outcome: 'refused', error });
        }
      }
      return { items };
    },
  });
}

function errorOf(thrown: unknown): ErrorInfo | null {
  if (ToolyardError.isInstance(thrown)) return tellable(thrown);
  if (!(thrown instanceof ProblemAnswer)) return null;
  const { code, detail, hint } = thrown.problem;
  return { code, message: detail, ...(hint === undefined ? {} : { hint }) };
}

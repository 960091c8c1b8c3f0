import { z } from 'zod';
import { queryLimit, queryText } from '../query.ts';
import {
  answeredInterrupts,
  answerInterruptBody,
  answerInterruptsBody,
  interruptCount,
  interruptPage,
  interruptStatus,
  storedInterrupt,
} from '../runs.ts';
import { defineRoutes } from './define-routes.ts';

const scope = ['approve', 'answer'] as const;

export const interruptsRoutes = defineRoutes({
  'GET /api/interrupts': {
    summary: 'List open interrupts, oldest first',
    query: z.strictObject({
      status: interruptStatus.default('open'),
      run: queryText.exactOptional(),
      conversation: queryText.exactOptional(),
      after: z.string().max(500).exactOptional(),
      limit: queryLimit(100),
    }),
    answer: interruptPage,
  },
  'GET /api/interrupts/count': { summary: 'Count open interrupts', answer: interruptCount },
  'POST /api/interrupts/{id}/answer': {
    summary:
      'Answer an interrupt; only the first answer is accepted. Approvals, calls in doubt and budgets need ' +
      'the scope `approve`',
    scope,
    body: answerInterruptBody,
    answer: storedInterrupt,
  },
  'POST /api/interrupts/answers': {
    summary: 'Answer several interrupts in order; each has its own outcome',
    scope,
    body: answerInterruptsBody,
    answer: answeredInterrupts,
  },
});

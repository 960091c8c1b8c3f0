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
    summary: 'What a person is asked, the oldest first',
    query: z.strictObject({
      status: interruptStatus.default('open'),
      run: queryText.exactOptional(),
      conversation: queryText.exactOptional(),
      after: z.string().max(500).exactOptional(),
      limit: queryLimit(100),
    }),
    answer: interruptPage,
  },
  'GET /api/interrupts/count': { summary: 'How many questions wait for an answer', answer: interruptCount },
  'POST /api/interrupts/{id}/answer': {
    summary: 'Answer; the first answer counts. Approvals, calls in doubt and budgets need the scope approve',
    scope,
    body: answerInterruptBody,
    answer: storedInterrupt,
  },
  'POST /api/interrupts/answers': {
    summary: 'Answer many, one after the other; each has an outcome of its own',
    scope,
    body: answerInterruptsBody,
    answer: answeredInterrupts,
  },
});

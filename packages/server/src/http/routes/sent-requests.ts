import { z } from 'zod';
import { createNotFoundError } from '../../errors.ts';
import { loadSentRequest as readSentRequest } from '../../runs/read/sent-request.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

export function addSentRequestRoutes({ route }: Router, { storage }: HttpAppOptions): void {
  route('GET /api/runs/{id}/steps/{step}/request', async ({ principal, params: { id, step } }) => {
    const run = await storage.runs.getRun(principal, id);
    if (run === null) throw notFound('run', id);
    const number = z.coerce.number().int().min(0).safeParse(step);
    const sent = number.success ? await readSentRequest(storage, principal, run, number.data) : null;
    if (sent) return sent;
    throw createNotFoundError(`Step ${step} of this run has no model request.`);
  });
}

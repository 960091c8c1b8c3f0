import type { AnsweredInterrupts, ErrorInfo, Interrupt, Principal } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { requireScope } from '../auth/scopes.ts';
import { toPage, readTimeCursor, timeCursor } from '../transport/list-cursor.ts';
import { isOwnRun, limitedTo } from '../auth/limited-keys.ts';
import { notFound, ProblemAnswer, publicError, refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** Answering these allows a call or spends money. */
const APPROVALS: ReadonlySet<Interrupt['kind']> = new Set(['approval', 'in_doubt', 'budget']);

export function addInterruptRoutes({ route }: Router, { storage, runs }: HttpAppOptions): void {
  /** @throws ProblemAnswer 403 if the credential may not answer this kind of interrupt */
  async function checkScope(principal: Principal, id: string): Promise<void> {
    const found = await storage.runs.getInterrupt(principal, id);
    if (found === null) return;
    requireScope(principal, APPROVALS.has(found.interrupt.kind) ? 'approve' : 'answer');
  }

  /** A key with limits lists those of one run that it has started. */
  async function checkOfRun(principal: Principal, runId: string | undefined): Promise<void> {
    const startedBy = limitedTo(principal);
    if (startedBy === undefined) return;
    if (runId === undefined) {
      const message = 'An API key with limits can only list the interrupts of a run: add ?run=<id>.';
      throw refusal({ code: 'forbidden', message });
    }
    if (!(await isOwnRun(storage.runs, principal, runId, startedBy))) throw notFound('run', runId);
  }

  route('GET /api/interrupts', async ({ principal, query: { status, run, conversation, after, limit } }) => {
    await checkOfRun(principal, run);
    const seen = after === undefined ? undefined : readTimeCursor(after);
    const found = await storage.runs.listInterrupts(principal, {
      status,
      limit: limit + 1,
      ...defined({ runId: run, conversationId: conversation }),
      ...defined({ after: seen && { openedAt: seen.at, id: seen.id } }),
    });
    return toPage(found, limit, ({ openedAt, id }) => timeCursor(openedAt, id));
  });

  route('GET /api/interrupts/count', async ({ principal }) => ({
    open: await storage.runs.countInterrupts(principal),
  }));

  route('POST /api/interrupts/{id}/answer', async ({ principal, params: { id }, body: { answer, shown } }) => {
    await checkScope(principal, id);
    if (principal.limits && 'scope' in answer && answer.scope === 'always') throw onlyOnce();
    return runs.answer(principal, id, answer, shown);
  });

  route('POST /api/interrupts/answers', async ({ principal, body: { answers } }) => {
    const items: AnsweredInterrupts['items'] = [];
    // In order: a permission stored by one answer can settle later ones.
    for (const { id, answer, shown } of answers) {
      try {
        await checkScope(principal, id);
        items.push({ id, outcome: 'answered', interrupt: await runs.answer(principal, id, answer, shown) });
      } catch (thrown) {
        const error = toErrorInfo(thrown);
        if (error === null) throw thrown;
        items.push({ id, outcome: 'refused', error });
      }
    }
    return { items };
  });
}

function onlyOnce(): ProblemAnswer {
  return refusal({
    code: 'forbidden',
    message: 'An API key with limits can approve a call once or for its conversation, but not always.',
  });
}

function toErrorInfo(thrown: unknown): ErrorInfo | null {
  if (ToolyardError.isInstance(thrown)) return publicError(thrown);
  if (!(thrown instanceof ProblemAnswer)) return null;
  const { code, detail, hint } = thrown.problem;
  return { code, message: detail, ...defined({ hint }) };
}

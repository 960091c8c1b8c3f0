import type { AnsweredInterrupts, ErrorInfo, Interrupt, Principal } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { requireScope } from '../auth/scopes.ts';
import { interruptCursor, readInterruptCursor } from '../list-cursor.ts';
import { ProblemAnswer, publicError } from '../problems.ts';
import type { Router } from '../router.ts';
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

  route('GET /api/interrupts', async ({ principal, query: { status, run, conversation, after, limit } }) => {
    const found = await storage.runs.listInterrupts(principal, {
      status,
      limit: limit + 1,
      ...defined({ runId: run, conversationId: conversation }),
      ...(after === undefined ? {} : { after: readInterruptCursor(after) }),
    });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(found.length > limit && last !== undefined ? { next: interruptCursor(last) } : {}) };
  });

  route('GET /api/interrupts/count', async ({ principal }) => ({
    open: await storage.runs.countInterrupts(principal),
  }));

  route('POST /api/interrupts/{id}/answer', async ({ principal, params: { id }, body: { answer, shown } }) => {
    await checkScope(principal, id);
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
        const error = errorOf(thrown);
        if (error === null) throw thrown;
        items.push({ id, outcome: 'refused', error });
      }
    }
    return { items };
  });
}

function errorOf(thrown: unknown): ErrorInfo | null {
  if (ToolyardError.isInstance(thrown)) return publicError(thrown);
  if (!(thrown instanceof ProblemAnswer)) return null;
  const { code, detail, hint } = thrown.problem;
  return { code, message: detail, ...defined({ hint }) };
}

import type { Owner, RunStore, StoredInterrupt } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

const AT_ONCE = 500;

/** All open interrupts of a run, a conversation or an owner, oldest first. */
export async function* allInterrupts(
  store: Pick<RunStore, 'listInterrupts'>,
  principal: Owner,
  query: { status: StoredInterrupt['status']; runId?: string; conversationId?: string },
): AsyncGenerator<StoredInterrupt, void> {
  let after: StoredInterrupt | undefined;
  do {
    const found = await store.listInterrupts(principal, { ...query, limit: AT_ONCE, ...defined({ after }) });
    yield* found;
    after = found.length === AT_ONCE ? found.at(-1) : undefined;
  } while (after);
}

import { rebuildRequest } from '@toolyard/agent-host';
import type { Owner, RunEvent, SentRequest } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

const PAGE = 1_000;

/**
 * Reconstructs the model request of a step from stored data; null if the step has none. If the step was retried, the
 * last request.
 */
export async function loadSentRequest(
  storage: Pick<SharedStorage, 'runs' | 'messages' | 'requestPreludes'>,
  principal: Owner,
  run: { id: string; conversationId: string },
  step: number,
): Promise<SentRequest | null> {
  const made = await findRequest(storage.runs, principal, run.id, step);
  if (!made) return null;
  const { request: record } = made;
  const { conversationId } = run;
  const [branch, prelude] = await Promise.all([
    record.leafId === null ? [] : storage.messages.branch(principal, conversationId, record.leafId),
    record.prelude === undefined ? null : storage.requestPreludes.get(principal, conversationId, record.prelude),
  ]);
  return rebuildRequest({ record, branch, prelude });
}

type RequestMade = Extract<RunEvent, { type: 'request_made' }>;

async function findRequest(
  store: Pick<SharedStorage['runs'], 'readEvents'>,
  principal: Owner,
  runId: string,
  step: number,
): Promise<RequestMade | null> {
  let found: RequestMade | null = null;
  for (let after = 0; ;) {
    const page = (await store.readEvents(principal, runId, after, PAGE)) ?? [];
    for (const event of page) if (event.type === 'request_made' && event.step === step) found = event;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE || last.step > step) return found;
    after = last.seq;
  }
}

import type { ApiKeyLimits, JsonObject, Owner, Principal } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { apiKeyLimits } from '@toolyard/protocol/schemas';
import type { Routes } from '@toolyard/protocol/schemas';
import type { SharedStorage } from '@toolyard/storage';
import { startedByKey } from '../../runs/start/key-limits.ts';
import { blobsIn } from '../views/inline-blobs.ts';
import { notFound, refusal } from '../problems.ts';

/**
 * What a limited key may use, by what the `{id}` of the route identifies. `checked`: the handler applies the limits.
 * Every other route is refused, so that a new one reveals nothing.
 */
const ALLOWED: Partial<Record<keyof Routes, 'run' | 'conversation' | 'interrupt' | 'checked'>> = {
  'GET /api/session': 'checked',
  'POST /api/runs': 'checked',
  'GET /api/runs': 'checked',
  'GET /api/runs/{id}': 'run',
  'GET /api/runs/{id}/children': 'run',
  'GET /api/runs/{id}/tree': 'run',
  'GET /api/runs/{id}/events': 'run',
  'GET /api/runs/{id}/steps': 'run',
  'GET /api/runs/{id}/export': 'run',
  'POST /api/runs/{id}/cancel': 'run',
  'GET /api/conversations/{id}': 'conversation',
  'GET /api/conversations/{id}/messages': 'conversation',
  'GET /api/interrupts': 'checked',
  'POST /api/interrupts/{id}/answer': 'interrupt',
};

/** A route, and the `{id}` in its path. The proxy has no contract. */
export type LimitedRoute = { key: keyof Routes | 'proxy'; id?: string | undefined };

type Runs = Pick<SharedStorage['runs'], 'getRun' | 'listRuns' | 'getInterrupt'>;

/** Limits of a newer version may not be readable: the key can then start nothing. */
export function readLimits(stored: JsonObject): ApiKeyLimits {
  const read = apiKeyLimits.safeParse(stored);
  return read.success ? read.data : { agents: [] };
}

/** `key:<id>` of a limited key; undefined for any other credential. */
export function limitedTo({ limits, credentialId }: Principal): string | undefined {
  return limits === undefined ? undefined : startedByKey(credentialId ?? '');
}

/** @throws ProblemAnswer 403 for a route that limited keys cannot use, 404 for runs that this key has not started */
export async function checkLimitedKey(principal: Principal, route: LimitedRoute, runs: Runs): Promise<void> {
  const startedBy = limitedTo(principal);
  if (startedBy === undefined) return;
  const kind = route.key === 'proxy' ? undefined : ALLOWED[route.key];
  if (kind === undefined) {
    throw refusal({
      code: 'forbidden',
      message: say`This API key has limits: it can only start runs, and use the runs it has started.`,
      hint: say`Use a key without limits.`,
    });
  }
  const { id = '' } = route;
  if (kind === 'run' && !(await isOwnRun(runs, principal, id, startedBy))) throw notFound('run', id);
  if (kind === 'conversation' && !(await isOwnConversation(runs, principal, id, startedBy))) {
    throw notFound('conversation', id);
  }
  if (kind === 'interrupt') {
    const runId = (await runs.getInterrupt(principal, id))?.runId ?? '';
    if (!(await isOwnRun(runs, principal, runId, startedBy))) throw notFound('interrupt', id);
  }
}

/**
 * A limited key uploads no files, so every stored file is another client's: it can name none, in no part of any body. The
 * answer is the same for files that do not exist.
 *
 * @throws ProblemAnswer 403
 */
export function refuseStoredFiles(principal: Principal, body: unknown): void {
  if (limitedTo(principal) === undefined || blobsIn(body).next().done === true) return;
  throw refusal({
    code: 'forbidden',
    message: say`This API key has limits: it cannot send stored files.`,
    hint: say`Send the bytes as base64 in \`source.data\`, or use a key without limits.`,
  });
}

export async function isOwnRun(runs: Runs, owner: Owner, id: string, startedBy: string): Promise<boolean> {
  return (await runs.getRun(owner, id))?.startedBy === startedBy;
}

/** A conversation belongs to the key that started its first run: no other key with limits can continue it. */
export async function isOwnConversation(
  runs: Runs,
  owner: Owner,
  conversationId: string,
  startedBy: string,
): Promise<boolean> {
  return (await runs.listRuns(owner, { conversationId, startedBy, limit: 1 })).length > 0;
}

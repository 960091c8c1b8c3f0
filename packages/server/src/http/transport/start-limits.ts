import type { ApiKeyLimits, Principal, StartRun } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { checkStarter, startedByKey } from '../../runs/start/key-limits.ts';
import type { RunStarter } from '../../runs/worker/stored-run.ts';
import { isOwnConversation, limitedTo } from '../auth/limited-keys.ts';
import { notFound, quoted, refusal } from '../problems.ts';
import { rateSpans, secondsUntilEnd } from './rate-spans.ts';
import type { HttpAppOptions } from '../types.ts';

/** What the runs of this credential are started by; undefined for the user. */
export function findStarter({
  via,
  credentialId,
  credentialName: name = '',
  limits,
}: Principal): RunStarter | undefined {
  if (via !== 'api_key' || credentialId === undefined) return undefined;
  return { startedBy: startedByKey(credentialId), name, ...defined({ limits }) };
}

/**
 * Checks a request against the limits of its key, and fills in the agent if the key has only one.
 *
 * @throws ProblemAnswer 403 for another agent or a configuration, 404 for a conversation the key has not started
 */
export async function checkStart(
  principal: Principal,
  body: StartRun,
  storage: Pick<SharedStorage, 'runs' | 'conversations'>,
): Promise<StartRun> {
  const { limits } = principal;
  const startedBy = limitedTo(principal);
  if (limits === undefined || startedBy === undefined) return body;
  const { conversationId, configuration } = body;
  if (conversationId !== undefined && !(await isOwnConversation(storage.runs, principal, conversationId, startedBy))) {
    throw notFound('conversation', conversationId);
  }
  const { agents } = limits;
  if (agents === undefined) return body;
  // Model and instructions make the agent.
  if (configuration !== undefined) throw forbidden('An API key limited to agents cannot send a configuration.');
  const agentId =
    conversationId === undefined
      ? (body.agentId ?? onlyOne(agents))
      : ((await storage.conversations.get(principal, conversationId))?.agentId ?? '');
  if (!agents.includes(agentId)) throw forbidden(`This API key is not allowed to use the agent ${quoted(agentId)}.`);
  return conversationId === undefined ? { ...body, agentId } : body;
}

/** Counts one run for the rate limit of the key. @throws ProblemAnswer 429, or 402 if its daily budget is used up */
export async function countStart(
  principal: Principal,
  { storage, clock }: Pick<HttpAppOptions, 'storage' | 'clock'>,
): Promise<void> {
  const { limits } = principal;
  const startedBy = limitedTo(principal);
  if (limits === undefined || startedBy === undefined) return;
  const now = clock.now();
  const starter = { startedBy, name: principal.credentialName ?? '', limits };
  const { exhausted } = await checkStarter(principal, starter, now, storage);
  if (exhausted) throw refusal(exhausted);
  const full = await storage.rateCounters.take(startedBy, rateSpans(limits.rate ?? {}, now));
  if (full === null) return;
  const seconds = secondsUntilEnd(full, now);
  throw refusal(
    {
      code: 'rate_limited',
      message: `This API key may start ${full.limit} runs per ${full.span}.`,
      hint: `Try again in ${seconds} s.`,
    },
    { headers: { 'retry-after': String(seconds) } },
  );
}

function onlyOne(agents: NonNullable<ApiKeyLimits['agents']>): string {
  const [agent, ...others] = agents;
  if (agent !== undefined && others.length === 0) return agent;
  throw refusal({
    code: 'bad_request',
    message: 'This API key is limited to several agents: agentId is required.',
    hint: `Use one of ${agents.join(', ')}.`,
  });
}

function forbidden(message: string) {
  return refusal({ code: 'forbidden', message, hint: 'Use an agent of the key, or a key without limits.' });
}

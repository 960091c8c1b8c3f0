import { toErrorInfo } from '@toolyard/protocol';
import type { AllPrompts } from './host-options.ts';
import type { ListedPrompt } from '../types.ts';

/** Lists the prompts of several servers in parallel; a failing server does not hide the others. */
export async function listAllPrompts(
  serverIds: readonly string[],
  list: (serverId: string) => Promise<readonly ListedPrompt[]>,
): Promise<AllPrompts> {
  const all: AllPrompts = { prompts: [], failures: [] };
  const outcomes = await Promise.allSettled(serverIds.map((id) => list(id)));
  for (const [at, outcome] of outcomes.entries()) {
    const serverId = serverIds[at] ?? '';
    if (outcome.status === 'fulfilled') all.prompts.push(...outcome.value.map((prompt) => ({ serverId, ...prompt })));
    else all.failures.push({ serverId, error: toErrorInfo(outcome.reason) });
  }
  return all;
}

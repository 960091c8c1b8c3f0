import type { Agent } from '@toolyard/agent-host';
import type { ToolyardError } from '@toolyard/protocol';
import { providerNotFound } from './choose-model.ts';

/** A failure with what the person needs to mend it: for an unknown model, the names of those on offer. */
export async function explain(error: ToolyardError, agent: Agent): Promise<ToolyardError> {
  if (error.code !== 'model_not_found') return error;
  try {
    return providerNotFound(agent.model, await agent.models(), `at ${agent.provider}`);
  } catch {
    // That the others cannot be listed says less than what went wrong first.
    return error;
  }
}

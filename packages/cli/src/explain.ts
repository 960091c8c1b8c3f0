import type { Agent } from '@toolyard/agent-host';
import type { ToolyardError } from '@toolyard/protocol';
import { createModelNotFoundError } from './choose-model.ts';

/** Adds the available models to the error for an unknown model. */
export async function explain(error: ToolyardError, agent: Agent): Promise<ToolyardError> {
  if (error.code !== 'model_not_found') return error;
  try {
    return createModelNotFoundError(agent.model, await agent.models(), `at ${agent.provider}`);
  } catch {
    // The original error says more than the failure to list models.
    return error;
  }
}

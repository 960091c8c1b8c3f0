import { SUB_AGENT_TOOLS } from '@toolyard/agent-host';
import type { AgentState, RunPoint } from '@toolyard/agent-runtime';
import type { AssistantMessage, JsonObject, SubAgentTask, UserMessage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { RunConfiguration } from '../worker/stored-run.ts';

const { id: SERVER } = SUB_AGENT_TOOLS;
const TOOL = 'delegate_task';

/** A client that delegates tasks has chosen to, whatever the conversation offers its model. */
export function withSubAgents(configuration: RunConfiguration): RunConfiguration {
  return { ...configuration, servers: { ...configuration.servers, [SERVER]: true } };
}

/** The beginning of a run that delegates tasks before its model is asked: as if the model had called the tool. */
export function createDelegation(
  tasks: readonly SubAgentTask[],
  { state, userMessage, model }: { state: AgentState; userMessage: UserMessage; model: string },
): { message: AssistantMessage; point: RunPoint } {
  const id = `${state.runId}.delegated`;
  const call = {
    callId: `${id}.0`,
    name: TOOL,
    tool: { serverId: SERVER, name: TOOL },
    arguments: { tasks: tasks.map(toArguments) },
  };
  return {
    message: {
      id,
      parentId: userMessage.id,
      createdAt: userMessage.createdAt,
      role: 'assistant',
      parts: [{ type: 'tool_call', ...call }],
      runId: state.runId,
      model,
      finishReason: 'tool_calls',
    },
    point: {
      state: { ...state, pending: [{ ...call, decision: 'undecided' }] },
      context: { phase: 'human_response' },
    },
  };
}

function toArguments({ maxWallTimeMs, ...task }: SubAgentTask): JsonObject {
  const timeoutSeconds = maxWallTimeMs === undefined ? undefined : Math.ceil(maxWallTimeMs / 1_000);
  return { ...task, ...defined({ timeoutSeconds }) };
}

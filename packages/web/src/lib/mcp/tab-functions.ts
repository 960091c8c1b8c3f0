import {
  ASK_USER_TOOLS,
  createComputeTools,
  createScriptThreads,
  FunctionTools,
  GROUP_TOOLS,
  SUB_AGENT_TOOLS,
  TOOL_SEARCH,
} from '@toolyard/agent-host';
import { systemClock } from '@toolyard/protocol';
import { openScriptThread } from './script-thread.ts';

const COMPUTE_TOOLS = createComputeTools(createScriptThreads(openScriptThread, systemClock));

/** Function tools of runs whose loop executes in this tab. */
export const tabFunctions = new FunctionTools([
  ASK_USER_TOOLS,
  COMPUTE_TOOLS,
  TOOL_SEARCH,
  SUB_AGENT_TOOLS,
  GROUP_TOOLS,
]);

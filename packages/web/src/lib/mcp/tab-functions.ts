import { ASK_USER_TOOLS, FunctionTools } from '@toolyard/agent-host';

/** Function tools of runs whose loop executes in this tab. */
export const tabFunctions = new FunctionTools([ASK_USER_TOOLS]);

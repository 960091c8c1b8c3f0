import { ASK_USER_TOOLS, FunctionTools } from '@toolyard/agent-host';

/** The function tools of runs whose loop is in this tab. */
export const tabFunctions = new FunctionTools([ASK_USER_TOOLS]);

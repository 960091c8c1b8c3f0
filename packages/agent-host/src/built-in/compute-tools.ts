import { say } from '@toolyard/protocol';
import type { FunctionToolGroup } from '../functions/tool.ts';
import { calculate } from './calculate.ts';
import { createRunJavaScript } from './run-javascript.ts';
import type { ExecuteScript } from './script.ts';

/**
 * The built-in tools that compute; they have access to nothing but their arguments.
 *
 * @example
 * const compute = createComputeTools(createScriptThreads(openThread, systemClock));
 * await using agent = await createAgent({ model, builtIn: [compute] });
 */
export function createComputeTools(execute: ExecuteScript): FunctionToolGroup {
  return { id: 'compute', title: say`Computing`.text, tools: [calculate, createRunJavaScript(execute)] };
}

import { fileURLToPath } from 'node:url';
import { programArgs } from '../processes.ts';
import { getBehaviour, type McpBehaviour, type McpBehaviourName } from './behaviour.ts';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));

/**
 * The command line of a scripted MCP server over stdio, on the Node that runs the test. Set `COUNT_FILE_VARIABLE` in
 * its environment for tools that count, `LOG_FILE_VARIABLE` to log what it receives.
 *
 * @example
 * const { command, args } = scriptedMcpCommand('exit-in-call');
 */
export function scriptedMcpCommand(behaviour: McpBehaviourName | McpBehaviour): { command: string; args: string[] } {
  return { command: process.execPath, args: [...programArgs(CHILD), JSON.stringify(getBehaviour(behaviour))] };
}

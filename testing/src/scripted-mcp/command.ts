import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SOURCE_CONDITION } from '../processes.ts';
import { behaviourOf, type McpBehaviour, type McpBehaviourName } from './behaviour.ts';

/**
 * The command line that starts a scripted MCP server over stdio, on the Node that runs the test. Set
 * `COUNT_FILE_VARIABLE` in its environment for tools that count, `LOG_FILE_VARIABLE` to see what it received.
 *
 * @example
 * const { command, args } = scriptedMcpCommand('exit-in-call');
 */
export function scriptedMcpCommand(behaviour: McpBehaviourName | McpBehaviour): { command: string; args: string[] } {
  // The child stands beside this file, in the sources and in the build alike.
  const child = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));
  return { command: process.execPath, args: [SOURCE_CONDITION, child, JSON.stringify(behaviourOf(behaviour))] };
}

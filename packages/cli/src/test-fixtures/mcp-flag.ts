import type { McpBehaviour } from '@toolyard/testing';
import { scriptedMcpCommand } from '@toolyard/testing';

/** The value of `--mcp` for a scripted server called `odd`. */
export function mcpFlag(behaviour: McpBehaviour): string {
  const { command, args } = scriptedMcpCommand(behaviour);
  return `odd=${[command, ...args].map((word) => `'${word}'`).join(' ')}`;
}

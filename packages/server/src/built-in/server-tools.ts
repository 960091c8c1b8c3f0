import type { FunctionToolGroup } from '@toolyard/agent-host';
import { SUB_AGENT_TOOLS } from '@toolyard/agent-host';
import { sandboxSupport } from '@toolyard/mcp-host/node';
import type { Clock, Owner } from '@toolyard/protocol';
import type { WebSettings } from './web/web-settings.ts';
import { createWebTools } from './web/web-tools.ts';
import { createCommandTools } from './workspace/command-tools.ts';
import { createFileTools } from './workspace/file-tools.ts';

type ServerToolsOptions = { webTools: WebSettings; owner: Owner; dataDir: string; clock: Clock };

/** The built-in tools that need this server. All are off until a user enables them. */
export async function createServerTools({ webTools, owner, dataDir, clock }: ServerToolsOptions): Promise<{
  groups: FunctionToolGroup[];
  close(): Promise<void>;
}> {
  const web = createWebTools(webTools, owner);
  const hidden = [dataDir];
  // Commands of models never run without a sandbox.
  const hasSandbox = (await sandboxSupport()).kind !== 'none';
  const commands = hasSandbox ? [createCommandTools({ hidden, clock })] : [];
  return { groups: [SUB_AGENT_TOOLS, web, createFileTools(hidden), ...commands], close: () => web.close() };
}

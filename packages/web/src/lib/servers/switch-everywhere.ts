import type { McpToolView } from '@toolyard/protocol';
import { servers } from '../state/servers.svelte.ts';
import { settings } from '../state/settings.svelte.ts';
import type { ShownServer } from './shown-server.ts';
import { isOfBrowser } from './shown-server.ts';
import { switchTools } from './tool-switches.ts';

/**
 * Enables or disables tools wherever nothing overrides that. A tool disabled in `mcp.json` is enabled there as well.
 */
export async function switchEverywhere(server: ShownServer, views: readonly McpToolView[], on: boolean): Promise<void> {
  const disabledInFile = on && !isOfBrowser(server) ? views.filter(({ enabled }) => !enabled) : [];
  if (disabledInFile.length > 0) {
    await servers.update(server.id, { tools: Object.fromEntries(disabledInFile.map(({ tool }) => [tool.name, true])) });
  }
  const choices = { disabledTools: settings.defaults.disabledTools ?? [] };
  const tools = views.map(({ tool }) => tool);
  await settings.changeDefaults(switchTools(choices, tools, on));
}

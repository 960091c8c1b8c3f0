import type { McpToolView } from '@toolyard/protocol';
import { servers } from '../state/servers.svelte.ts';
import { settings } from '../state/settings.svelte.ts';
import type { ShownServer } from './shown-server.ts';
import { isOfBrowser } from './shown-server.ts';
import { switchTools } from './tool-switches.ts';

/** Switches tools wherever nobody chose otherwise. What `mcp.json` switches off is switched on there as well. */
export async function switchEverywhere(server: ShownServer, views: readonly McpToolView[], on: boolean): Promise<void> {
  const offInFile = on && !isOfBrowser(server) ? views.filter(({ enabled }) => !enabled) : [];
  if (offInFile.length > 0) {
    await servers.update(server.id, { tools: Object.fromEntries(offInFile.map(({ tool }) => [tool.name, true])) });
  }
  const choices = { disabledTools: settings.defaults.disabledTools ?? [] };
  const tools = views.map(({ tool }) => tool);
  await settings.changeDefaults(switchTools(choices, tools, on));
}

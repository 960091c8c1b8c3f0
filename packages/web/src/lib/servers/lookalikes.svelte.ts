import type { ToolReference } from '@toolyard/protocol';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { servers } from '../state/servers.svelte.ts';
import { listLookalikes, toolShapes } from './tool-shapes.ts';

class Lookalikes {
  readonly #shapes = $derived(toolShapes([...servers.list, ...mcpStore.list]));

  /** See {@link listLookalikes}. */
  of(tool: ToolReference): string[] {
    return listLookalikes(tool, this.#shapes);
  }
}

/** Which tools of all servers, also those of this browser, can be mistaken for one another. */
export const lookalikes = new Lookalikes();

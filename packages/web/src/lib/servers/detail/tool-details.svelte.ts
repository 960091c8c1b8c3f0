import type { JsonObject } from '@toolyard/protocol';
import { mcpStore } from '../../mcp/mcp-store.svelte.ts';
import { serverApi } from '../server-api.ts';
import type { ShownServer } from '../shown-server.ts';
import { isOfBrowser } from '../shown-server.ts';

export type Schemas = { inputSchema: JsonObject; outputSchema?: JsonObject };

/** The schemas of a server's tools: loaded when the first is shown, and again after the tools changed. */
export class ToolDetails {
  readonly #server: ShownServer;
  #asked: Promise<Map<string, Schemas>> | undefined;

  constructor(server: ShownServer) {
    this.#server = server;
  }

  /** Undefined if the server no longer offers the tool. */
  async of(toolName: string): Promise<Schemas | undefined> {
    this.#asked ??= this.#ask();
    return (await this.#asked).get(toolName);
  }

  async #ask(): Promise<Map<string, Schemas>> {
    const { id } = this.#server;
    const tools = isOfBrowser(this.#server)
      ? mcpStore.tools({ servers: { [id]: true } }).filter(({ tool }) => tool.serverId === id)
      : await serverApi.tools(id);
    return new Map(tools.map((tool) => [tool.tool.name, tool]));
  }
}

import { startScriptedMcp } from '@toolyard/testing';
import type { ServedOptions } from './served-api.ts';
import { ServedApi } from './served-api.ts';
import type { ServeInProcess } from './serve-in-process.ts';
import { serveInProcess } from './serve-in-process.ts';

/**
 * A `toolyard serve` in this process, and its MCP servers as well: they are reached over HTTP. Tests about processes
 * start a `ServedProcess`.
 */
export class Served extends ServedApi {
  #server: ServeInProcess | undefined;
  #mcp = new AsyncDisposableStack();

  /** Rejects with what it wrote to stderr if it does not start. */
  static async start(options: ServedOptions = {}): Promise<Served> {
    await using started = new AsyncDisposableStack();
    const mcpServers: Record<string, { url: string }> = {};
    for (const [name, behaviour] of Object.entries(options.mcp ?? {})) {
      mcpServers[name] = { url: started.use(await startScriptedMcp(behaviour)).url };
    }
    const served = new Served(options, mcpServers);
    served.#mcp = started.move();
    try {
      served.#server = await serveInProcess({ dataDir: served.dataDir, args: served.args, env: served.env });
      return served;
    } catch (thrown) {
      await served[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  get log(): string {
    return this.#server?.log() ?? '';
  }

  /** What it wrote to stdout since the last start. */
  get stdout(): string {
    return this.#server?.stdout() ?? '';
  }

  /** Shuts down cleanly, like SIGTERM. */
  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  /** Shuts down cleanly, and starts again on the same port and folder. */
  async restart(): Promise<void> {
    await this.#server?.restart();
  }

  protected override async close(): Promise<void> {
    await this.stop();
    await this.#mcp.disposeAsync();
  }
}

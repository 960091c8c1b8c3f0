import type { ServedOptions } from './served-api.ts';
import { ServedApi } from './served-api.ts';
import type { ServeInProcess } from './serve-in-process.ts';
import { serveInProcess } from './serve-in-process.ts';

/** A `toolyard serve` in this process. Tests about the process itself start a `ServedProcess`. */
export class Served extends ServedApi {
  #server: ServeInProcess | undefined;

  /** Rejects with what it wrote to stderr if it does not start. */
  static async start(options: ServedOptions = {}): Promise<Served> {
    const served = new Served(options);
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

  /** An orderly end, as by SIGTERM. */
  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  /** An orderly end, and a start on the same port and folder. */
  async restart(): Promise<void> {
    await this.#server?.restart();
  }

  protected override close(): Promise<void> {
    return this.stop();
  }
}

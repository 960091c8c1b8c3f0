import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, RunRecord } from '@toolyard/protocol';
import type { McpBehaviour } from '@toolyard/testing';
import { eventually } from '@toolyard/testing';

export type ServedOptions = {
  /** The URL of a scripted model server. */
  model?: string;
  /** MCP servers by name, for `mcp.json` of the data folder. */
  mcp?: Readonly<Record<string, McpBehaviour>>;
  /** A data folder that exists already, instead of a new one. */
  dataDir?: string;
  /** True also starts the bundled date server. */
  date?: boolean;
  args?: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
};

/** A `toolyard serve` of a test: its data folder, which outlives the process, and its HTTP API. */
export abstract class ServedApi implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'toolyard-served-'));
  readonly dataDir: string;
  /** Arguments of `toolyard serve`, apart from folder and port. */
  protected readonly args: readonly string[];
  protected readonly env: Readonly<Record<string, string | undefined>>;

  /** @param mcpServers entries of `mcp.json`, for a new data folder */
  constructor(
    { model, dataDir, date = false, args = [], env = {} }: ServedOptions,
    mcpServers: Readonly<Record<string, object>>,
  ) {
    this.dataDir = dataDir ?? join(this.folder, 'data');
    this.args = [...(date ? [] : ['--no-date']), ...args];
    this.env = { ...(model === undefined ? {} : { OPENAI_BASE_URL: model, OPENAI_API_KEY: 'k' }), ...env };
    mkdirSync(this.dataDir, { recursive: true });
    if (dataDir !== undefined) return;
    writeFileSync(join(this.dataDir, 'mcp.json'), JSON.stringify({ mcpServers }));
  }

  abstract get url(): string;
  /** What it wrote to stderr, over all starts. */
  abstract get log(): string;

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}${path}`);
    return (await response.json()) as T;
  }

  async post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as T;
  }

  /** The latest run that is executing, but for known ones, once the first text of its answer is stored. */
  async answering(known: readonly RunRecord[] = []): Promise<RunRecord> {
    const latest = async () => {
      const { items } = await this.get<Page<RunRecord>>('/api/runs?status=running');
      return items.find(({ id }) => known.every((run) => run.id !== id));
    };
    const run = await eventually(latest, { what: 'a run' });
    // Not the number of events: text deltas that arrive together are stored as one.
    const done = new AbortController();
    const { body } = await fetch(`${this.url}/api/runs/${run.id}/events`, { signal: done.signal });
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      if (text.includes('"type":"text_delta"')) break;
    }
    done.abort();
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  protected abstract close(): Promise<void>;
}

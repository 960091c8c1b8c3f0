import type { McpConfigEntry, ServerEntry } from '@toolyard/mcp-host/node';
import { McpConfigFile, watchConfigFile } from '@toolyard/mcp-host/node';
import type { Clock, ErrorInfo } from '@toolyard/protocol';
import { ToolyardError, toErrorInfo } from '@toolyard/protocol';
import { closeOrWarn } from '../secrets/private-file.ts';

/** How long a file that is gone may stay away, as while an editor replaces it, before it counts as empty. Milliseconds. */
const ABSENCE_MS = 1_000;

export type McpJsonWatcherOptions = {
  path: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: (line: string) => void;
  /** What it says has changed, or whether it can be read. */
  onChange(): void;
};

/** The `mcp.json` of a data folder as it was when it could be read last. */
export class McpJsonWatcher {
  readonly #options: McpJsonWatcherOptions;
  readonly #file: McpConfigFile;
  #text: string | null = null;
  #entries: McpConfigEntry[] = [];
  #fault: ErrorInfo | undefined;
  /** What was logged of single servers, as they are now. */
  #told: string[] = [];
  #endWatch: (() => void) | undefined;
  #callOff: (() => void) | undefined;
  #isWarned = false;

  constructor(options: McpJsonWatcherOptions) {
    this.#options = options;
    this.#file = new McpConfigFile(options);
    this.#read();
  }

  get entries(): readonly McpConfigEntry[] {
    return this.#entries;
  }

  /** False where there is no such file; the servers are those of none. */
  get exists(): boolean {
    return this.#text !== null;
  }

  /** What is wrong with the file as a whole, while it is. */
  get fault(): ErrorInfo | undefined {
    return this.#fault;
  }

  get source(): McpConfigFile['source'] {
    return this.#file.source;
  }

  /** Hears of changes from here on. */
  watch(): void {
    this.#endWatch ??= watchConfigFile(this.#file.path, this.#options.clock, () => this.#look());
  }

  close(): void {
    this.#endWatch?.();
    this.#callOff?.();
  }

  /** @throws ToolyardError `conflict` where the file cannot be read or written */
  write(id: string, entry: ServerEntry): void {
    this.#file.write(id, entry);
    this.#read();
  }

  /** @throws ToolyardError as {@link McpJsonWatcher.write} does */
  remove(id: string): void {
    this.#file.remove(id);
    this.#read();
  }

  #look(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    const text = this.#textNow();
    const isGone = text === null || text?.trim() === '';
    if (!isGone || this.#entries.length === 0) return this.#changedTo(text);
    // A program that writes in place empties the file first; one that replaces it may take it away for a moment.
    this.#callOff = this.#options.clock.after(ABSENCE_MS, () => {
      this.#callOff = undefined;
      this.#changedTo(this.#textNow());
    });
  }

  #changedTo(text: string | null | undefined): void {
    if (text === undefined || text === this.#text) return;
    this.#read(text);
    this.#options.onChange();
  }

  /** Undefined where the file cannot be read just now. */
  #textNow(): string | null | undefined {
    try {
      return this.#file.text();
    } catch {
      return undefined;
    }
  }

  /** What cannot be read leaves everything as it was, and says so. */
  #read(given?: string | null): void {
    const { log } = this.#options;
    this.#close();
    try {
      this.#text = given === undefined ? this.#file.text() : given;
      this.#entries = this.#file.entries(this.#text);
      if (this.#fault !== undefined) log(`${this.#file.name} can be read again.`);
      this.#fault = undefined;
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      const kept = this.#entries.length > 0 ? ' What it said before still counts.' : '';
      this.#fault = { ...toErrorInfo(thrown), message: `${thrown.message}${kept}` };
      log(this.#fault.message);
      return;
    }
    const lines = this.#entries.flatMap((entry) => this.#remarksOn(entry));
    for (const line of lines) if (!this.#told.includes(line)) log(line);
    this.#told = lines;
  }

  /** Editors and other programs may replace the file with one that has another mode. */
  #close(): void {
    closeOrWarn(this.#file.path, (line) => {
      if (!this.#isWarned) this.#options.log(line);
      this.#isWarned = true;
    });
  }

  #remarksOn(entry: McpConfigEntry): string[] {
    if ('fault' in entry) return [`${entry.fault.message} The server is left out.`];
    const { id, line, switches } = entry;
    if (switches.allowedTools.length === 0) return [];
    const where = `${this.#file.name}, line ${line}: server "${id}"`;
    return [`${where} names tools that may run without asking; Toolyard asks all the same, and keeps what is decided.`];
  }
}

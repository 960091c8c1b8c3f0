import type { McpConfigEntry, ServerEntry } from '@toolyard/mcp-host/node';
import { McpConfigFile, watchConfigFile } from '@toolyard/mcp-host/node';
import type { Clock, ErrorInfo } from '@toolyard/protocol';
import { ToolyardError, toErrorInfo, messageText, createErrorInfo, say } from '@toolyard/protocol';
import { closeOrWarn } from '../secrets/private-file.ts';

/** How long the file may be missing, such as while an editor replaces it, before it counts as empty. Milliseconds. */
const ABSENCE_MS = 1_000;

export type McpJsonWatcherOptions = {
  path: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: (line: string) => void;
  /** Called when the entries or the fault of the file changed. */
  onChange(): void;
};

/** The last readable version of `mcp.json` in a data folder. */
export class McpJsonWatcher {
  readonly #options: McpJsonWatcherOptions;
  readonly #file: McpConfigFile;
  #text: string | null = null;
  #entries: McpConfigEntry[] = [];
  #fault: ErrorInfo | undefined;
  /** Last logged problems of single entries. */
  #loggedProblems: string[] = [];
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

  /** False if there is no such file, and therefore no entries. */
  get exists(): boolean {
    return this.#text !== null;
  }

  /** The current fault of the file as a whole. */
  get fault(): ErrorInfo | undefined {
    return this.#fault;
  }

  get source(): McpConfigFile['source'] {
    return this.#file.source;
  }

  /** Starts watching for changes. */
  watch(): void {
    this.#endWatch ??= watchConfigFile(this.#file.path, this.#options.clock, () => this.#look());
  }

  close(): void {
    this.#endWatch?.();
    this.#callOff?.();
  }

  /** @throws ToolyardError `conflict` if the file cannot be read or written */
  write(id: string, entry: ServerEntry): void {
    this.#file.write(id, entry);
    this.#read();
  }

  /** @throws ToolyardError like {@link McpJsonWatcher.write} */
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
    // Programs that write in place empty the file first; those that replace it may remove it for a moment.
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

  /** Undefined if the file cannot be read now. */
  #textNow(): string | null | undefined {
    try {
      return this.#file.text();
    } catch {
      return undefined;
    }
  }

  /** An unreadable file changes nothing and is reported. */
  #read(newText?: string | null): void {
    const { log } = this.#options;
    this.#close();
    try {
      this.#text = newText === undefined ? this.#file.text() : newText;
      this.#entries = this.#file.entries(this.#text);
      if (this.#fault !== undefined) log(`${this.#file.name}: readable again`);
      this.#fault = undefined;
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      const message = messageText(thrown);
      const text = this.#entries.length > 0 ? say`${message} The previous version stays in use.` : message;
      this.#fault = createErrorInfo({ ...toErrorInfo(thrown), message: text });
      log(this.#fault.message);
      return;
    }
    const lines = this.#entries.flatMap((entry) => this.#remarksOn(entry));
    for (const line of lines) if (!this.#loggedProblems.includes(line)) log(line);
    this.#loggedProblems = lines;
  }

  /** Corrects the mode: editors and other programs may replace the file. */
  #close(): void {
    closeOrWarn(this.#file.path, (line) => {
      if (!this.#isWarned) this.#options.log(line);
      this.#isWarned = true;
    });
  }

  #remarksOn(entry: McpConfigEntry): string[] {
    if ('fault' in entry) return [`${entry.fault.message} The server is skipped.`];
    const { id, line, switches } = entry;
    if (switches.allowedTools.length === 0) return [];
    const where = `${this.#file.name}, line ${line}: server "${id}"`;
    return [`${where} lists tools that run without approval; Toolyard ignores this and uses its own permissions.`];
  }
}

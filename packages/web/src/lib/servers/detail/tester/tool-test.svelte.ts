import type { JsonObject, McpToolTest, McpToolView } from '@toolyard/protocol';
import { isAbortError } from '@toolyard/protocol';
import type { CallExplanation } from '../../../rules/explain-call.ts';
import type { FailureText } from '../../attempt.svelte.ts';
import { failureText } from '../../attempt.svelte.ts';
import type { ShownServer } from '../../shown-server.ts';
import { createLogReader } from '../browser-log.ts';
import { LogFollower } from '../log-follower.svelte.ts';
import { progressInLog } from './replay.ts';
import { testTool, getVerdict } from './test-tool.ts';

/** Calls of one tool that a user makes by hand, one at a time. */
export class ToolTest {
  /** Null while nothing runs. */
  running: AbortController | null = $state.raw(null);
  outcome: McpToolTest | null = $state.raw(null);
  error: FailureText | null = $state.raw(null);
  verdict: CallExplanation | null = $state.raw(null);
  wasCancelled = $state(false);
  readonly #server: ShownServer;
  readonly #tool: { view: McpToolView; inputSchema: JsonObject };
  /** The log has the progress reports of servers of both places. */
  readonly #log: LogFollower;
  #since = $state(0);
  #judged = 0;

  constructor(server: ShownServer, tool: { view: McpToolView; inputSchema: JsonObject }) {
    this.#server = server;
    this.#tool = tool;
    this.#log = new LogFollower(createLogReader(server));
  }

  readonly progress = $derived.by(() =>
    this.running === null ? undefined : progressInLog(this.#log.entries, this.#since),
  );

  /** Updates the verdict; the last request counts. */
  async judge(args: JsonObject): Promise<void> {
    const turn = ++this.#judged;
    const verdict = await getVerdict({ server: this.#server, ...this.#tool, args }).catch(() => null);
    if (turn === this.#judged) this.verdict = verdict;
  }

  async run(args: JsonObject, evenIfFlagged = false): Promise<void> {
    if (this.running !== null) return;
    const running = new AbortController();
    this.running = running;
    this.#clear();
    // The clock of the server may differ; reports that were there before do not count.
    await this.#log.read();
    this.#since = (this.#log.entries.at(-1)?.at ?? 0) + 1;
    const stopLog = this.#log.start(500);
    try {
      this.outcome = await testTool({ server: this.#server, ...this.#tool, args }, evenIfFlagged, running.signal);
    } catch (thrown) {
      if (isAbortError(thrown)) this.wasCancelled = true;
      else this.error = failureText(thrown);
    } finally {
      stopLog();
      this.running = null;
    }
  }

  cancel(): void {
    this.running?.abort();
  }

  #clear(): void {
    this.outcome = null;
    this.error = null;
    this.wasCancelled = false;
  }
}

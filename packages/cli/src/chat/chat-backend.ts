import type { ErrorInfo, Message, RunEvent, ToolyardError } from '@toolyard/protocol';

/** A run under way, wherever it executes: what happens in it, and the way to stop it. */
export type ChatRun = AsyncIterable<RunEvent> & {
  /** Settles when the run is over, or can be followed no further; rejects with why. */
  readonly result: Promise<{ status: 'done' | 'cancelled' }>;
  /** Stops it; what was said is kept. */
  cancel(): void;
  /** Says something to it while it is under way: it is heard at its next step. */
  steer(text: string): void;
  /** Once it is over: what it did not hear, as text to be asked again, or as the run that answers it already. */
  undelivered(): Promise<readonly (string | ChatRun)[]>;
};

/** Whom a chat talks with: the loop of this process, or a running server. Each holds one conversation at a time. */
export type ChatBackend = {
  ask(question: string): ChatRun;
  /** Goes on where the last answer was cut. Throws, or its result rejects with, ToolyardError where none was. */
  continue(): ChatRun;
  /** What was said, on the current branch. */
  history(): Promise<readonly Message[]>;
  /** What is said from now on begins a new conversation. */
  clear(): void;
  /** A line for each tool, and for each server that is not there. */
  tools(): Promise<readonly string[]>;
  models(): Promise<readonly { name: string; current: boolean }[]>;
  /** Another model for what is said from now on; gives its name. Throws ToolyardError where it is not on offer. */
  useModel(name: string): Promise<string>;
  /** A failure with what the person needs to mend it. */
  explain(error: ToolyardError): Promise<ToolyardError>;
};

/** An MCP server as a chat tells of it. */
export type ServerSummary = {
  id: string;
  state: string;
  tools: number;
  skipped: readonly { name: string; reason: string }[];
  error?: ErrorInfo;
};

import type { ErrorInfo, Message, RunEvent, ToolyardError } from '@toolyard/protocol';

/** A run in progress, in this process or on a server. Iterate it for its events. */
export type ChatRun = AsyncIterable<RunEvent> & {
  /** Resolves when the run has ended; rejects if it failed or can no longer be followed. */
  readonly result: Promise<{ status: 'done' | 'cancelled' }>;
  /** Cancels the run; its messages are kept. */
  cancel(): void;
  /** Sends a message into the run, which receives it before its next model request. */
  steer(text: string): void;
  /** After the end: messages that the run did not receive, as text, or as the run that already answers them. */
  undelivered(): Promise<readonly (string | ChatRun)[]>;
};

/** Executes a chat: in this process, or on a running server. Holds one conversation at a time. */
export type ChatBackend = {
  ask(message: string): ChatRun;
  /** Continues an answer that was cut off. Throws ToolyardError, or its result rejects with it, if no answer was cut off. */
  continue(): ChatRun;
  /** The messages of the current branch. */
  history(): Promise<readonly Message[]>;
  /** The next message starts a new conversation. */
  clear(): void;
  /** One line per tool, and per unavailable server. */
  tools(): Promise<readonly string[]>;
  models(): Promise<readonly { name: string; current: boolean }[]>;
  /** Changes the model for the next messages. Returns its name. @throws ToolyardError for an unknown model */
  useModel(name: string): Promise<string>;
  /** Adds a hint to an error. */
  explain(error: ToolyardError): Promise<ToolyardError>;
};

/** An MCP server, for the list at the start of a chat. */
export type ServerSummary = {
  id: string;
  state: string;
  tools: number;
  skipped: readonly { name: string; reason: string }[];
  error?: ErrorInfo;
};

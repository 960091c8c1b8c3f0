import type { Owner } from '@toolyard/protocol';

/** A process over the database that has said that it lives. */
export type LiveProcess = {
  id: string;
  role: string;
  /** Where other processes reach it; null where they do not. */
  address: string | null;
};

/** An MCP server as the process says that has it, or had it last. */
export type LeasedServer = {
  serverId: string;
  /** The process that has it now; null where none does. */
  holder: { id: string; address: string | null } | null;
  /** Grows with every word about it. */
  version: number;
  /** What was last said of it, as JSON; null where nothing was. */
  catalogue: string | null;
};

/**
 * Which processes share a database, and which of them has which MCP server. All of it is timed by the clock of the
 * database; who does not say for a while that it lives, has nothing any more.
 */
export type Processes = {
  /** This process lives for so many milliseconds more. Gives the servers it still has, which it has as long. */
  live(process: LiveProcess & { startedAt: number }, ms: number): Promise<{ ownerId: string; serverId: string }[]>;
  /** Takes those of these servers that nobody has, and gives which they were. */
  take(principal: Owner, holder: LiveProcess, serverIds: readonly string[], ms: number): Promise<string[]>;
  /** Others may take them. */
  giveBack(principal: Owner, holderId: string, serverIds: readonly string[]): Promise<void>;
  /** Says what there is to say of a server. False, and nothing is said, where another process has it. */
  say(principal: Owner, holderId: string, serverId: string, catalogue: string): Promise<boolean>;
  /** Those that live. */
  living(): Promise<LiveProcess[]>;
  servers(principal: Owner): Promise<LeasedServer[]>;
  /** This process ends: it has nothing any more. */
  leave(id: string): Promise<void>;
};

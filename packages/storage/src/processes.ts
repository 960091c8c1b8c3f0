import type { Owner } from '@toolyard/protocol';

/** A process with a current heartbeat. */
export type LiveProcess = {
  id: string;
  role: string;
  /** URL at which other processes reach it; null if they do not. */
  address: string | null;
};

/** An MCP server as described by the process that holds it, or held it last. */
export type LeasedServer = {
  serverId: string;
  /** The process that holds it; null if none. */
  holder: { id: string; address: string | null } | null;
  /** Incremented with every change. */
  version: number;
  /** The last description of it as JSON; null before the first. */
  catalogue: string | null;
};

/**
 * Which processes share a database, and which MCP servers each holds. Timed by the clock of the database; a process
 * whose heartbeat expires loses its servers.
 */
export type Processes = {
  /**
   * Heartbeat: extends the life of this process and the leases of its servers by `ms`. Returns the servers it still
   * holds.
   */
  heartbeat(process: LiveProcess & { startedAt: number }, ms: number): Promise<{ ownerId: string; serverId: string }[]>;
  /** Takes those of these servers that no process holds, and returns them. */
  take(principal: Owner, holder: LiveProcess, serverIds: readonly string[], ms: number): Promise<string[]>;
  /** Releases servers, so that others can take them. */
  release(principal: Owner, holderId: string, serverIds: readonly string[]): Promise<void>;
  /** Stores the description of a server. False, without a change, if another process holds it. */
  publish(principal: Owner, holderId: string, serverId: string, catalogue: string): Promise<boolean>;
  /** Processes with a current heartbeat. */
  listLive(): Promise<LiveProcess[]>;
  servers(principal: Owner): Promise<LeasedServer[]>;
  /** Removes this process and releases its servers. */
  remove(id: string): Promise<void>;
};

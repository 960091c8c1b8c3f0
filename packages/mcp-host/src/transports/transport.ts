import type { RequestId, Transport } from '@modelcontextprotocol/client';
import type { Clock, Fetch, McpIsolation } from '@toolyard/protocol';
import type { LogEntry, TransportConfig } from '../types.ts';

/** Why a connection ended, as far as its transport knows. */
export type TransportEnd =
  | {
      kind: 'not_started';
      reason: 'command_not_found' | 'not_executable' | 'no_such_folder' | 'other';
      command: string;
      cwd?: string;
      detail: string;
    }
  | { kind: 'exited'; code: number | null; signal: string | null; stderr: readonly string[] }
  | { kind: 'line_too_long'; limitBytes: number }
  /** A sandboxed server used more of the machine than a limit allows, and was stopped. */
  | { kind: 'over_limit'; limit: 'memoryMb' | 'processes' | 'writtenMb' | 'fileMb'; value: number }
  /** The endpoint does not respond, or not with this transport. */
  | { kind: 'unreachable'; detail: string }
  /** The server closed an open connection. */
  | { kind: 'hung_up'; detail?: string };

/** An SDK transport that also reports how it ended. `close()` is idempotent. */
export type HostTransport = Transport & {
  /** Set before `start()` rejects or `onclose` is called; absent if unknown. */
  readonly end?: TransportEnd | undefined;
  /** Called when notifications may have been missed, because their stream was only now opened or reopened. */
  onopened?: ((isFirst: boolean) => void) | undefined;
  /**
   * Called before `onmessage` for a server request that arrived on the stream of one of our requests, to which it
   * belongs. Transports with a single stream never call it.
   */
  oncarried?: ((serverRequest: RequestId, carriedBy: RequestId) => void) | undefined;
  /** True if the peer is another Toolyard process that is connected to the server; it gets the caller of each call. */
  relays?: boolean;
  /** The number of received lines that were not MCP messages. */
  readonly noiseLines?: number | undefined;
  /** How a child process is isolated, once started. */
  readonly isolation?: McpIsolation | undefined;
  /** Called when the sandbox of a child process denied access. */
  onblocked?: (() => void) | undefined;
  /** The last lines of a child process on standard error, oldest first. */
  readonly lastStderr?: readonly string[] | undefined;
};

/** What a transport gets in addition to its configuration. */
export type TransportContext = {
  serverId: string;
  clock: Clock;
  /** Adds an entry to the server's log. `source`: written by the server itself (stderr). */
  log(level: LogEntry['level'], text: string, source?: 'server'): void;
  /** Adds the server's token to its requests; absent if the owner stores no sign-ins. */
  sign?(fetch: Fetch): Fetch;
  /** Aborted when the transport being created is no longer needed. */
  signal?: AbortSignal;
};

/** Creates a new, unstarted transport for each connection attempt. */
export type CreateTransport = (
  config: TransportConfig,
  context: TransportContext,
) => HostTransport | Promise<HostTransport>;

import type { RequestId, Transport } from '@modelcontextprotocol/client';
import type { Clock, Fetch, McpIsolation } from '@toolyard/protocol';
import type { LogEntry, TransportConfig } from '../types.ts';

/** Why a connection ended, as far as its transport can tell. */
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
  /** Nobody answered at the address, or not in the way this transport needs. */
  | { kind: 'unreachable'; detail: string }
  /** The other side ended a connection that stood. */
  | { kind: 'hung_up'; detail?: string };

/** An SDK transport that can also say how it ended. `close()` may be called any number of times. */
export type HostTransport = Transport & {
  /** Set before `start()` rejects or `onclose` is called; absent where the transport knows nothing. */
  readonly end?: TransportEnd | undefined;
  /** Called when announcements may have been missed: the stream that carries them stands only now, or again. */
  onopened?: ((isFirst: boolean) => void) | undefined;
  /**
   * Called before `onmessage` with a request of the server that came on the stream of one of ours: it belongs to that
   * one. Transports with one stream for everything never call it.
   */
  oncarried?: ((serverRequest: RequestId, carriedBy: RequestId) => void) | undefined;
  /** True where another process of Toolyard is reached, which has the server: it is told who makes a call. */
  relays?: boolean;
  /** How many lines came from the server that were no MCP. */
  readonly noiseLines?: number | undefined;
  /** How a child process is isolated, once it was started. */
  readonly isolation?: McpIsolation | undefined;
  /** Called when the sandbox of a child process has refused something. */
  onblocked?: (() => void) | undefined;
  /** The last lines a child process wrote to its standard error, oldest first. */
  readonly lastStderr?: readonly string[] | undefined;
};

/** What a transport is given beside its configuration. */
export type TransportContext = {
  serverId: string;
  clock: Clock;
  /** Adds a line to the server's log. `source` says whether the server wrote it itself (its stderr). */
  log(level: LogEntry['level'], text: string, source?: 'server'): void;
  /** Puts the token of the server on its requests; absent where the owner keeps no sign-ins. */
  sign?(fetch: Fetch): Fetch;
  /** Aborted when nobody waits for the transport any more that is being made. */
  signal?: AbortSignal;
};

/** Makes a fresh, unstarted transport; one is needed for every attempt to connect. */
export type CreateTransport = (
  config: TransportConfig,
  context: TransportContext,
) => HostTransport | Promise<HostTransport>;

import { defined } from '@toolyard/protocol';
import { McpConnection } from '../connection/connection.ts';
import type { EraMemory } from '../connection/era-memory.ts';
import type { McpHostOptions } from './host-options.ts';
import type { SignIns } from '../oauth/sign-ins.ts';
import { redactorFor } from '../log/redact.ts';
import { OpenRequests } from '../server-requests/open-requests.ts';
import type { ResourceStore } from '../catalogue/resource-store.ts';
import { ServerLog } from '../log/server-log.ts';
import { ManagedServer } from './managed-server.ts';
import type { Caller, LogEntry, LogLevel, ServerConfig } from '../types.ts';
import { WireLog } from '../log/wire-log.ts';

const MAX_RECONNECTS = 10;
const WIRE_MESSAGES = 200;

/** What an entry needs from its host. */
export type EntryParts = {
  options: McpHostOptions;
  eraMemory: EraMemory;
  signIns: SignIns;
  resources: () => ResourceStore;
  logLevel: () => LogLevel | undefined;
  onChange: (entry: ManagedServer) => void;
};

/** @param after what must settle before it may connect: an older server with the same id that is being closed */
export function makeManagedServer(config: ServerConfig, after: Promise<unknown>, parts: EntryParts): ManagedServer {
  const { options, eraMemory, signIns, resources, logLevel, onChange } = parts;
  const { createTransport, clock, clientInfo, handlers = {}, maxReconnects = MAX_RECONNECTS } = options;
  const log = new ServerLog();
  const wire = new WireLog(clock, redactorFor(config), options.wireMessages ?? WIRE_MESSAGES);
  const note = (line: LogEntry, source?: 'server'): void => {
    const added = log.add(line, source);
    options.log?.(config.id, added);
  };
  const auth = signIns.add(config, {
    note: (level, text) => note({ at: clock.now(), phase: 'transport_ready', level, text }),
    onChange: () => onChange(entry),
    onSignedIn: () => entry.signedIn(),
  });
  const requests = new OpenRequests((text) => note({ at: clock.now(), phase: 'connected', level: 'warning', text }));
  const isRooted = options.callerRoots === true && handlers.roots === undefined && config.transport.type === 'stdio';
  const createRoots = (initial: readonly string[], reserve?: (caller: Caller) => boolean) =>
    isRooted ? { roots: { habit: entry.rootsHabit, initial, ...defined({ reserve }) } } : {};
  const ofAll = () => ({
    config,
    createTransport,
    clock,
    clientInfo,
    eraMemory,
    handlers,
    wire,
    logLevel: logLevel(),
    auth,
    requests,
    onAmbiguous: () => {
      if (entry.calls.isInteractive) return;
      entry.calls.becomeInteractive();
      const text =
        'The server sent a request while several calls were in flight, without naming the call. From now on each conversation has its own connection.';
      note({ at: clock.now(), phase: 'connected', level: 'info', text });
      onChange(entry);
    },
  });
  const entry: ManagedServer = new ManagedServer({
    config,
    after,
    clock,
    log,
    wire,
    auth,
    maxReconnects,
    jitter: options.jitter ?? Math.random,
    onChange: () => onChange(entry),
    onReady: () => {
      void resources()
        .resubscribe(config.id)
        .then((error) => {
          if (error === undefined) return;
          const text = `Its resource subscriptions could not be renewed: ${error.message}`;
          log.add({ at: clock.now(), phase: 'connected', level: 'warning', text });
        });
    },
    makeConnection: (onLost) => {
      entry.calls.firstReplaced();
      return new McpConnection({
        ...ofAll(),
        ...createRoots([], (caller) => entry.calls.reserveFirst({ caller })),
        note,
        onChange: () => onChange(entry),
        onLost,
        onUpdated: (uri) => resources().updated(config.id, uri),
      });
    },
    makeExtraConnection: (onLost, roots) =>
      new McpConnection({
        ...ofAll(),
        ...createRoots(roots),
        tools: () => entry.tools,
        note: (line, source) => note({ ...line, text: `Connection of a conversation: ${line.text}` }, source),
        onChange: () => undefined,
        onLost,
        onUpdated: () => undefined,
      }),
  });
  return entry;
}

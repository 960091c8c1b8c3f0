import { McpConnection } from '../connection/connection.ts';
import type { EraMemory } from '../connection/era-memory.ts';
import type { McpHostOptions } from './host-options.ts';
import type { SignIns } from '../oauth/sign-ins.ts';
import { redactorFor } from '../log/redact.ts';
import type { ResourceStore } from '../catalogue/resource-store.ts';
import { ServerLog } from '../log/server-log.ts';
import { ServerSlot } from './server-slot.ts';
import type { LogEntry, LogLevel, ServerConfig } from '../types.ts';
import { WireLog } from '../log/wire-log.ts';

const MAX_RECONNECTS = 10;
const WIRE_MESSAGES = 200;

/** One server of a host with what is kept of it, whatever becomes of its connections. */
export type Place = { slot: ServerSlot; wire: WireLog; log: ServerLog };

/** What a place needs of its host. */
export type PlaceParts = {
  options: McpHostOptions;
  eraMemory: EraMemory;
  signIns: SignIns;
  resources: () => ResourceStore;
  logLevel: () => LogLevel | undefined;
  onChange: (slot: ServerSlot) => void;
};

/** @param after what has to be over before it may connect: an older server of the same id that is being left */
export function makePlace(config: ServerConfig, after: Promise<unknown>, parts: PlaceParts): Place {
  const { options, eraMemory, signIns, resources, logLevel, onChange } = parts;
  const { createTransport, clock, clientInfo, handlers = {}, maxReconnects = MAX_RECONNECTS } = options;
  const log = new ServerLog();
  const wire = new WireLog(clock, redactorFor(config), options.wireMessages ?? WIRE_MESSAGES);
  const note = (entry: LogEntry, source?: 'server'): void => {
    log.add(entry, source);
    options.log?.(config.id, entry);
  };
  const auth = signIns.add(config, {
    note: (level, text) => note({ at: clock.now(), phase: 'transport_ready', level, text }),
    onChange: () => onChange(slot),
    onSignedIn: () => slot.signedIn(),
  });
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
    onAmbiguous: () => {
      if (slot.calls.isInteractive) return;
      slot.calls.becomeInteractive();
      const text =
        'It asked something while several calls were in flight, and did not say for which. From now on each conversation has a connection of its own.';
      note({ at: clock.now(), phase: 'connected', level: 'info', text });
      onChange(slot);
    },
  });
  const slot: ServerSlot = new ServerSlot({
    config,
    after,
    clock,
    log,
    auth,
    maxReconnects,
    jitter: options.jitter ?? Math.random,
    onChange: () => onChange(slot),
    onReady: () => {
      void resources()
        .followAnew(config.id)
        .then((error) => {
          if (error === undefined) return;
          const text = `Its resources could not be followed anew: ${error.message}`;
          log.add({ at: clock.now(), phase: 'connected', level: 'warning', text });
        });
    },
    makeConnection: (onLost) =>
      new McpConnection({
        ...ofAll(),
        note,
        onChange: () => onChange(slot),
        onLost,
        onUpdated: (uri) => resources().updated(config.id, uri),
      }),
    makeExtraConnection: (onLost) =>
      new McpConnection({
        ...ofAll(),
        tools: () => slot.tools,
        note: (entry, source) => note({ ...entry, text: `A conversation's own connection: ${entry.text}` }, source),
        onChange: () => undefined,
        onLost,
        onUpdated: () => undefined,
      }),
  });
  return { slot, wire, log };
}

import type { Implementation } from '@modelcontextprotocol/client';
import { Client, ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { statusOf } from './connect-failure.ts';
import type { EraMemory, EraRecord } from './era-memory.ts';
import { eraKey, saveEra, loadEra } from './era-memory.ts';
import type { ServerRequestRouter } from '../questions/server-request-router.ts';
import { RawResultTransport } from '../transports/raw-result-transport.ts';
import { withTasksExtension } from '../tasks/task-wire.ts';
import type { CreateTransport, HostTransport, TransportContext } from '../transports/transport.ts';
import type { ConnectionPhase, Era, TransportConfig } from '../types.ts';
import type { WireLog } from '../log/wire-log.ts';

/** How long a server whose era is unknown may think about `server/discover`, in milliseconds. */
const PROBE_MS = 5_000;

/** How long a server that refused Streamable HTTP may take to say that it is one of HTTP+SSE, in milliseconds. */
const SSE_MS = 5_000;

export type HandshakeOptions = {
  config: TransportConfig;
  createTransport: CreateTransport;
  context: TransportContext;
  clientInfo: Implementation;
  eraMemory: EraMemory;
  desk: ServerRequestRouter;
  wire: WireLog;
  /** Ends the attempt and everything it started. */
  signal: AbortSignal;
  timeoutMs: number;
  onPhase(phase: ConnectionPhase): void;
  /** Each transport as it is made, so that its owner knows what there is to close and to ask. */
  onTransport(transport: HostTransport): void;
};

/** A server that has said hello. */
export type Initialized = {
  client: Client;
  era: Era;
  transport: RawResultTransport;
  /** What the server was told that we can do. */
  capabilities: JsonObject;
};

/**
 * `probe` asks `server/discover` first and falls back on the same connection; `legacy` says `initialize` at once.
 * `afterSilence`: because the probe had no answer in its time, which says nothing about the server.
 */
type Way = { kind: 'legacy'; afterSilence?: true } | { kind: 'probe'; probeMs: number };

/**
 * Says hello to a server in whichever generation of MCP it speaks.
 *
 * The probe runs on the connection that will be used, not on a second child process: a modern server has then said
 * hello already, and an old one answers that it knows no such method and gets its `initialize` on the same pipe. Only
 * a server that exits at the unknown method is started a second time. What was found out is remembered, so that a
 * legacy server is probed once and not at every connect.
 *
 * Throws what the last attempt threw; by then its transport is closed.
 */
export async function handshake(options: HandshakeOptions): Promise<Initialized> {
  const { config, context, eraMemory } = options;
  const key = eraKey(config);
  const remembered = await loadEra(eraMemory, key, context.clock.now());
  if (config.type !== 'http') return greet(options, key, remembered);

  const older = { ...options, config: { ...config, type: 'sse' as const } };
  if (remembered?.transport === 'sse') {
    try {
      return await greetOverSse(older, key, remembered);
    } catch (thrown) {
      if (options.signal.aborted || statusOf(thrown) === undefined) throw thrown;
      await saveEra(eraMemory, key, undefined);
      context.log('info', 'The server no longer takes the older HTTP+SSE; trying Streamable HTTP.');
      return greet(options, key, undefined);
    }
  }
  try {
    return await greet(options, key, remembered);
  } catch (thrown) {
    if (options.signal.aborted || !mayBeSse(statusOf(thrown))) throw thrown;
    context.log('info', 'The server does not take Streamable HTTP; trying the older HTTP+SSE.');
    const patience = new AbortController();
    const sseMs = Math.min(SSE_MS, Math.ceil(options.timeoutMs / 3));
    const callOff = context.clock.after(sseMs, () => patience.abort());
    const signal = AbortSignal.any([options.signal, patience.signal]);
    try {
      return await greetOverSse({ ...older, signal }, key, remembered);
    } catch {
      // What the address said to the newer transport is the better account.
      throw thrown;
    } finally {
      callOff();
    }
  }
}

/** Every server of the newer protocol speaks Streamable HTTP: over this one nobody is asked for it. */
async function greetOverSse(
  options: HandshakeOptions,
  key: string,
  remembered: EraRecord | undefined,
): Promise<Initialized> {
  const tried = await tryOnce({ kind: 'legacy' }, options);
  if (!('session' in tried)) throw tried.thrown;
  await noteEraOf(options, key, remembered, tried.session, 'legacy', 'sse');
  return tried.session;
}

async function greet(options: HandshakeOptions, key: string, record: EraRecord | undefined): Promise<Initialized> {
  const { context, eraMemory, timeoutMs } = options;
  const remembered = record?.era;
  // A server known to be modern may take its time to start; for others a long probe is waiting for nothing.
  const patient: Way = { kind: 'probe', probeMs: Math.ceil(timeoutMs / 2) };
  const brief: Way = { kind: 'probe', probeMs: Math.min(PROBE_MS, Math.ceil(timeoutMs / 3)) };
  let way: Way = remembered === 'legacy' ? { kind: 'legacy' } : remembered === 'modern' ? patient : brief;

  for (let attempt = 1; ; attempt++) {
    const tried = await tryOnce(way, options);
    if ('session' in tried) {
      const { session, probeReply } = tried;
      // A modern server that was too slow for the probe went on as legacy; next time it gets more time.
      const era = probeReply === 'modern' ? 'modern' : session.era;
      await noteEraOf(options, key, record, session, era);
      return session;
    }

    const mayTryAgain = attempt === 1 || (way.kind === 'legacy' && way.afterSilence === true);
    const next = mayTryAgain && !options.signal.aborted ? nextWay(way, tried, patient, brief) : undefined;
    if (next === undefined) throw tried.thrown;
    if (remembered !== undefined) await saveEra(eraMemory, key, undefined);
    context.log('info', next.reason);
    way = next.way;
  }
}

async function noteEraOf(
  { eraMemory, context }: HandshakeOptions,
  key: string,
  before: EraRecord | undefined,
  { client }: Initialized,
  era: Era,
  transport?: 'sse',
): Promise<void> {
  if (before?.era === era && before.transport === transport) return;
  const protocolVersion = client.getNegotiatedProtocolVersion();
  await saveEra(eraMemory, key, {
    era,
    at: context.clock.now(),
    ...defined({ protocolVersion, transport }),
  });
}

type Tried =
  | { session: Initialized; probeReply: RawResultTransport['probeReply'] }
  | { thrown: unknown; end: HostTransport['end']; probeReply: RawResultTransport['probeReply'] };

async function tryOnce(way: Way, options: HandshakeOptions): Promise<Tried> {
  options.onPhase('transport_creating');
  const inner = await options.createTransport(options.config, { ...options.context, signal: options.signal });
  options.onTransport(inner);
  const transport = new RawResultTransport(inner, options.wire, () => {
    options.onPhase('transport_ready');
    options.onPhase('initializing');
  });
  const capabilities = withTasksExtension(options.desk.capabilities as JsonObject);
  const client = new Client(options.clientInfo, {
    capabilities,
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: way.kind === 'probe' ? way.probeMs : PROBE_MS } },
    inputRequired: { autoFulfill: false },
    // No result is ever thrown away for not fitting its schema: the call has been made.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  });
  options.desk.attach(client, transport);
  const onAbort = (): void => void inner.close();
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    options.signal.throwIfAborted();
    await client.connect(transport, {
      timeout: options.timeoutMs,
      ...(way.kind === 'legacy' ? { prior: { kind: 'legacy' } } : {}),
    });
    const era = client.getProtocolEra() ?? 'legacy';
    return { session: { client, era, transport, capabilities }, probeReply: transport.probeReply };
  } catch (thrown) {
    const { end } = inner;
    await inner.close();
    return { thrown, end, probeReply: transport.probeReply };
  } finally {
    options.signal.removeEventListener('abort', onAbort);
  }
}

function nextWay(
  way: Way,
  failed: Extract<Tried, { thrown: unknown }>,
  patient: Way,
  brief: Way,
): { way: Way; reason: string } | undefined {
  const { thrown, end, probeReply } = failed;
  if (way.kind === 'legacy') {
    const refused =
      thrown instanceof ProtocolError || (thrown instanceof SdkHttpError && mayBeModern(thrown.data.status));
    if (!refused) return undefined;
    return way.afterSilence === true
      ? { way: patient, reason: 'The server does not take the older handshake; asking for the newer one once more.' }
      : { way: brief, reason: 'The server no longer takes the older handshake; asking for the newer one.' };
  }
  if (probeReply === 'modern') {
    return { way: patient, reason: 'The server speaks the newer protocol but was slow to say so; trying once more.' };
  }
  if (end?.kind === 'exited') {
    return {
      way: { kind: 'legacy' },
      reason: 'The server exited at the question for the newer protocol; starting it again without.',
    };
  }
  if (end !== undefined) return undefined;
  const silent = thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout;
  const puzzled =
    silent ||
    (thrown instanceof SdkHttpError && thrown.data.status >= 500 && thrown.data.status !== 503) ||
    (thrown instanceof SdkError &&
      thrown.code === SdkErrorCode.EraNegotiationFailed &&
      isUnexpectedContent(thrown.cause));
  return puzzled
    ? {
        way: { kind: 'legacy', ...(silent ? { afterSilence: true } : {}) },
        reason: 'The server could not answer the question for the newer protocol; using the older handshake.',
      }
    : undefined;
}

/** What a server that only knows HTTP+SSE says to a POST at the address of its stream. */
function mayBeSse(status: number | undefined): boolean {
  return status === 400 || status === 404 || status === 405 || status === 415;
}

function mayBeModern(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function isUnexpectedContent(cause: unknown): boolean {
  return cause instanceof SdkError && cause.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

import type { Implementation } from '@modelcontextprotocol/client';
import { Client, ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { findStatus } from './connect-failure.ts';
import type { EraMemory, EraRecord } from './era-memory.ts';
import { eraKey, saveEra, loadEra } from './era-memory.ts';
import { LEGACY_VERSIONS, nextVersion } from './version-choice.ts';
import type { ServerRequestRouter } from '../server-requests/server-request-router.ts';
import { RawResultTransport } from '../transports/raw-result-transport.ts';
import { withTasksExtension } from '../tasks/task-wire.ts';
import type { CreateTransport, HostTransport, TransportContext } from '../transports/transport.ts';
import type { ConnectionPhase, Era, TransportConfig } from '../types.ts';
import type { WireLog } from '../log/wire-log.ts';

/** Timeout of `server/discover` for a server whose era is unknown, in milliseconds. */
const PROBE_MS = 5_000;

/** Timeout of the HTTP+SSE attempt for a server that rejected Streamable HTTP, in milliseconds. */
const SSE_MS = 5_000;

export type HandshakeOptions = {
  config: TransportConfig;
  createTransport: CreateTransport;
  context: TransportContext;
  clientInfo: Implementation;
  eraMemory: EraMemory;
  requestRouter: ServerRequestRouter;
  wire: WireLog;
  /** Aborts the attempt and everything it started. */
  signal: AbortSignal;
  timeoutMs: number;
  onPhase(phase: ConnectionPhase): void;
  /** Called with each transport when it is created, so that the owner can close and inspect it. */
  onTransport(transport: HostTransport): void;
};

/** An initialized connection. */
export type Initialized = {
  client: Client;
  era: Era;
  transport: RawResultTransport;
  /** The client capabilities sent to the server. */
  capabilities: JsonObject;
};

/**
 * `probe` sends `server/discover` first and falls back to `initialize` on the same connection; `legacy` sends
 * `initialize` at once. `afterSilence`: the probe timed out, which proves nothing about the era.
 */
type Strategy = { kind: 'legacy'; afterSilence?: true } | { kind: 'probe'; probeMs: number };

/**
 * Initializes a connection in the era of the server.
 *
 * The probe uses the connection itself instead of a second child process: a modern server is initialized by it, and a
 * legacy one answers "method not found" and gets `initialize` on the same pipe. Only a server that exits on the unknown
 * method is started a second time. The era is remembered, so that a legacy server is probed once rather than on every
 * connect.
 *
 * @throws what the last attempt threw; its transport is closed by then
 */
export async function handshake(options: HandshakeOptions): Promise<Initialized> {
  const { config, context, eraMemory } = options;
  const key = eraKey(config);
  const remembered = await loadEra(eraMemory, key, context.clock.now());
  if (config.type !== 'http') return initialize(options, key, remembered);

  const older = { ...options, config: { ...config, type: 'sse' as const } };
  if (remembered?.transport === 'sse') {
    try {
      return await initializeOverSse(older, key, remembered);
    } catch (thrown) {
      if (options.signal.aborted || findStatus(thrown) === undefined) throw thrown;
      await saveEra(eraMemory, key, undefined);
      context.log('info', 'The server no longer supports HTTP+SSE; trying Streamable HTTP.');
      return initialize(options, key, undefined);
    }
  }
  try {
    return await initialize(options, key, remembered);
  } catch (thrown) {
    if (options.signal.aborted || !mayBeSse(findStatus(thrown))) throw thrown;
    context.log('info', 'The server does not support Streamable HTTP; trying the older HTTP+SSE.');
    const sseTimeout = new AbortController();
    const sseMs = Math.min(SSE_MS, Math.ceil(options.timeoutMs / 3));
    const cancelTimer = context.clock.after(sseMs, () => sseTimeout.abort());
    const signal = AbortSignal.any([options.signal, sseTimeout.signal]);
    try {
      return await initializeOverSse({ ...older, signal }, key, remembered);
    } catch {
      // The error of Streamable HTTP describes the problem better.
      throw thrown;
    } finally {
      cancelTimer();
    }
  }
}

/** Every server with the modern era supports Streamable HTTP, so HTTP+SSE is never probed for it. */
async function initializeOverSse(
  options: HandshakeOptions,
  key: string,
  remembered: EraRecord | undefined,
): Promise<Initialized> {
  const outcome = await attempt({ kind: 'legacy' }, options, remembered?.offer, true);
  if (!('session' in outcome)) throw outcome.thrown;
  await rememberEra(options, key, remembered, outcome, 'legacy', 'sse');
  return outcome.session;
}

async function initialize(options: HandshakeOptions, key: string, record: EraRecord | undefined): Promise<Initialized> {
  const { context, eraMemory, timeoutMs } = options;
  const remembered = record?.era;
  // A server known to be modern may start slowly; for others a long probe only delays `initialize`.
  const longProbe: Strategy = { kind: 'probe', probeMs: Math.ceil(timeoutMs / 2) };
  const shortProbe: Strategy = { kind: 'probe', probeMs: Math.min(PROBE_MS, Math.ceil(timeoutMs / 3)) };
  let strategy: Strategy =
    remembered === 'legacy' ? { kind: 'legacy' } : remembered === 'modern' ? longProbe : shortProbe;

  for (let number = 1; ; number++) {
    // A server remembered as legacy that rejects the request may have become modern: that is tried first.
    const mayGuess = number > 1 || strategy.kind === 'probe' || record?.offer !== undefined;
    const outcome = await attempt(strategy, options, record?.offer, mayGuess);
    if ('session' in outcome) {
      const { session, probeReply } = outcome;
      // A modern server that was too slow for the probe continues as legacy; the next probe gets more time.
      const era = probeReply === 'modern' ? 'modern' : session.era;
      await rememberEra(options, key, record, outcome, era);
      return session;
    }

    const mayTryAgain = number === 1 || (strategy.kind === 'legacy' && strategy.afterSilence === true);
    const next =
      mayTryAgain && !options.signal.aborted ? nextStrategy(strategy, outcome, longProbe, shortProbe) : undefined;
    if (next === undefined) throw outcome.thrown;
    if (remembered !== undefined) await saveEra(eraMemory, key, undefined);
    context.log('info', next.reason);
    strategy = next.strategy;
  }
}

async function rememberEra(
  { eraMemory, context }: HandshakeOptions,
  key: string,
  before: EraRecord | undefined,
  { session: { client }, offer }: Extract<Attempt, { session: unknown }>,
  era: Era,
  transport?: 'sse',
): Promise<void> {
  if (before?.era === era && before.transport === transport && before.offer === offer) return;
  const protocolVersion = client.getNegotiatedProtocolVersion();
  await saveEra(eraMemory, key, {
    era,
    at: context.clock.now(),
    ...defined({ protocolVersion, transport, offer }),
  });
}

/** `offer`: the version that `initialize` offered, if it was not the newest. */
type Attempt =
  | { session: Initialized; probeReply: RawResultTransport['probeReply']; offer?: string | undefined }
  | {
      thrown: unknown;
      end: HostTransport['end'];
      probeReply: RawResultTransport['probeReply'];
      hasInitialized: boolean;
    };

/** Attempts with other versions while the server rejects the offered one; if all fail, the first failure counts. */
async function attempt(
  strategy: Strategy,
  options: HandshakeOptions,
  offer: string | undefined,
  mayGuess: boolean,
): Promise<Attempt> {
  const first = await attemptOnce(strategy, options, offer);
  const tried = [offer ?? LEGACY_VERSIONS[0] ?? ''];
  for (let last = first; ;) {
    if ('session' in last || !last.hasInitialized || options.signal.aborted) return 'session' in last ? last : first;
    const version = nextVersion(last.thrown, tried, mayGuess);
    if (version === undefined) return first;
    options.context.log('info', `The server rejected protocol version ${tried.at(-1) ?? ''}; trying ${version}.`);
    tried.push(version);
    last = await attemptOnce({ kind: 'legacy' }, options, version);
  }
}

async function attemptOnce(strategy: Strategy, options: HandshakeOptions, offer?: string): Promise<Attempt> {
  options.onPhase('transport_creating');
  const inner = await options.createTransport(options.config, { ...options.context, signal: options.signal });
  options.onTransport(inner);
  const transport = new RawResultTransport(inner, options.wire, () => {
    options.onPhase('transport_ready');
    options.onPhase('initializing');
  });
  const capabilities = withTasksExtension(options.requestRouter.capabilities as JsonObject);
  const client = new Client(options.clientInfo, {
    capabilities,
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: strategy.kind === 'probe' ? strategy.probeMs : PROBE_MS } },
    // The first legacy version is offered; the server may answer with any of them.
    ...(offer === undefined
      ? {}
      : { supportedProtocolVersions: [offer, ...LEGACY_VERSIONS.filter((version) => version !== offer)] }),
    inputRequired: { autoFulfill: false },
    // A result that does not match its schema is kept, because the call has been executed.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  });
  options.requestRouter.attach(client, transport);
  const onAbort = (): void => void inner.close();
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    options.signal.throwIfAborted();
    await client.connect(transport, {
      timeout: options.timeoutMs,
      ...(strategy.kind === 'legacy' ? { prior: { kind: 'legacy' } } : {}),
    });
    const era = client.getProtocolEra() ?? 'legacy';
    return { session: { client, era, transport, capabilities }, probeReply: transport.probeReply, offer };
  } catch (thrown) {
    const { end } = inner;
    await inner.close();
    return { thrown, end, probeReply: transport.probeReply, hasInitialized: transport.hasInitialized };
  } finally {
    options.signal.removeEventListener('abort', onAbort);
  }
}

function nextStrategy(
  strategy: Strategy,
  failed: Extract<Attempt, { thrown: unknown }>,
  longProbe: Strategy,
  shortProbe: Strategy,
): { strategy: Strategy; reason: string } | undefined {
  const { thrown, end, probeReply } = failed;
  if (strategy.kind === 'legacy') {
    const refused =
      thrown instanceof ProtocolError || (thrown instanceof SdkHttpError && mayBeModern(thrown.data.status));
    if (!refused) return undefined;
    return strategy.afterSilence === true
      ? { strategy: longProbe, reason: 'The server rejected the legacy handshake; trying the modern one again.' }
      : { strategy: shortProbe, reason: 'The server no longer accepts the legacy handshake; trying the modern one.' };
  }
  if (probeReply === 'modern') {
    return {
      strategy: longProbe,
      reason: 'The server supports the modern protocol but answered the probe too late; trying again.',
    };
  }
  if (end?.kind === 'exited') {
    return {
      strategy: { kind: 'legacy' },
      reason: 'The server exited on the modern probe; starting it again without the probe.',
    };
  }
  if (end !== undefined) return undefined;
  const timedOut = thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout;
  const isUnsupported =
    timedOut ||
    (thrown instanceof SdkHttpError && thrown.data.status >= 500 && thrown.data.status !== 503) ||
    (thrown instanceof SdkError &&
      thrown.code === SdkErrorCode.EraNegotiationFailed &&
      isUnexpectedContent(thrown.cause));
  return isUnsupported
    ? {
        strategy: { kind: 'legacy', ...(timedOut ? { afterSilence: true } : {}) },
        reason: 'The server did not answer the modern probe; using the legacy handshake.',
      }
    : undefined;
}

/** Statuses with which an HTTP+SSE server answers a POST to its stream URL. */
function mayBeSse(status: number | undefined): boolean {
  return status === 400 || status === 404 || status === 405 || status === 415;
}

function mayBeModern(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function isUnexpectedContent(cause: unknown): boolean {
  return cause instanceof SdkError && cause.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

import type { ErrorInfo, McpTestReport, McpTransportView, TextTemplate } from '@toolyard/protocol';
import { defined, ToolyardError, toErrorInfo, say, createErrorInfo } from '@toolyard/protocol';
import { serviceAddress } from '../hosted/hosted-config.ts';
import type { McpHostOptions } from './host-options.ts';
import { definitionTokens } from '../catalogue/definition-cost.ts';
import { inspectFindings } from './findings.ts';
import { McpHost } from './host.ts';
import { displayArguments, displayUrl, redactorFor } from '../log/redact.ts';
import type { ServerConfig, ServerHealth, TransportConfig } from '../types.ts';

/** How long resources and prompts may take after the tools are listed. Milliseconds. */
const REST_MS = 5_000;

/** Options of {@link inspectServer}. */
export type InspectOptions = Pick<
  McpHostOptions,
  'createTransport' | 'clock' | 'clientInfo' | 'eraMemory' | 'handlers' | 'callerRoots' | 'signIn'
> & {
  config: ServerConfig;
  /** Ends the inspection early; the report says so. */
  signal?: AbortSignal;
  /**
   * Called when connecting begins, with a function that returns the health; the function it returns is called when
   * connecting ends.
   */
  whileConnecting?: (health: () => readonly ServerHealth[]) => () => void;
};

/**
 * Connects to a server once, lists everything it offers, disconnects, and reports the result with findings. Never
 * throws for an error of the server; takes at most the connect timeout and a few seconds.
 *
 * @example
 * const report = await inspectServer({ config, createTransport, clock, clientInfo });
 * if (!report.ok) console.log(report.error?.message);
 */
export async function inspectServer(options: InspectOptions): Promise<McpTestReport> {
  const { clock, signal } = options;
  const { disabled: _disabled, ...config } = options.config;
  const { createTransport, clientInfo, eraMemory, handlers, callerRoots, signIn } = options;
  await using host = new McpHost({
    servers: [config],
    createTransport,
    clock,
    clientInfo,
    ...defined({ eraMemory, handlers, callerRoots, signIn }),
    maxReconnects: 0,
  });
  const startedAt = clock.monotonic();
  const over = options.whileConnecting?.(() => host.health());
  const error = await connect(host, config.id, signal);
  over?.();
  const ended = clock.now();
  const durationMs = Math.round(clock.monotonic() - startedAt);
  if (error === undefined) await host.whenListed(config.id, signal, REST_MS);
  await host.toolsUpToDate(config.id);
  return createReport({ host, config, error, ended, durationMs });
}

async function connect(host: McpHost, id: string, signal: AbortSignal | undefined): Promise<ErrorInfo | undefined> {
  const onAbort = (): void => void host.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted === true) throw createCancelledError();
    await host.connect(id);
    return undefined;
  } catch (thrown) {
    return toErrorInfo(signal?.aborted === true ? createCancelledError() : thrown);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

function createCancelledError(): ToolyardError {
  return new ToolyardError({ code: 'cancelled', message: say`The test was cancelled.` });
}

type Outcome = {
  host: McpHost;
  config: ServerConfig;
  error: ErrorInfo | undefined;
  ended: number;
  durationMs: number;
};

function createReport({ host, config, error, ended, durationMs }: Outcome): McpTestReport {
  const redact = redactorFor(config);
  const [health] = host.health();
  const tools = host.tools();
  const phases = health === undefined ? [] : listDurations(health.phases, ended);
  const { serverInfo, era, protocolVersion, instructions, capabilities, skipped = [], log = [] } = health ?? {};
  const templates = host.resources.templates(config.id).length;
  const measured = tools.map((tool) => ({ tool, tokens: definitionTokens(tool) }));
  return {
    ok: error === undefined,
    transport: shownTransport(config.transport),
    durationMs,
    phases,
    ...defined({ serverInfo, era, protocolVersion, instructions, capabilities }),
    offers: offersOf(health, tools.length, templates),
    tokens: measured.reduce((sum, { tokens }) => sum + tokens, 0),
    tools: measured
      .toSorted((one, other) => other.tokens - one.tokens)
      .map(({ tool: { tool, title, annotations }, tokens }) => ({
        name: tool.name,
        ...defined({ title }),
        tokens,
        readOnly: annotations?.readOnly === true,
      })),
    skipped,
    ...defined({ isolation: health?.isolation }),
    findings: health === undefined ? [] : inspectFindings({ health, tools, phases }),
    ...(error === undefined ? {} : { error: redactedError(error, redact) }),
    log: log.map(({ at, level, text }) => ({ at, level, text: redact(text) })),
  };
}

/** The last log entry ends the last phase. */
function listDurations(phases: ServerHealth['phases'], ended: number): McpTestReport['phases'] {
  const active = phases.filter(({ phase }) => phase !== 'connected' && phase !== 'disconnected' && phase !== 'error');
  return active.map(({ phase, at }) => {
    const next = phases[phases.findIndex((each) => each.phase === phase) + 1]?.at ?? ended;
    return { phase, durationMs: Math.max(0, Math.round(next - at)) };
  });
}

/**
 * Counts per kind; 0 for what the server does not offer, absent for what is not listed yet.
 *
 * @example
 * const [health] = host.health();
 * const { tools } = offersOf(health, host.tools().length, 0);
 */
export function offersOf(
  health: Pick<ServerHealth, 'state' | 'resourceCount' | 'promptCount'> | undefined,
  tools: number,
  templates: number,
): McpTestReport['offers'] {
  const { resourceCount, promptCount } = health ?? {};
  return {
    tools,
    ...(resourceCount === undefined ? {} : { resources: resourceCount, templates }),
    ...defined({ prompts: promptCount }),
  };
}

/**
 * How a server is reached, for display: without environment, headers, or parts of a URL that may be secret. `args`: as written in its entry.
 *
 * @example
 * const view = shownTransport({ type: 'http', url: 'https://example.com/mcp', headers: { 'x-key': 'secret' } });
 */
export function shownTransport(transport: TransportConfig, args?: readonly string[]): McpTransportView {
  if (transport.type === 'stdio') {
    const command = transport.command.split(/[\\/]/).at(-1) ?? transport.command;
    return { type: 'stdio', command, ...(args === undefined ? {} : { args: displayArguments(args) }) };
  }
  if (transport.type === 'in-memory') return { type: 'stdio', command: transport.name };
  if (transport.type === 'hosted') {
    return { type: 'http', url: displayUrl(`${serviceAddress(transport)}/${encodeURIComponent(transport.server)}`) };
  }
  // A plugin, or a server behind a URL.
  return { type: transport.type, url: displayUrl(transport.url) };
}

/**
 * An error without the secrets of the server's configuration.
 *
 * @example
 * const shown = redactedError(error, redactorFor(config));
 */
export function redactedError(error: ErrorInfo, redact: (text: string) => string): ErrorInfo {
  const { message, hint, templates = {} } = error;
  const redacted = Object.entries(templates).map(
    ([name, template]) => [name, redactedTemplate(template, redact)] as const,
  );
  return createErrorInfo({
    ...error,
    message: redact(message),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
    templates: Object.fromEntries(redacted),
  });
}

function redactedTemplate({ template, values }: TextTemplate, redact: (text: string) => string): TextTemplate {
  const redacted = values?.map((value) =>
    typeof value === 'string' ? redact(value) : redactedTemplate(value, redact),
  );
  return { template, ...defined({ values: redacted }) };
}

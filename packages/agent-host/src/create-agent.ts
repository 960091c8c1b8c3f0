import type { Budget } from '@toolyard/protocol';
import { defined, faultsOfBudgets, ToolyardError, VERSION } from '@toolyard/protocol';
import type { ServerHealth } from '@toolyard/mcp-host';
import { McpHost } from '@toolyard/mcp-host';

import type { Agent, AgentOptions, Platform } from './agent.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { continuedMessages } from './continued-messages.ts';
import { declareHandlers } from './interrupt-handlers.ts';
import { ASK_USER_TOOLS } from './functions/ask-user.ts';
import { FUNCTIONS_SERVER, FunctionTools } from './functions/function-tools.ts';
import { LocalAgent } from './local-agent.ts';
import { MemoryConversation } from './in-memory/conversation.ts';

/**
 * Creates an agent; resolves once its servers are connected and listed, or after `waitForServers`.
 *
 * @throws ToolyardError if a server that was awaited cannot be used (see `failedServers`), or an option is invalid; the
 * reason of `signal`, if it is aborted meanwhile
 * @example
 * await using agent = await createAgent({
 *   model: { baseUrl: 'http://127.0.0.1:8080', id: 'qwen3' },
 *   servers: [{ id: 'files', transport: { type: 'stdio', command: 'npx', args: ['-y', 'some-mcp-server'] } }],
 *   instructions: 'Answer briefly.',
 * });
 * const { text } = await agent.run('What is in the folder?').result;
 */
export async function createAgent(options: AgentOptions, platform: Platform): Promise<Agent> {
  const { clock, ids } = platform;
  options.signal?.throwIfAborted();
  refuseWrong(options.budgets ?? []);
  const waitMs = getWaitMs(options.waitForServers);
  const rejects = isRejecting(options.failedServers);
  const stored = options.store ? await loadCheckpoint(options.store) : null;
  const earlier = stored?.messages ?? (await continuedMessages(options.messages));
  const log = options.log ?? ((): void => {});
  const functions = new FunctionTools([
    ...(options.tools ? [{ id: FUNCTIONS_SERVER, tools: options.tools }] : []),
    ...(options.builtIn ?? []),
    ...(options.askUser ? [ASK_USER_TOOLS] : []),
  ]);
  const host = new McpHost({
    servers: [...(options.servers ?? []), ...functions.servers],
    createTransport: functions.transports(platform.createTransport),
    clock,
    clientInfo: { name: 'toolyard', version: VERSION },
    // An agent has no API that would show them.
    wireMessages: 0,
    ...defined({ signIn: options.signIn }),
    ...(options.interrupts ? { handlers: declareHandlers(options.interrupts) } : {}),
  });
  const conversation = new MemoryConversation(stored?.conversationId ?? ids.next(), earlier);
  const agent = new LocalAgent(options, platform, host, functions, conversation, stored?.run ?? null, log);
  try {
    const connected = options.whileConnecting?.(() => host.health());
    try {
      void host.connectAll();
      const own = functions.servers.map(({ id }) => id);
      await host.whenNoneAwaited(own, options.signal, FUNCTIONS_MS);
      await host.whenNoneAwaited(host.configurations.keys(), options.signal, waitMs);
      options.signal?.throwIfAborted();
    } finally {
      connected?.();
    }
    const own = new Set(functions.servers.map(({ id }) => id));
    const servers = host.health().filter(({ id }) => !own.has(id));
    for (const server of servers) log(describe(server));
    if (rejects && waitMs !== 0) refuseFailed(servers, options.signIn !== undefined);
  } catch (error) {
    // The caller gets no agent that it could close.
    await agent.close();
    throw error;
  }
  return agent;
}

/** A server that was awaited and cannot be used is an error of the program, not an answer without its tools. */
function refuseFailed(servers: readonly ServerHealth[], canSignIn: boolean): void {
  // One that connects with an error has failed before, and is being retried.
  const failed = servers.filter(
    ({ state, error }) =>
      state === 'failed' ||
      (state === 'connecting' && error !== undefined) ||
      (state === 'needs_sign_in' && !canSignIn),
  );
  const [first] = failed;
  if (!first) return;
  const reasons = failed.map(({ id, state, error }) => {
    const reason = error?.message ?? (state === 'needs_sign_in' ? 'It requires a sign-in.' : 'It failed.');
    return `- ${id}: ${[reason, error?.hint].filter((text) => text !== undefined).join(' ')}`;
  });
  throw new ToolyardError({
    code: first.error?.code ?? (first.state === 'needs_sign_in' ? 'needs_sign_in' : 'server_unreachable'),
    message: `${failed.length} of ${servers.length} MCP servers cannot be used:\n${reasons.join('\n')}`,
    hint: 'Correct or remove them, or pass failedServers: "continue" to work without them.',
  });
}

function refuseWrong(budgets: readonly Budget[]): void {
  const [fault] = faultsOfBudgets(budgets);
  if (!fault) return;
  throw new ToolyardError({ code: 'bad_request', message: `budgets[${fault.at}] is invalid: ${fault.problem}.` });
}

/** How long functions may take to be listed, in milliseconds: they are in this process. */
const FUNCTIONS_MS = 60_000;

/** Longer than any connect timeout; `setTimeout` fires timers beyond 24 days at once. */
const LONGEST_WAIT_MS = 86_400_000;

/** How long to wait for servers, in milliseconds. Their connect timeouts end the wait for all. */
function getWaitMs(wait: AgentOptions['waitForServers'] = 'all'): number {
  if (wait === 'all') return LONGEST_WAIT_MS;
  if (wait === 'ready') return 0;
  if (typeof wait === 'number' && wait >= 0) return Math.min(wait, LONGEST_WAIT_MS);
  throw new ToolyardError({
    code: 'bad_request',
    message: `waitForServers must be "all", "ready" or a number of milliseconds (got ${JSON.stringify(wait)}).`,
  });
}

function isRejecting(failed: AgentOptions['failedServers'] = 'reject'): boolean {
  if (failed === 'reject' || failed === 'continue') return failed === 'reject';
  throw new ToolyardError({
    code: 'bad_request',
    message: `failedServers must be "reject" or "continue" (got ${JSON.stringify(failed)}).`,
  });
}

function describe(server: ServerHealth): string {
  return server.state === 'ready'
    ? `${server.id}: connected, ${server.toolCount} ${server.toolCount === 1 ? 'tool' : 'tools'}`
    : `${server.id}: ${server.error?.message ?? server.state}`;
}

import { fileURLToPath } from 'node:url';
import type { Clock, RunEvent } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { ModelServer } from '@toolyard/testing';
import type { Agent, AgentOptions } from '../../agent.ts';
import type { AgentRun } from '../../agent-run.ts';
import { createAgent, nodePlatform } from '../index.ts';

/** The date server as a child process over stdio, registered as built in. */
export const DATE_SERVER: ServerConfig = {
  id: 'date',
  builtIn: true,
  transport: {
    type: 'stdio',
    command: process.execPath,
    args: [fileURLToPath(import.meta.resolve('@toolyard/server-date/bin'))],
  },
};

export const EVERYTHING_SERVER: ServerConfig = {
  id: 'everything',
  transport: {
    type: 'stdio',
    command: process.execPath,
    args: [fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))],
  },
};

/** `setTimeout` fires longer timers at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The system clock with delayed timers, so that timeouts do not fire on a machine that is busy for seconds. */
const patientClock: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 500 ? ms : Math.min(60 * ms, MAX_TIMER_MS), callback),
};

/** An agent on a scripted model server. */
export function agentOn(server: ModelServer, options: Partial<AgentOptions> = {}): Promise<Agent> {
  const platform = { ...nodePlatform(), clock: patientClock };
  return createAgent({ model: { baseUrl: server.url, id: 'scripted' }, ...options }, platform);
}

export async function readEvents(run: AgentRun): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** The messages of a recorded request, in the API format. */
export function sentMessages(
  server: ModelServer,
  index: number,
): { role: string; content: unknown; [key: string]: unknown }[] {
  const body = server.requests.filter(({ method }) => method === 'POST')[index]?.body;
  return (body as { messages: { role: string; content: unknown }[] }).messages;
}

export function sentBody(server: ModelServer, index: number): Record<string, unknown> {
  return server.requests.filter(({ method }) => method === 'POST')[index]?.body as Record<string, unknown>;
}

import type { Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { TabToolCalls } from '../runs/tab-tool-calls.ts';
import type { InternalClient } from './internal-client.ts';
import type { ProcessHeartbeat } from './process-heartbeat.ts';
import type { Role } from './role.ts';
import { roleCapabilities } from './role.ts';
import type { InternalMethod } from './server-methods.ts';

/** The tools of the server for runs in tabs, in a process that has no tools: another process executes each request. */
export function createRelayedTabTools({
  heartbeat,
  client,
}: {
  heartbeat: Pick<ProcessHeartbeat, 'living'>;
  client: Pick<InternalClient, 'ask'>;
}): TabToolCalls {
  async function ask(method: InternalMethod, principal: Owner, args: readonly unknown[]): Promise<never> {
    const living = await heartbeat.living();
    const able = living.find(({ role, address }) => address !== null && roleCapabilities(role as Role).runs);
    if (able?.address == null) throw new ToolyardError(NO_PROCESS);
    // Not validated: the other process is a Toolyard with the same secret.
    return (await client.ask(able.address, method, principal, args)) as never;
  }
  return {
    read: (principal, run, calls) => ask('readTabTools', principal, [run, calls]),
    make: (principal, run, callId) => ask('makeTabToolCall', principal, [run, callId]),
  };
}

const NO_PROCESS = {
  code: 'server_unreachable',
  message: 'No process can use the tools: no process with the role "worker" is running.',
  hint: 'Start one with --role worker and the same database.',
  retryable: true,
} as const;

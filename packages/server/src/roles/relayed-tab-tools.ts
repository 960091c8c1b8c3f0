import type { Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { TabToolCalls } from '../runs/tab/tab-tool-calls.ts';
import type { TabToolsRequest } from './internal-api.ts';
import type { InternalClient } from './internal-client.ts';
import { TAB_TOOLS_PATH } from './internal-client.ts';
import type { ProcessHeartbeat } from './process-heartbeat.ts';
import type { Role } from './role.ts';
import { roleCapabilities } from './role.ts';

/** The tools of the server for runs in tabs, in a process that has no tools: another process executes each request. */
export function createRelayedTabTools({
  heartbeat,
  client,
}: {
  heartbeat: Pick<ProcessHeartbeat, 'living'>;
  client: Pick<InternalClient, 'post'>;
}): TabToolCalls {
  async function ask<Answer>(principal: Owner, request: TabToolsRequest): Promise<Answer> {
    const living = await heartbeat.living();
    const able = living.find(({ role, address }) => address !== null && roleCapabilities(role as Role).runs);
    if (able?.address == null) throw new ToolyardError(NO_PROCESS);
    // Not validated: the other process is a Toolyard with the same secret.
    return (await client.post(able.address, TAB_TOOLS_PATH, { principal, ...request })) as Answer;
  }
  return {
    read: (principal, run, calls) => ask(principal, { run, calls }),
    make: (principal, run, callId) => ask(principal, { run, callId }),
  };
}

const NO_PROCESS = {
  code: 'server_unreachable',
  message: 'No process can use the tools: no process with the role "worker" is running.',
  hint: 'Start one with --role worker and the same database.',
  retryable: true,
} as const;

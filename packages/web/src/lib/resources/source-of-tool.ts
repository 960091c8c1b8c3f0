import type { ToolReference } from '@toolyard/protocol';
import type { ServerRef } from './server-requests.ts';

/** The server of a tool, and where its connection is. */
export function sourceOfTool({ origin, serverId }: ToolReference): ServerRef {
  return { place: origin === 'tab' ? 'tab' : 'server', serverId };
}

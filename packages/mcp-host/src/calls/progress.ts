import type { Progress, RequestMeta } from '@modelcontextprotocol/client';
import { defined } from '@toolyard/protocol';
import { conversationsWaitedFor } from './relay-meta.ts';
import type { ToolProgress } from '../types.ts';

/** @param relays true if the peer is another Toolyard process, which may add what the call waits for */
export function readProgress(
  { progress, total, message, _meta: meta }: Progress & { _meta?: RequestMeta },
  relays: boolean,
): ToolProgress {
  const waitsFor = relays ? conversationsWaitedFor(meta) : undefined;
  return {
    progress,
    ...defined({ total, text: message, waitsFor }),
  };
}

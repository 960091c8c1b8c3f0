import type { GroupCallResult } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { CallView } from '../transcript/calls.ts';

/** The result of a call of the built-in server `group`, which only this server stores; null for any other call. */
export function groupResultOf({ tool, result }: Pick<CallView, 'tool' | 'result'>): GroupCallResult | null {
  if (tool?.serverId !== 'group' || !isJsonObject(result?.structured)) return null;
  const { group } = result.structured;
  return isJsonObject(group) && Array.isArray(group['members']) ? (group as unknown as GroupCallResult) : null;
}

import type { JsonObject, McpLogEntry } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** A call of a tool in the log. `isWhole`: its arguments were neither shortened nor redacted. */
export type LoggedCall = { tool: string; args: JsonObject; isWhole: boolean };

/** Written by the log in place of secrets, and at the end of long values. */
const REDACTED = '•••';
const SHORTENED = '…';

/** Undefined for other messages, and for a call so long that the log did not keep its structure. */
export function callInLog(entry: Pick<Extract<McpLogEntry, { kind: 'message' }>, 'direction' | 'method' | 'text'>) {
  if (entry.direction !== 'sent' || entry.method !== 'tools/call') return undefined;
  const read = parseJson(entry.text);
  const params = read.ok && isJsonObject(read.value) ? read.value['params'] : undefined;
  if (!isJsonObject(params) || typeof params['name'] !== 'string') return undefined;
  const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
  const text = JSON.stringify(args);
  const call: LoggedCall = {
    tool: params['name'],
    args,
    isWhole: !text.includes(REDACTED) && !text.includes(`${SHORTENED}"`),
  };
  return call;
}

/** The last progress report in messages of a log, as a share of the whole if the server said how much there is. */
export function progressInLog(
  entries: readonly McpLogEntry[],
  since: number,
): { share?: number; amount: number; text?: string } | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.at < since) return undefined;
    if (entry.kind !== 'message' || entry.method !== 'notifications/progress') continue;
    const read = parseJson(entry.text);
    const params = read.ok && isJsonObject(read.value) ? read.value['params'] : undefined;
    if (!isJsonObject(params) || typeof params['progress'] !== 'number') continue;
    const { progress, total, message } = params;
    return {
      amount: progress,
      ...(typeof total === 'number' && total > 0 ? { share: Math.min(1, Math.max(0, progress / total)) } : {}),
      ...(typeof message === 'string' ? { text: message } : {}),
    };
  }
  return undefined;
}

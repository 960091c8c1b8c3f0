import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/**
 * What a model server would reject in the history of a request: a call not followed by its result, a result without a
 * call, a call with two results. Empty if the history is valid.
 */
export function malformedHistory(body: JsonValue | undefined): string[] {
  const messages = isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
  const faults: string[] = messages.length === 0 ? ['no messages'] : [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message)) {
      faults.push(`${index}: no message`);
    } else if (message['role'] === 'tool') {
      const id = toText(message['tool_call_id']);
      if (open.includes(id)) open.splice(open.indexOf(id), 1);
      else faults.push(`${index}: answers ${id}, which was not asked for or has its answer`);
    } else {
      if (open.length > 0) faults.push(`${index}: ${open.join()} without an answer`);
      open = readIds(message['tool_calls'] ?? []);
      if (new Set(open).size < open.length) faults.push(`${index}: two calls of one id`);
    }
  }
  return open.length > 0 ? [...faults, `the end: ${open.join()} without an answer`] : faults;
}

function readIds(calls: JsonValue): string[] {
  return Array.isArray(calls) ? calls.map((call) => toText(isJsonObject(call) ? call['id'] : undefined)) : [];
}

function toText(id: JsonValue | undefined): string {
  return typeof id === 'string' ? id : `no id but ${JSON.stringify(id)}`;
}

import { describe, expect, test } from 'vitest';
import { buildContext, memberView } from '@toolyard/agent-runtime';
import type { AssistantMessage, JsonObject, JsonValue, Message } from '@toolyard/protocol';
import { isJsonObject, parseJson, systemClock } from '@toolyard/protocol';
import type { WireName } from '@toolyard/model-runtime';
import { createModelRuntime } from '@toolyard/model-runtime';

const base = (id: string) => ({ id, parentId: null, createdAt: 0 });
const said = (id: string, name: string, text: string): AssistantMessage => ({
  ...base(`${id}.${text}`),
  role: 'assistant',
  runId: 'r',
  model: 'm',
  finishReason: 'stop',
  agent: { id, title: name },
  member: { kind: 'speak', runId: 'x', conversationId: 'x', callId: 'c' },
  parts: [{ type: 'text', text }],
});
const user = (text: string): Message => ({ ...base(text), role: 'user', parts: [{ type: 'text', text }] });

/** What Ada sees before her second turn. */
const CONVERSATION = [
  ...memberView(
    [user('Go'), said('ada', 'Ada', 'First'), said('bob', 'Bob', 'Second'), said('cy', '赛', 'Third')],
    'ada',
  ),
  user('It is your turn, Ada.'),
];
const BOB = '<group-message from="Bob">\nSecond\n</group-message>';
const CY = '<group-message from="赛">\nThird\n</group-message>';

async function captureBody(wire: WireName): Promise<JsonObject> {
  let body: JsonValue = null;
  const runtime = createModelRuntime({
    wire,
    baseUrl: 'http://127.0.0.1:9/v1',
    clock: systemClock,
    maxRetries: 0,
    fetch: (_input, init) => {
      const parsed = parseJson(typeof init?.body === 'string' ? init.body : '');
      if (parsed.ok) body = parsed.value;
      return Promise.resolve(Response.json({ error: { message: 'enough' } }, { status: 400 }));
    },
  });
  const messages = buildContext(CONVERSATION, { serverInstructions: [] });
  const request = { model: 'm', messages, tools: [], toolChoice: 'auto', toolMode: 'native', parameters: {} } as const;
  for await (const parts of runtime.chat(request)) if (parts.length === 0) break;
  if (!isJsonObject(body)) throw new Error('no request was sent');
  return body;
}

/** Role and text of each turn in an API format. */
function readTurns(body: JsonObject): [string, string][] {
  const list = body['messages'] ?? body['input'] ?? body['contents'];
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map((turn) => {
    const texts: string[] = [];
    JSON.stringify(turn['content'] ?? turn['parts'], (key, value: JsonValue) => {
      if (typeof value === 'string' && (key === 'text' || key === '')) texts.push(value);
      return value;
    });
    return [JSON.stringify(turn['role']).replaceAll('"', ''), texts.join('\n').replaceAll('\n\n', '\n')];
  });
}

describe('the conversation of a group', () => {
  test.each([
    ['openai-chat', 'assistant'],
    ['openai-responses', 'assistant'],
    ['anthropic-messages', 'assistant'],
    ['google-gemini', 'model'],
  ] as const)('says in the format %s who said what', async (wire, self) => {
    const turns = readTurns(await captureBody(wire));
    const others = `${BOB}\n${CY}\nIt is your turn, Ada.`;
    // OpenAI Responses has no alternating turns.
    const merged = turns.reduce<[string, string][]>((all, [role, text]) => {
      const last = all.at(-1);
      return last?.[0] === role ? [...all.slice(0, -1), [role, `${last[1]}\n${text}`]] : [...all, [role, text]];
    }, []);
    expect(merged).toEqual([
      ['user', 'Go'],
      [self, 'First'],
      ['user', others],
    ]);
    if (wire !== 'openai-responses') expect(turns).toHaveLength(3);
  });
});

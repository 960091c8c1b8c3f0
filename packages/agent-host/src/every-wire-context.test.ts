import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import type { AssistantPart, JsonObject, JsonValue, Message, ToolMessage } from '@toolyard/protocol';
import { isJsonObject, parseJson, systemClock } from '@toolyard/protocol';
import { buildContext, planCompaction } from '@toolyard/agent-runtime';
import type { WireName } from '@toolyard/model-runtime';
import { createModelRuntime } from '@toolyard/model-runtime';

/** The next message; a number is its approximate size in tokens. */
type Move =
  | { kind: 'user'; size: number }
  | { kind: 'answer'; size: number; end: 'stop' | 'length' | 'cancelled' | 'error' | 'abandoned' }
  | { kind: 'calls'; sizes: number[]; order: 'kept' | 'turned' | 'lost' };

const size = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(2_000, 6_000, 30_000));
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), size }),
  fc.record({
    kind: fc.constant('answer' as const),
    size,
    end: fc.constantFrom('stop', 'length', 'cancelled', 'error', 'abandoned'),
  }),
  fc.record({
    kind: fc.constant('calls' as const),
    sizes: fc.array(size, { minLength: 1, maxLength: 4 }),
    order: fc.constantFrom('kept', 'kept', 'kept', 'turned', 'lost'),
  }),
);
const windowSize = fc.constantFrom(4_096, 8_192, 32_768, 131_072, 1_000_000);

function words(tokens: number): string {
  return 'abc '.repeat(tokens);
}

/** A branch of these moves; it begins with a user message. */
function createBranch(moves: readonly Move[]): Message[] {
  const branch: Message[] = [];
  const place = (): Pick<Message, 'id' | 'parentId' | 'createdAt'> => ({
    id: `m${branch.length}`,
    parentId: branch.at(-1)?.id ?? null,
    createdAt: branch.length,
  });
  const assistant = { role: 'assistant' as const, runId: 'r', model: 'scripted' };
  branch.push({ ...place(), role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] });
  branch.push({ ...place(), role: 'user', parts: [{ type: 'text', text: 'Begin.' }] });
  for (const [at, each] of moves.entries()) {
    if (each.kind === 'user') {
      branch.push({ ...place(), role: 'user', parts: [{ type: 'text', text: `u${at} ${words(each.size)}` }] });
    } else if (each.kind === 'answer') {
      const parts: AssistantPart[] = [{ type: 'text', text: `a${at} ${words(each.size)}` }];
      branch.push({ ...place(), ...assistant, finishReason: each.end, parts });
    } else {
      const ids = each.sizes.map((_size, index) => `c${at}.${index}`);
      const parts = ids.map(
        (callId) => ({ type: 'tool_call', callId, name: 'read', tool: null, arguments: {} }) as const,
      );
      branch.push({ ...place(), ...assistant, finishReason: 'tool_calls', parts: [...parts] });
      const results = each.sizes.map((tokens, index): Omit<ToolMessage, 'id' | 'parentId' | 'createdAt'> => {
        const content = [{ type: 'text' as const, text: words(tokens) }];
        const result = { content, isError: false, outcome: 'done' as const };
        return {
          role: 'tool',
          name: 'read',
          tool: null,
          parts: [{ type: 'tool_result', callId: ids[index] ?? '', result }],
        };
      });
      if (each.order === 'turned') results.reverse();
      if (each.order === 'lost') results.pop();
      for (const result of results) branch.push({ ...place(), ...result });
    }
  }
  return branch;
}

/** Compacts as the loop would, as often as it frees enough. */
function compacted(branch: readonly Message[], window: number): Message[] {
  const messages = [...branch];
  for (let times = 0; times < 3; times++) {
    const plan = planCompaction(messages, window, times === 0 ? 'full' : 'refused');
    const last = plan && messages[plan.to - 1];
    if (!plan || !last) break;
    const compaction = { upTo: last.id, messages: plan.to - plan.from, tokensBefore: plan.tokens, tokensAfter: 10 };
    const parts = [{ type: 'text' as const, text: `Summary ${times}.` }];
    messages.push({
      id: `s${times}`,
      parentId: messages.at(-1)?.id ?? null,
      createdAt: 0,
      role: 'system',
      parts,
      compaction,
    });
  }
  return messages;
}

/** The request body that an API format creates for messages, as a server parses it. */
async function captureBody(wire: WireName, messages: readonly Message[]): Promise<JsonObject> {
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
  const request = {
    model: 'scripted',
    messages,
    tools: [],
    toolChoice: 'auto',
    toolMode: 'native',
    parameters: {},
  } as const;
  for await (const parts of runtime.chat(request)) if (parts.length === 0) break;
  if (!isJsonObject(body)) throw new Error('no request was sent');
  return body;
}

type Turn = { role: string; calls: string[]; results: string[] };

const list = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const word = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The turns of a request in each API format; in OpenAI Responses every item is a turn. Converse is sent text here. */
const TURNS: Record<Exclude<WireName, 'bedrock-converse'>, (body: JsonObject) => Turn[]> = {
  'openai-chat': ({ messages }) =>
    list(messages)
      .filter(({ role }) => role !== 'system' && role !== 'developer')
      .map((message) => ({
        role: word(message['role']),
        calls: list(message['tool_calls']).map(({ id }) => word(id)),
        results: message['role'] === 'tool' ? [word(message['tool_call_id'])] : [],
      })),
  'openai-responses': ({ input }) =>
    list(input).map((item) => ({
      role: word(item['role']) || (word(item['type']) === 'function_call_output' ? 'tool' : 'assistant'),
      calls: item['type'] === 'function_call' ? [word(item['call_id'])] : [],
      results: item['type'] === 'function_call_output' ? [word(item['call_id'])] : [],
    })),
  'anthropic-messages': ({ messages }) =>
    list(messages).map((message) => ({
      role: word(message['role']),
      calls: list(message['content']).flatMap((block) => (block['type'] === 'tool_use' ? [word(block['id'])] : [])),
      results: list(message['content']).flatMap((block) =>
        block['type'] === 'tool_result' ? [word(block['tool_use_id'])] : [],
      ),
    })),
  'google-gemini': ({ contents }) =>
    list(contents).map((content) => ({
      role: content['role'] === 'model' ? 'assistant' : word(content['role']),
      calls: list(content['parts']).flatMap((part) => (isJsonObject(part['functionCall']) ? ['call'] : [])),
      results: list(content['parts']).flatMap((part) => (isJsonObject(part['functionResponse']) ? ['call'] : [])),
    })),
};

/**
 * Checks that the first turn is the user's, and that every call has exactly one result right after it, and no result is
 * without a call.
 */
function checkTurns(turns: readonly Turn[]): void {
  expect(turns[0]?.role).toBe('user');
  let open: string[] = [];
  for (const { role, calls, results } of turns) {
    if (results.length > 0) {
      for (const id of results) {
        expect(open).toContain(id);
        open = open.toSpliced(open.indexOf(id), 1);
      }
    } else if (calls.length === 0) {
      expect(open, `a turn of ${role} between a call and its result`).toEqual([]);
    }
    open.push(...calls);
  }
  expect(open).toEqual([]);
}

describe.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'] as const)('%s', (wire) => {
  test('accepts every remaining conversation at every window size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 24 }), windowSize, async (moves, window) => {
        const branch = compacted(createBranch(moves), window);
        const sent = buildContext(branch, { serverInstructions: [], window });
        const roles = sent.filter(({ role }) => role !== 'system').map(({ role }) => role);
        expect(roles.at(-1)).not.toBe('assistant');
        checkTurns(TURNS[wire](await captureBody(wire, sent)));
      }),
      cases(60),
    );
  });
});

test('a compaction never separates a call from its result, keeps the last messages, and frees the planned tokens', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 24 }), windowSize, (moves, window) => {
      const branch = createBranch(moves);
      const plan = planCompaction(branch, window, 'full');
      if (!plan) return;
      expect(branch[plan.to]?.role).not.toBe('tool');
      expect(plan.to).toBeLessThan(branch.length);
      expect(plan.tokens).toBeGreaterThanOrEqual(window * 0.1);
    }),
    cases(500),
  );
});

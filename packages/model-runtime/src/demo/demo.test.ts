import { createFakeClock, createIds } from '@toolyard/testing';
import type { AssistantPart, JsonObject, Message } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { assistant, call, collect, errorIn, request, result, textIn, tool, user } from '../test-fixtures/requests.ts';
import type { ChatRequest, StreamPart } from '../types.ts';
import { DEMO_CITIES } from './cities.ts';
import { createDemoRuntime } from './runtime.ts';

const clockTool = tool('get-date', { tool: { serverId: 'date', name: 'get-date' } });
const tools = [clockTool, tool('echo')];

function demo() {
  const ids = createIds('call');
  const clock = createFakeClock();
  return { clock, runtime: createDemoRuntime({ clock, newId: () => ids.next() }) };
}

function ask(messages: Message[] | string, more: Partial<ChatRequest> = {}): Promise<StreamPart[]> {
  return collect(demo().runtime, request(messages, { model: 'demo', tools, ...more }));
}

function calls(parts: readonly StreamPart[]): { name: string; arguments: JsonObject | null }[] {
  return parts.flatMap((part) => (part.type === 'tool_call' ? [{ name: part.name, arguments: part.arguments }] : []));
}

const both = ['demo', 'demo-text'] as const;

describe.each(both)('%s calls the clock tool', (model) => {
  test.each<[string, JsonObject[]]>([
    ['現在是幾點幾分？', [{ format: 'locale', locale: 'zh-TW' }]],
    ['现在几点了', [{ format: 'locale', locale: 'zh-CN' }]],
    ['what time is it?', [{ format: 'locale', locale: 'en-US' }]],
    ['What time is it in Tokyo?', [{ format: 'locale', timezone: 'Asia/Tokyo', locale: 'en-US' }]],
    ['東京現在幾點？', [{ format: 'locale', timezone: 'Asia/Tokyo', locale: 'zh-TW' }]],
    ['臺北時間', [{ format: 'locale', timezone: 'Asia/Taipei', locale: 'zh-TW' }]],
    [
      '伦敦和上海现在几点',
      [
        { format: 'locale', timezone: 'Europe/London', locale: 'zh-CN' },
        { format: 'locale', timezone: 'Asia/Shanghai', locale: 'zh-CN' },
      ],
    ],
    [
      'current time in London, Tokyo and New York',
      [
        { format: 'locale', timezone: 'Europe/London', locale: 'en-US' },
        { format: 'locale', timezone: 'Asia/Tokyo', locale: 'en-US' },
        { format: 'locale', timezone: 'America/New_York', locale: 'en-US' },
      ],
    ],
    ['time in Europe/Vienna', [{ format: 'locale', timezone: 'Europe/Vienna', locale: 'en-US' }]],
    ["what's the date today", [{ format: 'date' }]],
    ['今天是幾月幾號？', [{ format: 'date' }]],
    ['紐約今天星期幾', [{ format: 'date', timezone: 'America/New_York' }]],
    ['give me the Unix time', [{ format: 'unix' }]],
    ['目前的時間戳', [{ format: 'unix' }]],
  ])('%s', async (question, args) => {
    const parts = await ask(question, { model });
    expect(calls(parts)).toEqual(args.map((each) => ({ name: 'get-date', arguments: each })));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect(textIn(parts)).not.toContain('<');
    const starts = parts.filter((part) => part.type === 'tool_call_start');
    expect(starts.map((part) => part.index)).toEqual(args.map((_, index) => index));
    expect(new Set(starts.map((part) => part.id)).size).toBe(args.length);
  });

  test('uses the model-facing name of the tool', async () => {
    const renamed = { ...clockTool, name: 'date__get-date' };
    expect(calls(await ask('what time is it', { model, tools: [renamed] }))).toMatchObject([
      { name: 'date__get-date' },
    ]);
  });

  test.each(['hello', 'I have no time', 'once upon a time in the west', '你好', '我沒有時間', ''])(
    'does not treat %j as a time question',
    async (text) => {
      const parts = await ask(text, { model });
      expect(calls(parts)).toEqual([]);
      expect(textIn(parts)).toMatch(/not a language model|不是語言模型|不是语言模型/);
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    },
  );

  test('makes no call if tool calls are disabled or no tool is available', async () => {
    for (const more of [{ toolChoice: 'none' }, { tools: [] }] as const) {
      const parts = await ask('what time is it?', { model, ...more });
      expect(calls(parts)).toEqual([]);
      expect(textIn(parts)).toContain('no clock of my own');
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    }
  });
});

describe('answers from tool results', () => {
  const turn = (question: string, callParts: AssistantPart[], ...results: Message[]) => [
    user(question),
    assistant(...callParts),
    ...results,
  ];

  test('in the language of the question, with the text of the result', async () => {
    const zh = turn('現在是幾點幾分？', [call('c1', 'get-date')], result('c1', 'get-date', '下午2點30分'));
    expect(textIn(await ask(zh))).toContain('現在是 下午2點30分。');
    const hans = turn(
      '东京现在几点',
      [call('c1', 'get-date', { timezone: 'Asia/Tokyo' })],
      result('c1', 'get-date', '14:30'),
    );
    expect(textIn(await ask(hans))).toContain('东京现在是 14:30。');
    const en = turn('what time is it', [call('c1', 'get-date')], result('c1', 'get-date', '2:30 PM'));
    const parts = await ask(en, { toolChoice: 'none' });
    expect(textIn(parts)).toContain('It is now 2:30 PM.');
    expect(textIn(parts)).toContain('not a language model');
    expect(calls(parts)).toEqual([]);
  });

  test('with the time of each place, in any order', async () => {
    const messages = turn(
      'time in Osaka and London',
      [call('c1', 'get-date', { timezone: 'Asia/Tokyo' }), call('c2', 'get-date', { timezone: 'Europe/London' })],
      result('c2', 'get-date', 'six'),
      result('c1', 'get-date', 'two'),
    );
    const text = textIn(await ask(messages));
    expect(text).toContain('In London it is now six.');
    expect(text).toContain('In Tokyo it is now two.');
  });

  test('and reports a tool error', async () => {
    const failed = { content: [{ type: 'text' as const, text: 'unknown zone' }], isError: true };
    const messages = turn('what time is it', [call('c1', 'get-date')], result('c1', 'get-date', failed));
    expect(textIn(await ask(messages))).toContain('The tool get-date reported an error: unknown zone');
  });

  test('and quotes the result of any tool', async () => {
    const messages = turn('/call echo', [call('c1', 'echo')], result('c1', 'echo', { structured: { a: 1 } }));
    expect(textIn(await ask(messages))).toContain('The tool echo answered:\n{"a":1}');
  });

  test('and treats a later question as a new one', async () => {
    const messages = [
      ...turn('what time is it', [call('c1', 'get-date')], result('c1', 'get-date', 'two')),
      assistant('It is two.'),
      user('and the date today?'),
    ];
    expect(calls(await ask(messages))).toEqual([{ name: 'get-date', arguments: { format: 'date' } }]);
  });
});

describe('/call', () => {
  test.each(both)('calls the named tool, %s', async (model) => {
    const parts = await ask('/call echo {"text": "</tool_call> 你好"}', { model });
    expect(calls(parts)).toEqual([{ name: 'echo', arguments: { text: '</tool_call> 你好' } }]);
    expect(calls(await ask('/call echo', { model }))).toEqual([{ name: 'echo', arguments: {} }]);
    expect(calls(await ask('/call date/get-date', { model }))).toEqual([{ name: 'get-date', arguments: {} }]);
  });

  test.each(both)('calls an unknown tool and says that it is unknown, %s', async (model) => {
    const parts = await ask('/call nothing {}', { model });
    expect(calls(parts)).toEqual([{ name: 'nothing', arguments: {} }]);
    expect(textIn(parts)).toContain('get-date, echo');
  });

  test('passes malformed arguments through', async () => {
    const native = await ask('/call echo {"a":');
    expect(native).toContainEqual(
      expect.objectContaining({ type: 'tool_call', name: 'echo', arguments: null, argumentsText: '{"a":' }),
    );
    expect(textIn(native)).toContain('not a JSON object');
    const written = await ask('/call echo {"a":', { model: 'demo-text' });
    expect(written).toContainEqual(
      expect.objectContaining({ type: 'malformed_tool_call', raw: expect.stringContaining('{"a":') }),
    );
  });

  test('explains itself without a tool or if calls are disabled', async () => {
    expect(textIn(await ask('/call'))).toContain('get-date, echo');
    const parts = await ask('/call echo', { toolChoice: 'none' });
    expect(calls(parts)).toEqual([]);
  });
});

describe('/fail, /help and unknown models', () => {
  test.each([
    ['/fail', 'overloaded'],
    ['/fail rate_limited', 'rate_limited'],
    ['/fail no_response', 'no_response'],
  ])('%s', async (command, code) => {
    const parts = await ask(command);
    expect(parts).toHaveLength(1);
    expect(errorIn(parts).code).toBe(code);
  });

  test('lists the known error codes after an unknown one', async () => {
    expect(textIn(await ask('/fail nonsense'))).toContain('rate_limited');
  });

  test('/help lists the commands', async () => {
    const text = textIn(await ask('/help'));
    for (const word of ['/call', '/slow', '/fail', 'not a language model']) expect(text).toContain(word);
  });

  test('rejects an unknown model', async () => {
    expect(errorIn(await ask('hi', { model: 'gpt' })).code).toBe('model_not_found');
  });

  test('says in the model list that they are not language models', async () => {
    const models = await demo().runtime.models();
    expect(models.map(({ id }) => id)).toEqual(['demo', 'demo-text']);
    for (const { ownedBy } of models) expect(ownedBy).toContain('not a language model');
  });
});

describe('/slow', () => {
  test('waits on the injected clock', async () => {
    const { runtime, clock } = demo();
    const seen: StreamPart[] = [];
    const reading = (async () => {
      for await (const batch of runtime.chat(request('/slow 3', { model: 'demo' }))) seen.push(...batch);
    })();
    await clock.advance(0);
    expect(textIn(seen)).toBe('word 1 of 3, ');
    await clock.advance(100);
    expect(textIn(seen)).toBe('word 1 of 3, word 2 of 3, ');
    await clock.advance(1000);
    await reading;
    expect(seen.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    expect(clock.pending).toBe(0);
  });

  test('can be cancelled immediately', async () => {
    const { runtime, clock } = demo();
    const controller = new AbortController();
    const reading = collect(runtime, request('/slow 100', { model: 'demo' }), controller.signal);
    await clock.advance(250);
    controller.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(clock.pending).toBe(0);
  });
});

test('is deterministic: the same question gives the same answer, in small pieces, with usage', async () => {
  const slowRequest = request([user('what time is it in Tokyo?')], { model: 'demo', tools });
  const once = await collect(demo().runtime, slowRequest);
  expect(await collect(demo().runtime, slowRequest)).toEqual(once);
  const usage = once.find((part) => part.type === 'usage');
  expect(usage?.usage.inputTokens).toBeGreaterThan(0);
  expect(usage?.usage.outputTokens).toBeGreaterThan(0);
  for await (const batch of demo().runtime.chat(request('/help', { model: 'demo' }))) {
    for (const part of batch) if (part.type === 'text') expect(part.text.length).toBeLessThan(20);
  }
});

test('every known place has a valid time zone', () => {
  for (const { zone } of DEMO_CITIES)
    expect(() => new Intl.DateTimeFormat('en', { timeZone: zone }), zone).not.toThrow();
});

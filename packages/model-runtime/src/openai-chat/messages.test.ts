import { describe, expect, test } from 'vitest';
import { assistant, call, result, system, user } from '../test-fixtures/requests.ts';
import { shortId } from '../wire/call-ids.ts';
import { getTextForm } from '../wire/messages.ts';
import { messagesJson, toOpenAiMessages } from './messages.ts';

const native = { toolMode: 'native' } as const;
const asText = { toolMode: 'text' } as const;
const png = { type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;

describe('user messages', () => {
  test('encode text as a plain string and join several pieces', () => {
    expect(toOpenAiMessages([system('Be kind.'), user('a', 'b')], native)).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'a\n\nb' },
    ]);
  });

  test('are merged if two follow each other after a failed answer', () => {
    expect(toOpenAiMessages([user('one'), user('two "quoted"')], native)).toEqual([
      { role: 'user', content: 'one\n\ntwo "quoted"' },
    ]);
    expect(toOpenAiMessages([user('look', png), user('again'), user(png)], native)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          expect.objectContaining({ type: 'image_url' }),
          { type: 'text', text: 'again' },
          expect.objectContaining({ type: 'image_url' }),
        ],
      },
    ]);
  });

  test('encode images as data or URL, audio and files as the API defines them', () => {
    const [message] = toOpenAiMessages(
      [
        user(
          'look',
          png,
          { type: 'image', mimeType: 'image/jpeg', source: { url: 'https://example.org/a.jpg' } },
          { type: 'audio', mimeType: 'audio/wav', source: { data: 'UklGRgAAAABXQVZF' } },
          { type: 'file', mimeType: 'application/pdf', name: 'a.pdf', source: { data: 'JVBERi0x' } },
          { type: 'file', mimeType: 'text/plain', name: 'a.txt', source: { data: btoa('text of it') } },
          { type: 'image', mimeType: 'image/png', source: { blob: 'sha' } },
        ),
      ],
      native,
    );
    expect(message).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.jpg' } },
        { type: 'input_audio', input_audio: { data: 'UklGRgAAAABXQVZF', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' } },
        { type: 'text', text: 'File a.txt:\ntext of it' },
        { type: 'text', text: '[image, image/png: cannot be sent to this model, not available]' },
      ],
    });
  });

  test('describe resources', () => {
    const parts = [
      { type: 'resource', uri: 'file:///a.md', title: 'Notes', text: '# hi' },
      { type: 'resource', uri: 'file:///b', description: 'a link' },
    ] as const;
    expect(toOpenAiMessages([user('see', ...parts)], native)).toEqual([
      { role: 'user', content: 'see\n\nResource file:///a.md (Notes):\n# hi\n\n[Resource file:///b: link; a link]' },
    ]);
  });
});

describe('calls and their results', () => {
  test("use the provider's id and JSON arguments", () => {
    const messages = [assistant('Let me see.', call('c1', 'f', { x: 1 }, 'call_9')), result('c1', 'f', 'fine')];
    expect(toOpenAiMessages(messages, native)).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: 'call_9', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { role: 'tool', tool_call_id: 'call_9', content: 'fine' },
    ]);
  });

  test('get a new id on both sides if an id is missing or duplicate', () => {
    const messages = [
      assistant(call('c1', 'f', {}, 'same'), call('c2', 'f', {}, 'same'), call('c3', 'f'), call('c4', 'f', {}, 'own')),
      ...['c1', 'c2', 'c3', 'c4'].map((id) => result(id, 'f', id)),
    ];
    const [caller, ...answers] = toOpenAiMessages(messages, native);
    expect(caller).toMatchObject({
      content: null,
      tool_calls: [{ id: 'same' }, { id: shortId('c2') }, { id: shortId('c3') }, { id: 'own' }],
    });
    expect(answers).toMatchObject([
      { tool_call_id: 'same' },
      { tool_call_id: shortId('c2') },
      { tool_call_id: shortId('c3') },
      { tool_call_id: 'own' },
    ]);
  });

  test('get a short, plain, unique id if the id is too long for other providers', () => {
    const long = 'x'.repeat(41);
    const callIds = Array.from({ length: 2000 }, (_, at) => `01a1feeb-4511-7565-835d-a9174bc90645.${at}.0`);
    const [caller] = toOpenAiMessages(
      [assistant(...callIds.map((id) => call(id, 'f', {}, id === callIds[0] ? long : undefined)))],
      native,
    );
    const ids = (caller as { tool_calls: { id: string }[] }).tool_calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2000);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
  });

  test('get a new id if an earlier turn used it', () => {
    const turn = (id: string) => [assistant(call(id, 'f', {}, 'call_1')), result(id, 'f', id)];
    expect(toOpenAiMessages([...turn('c1'), ...turn('c2')], native)).toMatchObject([
      { tool_calls: [{ id: 'call_1' }] },
      { tool_call_id: 'call_1', content: 'c1' },
      { tool_calls: [{ id: shortId('c2') }] },
      { tool_call_id: shortId('c2'), content: 'c2' },
    ]);
  });

  test('put images after the last result, never between two', () => {
    const messages = [
      assistant(call('c1', 'f'), call('c2', 'g')),
      result('c1', 'f', { content: [{ type: 'text', text: 'a' }, png] }),
      result('c2', 'g', 'b'),
    ];
    expect(toOpenAiMessages(messages, native).slice(1)).toEqual([
      { role: 'tool', tool_call_id: shortId('c1'), content: 'a\n[image: shown in a message below]' },
      { role: 'tool', tool_call_id: shortId('c2'), content: 'b' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Images from the tool results above:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
    ]);
  });

  test.each([
    [
      'all texts',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
    ],
    ['structured only without text', { content: [], structured: { n: 1 } }, '{"n":1}'],
    ['text before structured', { content: [{ type: 'text', text: 'one' }], structured: { n: 1 } }, 'one'],
    ['nothing', { content: [] }, '(no output)'],
    ['an error', { content: [{ type: 'text', text: 'no such file' }], isError: true }, 'Error: no such file'],
    ['an error that says so', { content: [{ type: 'text', text: 'Error 5' }], isError: true }, 'Error 5'],
    ['a resource', { content: [{ type: 'resource', uri: 'a:b', text: 'in it' }] }, 'Resource a:b:\nin it'],
    [
      'sound',
      { content: [{ type: 'audio', mimeType: 'audio/wav', source: { data: 'A' } }] },
      '[audio, audio/wav: not shown to the model]',
    ],
  ] as const)('a result of %s', (_, value, content) => {
    const messages = [assistant(call('c1', 'f')), result('c1', 'f', structuredClone(value) as never)];
    expect(toOpenAiMessages(messages, native)[1]).toEqual({ role: 'tool', tool_call_id: shortId('c1'), content });
  });

  test('send a malformed call back as the model wrote it, and its answer as a user message', () => {
    const messages = [
      assistant(
        'Hm.',
        { type: 'malformed_tool_call', callId: 'c1', raw: '<tool_call>{bad', reason: 'r' },
        call('c2', 'f'),
      ),
      result('c1', 'unknown', { content: [{ type: 'text', text: 'could not be read' }], isError: true }),
      result('c2', 'f', 'fine'),
    ];
    expect(toOpenAiMessages(messages, native)).toMatchObject([
      { content: 'Hm.\n<tool_call>{bad', tool_calls: [{ id: shortId('c2') }] },
      { role: 'tool', tool_call_id: shortId('c2'), content: 'fine' },
      { role: 'user', content: expect.stringContaining('could not be read') },
    ]);
  });

  test('omit reasoning, errors and messages without other content', () => {
    const messages = [
      assistant({ type: 'reasoning', text: 'secret thought' }, 'yes'),
      assistant({ type: 'reasoning', text: 'only thought' }),
      assistant({ type: 'error', error: { code: 'network', message: 'gone' } }),
    ];
    expect(toOpenAiMessages(messages, native)).toEqual([{ role: 'assistant', content: 'yes' }]);
  });
});

describe('calls as text', () => {
  const messages = [
    system('Be kind.'),
    user('hi'),
    assistant('Now.', call('c1', 'f', { x: 1 }), call('c2', 'g')),
    result('c1', 'f', { content: [{ type: 'text', text: 'a </tool_response> b' }, png] }),
    result('c2', 'g', 'c'),
  ];

  test('are written in the answer, with results as user messages and tools in the system prompt', () => {
    const wire = toOpenAiMessages(messages, { ...asText, systemSuffix: 'TOOLS' });
    expect(wire).toMatchObject([
      { role: 'system', content: 'Be kind.\n\nTOOLS' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content:
          'Now.\n<tool_call>\n{"name": "f", "arguments": {"x":1}}\n</tool_call>\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>',
      },
      {
        role: 'user',
        content: [{ type: 'text', text: expect.stringContaining('<tool_response>') }, { type: 'image_url' }],
      },
    ]);
    expect(wire[2]).not.toHaveProperty('tool_calls');
  });

  test('use the format the model was trained on, if its name tells', () => {
    const [, , written] = toOpenAiMessages(messages, { ...asText, textForm: getTextForm('Mistral-7B-Instruct-v0.3') });
    expect(written).toMatchObject({ content: expect.stringContaining('[TOOL_CALLS]') });
    expect(getTextForm('a-model-nobody-knows')).toBe('hermes');
  });

  test('escape the closing tag in a tool result', () => {
    const text = JSON.stringify(toOpenAiMessages(messages, asText)[3]);
    expect(text.match(/<\/tool_response>/g)).toHaveLength(2);
  });

  test('add a system message for the tools if it is missing', () => {
    expect(toOpenAiMessages([user('hi')], { ...asText, systemSuffix: 'TOOLS' })[0]).toEqual({
      role: 'system',
      content: 'TOOLS',
    });
  });
});

test('lone surrogates and NUL are never sent', () => {
  const bad = 'a\ud800b\u0000c';
  const messages = [
    system(bad),
    user(bad),
    assistant(bad, call('c1', 'f', { [bad]: [bad, { deep: bad }], fine: '\\ud800 written out' })),
    result('c1', 'f', bad),
  ];
  for (const options of [native, asText]) {
    const json = messagesJson(messages, options).join('\n');
    expect(json.isWellFormed()).toBe(true);
    expect(json).not.toContain('\u0000');
    const values = JSON.stringify(toOpenAiMessages(messages, options));
    expect(values.replaceAll('\\\\ud800', '')).not.toMatch(/\\ud800|\\u0000/);
    expect(values).toContain('\ufffd');
  }
  const wire = toOpenAiMessages(messages, native)[2];
  expect(JSON.stringify(wire)).toContain('ud800 written out');
});

test('serializes each message once, however many requests contain it', () => {
  let reads = 0;
  const counted = <T extends object>(message: T): T =>
    new Proxy(message, {
      get(target, key, receiver): unknown {
        if (key === 'parts') reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  const history = [
    counted(system('s')),
    counted(user('u')),
    counted(assistant('a', call('c1', 'f'))),
    counted(result('c1', 'f', 'r')),
  ];
  const first = messagesJson(history, native);
  const before = reads;
  const second = messagesJson([...history, user('next')], native);
  expect(second.slice(0, 4)).toEqual(first);
  // The only repeated reads are the ids of the calls, and which call the result answers.
  expect(reads - before).toBeLessThanOrEqual(2);
});

import {
  isJsonObject,
  parseJson,
  type AssistantPart,
  type JsonObject,
  type Message,
  type UserPart,
} from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { expect, test } from 'vitest';
import { createDialect as anthropicDialect } from '../anthropic-messages/dialect.ts';
import { createDialect as bedrockDialect } from '../bedrock-converse/dialect.ts';
import { createDialect as geminiDialect } from '../google-gemini/dialect.ts';
import { createDialect as chatDialect } from '../openai-chat/dialect.ts';
import { createDialect as responsesDialect } from '../openai-responses/dialect.ts';
import { assistant, call, request, result, system, tool, user } from '../test-fixtures/requests.ts';
import type { ApiDialect } from './dialect.ts';
import { validHistory } from './history.ts';

const PNG = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR';
const CONTENT: Readonly<Record<string, string>> = {
  'image/png': PNG,
  'image/jpeg': '\xff\xd8\xff\xe0\0\x10JFIF',
  'image/gif': 'GIF89a\x01\0',
  'image/webp': 'RIFF\x24\0\0\0WEBPVP8 ',
  'image/bmp': 'BM\x1a\0\0\0',
  'image/svg+xml': '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
  'image/tiff': 'II*\0\x08\0',
  'image/heic': '\0\0\0\x18ftypheic',
  'application/pdf': '%PDF-1.7\n',
  'audio/wav': 'RIFF\x24\0\0\0WAVEfmt ',
  'audio/mpeg': 'ID3\x04\0\0',
  'image/avif': '\0\0\0\x1cftypmif1\0\0\0\0mif1avif',
  'image/x-icon': '\0\0\x01\0\x01',
  'audio/ogg': 'OggS\0\x02',
  'audio/mp4': '\0\0\0\x1cftypM4A ',
  'video/mp4': '\0\0\0\x1cftypisom',
  'application/zip': 'PK\x03\x04\x14\0',
  'text/html': '<!doctype html><title>404</title>',
  'text/plain': '\xff\xfeh\0i\0',
  none: 'nothing that any program knows',
  empty: '',
};
const TYPES = Object.keys(CONTENT);

/** Base64 as careful and careless tools write it. */
const WRITERS: readonly ((base64: string, type: string) => string)[] = [
  (base64) => base64,
  (base64) => base64.replace(/.{8}/g, '$&\r\n'),
  (base64) => base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  (base64, type) => `data:${type};base64,${base64}`,
  (base64) => `data:;base64,${encodeURIComponent(base64)}`,
  (base64) => `data:image/png;base64;charset=utf-8,${base64}`,
  (base64) => `data:image/png,${base64}`,
  (base64) => btoa(base64),
  (base64) => `b'${base64}'`,
  (base64) => `${base64}*`,
];

const media = fc
  .record({
    kind: fc.constantFrom('image', 'audio', 'file'),
    label: fc.constantFrom(
      ...TYPES.filter((type) => type.includes('/')),
      'image/jpg',
      'image/*',
      'application/octet-stream',
    ),
    content: fc.constantFrom(...TYPES),
    write: fc.constantFrom(...WRITERS),
    asUrl: fc.boolean(),
  })
  .map(({ kind, label, content, write, asUrl }): Exclude<UserPart, { type: 'text' | 'prompt' | 'resource' }> => {
    const data = write(btoa(CONTENT[content] ?? ''), label);
    const source = asUrl && data.startsWith('data:') ? { url: data } : { data };
    return { type: kind as 'image', mimeType: label, source };
  });
const text = fc.constantFrom('', '  \n', 'some text', 'trailing space ');
const model = fc.constantFrom('receiver', 'another');
const callId = fc.constantFrom('c1', 'c2', 'c3', 'c4');
const providerId = fc.constantFrom(
  undefined,
  '',
  'call_0',
  'toolu_01A',
  'functions.f:0',
  'x'.repeat(80),
  'call_a|fc_b',
  'née 1',
  'abcDEF123',
);
const callName = fc.constantFrom(
  'f',
  'browser.tabs.open',
  '$READ',
  '',
  'x'.repeat(100),
  '3d',
  'view" path="a"',
  '查詢',
);
const reasoning = fc.constantFrom<AssistantPart>(
  { type: 'reasoning', text: 'unsigned' },
  { type: 'reasoning', text: 'of chat', signature: 'openai-chat:{"field":"reasoning_content"}' },
  { type: 'reasoning', text: 'of messages', signature: 'anthropic-messages:thinking:c2ln' },
  { type: 'reasoning', text: 'without signature', signature: 'anthropic-messages:thinking:' },
  { type: 'reasoning', text: '', signature: 'google-gemini:c2ln' },
);
const answerPart = fc.oneof(
  text.map((each): AssistantPart => ({ type: 'text', text: each })),
  reasoning,
  fc.tuple(callId, providerId, callName).map(([id, provided, name]) => call(id, name, { at: id }, provided)),
  fc.constant<AssistantPart>({ type: 'error', error: { code: 'network', message: 'gone' } }),
  fc.constant<AssistantPart>({ type: 'image', mimeType: 'image/png', source: { data: btoa(PNG) } }),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  text.map((each) => system(each)),
  fc.array(fc.oneof(text, media), { maxLength: 3 }).map((parts) => user(...parts)),
  fc
    .tuple(model, fc.array(answerPart, { maxLength: 4 }))
    .map(([of, parts]): Message => ({ ...assistant(...parts), model: of })),
  fc
    .tuple(
      callId,
      callName,
      fc.array(
        fc.oneof(
          text.map((each) => ({ type: 'text' as const, text: each })),
          media,
        ),
        { maxLength: 2 },
      ),
    )
    .map(([id, name, content]) => result(id, name, { content: content.filter((part) => part.type !== 'file') })),
);
const history = fc.array(message, { maxLength: 9 });

type Problem = string;

/** Throws with the first violation of what the API documents. */
const VALIDATORS: readonly { dialect: ApiDialect; check: (body: JsonObject) => Problem[] }[] = [
  { dialect: chatDialect(), check: (body) => checkChat(body, /^[\x21-\x7e]{1,40}$/) },
  { dialect: chatDialect({ shortCallIds: true }), check: (body) => checkChat(body, /^[A-Za-z0-9]{9}$/) },
  {
    dialect: chatDialect({ shortCallIds: true, answersResults: true }),
    check: (body) => [
      ...checkChat(body, /^[A-Za-z0-9]{9}$/),
      ...readList(body['messages']).flatMap(({ role }, at, all) =>
        role === 'user' && all[at - 1]?.['role'] === 'tool' ? ['user after result'] : [],
      ),
    ],
  },
  { dialect: responsesDialect(), check: checkResponses },
  { dialect: anthropicDialect(), check: (body) => checkBlocks(body, 'tool_use', 'tool_result', 'id', 'tool_use_id') },
  { dialect: geminiDialect(), check: checkGemini },
  { dialect: bedrockDialect(), check: (body) => checkBlocks(body, 'toolUse', 'toolResult', 'toolUseId', 'toolUseId') },
];

test.each(VALIDATORS.map((each, at) => [`${each.dialect.wire} ${at}`, each] as const))(
  'any history becomes a valid request: %s',
  (_, { dialect, check }) => {
    fc.assert(
      fc.property(history, (messages) => {
        const valid = validHistory(messages, false);
        const sent = dialect.chat(request([...valid], { model: 'receiver', tools: [tool('f')] }), new Set());
        const body = parseJson(sent.body);
        if (!body.ok || !isJsonObject(body.value)) throw new Error('no JSON object');
        const problems = [...check(body.value), ...checkMedia(body.value, dialect.wire), ...checkNames(body.value)];
        expect(problems).toEqual([]);
        // The same history gives the same request, and a longer one begins with it.
        expect(
          dialect.chat(
            request([...validHistory(messages, false)], { model: 'receiver', tools: [tool('f')] }),
            new Set(),
          ).body,
        ).toBe(sent.body);
      }),
      cases(500),
    );
  },
);

const otherModel = (...parts: Parameters<typeof assistant>): Message => ({ ...assistant(...parts), model: 'another' });
const signed = (wire: string): AssistantPart => ({ type: 'reasoning', text: 'hm', signature: `${wire}:thinking:c2ln` });
const png = { type: 'image', mimeType: 'image/png', source: { data: btoa(PNG) } } as const;

const SITUATIONS: Record<string, Message[]> = {
  'another provider took over': [
    user('a'),
    otherModel(signed('bedrock-converse'), call('c1', 'f', {}, 'functions.f:0')),
    result('c1', 'f', 'r'),
    user('b'),
  ],
  'a result without a call': [user('a'), result('c9', 'f', 'r'), assistant('b'), user('c')],
  'a call without a result': [
    user('a'),
    assistant(call('c1', 'f'), call('c2', 'f')),
    result('c2', 'f', 'r'),
    user('b'),
  ],
  'a call at the end': [user('a'), assistant(call('c1', 'f'))],
  'a message between a call and its result': [user('a'), assistant(call('c1', 'f')), user('b'), result('c1', 'f', 'r')],
  'results in another order': [
    user('a'),
    assistant(call('c1', 'f'), call('c2', 'f')),
    result('c2', 'f', '2'),
    result('c1', 'f', '1'),
  ],
  'two results of one call': [
    user('a'),
    assistant(call('c1', 'f')),
    result('c1', 'f', '1'),
    result('c1', 'f', '2'),
    user('b'),
  ],
  'two answers in a row': [user('a'), assistant('b'), assistant('c'), user('d')],
  'two answers with calls in a row': [user('a'), assistant(call('c1', 'f')), assistant(call('c2', 'f')), user('d')],
  'an empty answer': [user('a'), assistant(''), user('b')],
  'a blank text beside a call': [user('a'), assistant(' \n', call('c1', 'f')), result('c1', 'f', '')],
  'an empty message of the user': [user(''), assistant('b'), user()],
  'ids with characters of their own': [
    user('a'),
    assistant(call('c:1/é', 'f', {}, 'call:1|fc_2')),
    result('c:1/é', 'f', 'r'),
  ],
  'ids over 64 characters': [
    user('a'),
    assistant(call('c'.repeat(90), 'f', {}, 'x'.repeat(90))),
    result('c'.repeat(90), 'f', 'r'),
  ],
  'one id in two answers': [
    user('a'),
    assistant(call('c1', 'f', {}, 'call_0')),
    result('c1', 'f', '1'),
    user('b'),
    assistant(call('c1', 'f', {}, 'call_0')),
    result('c1', 'f', '2'),
  ],
  'one id twice in an answer': [
    user('a'),
    assistant(call('c1', 'f'), call('c1', 'f')),
    result('c1', 'f', '1'),
    result('c1', 'f', '2'),
  ],
  'reasoning alone': [user('a'), assistant(signed('anthropic-messages')), user('b')],
  'reasoning at the end of an answer': [
    user('a'),
    { ...assistant('b', signed('anthropic-messages')), model: 'receiver' },
    user('c'),
  ],
  'text after a call': [user('a'), assistant(call('c1', 'f'), 'done'), result('c1', 'f', 'r')],
  'an image in a result, then a message': [
    user('a'),
    assistant(call('c1', 'f')),
    result('c1', 'f', { content: [png] }),
    user('b'),
  ],
  'an error without output': [user('a'), assistant(call('c1', 'f')), result('c1', 'f', { isError: true })],
  'system messages in the middle': [user('a'), system('s'), assistant('b'), system(''), system('t'), user('c')],
  'the model began': [assistant('Hello'), user('a')],
  'a result began': [result('c1', 'f', 'r'), user('a')],
  'nothing at all': [],
  'names that are none': [user('a'), assistant(call('c1', 'a b.c')), result('c1', 'a b.c', 'r')],
  'an answer that is an image': [user('a'), assistant(png), user('b')],
  'an answer that failed': [
    user('a'),
    assistant({ type: 'error', error: { code: 'network', message: 'x' } }),
    user('a'),
  ],
  'a malformed call': [
    user('a'),
    assistant({ type: 'malformed_tool_call', callId: 'm', raw: '<x', reason: 'r' }),
    result('m', 'x', 'no'),
    user('b'),
  ],
};

test.each(Object.entries(SITUATIONS))('a history is sent to every provider after: %s', (_, messages) => {
  for (const { dialect, check } of VALIDATORS) {
    for (const tools of [[tool('f')], []]) {
      const sent = dialect.chat(request([...validHistory(messages, false)], { model: 'receiver', tools }), new Set());
      const body = parseJson(sent.body);
      if (!body.ok || !isJsonObject(body.value)) throw new Error('no JSON object');
      const problems = [...check(body.value), ...checkMedia(body.value, dialect.wire), ...checkNames(body.value)];
      expect({ wire: dialect.wire, problems }).toEqual({ wire: dialect.wire, problems: [] });
    }
  }
});

test('a valid history is not changed', () => {
  const messages = [
    system('s'),
    user('u'),
    assistant(call('c1', 'f')),
    result('c1', 'f', 'r'),
    assistant('a'),
    user('v'),
  ];
  expect(validHistory(messages, false)).toBe(messages);
});

test('several system messages become one, without blank ones', () => {
  const messages = [system('a'), user('u'), system('b'), system(' '), assistant('x'), user('v')];
  const valid = validHistory(messages, false);
  expect(valid.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(valid[0]?.parts).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]);
  expect(validHistory(messages, false)[0]).toBe(valid[0]);
  expect(validHistory([system(''), user('u')], false)).toHaveLength(1);
});

test('a result goes to the latest call with its id; a call without one gets a note', () => {
  const answers = [assistant(call('c1', 'f', { n: 1 })), assistant(call('c1', 'f', { n: 2 }), call('c2', 'g'))];
  const [first, second] = answers;
  if (first === undefined || second === undefined) throw new Error('no answers');
  const valid = validHistory(
    [user('u'), first, result('c1', 'f', 'one'), second, user('steer'), result('c1', 'f', 'two')],
    false,
  );
  expect(valid.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'tool', 'user']);
  expect(valid.flatMap((each) => (each.role === 'tool' ? [each.parts[0].result.content[0]] : []))).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
    { type: 'text', text: 'This call has no result. Its outcome is unknown.' },
  ]);
});

function readList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function alternating(roles: unknown[], first: string): Problem[] {
  const problems = roles.flatMap((role, at) => (at > 0 && role === roles[at - 1] ? [`two of ${String(role)}`] : []));
  return roles[0] === first ? problems : [...problems, `begins with ${String(roles[0])}`];
}

function pairs(calls: unknown[], results: unknown[], form: RegExp): Problem[] {
  return [
    ...(new Set(calls).size === calls.length ? [] : ['repeated ids']),
    ...(JSON.stringify(calls) === JSON.stringify(results) ? [] : [`results ${JSON.stringify([calls, results])}`]),
    ...calls.flatMap((id) => (typeof id === 'string' && form.test(id) ? [] : [`id ${String(id)}`])),
  ];
}

function checkChat(body: JsonObject, form: RegExp): Problem[] {
  const messages = readList(body['messages']);
  const turns = messages.filter(({ role }) => role !== 'system');
  const problems: Problem[] = [];
  if (messages.findLastIndex(({ role }) => role === 'system') >= messages.length - turns.length)
    problems.push('system');
  const calls = turns.flatMap(({ tool_calls: made }) => readList(made).map(({ id }) => id));
  const results = turns.flatMap(({ role, tool_call_id: id }) => (role === 'tool' ? [id] : []));
  turns.forEach((turn, at) => {
    const before = turns[at - 1];
    if (turn['role'] === 'tool' && before?.['role'] !== 'tool' && before?.['tool_calls'] === undefined)
      problems.push('result alone');
    if (turn['role'] === 'assistant' && before?.['role'] === 'assistant') problems.push('two answers');
    if (
      turn['role'] === 'user' &&
      (turn['content'] === '' || readList(turn['content']).length === 0) &&
      typeof turn['content'] !== 'string'
    )
      problems.push('empty');
  });
  if (turns[0]?.['role'] !== 'user') problems.push('first');
  if (turns.at(-1)?.['role'] === 'assistant') problems.push('last');
  return [...problems, ...pairs(calls, results, form)];
}

function checkResponses(body: JsonObject): Problem[] {
  const items = readList(body['input']);
  const listIds = (type: string) => items.flatMap((item) => (item['type'] === type ? [item['call_id']] : []));
  const last = items.at(-1);
  return [
    ...pairs(listIds('function_call'), listIds('function_call_output'), /^[\w-]{1,64}$/),
    ...(items[0]?.['role'] === 'user' ? [] : ['first']),
    ...(last?.['role'] === 'user' || last?.['type'] === 'function_call_output' ? [] : ['last']),
    ...items.flatMap((item) => (JSON.stringify(item['content']) === '[]' ? ['empty'] : [])),
  ];
}

/** The formats of Anthropic and Bedrock. */
function checkBlocks(body: JsonObject, use: string, answer: string, useId: string, answerId: string): Problem[] {
  const turns = readList(body['messages']);
  const blocks = turns.map(({ content }) => readList(content));
  const inner = (block: JsonObject, type: string): JsonObject | null =>
    block['type'] === type ? block : isJsonObject(block[type]) ? block[type] : null;
  const listIds = (list: readonly JsonObject[], type: string, id: string) =>
    list.flatMap((block) => {
      const found = inner(block, type);
      return found === null ? [] : [found[id]];
    });
  const problems = alternating(
    turns.map(({ role }) => role),
    'user',
  );
  if (turns.at(-1)?.['role'] !== 'user') problems.push('last');
  blocks.forEach((list, at) => {
    if (list.length === 0) problems.push('empty');
    for (const block of list)
      if (typeof block['text'] === 'string' && block['text'].trim() === '') problems.push('blank');
    const made = listIds(list, use, useId);
    const lastCall = list.findLastIndex((block) => inner(block, use) !== null);
    const isReasoning = (block: JsonObject) =>
      /thinking|reasoning/.test(JSON.stringify([Object.keys(block), block['type'] ?? null]));
    const after = list.slice(lastCall + 1);
    if (lastCall !== -1 && after.length > 0 && !after.some(isReasoning)) problems.push('text after calls');
    if (isReasoning(list.at(-1) ?? {})) problems.push('reasoning last');
    const following = listIds(blocks[at + 1] ?? [], answer, answerId);
    problems.push(...pairs(made, following, /^[\w-]{1,64}$/));
    if (following.length > 0 && inner(blocks[at + 1]?.[0] ?? {}, answer) === null) problems.push('results not first');
    const json = JSON.stringify(list);
    if (json.includes('of chat') || json.includes('"unsigned"')) problems.push('reasoning of another format');
  });
  const all = blocks.flat();
  if (new Set(listIds(all, use, useId)).size !== listIds(all, use, useId).length) problems.push('repeated');
  return problems;
}

function checkGemini(body: JsonObject): Problem[] {
  const turns = readList(body['contents']);
  const problems = alternating(
    turns.map(({ role }) => role),
    'user',
  );
  if (turns.at(-1)?.['role'] !== 'user') problems.push('last');
  turns.forEach(({ parts }, at) => {
    const list = readList(parts);
    if (list.length === 0) problems.push('empty');
    for (const part of list) if (part['text'] === '' && part['thoughtSignature'] === undefined) problems.push('blank');
    const calls = list.filter((part) => part['functionCall'] !== undefined).length;
    const answers = readList(turns[at + 1]?.['parts']).filter((part) => part['functionResponse'] !== undefined).length;
    if (calls !== answers && calls > 0) problems.push(`${calls} calls, ${answers} results`);
  });
  return problems;
}

/** Names of calls and results, and blank texts beside calls. */
function checkNames(value: unknown): Problem[] {
  if (Array.isArray(value)) return value.flatMap(checkNames);
  if (!isJsonObject(value)) return [];
  const { type, name, tool_calls: calls, content } = value;
  const isFunction = [value['arguments'], value['args'], value['input'], value['response']].some(isJsonObject);
  const isNamed =
    (isFunction || type === 'function_call' || typeof value['arguments'] === 'string') && name !== undefined;
  return [
    ...(isNamed && !(typeof name === 'string' && /^[a-zA-Z_][\w-]{0,63}$/.test(name))
      ? [`name ${JSON.stringify(name)}`]
      : []),
    ...(calls !== undefined && typeof content === 'string' && content.trim() === '' ? ['blank'] : []),
    ...Object.values(value).flatMap(checkNames),
  ];
}

const ACCEPTED: Readonly<Record<string, RegExp>> = {
  'google-gemini': /^(image\/(png|jpeg|webp|heic)|audio\/(wav|mpeg|ogg|mp4)|video\/mp4|application\/pdf)$/,
};
const ACCEPTED_BY_ALL = /^(image\/(png|jpeg|gif|webp)|audio\/(wav|mpeg)|application\/pdf)$/;

/** Every media of a request is valid base64 of the type it claims, which the API accepts. */
function checkMedia(body: JsonObject, wire: string): Problem[] {
  const problems: Problem[] = [];
  const check = (type: string, data: string): void => {
    const head = CONTENT[type];
    const accepted = ACCEPTED[wire] ?? ACCEPTED_BY_ALL;
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.length % 4 !== 0) problems.push(`not base64: ${data}`);
    else if (head !== undefined && !atob(data).startsWith(head.slice(0, 3)))
      problems.push(`${type} is not ${atob(data)}`);
    if (!accepted.test(type)) problems.push(`type ${type}`);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (typeof value === 'string') {
      const inline = /^data:([^;]*);base64,(.*)$/.exec(value);
      if (inline !== null) check(inline[1] ?? '', inline[2] ?? '');
    }
    if (!isJsonObject(value)) return;
    const { media_type: anthropic, mimeType: gemini, format, data, source } = value;
    if (typeof data === 'string') {
      if (typeof anthropic === 'string') check(anthropic, data);
      if (typeof gemini === 'string') check(gemini, data);
      if (typeof format === 'string') check(format === 'mp3' ? 'audio/mpeg' : `audio/${format}`, data);
    }
    if (typeof format === 'string' && isJsonObject(source) && typeof source['bytes'] === 'string') {
      check(format === 'pdf' ? 'application/pdf' : `image/${format}`, source['bytes']);
    }
    Object.values(value).forEach(visit);
  };
  visit(body['messages'] ?? body['input'] ?? body['contents']);
  return problems;
}

import { fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import type { JsonValue, Message, PresetTaskCall } from '@toolyard/protocol';
import { textOf, TRANSLATION_LANGUAGES } from '@toolyard/protocol';
import { describeAgent } from './agent-prompts.ts';
import { knownLanguage } from './language-in.ts';
import { presetPrompt } from './preset-prompts.ts';
import { hasWholeLine, readLine } from './read-line.ts';

const prompt = (call: PresetTaskCall, messages: readonly Message[] = []) =>
  presetPrompt(call, { messages, window: 8_000 });
const read = (call: PresetTaskCall, answer: JsonValue) => prompt(call).read(answer);
const getInput = (call: PresetTaskCall, messages: readonly Message[] = []): string => {
  const last = prompt(call, messages).messages.at(-1);
  return last === undefined ? '' : textOf(last);
};
const says = (text: string, role: 'user' | 'assistant' = 'user'): Message =>
  role === 'user'
    ? { id: text, parentId: null, createdAt: 0, role, parts: [{ type: 'text', text }] }
    : {
        id: text,
        parentId: null,
        createdAt: 0,
        role,
        parts: [{ type: 'text', text }],
        runId: '',
        model: '',
        finishReason: 'stop',
      };

const WORDS = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen';
const title = { task: 'title', conversationId: 'c' } as const;
const avatar = { task: 'agent-avatar', agent: {} } as const;
const tags = { task: 'agent-tags', agent: {} } as const;
const completion = { task: 'complete-input', before: 'Write a let', after: '' } as const;
const search = { task: 'decide-search', text: 'Weather tomorrow?' } as const;

const detect = { task: 'detect-language', text: 'x' } as const;
const CALLS: PresetTaskCall[] = [
  title,
  avatar,
  tags,
  completion,
  search,
  detect,
  { task: 'agent-title', agent: {} },
  { task: 'agent-description', agent: {} },
  { task: 'translate', text: 'x', to: 'fr' },
  { task: 'summarize', conversationId: 'c' },
];

describe('prompts of preset tasks', () => {
  test('the input of an agent task is what is known of it, joined by commas', () => {
    expect(describeAgent({ title: 'Cook', description: ' ', instructions: 'You cook.' })).toBe('Cook,You cook.');
    expect(
      getInput({ task: 'agent-avatar', agent: { title: 'Cook', description: '', instructions: 'You cook.' } }),
    ).toBe('Cook,You cook.');
    expect(describeAgent({ instructions: 'x'.repeat(10_000) })).toHaveLength(4_000);
  });

  test('every prompt alternates between user and assistant', () => {
    for (const call of CALLS) {
      const roles = prompt(call).messages.map(({ role }) => role);
      expect(roles[0]).toBe('system');
      expect(roles.slice(1).every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))).toBe(true);
      expect(roles.at(-1)).toBe('user');
    }
  });

  test.each([
    ['"Flat bread."', 'Flat bread'],
    ['**Flat bread**\n\nThis title …', 'Flat bread'],
    ['Title: Flat bread', 'Flat bread'],
    ['標題：通知房東暖氣故障。', '通知房東暖氣故障'],
    ['# 「麵包」', '麵包'],
    ['```\nFlat bread\n```', 'Flat bread'],
    ['   \n ', undefined],
    ['...', undefined],
    [null, undefined],
    ['Here is a title:\n\n"Flat bread"', 'Flat bread'],
    ['Sure, a title: "Flat bread".', 'Flat bread'],
    ['Flat bread:', 'Flat bread'],
    ['New York, New York', 'New York, New York'],
    ['Explain the word "yeast" to a child', 'Explain the word "yeast" to a child'],
    [WORDS, 'one two three four five six seven eight nine ten eleven…'],
  ])('the answer %j is the title %j', (answer, value) => {
    expect(read(title, answer)).toBe(value);
  });

  test('a title is made of the beginning of the conversation, without attachments and tools', () => {
    const long = 'x'.repeat(5_000);
    const input = getInput(title, [
      says('hi'),
      says(long, 'assistant'),
      ...Array.from({ length: 20 }, () => says('more')),
    ]);
    expect(input.startsWith('User: hi\n\nAssistant: xxx')).toBe(true);
    expect(input.length).toBeLessThan(2_000);
  });

  test.each([
    [{ emoji: '🍳' }, '🍳'],
    [{ emoji: 'A pan: 🍳🍲' }, '🍳'],
    [{ emoji: '👩🏽‍🍳' }, '👩🏽‍🍳'],
    [{ emoji: '7' }, undefined],
    ['🐞', '🐞'],
    [{}, undefined],
  ])('the answer %j is the avatar %j', (answer, value) => {
    expect(read(avatar, answer)).toBe(value);
  });

  test.each([
    ['Sure! Here is a name: Fox Expert', 'Fox Expert'],
    ["Here's a title for the conversation: The moon", 'The moon'],
    ['{"title":"The moon"}', 'The moon'],
    ['{\n  "title": "The moon"\n}', 'The moon'],
    ['<title>The moon</title>', 'The moon'],
    ['Here Be Dragons: a map', 'Here Be Dragons: a map'],
    ['Sorting in C: a < b', 'Sorting in C: a < b'],
    ['{a, b}: sets', '{a, b}: sets'],
  ])('the line %j is read as %j', (answer, line) => {
    expect(readLine(answer, 60)).toBe(line);
  });

  test('tags are unique, short and at most five', () => {
    const answer = { tags: ['#SQL', 'sql', ' "Databases". ', 1, '', 'a', 'b', 'c', 'd'] };
    expect(read(tags, answer)).toEqual(['SQL', 'Databases', 'a', 'b', 'c']);
    expect(read(tags, { tags: [] })).toBeUndefined();
    expect(read(tags, { tags: 'SQL' })).toBeUndefined();
  });

  test('a language is one of the known ones, whatever its region', () => {
    for (const language of TRANSLATION_LANGUAGES) expect(knownLanguage(language)).toBe(language);
    expect(['zh-TW', 'zh_CN', 'de-AT', 'nb', 'pt-BR', 'EN'].map(knownLanguage)).toEqual([
      'zh-Hant',
      'zh-Hans',
      'de',
      'no',
      'pt',
      'en',
    ]);
    expect(['tlh', 'not a language', '', 'x'.repeat(100)].map(knownLanguage)).toEqual([null, null, null, null]);
  });

  test('a line that repeats a unit three times or more is no title, whatever the unit', () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/);
    const unit = fc.array(fc.oneof(word, fc.constantFrom('我', '是', '朋友')), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        unit,
        fc.constantFrom(', ', '. ', ' ', '，', ' - '),
        fc.integer({ min: 3, max: 30 }),
        (words, by, count) => {
          const phrase = words.join(' ');
          const text = Array.from({ length: count }, () => phrase).join(by);
          expect(read(title, text)).toBeUndefined();
          // Cut off in the middle by the output limit.
          expect(read(title, `${text}${by}${words[0] ?? ''}`)).toBeUndefined();
        },
      ),
    );
    expect(read(title, "I'm a friend, I'm a friend, I'm a friend")).toBeUndefined();
    expect(read(title, 'The user says hi to you, hi to you, hi to you, hi')).toBeUndefined();
  });

  test('a line is whole once more text cannot change what is read from it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ':', '"', '*', '#'), maxLength: 30 });
    fc.assert(
      fc.property(text, text, (begun, rest) => {
        if (hasWholeLine(begun)) expect(readLine(begun + rest, 60)).toBe(readLine(begun, 60));
      }),
    );
    expect(['Flat bread', '\n\n', '```\n', 'Here is a title:\n'].map(hasWholeLine)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(['Flat bread\n', 'A title:\nFlat bread\n', 'x'.repeat(2_000)].map(hasWholeLine)).toEqual([true, true, true]);
  });

  test('every task has an output limit, a short one unless its answer is as long as its input', () => {
    for (const call of CALLS) {
      const { maxOutputTokens = Number.POSITIVE_INFINITY } = prompt(call).parameters;
      expect(maxOutputTokens).toBeLessThanOrEqual(['translate', 'summarize'].includes(call.task) ? 1_000 : 200);
    }
    expect(prompt(title).parameters.maxOutputTokens).toBe(60);
    const limit = (text: string) => prompt({ task: 'translate', text, to: 'th' }).parameters.maxOutputTokens ?? 0;
    expect(limit('word '.repeat(5_000))).toBeGreaterThan(10_000);
  });

  test('examples are in the script of the input, which a weak model would otherwise not answer in', () => {
    const sent = (text: string): string => JSON.stringify(prompt(title, [says(text)]).messages);
    expect(sent('Say hi.')).not.toMatch(/\p{Script=Han}/u);
    expect(sent('Translate 你好 for me, please')).toContain('sourdough');
    expect(sent('請解釋 React hooks')).not.toContain('sourdough');
    expect(sent('請解釋 React hooks')).toContain('房東');
    for (const text of ['Скажи привет', 'こんにちは、世界', '안녕하세요', 'สวัสดี', '١٢٣']) {
      expect(sent(text)).not.toMatch(/sourdough|房東/);
    }
    const named = JSON.stringify(
      prompt({ task: 'agent-title', agent: { title: 'Cook' }, language: 'zh-Hant' }).messages,
    );
    expect(named).not.toContain('Letter Explainer');
  });

  test('a completion does not repeat what was written, and has one line', () => {
    expect(read(completion, { completion: 'Write a letter to my landlord\nDear' })).toBe('ter to my landlord');
    expect(read(completion, { completion: '' })).toBe('');
    expect(read(completion, 'ter')).toBeUndefined();
  });

  test.each<[PresetTaskCall, string, JsonValue]>([
    [avatar, '🦊', '🦊'],
    [avatar, 'A fox fits best: **🦊**', '🦊'],
    [avatar, '```\n🦊\n```', '🦊'],
    [detect, 'en', 'en'],
    [detect, '"en"', 'en'],
    [detect, '`pt-BR`', 'pt'],
    [detect, '```\nzh-TW\n```', 'zh-Hant'],
    [detect, 'The language is "fr".', 'fr'],
    [detect, 'The language of this text is de.', 'de'],
    [detect, 'Language: **it**', 'it'],
    [detect, 'fr (French)\n\nIt is a greeting.', 'fr'],
    [detect, 'It is a text in French, with no English word.', 'fr'],
    [detect, '這段文字是法文。', 'fr'],
    [detect, 'Simplified Chinese', 'zh-Hans'],
    [detect, 'tlh', null],
    [tags, 'cooking, meal planning, budget', ['cooking', 'meal planning', 'budget']],
    [tags, 'Here are the tags:\n\n- cooking\n- meal planning', ['cooking', 'meal planning']],
    [tags, 'Tags: #sql #databases', ['sql', 'databases']],
    [tags, '["SQL", "資料庫"]', ['SQL', '資料庫']],
    [completion, '"ter to my landlord"', 'ter to my landlord'],
    [search, '```json\n"weather Taipei"\n```', 'weather Taipei'],
    [search, 'null', null],
    [search, 'None.', null],
    [search, 'No', null],
    [search, 'Query: "weather Taipei"', 'weather Taipei'],
    [search, '查詢：無', null],
    [detect, 'Chinese (Traditional)', 'zh-Hant'],
    [detect, '中文（簡體）', 'zh-Hans'],
    [detect, '法語', 'fr'],
    [detect, '日语', 'ja'],
    [tags, '{"tags":"cooking, budget"}', ['cooking', 'budget']],
    [tags, '{"keywords":["cooking","budget"]}', ['cooking', 'budget']],
  ])('the bare answer to %j, %j, is read as %j', (call, text, value) => {
    const { form, read: readAnswer } = prompt(call);
    const object = form?.fromText(text);
    expect(object === undefined ? undefined : readAnswer(object)).toEqual(value);
  });

  test.each<[PresetTaskCall, string]>([
    [avatar, 'I cannot choose an emoji.'],
    [detect, 'I cannot say what it is in.'],
    [detect, 'This is no text that I know of, sorry'],
    [tags, 'I would describe this assistant as one that plans the meals of a family'],
    [completion, 'Sure! Here is a letter for you.'],
    [search, 'No search is needed.'],
  ])('the prose answer to %j, %j, is not usable', (call, text) => {
    expect(prompt(call).form?.fromText(text)).toBeUndefined();
  });

  test('a search is a query of one line, or none', () => {
    expect(read(search, { query: ' weather\n Taipei ' })).toBe('weather Taipei');
    expect(read(search, { query: null })).toBeNull();
    expect(read(search, { query: '' })).toBeNull();
    expect(read(search, {})).toBeUndefined();
  });

  test('a summary request contains the conversation and fits the window', () => {
    const input = getInput({ task: 'summarize', conversationId: 'c' }, [says('hi'), says('x '.repeat(50_000))]);
    expect(input).toContain('User: hi');
    expect(input.length).toBeLessThan(40_000);
  });
});

import { describe, expect, test } from 'vitest';
import type { JsonValue, Message, PresetTaskCall } from '@toolyard/protocol';
import { textOf, TRANSLATION_LANGUAGES } from '@toolyard/protocol';
import { describeAgent } from './agent-prompts.ts';
import { knownLanguage } from './language-prompts.ts';
import { presetPrompt } from './preset-prompts.ts';

const prompt = (call: PresetTaskCall, messages: readonly Message[] = []) =>
  presetPrompt(call, { messages, window: 8_000 });
const read = (call: PresetTaskCall, answer: JsonValue) => prompt(call).read(answer);
const inputOf = (call: PresetTaskCall, messages: readonly Message[] = []): string => {
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

const title = { task: 'title', conversationId: 'c' } as const;
const avatar = { task: 'agent-avatar', agent: {} } as const;
const tags = { task: 'agent-tags', agent: {} } as const;
const completion = { task: 'complete-input', before: 'Write a let', after: '' } as const;
const search = { task: 'decide-search', text: 'Weather tomorrow?' } as const;

describe('prompts of preset tasks', () => {
  test('the input of an agent task is what is known of it, joined by commas', { tags: ['C8.18', 'C8.19'] }, () => {
    expect(describeAgent({ title: 'Cook', description: ' ', instructions: 'You cook.' })).toBe('Cook,You cook.');
    expect(
      inputOf({ task: 'agent-avatar', agent: { title: 'Cook', description: '', instructions: 'You cook.' } }),
    ).toBe('Cook,You cook.');
    expect(describeAgent({ instructions: 'x'.repeat(10_000) })).toHaveLength(4_000);
  });

  test('every prompt alternates between user and assistant', { tags: ['C8.04'] }, () => {
    const calls: PresetTaskCall[] = [
      title,
      avatar,
      tags,
      completion,
      search,
      { task: 'agent-title', agent: {} },
      { task: 'agent-description', agent: {} },
      { task: 'detect-language', text: 'x' },
      { task: 'translate', text: 'x', to: 'fr' },
      { task: 'summarize', conversationId: 'c' },
    ];
    for (const call of calls) {
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
    ['word '.repeat(40), `${'word '.repeat(12).trim()}…`],
  ])('the answer %j is the title %j', (answer, value) => {
    expect(read(title, answer)).toBe(value);
  });

  test('a title is made of the beginning of the conversation, without attachments and tools', () => {
    const long = 'x'.repeat(5_000);
    const input = inputOf(title, [
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

  test('tags are unique, short and at most five', () => {
    const answer = { tags: ['#SQL', 'sql', ' "Databases". ', 1, '', 'a', 'b', 'c', 'd'] };
    expect(read(tags, answer)).toEqual(['SQL', 'Databases', 'a', 'b', 'c']);
    expect(read(tags, { tags: [] })).toBeUndefined();
    expect(read(tags, { tags: 'SQL' })).toBeUndefined();
  });

  test('a language is one of the known ones, whatever its region', { tags: ['C8.25'] }, () => {
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

  test('a completion does not repeat what was written, and has one line', () => {
    expect(read(completion, { completion: 'Write a letter to my landlord\nDear' })).toBe('ter to my landlord');
    expect(read(completion, { completion: '' })).toBe('');
    expect(read(completion, 'ter')).toBeUndefined();
  });

  test('a search is a query of one line, or none', () => {
    expect(read(search, { query: ' weather\n Taipei ' })).toBe('weather Taipei');
    expect(read(search, { query: null })).toBeNull();
    expect(read(search, { query: '' })).toBeNull();
    expect(read(search, {})).toBeUndefined();
  });

  test('a summary request contains the conversation and fits the window', () => {
    const input = inputOf({ task: 'summarize', conversationId: 'c' }, [says('hi'), says('x '.repeat(50_000))]);
    expect(input).toContain('User: hi');
    expect(input.length).toBeLessThan(40_000);
  });
});

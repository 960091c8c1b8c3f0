import type { Message } from '@toolyard/protocol';
import { fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { planCompaction } from './compaction.ts';
import { messageTooLong } from './message-length.ts';
import { unreadableTypes } from './user-messages.ts';

const base = { parentId: null, createdAt: 0 } as const;
const says = (text: string, id = text): Message => ({ ...base, id, role: 'user', parts: [{ type: 'text', text }] });
const shows = (type: 'image' | 'audio'): Message => ({
  ...base,
  id: type,
  role: 'user',
  parts: [
    { type: 'text', text: 'What is this?' },
    { type, mimeType: `${type}/x`, source: { data: 'AA==' } },
  ],
});
const answers = (text: string): Message => ({
  ...base,
  id: `answer ${text}`,
  role: 'assistant',
  runId: 'r',
  model: 'm',
  finishReason: text === '' ? 'error' : 'stop',
  parts:
    text === ''
      ? [{ type: 'error', error: { code: 'context_exceeded', message: 'Too long.' } }]
      : [{ type: 'text', text }],
});

describe('the last user message', () => {
  test('that exceeds the window by itself is an error with both numbers', () => {
    expect(messageTooLong([says('hi'), answers('Hello.'), says('x'.repeat(12_000))], 2_048)).toMatchObject({
      code: 'context_exceeded',
      message: "Your message is longer than the model's context window (3,000 of 2,048 tokens).",
    });
    expect(messageTooLong([says('x'.repeat(12_000))], undefined)).toBeNull();
    expect(messageTooLong([says('x'.repeat(12_000)), answers('Long.'), says('hi')], 2_048)).toBeNull();
  });

  test('is never an error if its text may fit, in any script', () => {
    const unit = fc.constantFrom('a', ' ', '1', '字', 'é', 'ж');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 500 }), fc.integer({ min: 1, max: 300 }), (text, window) => {
        const error = messageTooLong([says(text, 'id')], window);
        // Vocabularies of today have at most about five characters of ASCII a token, and two of other scripts.
        if (text.length <= window * 2) expect(error).toBeNull();
        if (text.length > window * 5 + 5) expect(error).not.toBeNull();
      }),
    );
  });

  test('is not compacted after the provider rejected its request', () => {
    for (const because of ['full', 'refused'] as const) {
      expect(planCompaction([says('x'.repeat(12_000)), answers('')], 2_048, because)).toBeNull();
    }
    const earlier = [says('y'.repeat(6_000)), answers('z'.repeat(6_000))];
    expect(planCompaction([...earlier, says('x'.repeat(12_000)), answers('')], 2_048, 'refused')).toMatchObject({
      to: 2,
    });
  });
});

test.each<[string, Message[], Parameters<typeof unreadableTypes>[1], string[]]>([
  ['an image for a model that reads text', [shows('image')], ['text'], ['image']],
  ['an image and audio', [shows('image'), shows('audio'), shows('image')], ['text'], ['image', 'audio']],
  ['audio for a model that reads images', [shows('image'), shows('audio')], ['text', 'image'], ['audio']],
  ['nothing for a model that is unknown', [shows('image')], undefined, []],
  ['nothing that was answered before', [shows('image'), answers('A cat.'), says('And?')], ['text'], []],
  ['an image whose request failed', [shows('image'), answers('')], ['text'], ['image']],
])('leaves out %s', (_name, messages, inputs, types) => {
  expect(unreadableTypes(messages, inputs)).toEqual(types);
});

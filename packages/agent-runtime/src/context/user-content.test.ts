import type { Message, ToolContentPart } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { withoutUserContent } from './user-content.ts';

function result(...content: ToolContentPart[]): Message {
  return {
    id: 'm',
    role: 'tool',
    createdAt: 0,
    parts: [{ type: 'tool_result', callId: 'c', result: { content, isError: false, outcome: 'done' } }],
  } as unknown as Message;
}

const forUser: ToolContentPart = { type: 'text', text: '# Lamps', audience: ['user'] };
const forModel: ToolContentPart = { type: 'text', text: 'It was shown.', audience: ['assistant'] };
const forBoth: ToolContentPart = { type: 'text', text: '3 lamps' };

test('a model does not receive what is for the user, if something is for the model', () => {
  const message = result(forUser, forModel, forBoth);
  const [sent] = withoutUserContent([message]);
  expect(sent).toMatchObject({ parts: [{ result: { content: [forModel, forBoth] } }] });
  // The same object each time, for caches.
  expect(withoutUserContent([message])[0]).toBe(sent);
});

test.each([
  ['only something for the user', [forUser]],
  ['nothing for the user', [forModel, forBoth]],
  ['something for both', [forUser, forBoth]],
])('a model receives a result with %s as it is', (_what, content) => {
  const messages = [result(...content)];
  expect(withoutUserContent(messages)).toBe(messages);
});

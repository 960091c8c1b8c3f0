import type { AssistantMessage, Message } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { conversationMarkdown } from './conversation-markdown.ts';

test('contains every kind of part, and no tool text can close its own fence', () => {
  const tool = { serverId: 'date', name: 'get-date' };
  const assistant: AssistantMessage = {
    id: 'a',
    parentId: 'u',
    createdAt: 2,
    role: 'assistant',
    runId: 'r',
    model: 'demo',
    finishReason: 'cancelled',
    parts: [
      { type: 'reasoning', text: 'One.\nTwo.' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_call', callId: 'k', name: 'get-date', tool, arguments: { zone: 'Asia/Tokyo' } },
    ],
  };
  const messages: Message[] = [
    { id: 'u', parentId: null, createdAt: 1, role: 'user', parts: [{ type: 'text', text: 'What time is it?' }] },
    assistant,
    {
      id: 't',
      parentId: 'a',
      createdAt: 3,
      role: 'tool',
      name: 'get-date',
      tool,
      parts: [
        {
          type: 'tool_result',
          callId: 'k',
          result: { content: [{ type: 'text', text: '```\n# not a heading\n````' }], isError: false, outcome: 'done' },
        },
      ],
    },
  ];
  expect(conversationMarkdown(' Clocks\n# and more ', messages)).toBe(
    [
      '# Clocks # and more',
      '## You',
      'What time is it?',
      '## demo',
      '> One.\n> Two.',
      'Let me look.',
      '### Call of get-date',
      '```json\n{\n  "zone": "Asia/Tokyo"\n}\n```',
      '*(stopped)*',
      '### Result of get-date',
      '`````\n```\n# not a heading\n````\n`````',
    ].join('\n\n') + '\n',
  );
});

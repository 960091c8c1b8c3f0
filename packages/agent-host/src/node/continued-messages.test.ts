import { describe, expect, it } from 'vitest';
import type { Message } from '@toolyard/protocol';
import { reply, startModelServer } from '@toolyard/testing';
import { agentOn, DATE_SERVER, sentMessages } from './test-fixtures/test-agent.ts';

/** As a program stores messages. */
const stored = (messages: readonly Message[]): Message[] => JSON.parse(JSON.stringify(messages)) as Message[];

describe('messages of an earlier conversation', () => {
  it('are sent like those of this one, with their calls and results', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'get-date', arguments: { timezone: 'Asia/Tokyo' } }]),
      reply.text('Late.'),
      reply.text('Tokyo.'),
      reply.text('Tokyo.'),
    ]);
    await using first = await agentOn(server, { servers: [DATE_SERVER], instructions: 'Be brief.' });
    await first.run('What time is it in Tokyo?').result;
    const messages = stored(first.messages);
    await first.run('Which city?').result;
    await using second = await agentOn(server, { servers: [DATE_SERVER], messages });
    const { text, messages: added } = await second.run('Which city?').result;
    expect(text).toBe('Tokyo.');
    expect(sentMessages(server, 3)).toEqual(sentMessages(server, 2));
    expect(added.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(second.messages.slice(0, messages.length)).toEqual(messages);
    expect(second.messages[messages.length]?.parentId).toBe(messages.at(-1)?.id);
    // The array of the program is its own.
    expect(messages).toHaveLength(first.messages.length - 2);
  });

  it('get new instructions, if there are any, in place of their own', async () => {
    await using server = await startModelServer([reply.text('Hello.'), reply.text('Bonjour.'), reply.text('Hi.')]);
    await using first = await agentOn(server, { instructions: 'Answer in English.' });
    await first.run('Hi').result;
    await using second = await agentOn(server, { instructions: 'Answer in French.', messages: stored(first.messages) });
    await second.run('Again').result;
    expect(sentMessages(server, 1).map(({ content }) => content)).toEqual([
      'Answer in French.',
      'Hi',
      'Hello.',
      'Again',
    ]);
    second.clear();
    expect(second.messages.map(({ role }) => role)).toEqual(['system']);
  });

  it('can be continued where the program was stopped before an answer', async () => {
    await using server = await startModelServer([reply.text('Hello.'), reply.text('Sure.')]);
    await using first = await agentOn(server);
    await first.run('Hi').result;
    await using second = await agentOn(server, { messages: stored(first.messages).slice(0, 1) });
    expect((await second.continue().result).text).toBe('Sure.');
    expect(sentMessages(server, 1)).toEqual(sentMessages(server, 0));
  });

  const user = { id: 'a', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
  it.for([
    { what: 'no array', messages: 'Hi', place: '"messages"' },
    { what: 'messages of another API', messages: [user, { role: 'user', content: 'Hi' }], place: '"messages.1' },
    { what: 'an unknown role', messages: [{ ...user, role: 'robot' }], place: '"messages.0.role"' },
    {
      what: 'a part without its text',
      messages: [{ ...user, parts: [{ type: 'text' }] }],
      place: '"messages.0.parts.0.text"',
    },
    { what: 'an id that occurs twice', messages: [user, user], place: '"messages.1.id"' },
  ])('are rejected with the place of the mistake: $what', async ({ messages, place }) => {
    await using server = await startModelServer([]);
    const creating = agentOn(server, { messages: messages as never });
    await expect(creating).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining(place) });
  });
});

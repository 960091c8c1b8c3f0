import { codePoint, fc } from '@toolyard/testing/property';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, createCommit, newRun, userMessage, reply } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Search in conversations, for every engine. */
export function describeSearch(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  /** Creates a conversation with a user message. */
  async function say(id: string, text: string, at = 1, title = ''): Promise<void> {
    await storage.conversations.create(ANNE, { id, title, at });
    await storage.messages.add(
      ANNE,
      id,
      { ...userMessage(`${id}.m`), createdAt: at, parts: [{ type: 'text', text }] },
      { leaf: true },
    );
  }
  const find = async (query: string, limit = 9): Promise<string[]> =>
    (await storage.conversations.search(ANNE, { query, limit })).map(({ id }) => id);
  const snippets = async (query: string): Promise<string[]> =>
    (await storage.conversations.search(ANNE, { query, limit: 9 })).map(({ snippet }) =>
      snippet.replaceAll('\u0002', '[').replaceAll('\u0003', ']'),
    );

  describe('search', () => {
    test('finds words in any script, whole or, for the last one, by prefix', async () => {
      await say('zh', '我想知道東京的時間');
      await say('cn', '现在的时间是几点？');
      await say('ja', 'ガラスの靴');
      await say('ko', '서울의 시간');
      await say('de', 'Wie spät ist die Zeit in Tōkyō?');
      expect(await find('東京')).toEqual(['zh']);
      expect(await find('时间')).toEqual(['cn']);
      expect(await find('間')).toEqual(['zh']);
      expect(await find('点')).toEqual(['cn']);
      expect(await find('京東')).toEqual([]);
      expect(await find('ガラス')).toEqual(['ja']);
      expect(await find('カラス')).toEqual([]);
      expect(await find('시간')).toEqual(['ko']);
      expect(await find('Zeit')).toEqual(['de']);
      expect(await find('ZEI')).toEqual(['de']);
      expect(await find('zei tokyo')).toEqual([]);
      expect(await find('tokyo zei')).toEqual(['de']);
      expect(await snippets('spat toky')).toEqual(['Wie [spät] ist die Zeit in [Tōkyō]?']);
      expect(await snippets('東京')).toEqual(['我想知道[東京]的時間']);
    });

    test('returns each conversation once: title matches first, then the most recent, with the latest match', async () => {
      await say('old', 'clock', 1, 'A clock');
      await say('new', 'the first clock', 3);
      await say('newer', 'clock', 4);
      const later = {
        ...userMessage('later', 'new.m'),
        createdAt: 5,
        parts: [{ type: 'text' as const, text: 'clock two' }],
      };
      await storage.messages.add(ANNE, 'new', later, { leaf: true });
      expect(await find('clock')).toEqual(['old', 'new', 'newer']);
      expect(await snippets('clock')).toEqual(['[clock]', '[clock] two', '[clock]']);
      expect(await find('clock', 1)).toEqual(['old']);
    });

    test('finds conversations whose matches are older than hundreds in another one', async () => {
      await say('old', 'the clock', 1);
      await say('older', 'clocks', 0);
      await say('long', 'the clock');
      for (let number = 0; number < 410; number++)
        await storage.messages.add(ANNE, 'long', {
          ...userMessage(`m${number}`),
          parts: [{ type: 'text', text: 'clock' }],
        });
      expect((await find('clock')).toSorted()).toEqual(['long', 'old', 'older']);
    });

    test('names the latest matching message also if the title matches, and none if only the title does', async () => {
      await say('both', 'A clock', 1, 'A clock');
      await say('title', 'hello', 2, 'Of clocks');
      const found = await storage.conversations.search(ANNE, { query: 'clock', limit: 9 });
      expect(found.map(({ id, messageId, snippet }) => [id, messageId, snippet])).toEqual([
        ['title', undefined, 'Of \u0002clocks\u0003'],
        ['both', 'both.m', 'A \u0002clock\u0003'],
      ]);
    });

    test('returns conversations with their current run and the matching message', async () => {
      await say('c1', 'clock');
      await storage.runs.createRun(ANNE, newRun('r1', 'c1'));
      const [found] = await storage.conversations.search(ANNE, { query: 'clock', limit: 9 });
      const conversation = await storage.conversations.get(ANNE, 'c1');
      expect(found).toEqual({ ...conversation, snippet: '\u0002clock\u0003', messageId: 'c1.m' });
      expect(found?.activeRun).toEqual({ id: 'r1', status: 'running' });
    });

    test('finds the title set by a run; a title set by the user stays', async () => {
      await storage.conversations.create(ANNE, { id: 'a', title: '', at: 1 });
      await storage.conversations.create(ANNE, { id: 'b', title: 'Mine', at: 1 });
      await storage.runs.createRun(ANNE, newRun('r1', 'a', { title: 'Clocks' }));
      await storage.runs.createRun(ANNE, newRun('r2', 'b', { title: 'Clocks' }));
      expect(await find('clocks')).toEqual(['a']);
      expect(await storage.conversations.get(ANNE, 'a')).toMatchObject({ title: 'Clocks' });
      expect(await storage.conversations.get(ANNE, 'b')).toMatchObject({ title: 'Mine' });
    });

    test('follows a renamed title', async () => {
      await say('c1', 'x', 1, 'before');
      await storage.conversations.update(ANNE, 'c1', { title: 'after' });
      expect(await find('before')).toEqual([]);
      expect(await find('after')).toEqual(['c1']);
      await storage.conversations.update(ANNE, 'c1', { pinned: true });
      expect(await find('after')).toEqual(['c1']);
    });

    test('finds an answer when it is complete, in its last version', async () => {
      await say('c1', 'hello');
      const answer = (text: string, finishReason: 'pending' | 'stop') => ({
        ...reply('a1', { parentId: 'r1.question', runId: 'r1', text }),
        finishReason,
      });
      const run = newRun('r1', 'c1', {
        messages: [userMessage('r1.question'), answer('banana', 'pending')],
        leaf: 'a1',
      });
      await storage.runs.createRun(ANNE, run);
      expect(await find('banana')).toEqual([]);
      const write = (text: string) =>
        storage.runs.commit([
          createCommit('r1', { messages: [{ conversationId: 'c1', message: answer(text, 'stop') }] }),
        ]);
      await write('apple');
      expect(await find('apple')).toEqual(['c1']);
      await write('cherry');
      expect([await find('apple'), await find('cherry')]).toEqual([[], ['c1']]);
    });

    test('searches text, not reasoning, calls or results', async () => {
      await say('c1', 'hello');
      const tool = { serverId: 's', name: 't' };
      await storage.messages.add(ANNE, 'c1', {
        ...reply('a1', { parentId: 'c1.m', runId: 'r1', text: 'spoken' }),
        parts: [
          { type: 'reasoning', text: 'thought' },
          { type: 'text', text: 'spoken' },
          { type: 'tool_call', callId: 'k1', name: 'called', tool, arguments: { city: 'argued' } },
        ],
      });
      const content = [{ type: 'text' as const, text: 'resulted' }];
      await storage.messages.add(ANNE, 'c1', {
        ...{ id: 't1', parentId: 'a1', createdAt: 3, role: 'tool', name: 'called', tool },
        parts: [{ type: 'tool_result', callId: 'k1', result: { content, isError: false, outcome: 'done' } }],
      });
      const found = await Promise.all(
        ['thought', 'spoken', 'called', 'argued', 'resulted'].map((query) => find(query)),
      );
      expect(found).toEqual([[], ['c1'], [], [], []]);
    });

    test('finds nothing deleted or of another owner', async () => {
      await say('c1', 'clock', 1, 'clock');
      expect(await storage.conversations.search(BERT, { query: 'clock', limit: 9 })).toEqual([]);
      await storage.conversations.remove(ANNE, 'c1', 2);
      expect(await find('clock')).toEqual([]);
      await storage.conversations.restore(ANNE, 'c1');
      expect(await find('clock')).toEqual(['c1']);
      await storage.conversations.purge(ANNE, 'c1');
      expect(await find('clock')).toEqual([]);
      expect(await storage.check()).toEqual({ ok: true });
      // Row ids are reused and must not bring back deleted text.
      await say('c2', 'sundial');
      expect(await find('clock')).toEqual([]);
    });

    test('finds nothing of a rejected message', async () => {
      await say('c1', 'hello');
      const message = { ...userMessage('m2', 'nowhere'), parts: [{ type: 'text' as const, text: 'ghost' }] };
      await expect(storage.messages.add(ANNE, 'c1', message)).rejects.toMatchObject({ code: 'bad_request' });
      await storage.runs.createRun(ANNE, newRun('r1', 'c1'));
      const late = createCommit('r1', {
        messages: [{ conversationId: 'c1', message: reply('a1', { parentId: 'c1.m', runId: 'r1', text: 'ghost' }) }],
        taken: ['never put'],
      });
      expect(await storage.runs.commit([late])).toMatchObject([{ outcome: 'invalid' }]);
      expect(await find('ghost')).toEqual([]);
    });

    test('accepts any text as a query', async () => {
      await say('c1', 'a "quoted" word - or NEAR it');
      for (const query of ['"', '*', '-', 'NEAR(', 'a AND', 'title:', '^a', '', '\0', '{', "'; DROP TABLE messages"]) {
        await expect(storage.conversations.search(ANNE, { query, limit: 9 })).resolves.toBeInstanceOf(Array);
      }
      expect(await find('"quoted" -word')).toEqual(['c1']);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: codePoint }), async (query) => {
          await storage.conversations.search(ANNE, { query, limit: 9 });
        }),
      );
    });
  });
}

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, newRun } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Titles: who gave them, and the claim of the process that generates one. */
export function describeTitles(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
    await storage.runs.createRun(ANNE, newRun('r1', 'c1', { title: 'hi there' }));
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  const { claim, end, conversation } = {
    claim: (at: number, until: number) => storage.conversations.claimTitle(ANNE, 'c1', { at, until }),
    end: (until: number, title?: string | null) =>
      storage.conversations.endTitleClaim(ANNE, 'c1', { until, ...(title === undefined ? {} : { title }) }),
    conversation: () => storage.conversations.get(ANNE, 'c1'),
  };

  test('one caller generates a title, once', async () => {
    expect(await conversation()).toMatchObject({ title: 'hi there', titledBy: 'message' });
    expect(await storage.conversations.claimTitle(BERT, 'c1', { at: 5, until: 10 })).toBe(false);
    const [first, second] = await Promise.all([claim(5, 10), claim(5, 11)]);
    // Which of the two connections is first is up to the database.
    expect(second).toBe(!first);
    expect(await end(first ? 11 : 10, 'Late')).toBe(false);
    expect(await end(first ? 10 : 11, 'Greeting')).toBe(true);
    expect(await conversation()).toMatchObject({ title: 'Greeting', titledBy: 'task' });
    expect(await claim(100, 200)).toBe(false);
    const found = await storage.conversations.search(ANNE, { query: 'greeting', limit: 5 });
    expect(found.map(({ id }) => id)).toEqual(['c1']);
  });

  test('never overwrites the name of a user, given before or during the generation', async () => {
    await storage.conversations.create(ANNE, { id: 'c2', title: 'Mine', at: 1 });
    expect(await storage.conversations.claimTitle(ANNE, 'c2', { at: 5, until: 10 })).toBe(false);
    expect(await claim(5, 10)).toBe(true);
    await storage.conversations.update(ANNE, 'c1', { title: 'Mine' });
    expect(await end(10, 'Greeting')).toBe(false);
    expect(await conversation()).toMatchObject({ title: 'Mine', titledBy: 'user' });
  });

  test('a claim that was given up or has expired can be made again; after a failure it cannot', async () => {
    expect(await claim(5, 10)).toBe(true);
    expect(await end(10)).toBe(true);
    expect(await claim(6, 20)).toBe(true);
    expect(await claim(19, 30)).toBe(false);
    // The process was killed.
    expect(await claim(21, 30)).toBe(true);
    expect(await end(20, 'Late')).toBe(false);
    expect(await end(30, null)).toBe(true);
    expect(await claim(100, 200)).toBe(false);
    expect(await conversation()).toMatchObject({ title: 'hi there', titledBy: null });
  });
}

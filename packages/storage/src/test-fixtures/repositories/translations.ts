import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT, userMessage } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Translations, stored beside their messages. */
export function describeTranslations(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
    await storage.messages.add(ANNE, 'c1', userMessage('q1'));
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  const list = () => storage.translations.list(ANNE, 'c1');

  test.each(['language first', 'translation first'])('neither result overwrites the other: %s', async (order) => {
    const language = () => storage.translations.change(ANNE, 'c1', 'q1', { from: 'en', at: 2 });
    const translation = () => storage.translations.change(ANNE, 'c1', 'q1', { to: 'de', content: 'Hallo', at: 3 });
    for (const store of order === 'language first' ? [language, translation] : [translation, language]) await store();
    expect(await list()).toEqual([{ messageId: 'q1', from: 'en', to: 'de', content: 'Hallo' }]);
  });

  test('a translation into another language replaces the stored one; a language alone does not count', async () => {
    await storage.translations.change(ANNE, 'c1', 'q1', { from: 'en', at: 2 });
    expect(await list()).toEqual([]);
    await storage.translations.change(ANNE, 'c1', 'q1', { to: 'de', content: 'Hallo', at: 3 });
    await storage.translations.change(ANNE, 'c1', 'q1', { to: 'ja', content: 'こんにちは', at: 4 });
    expect(await list()).toEqual([{ messageId: 'q1', from: 'en', to: 'ja', content: 'こんにちは' }]);
    expect(await storage.translations.remove(ANNE, 'c1', 'q1')).toBe(true);
    expect(await list()).toEqual([]);
    expect(await storage.translations.remove(ANNE, 'c1', 'q1')).toBe(false);
  });

  test('belongs to the owner of the message and is deleted with its conversation', async () => {
    const change = { to: 'de', content: 'Hallo', at: 3 };
    await expect(storage.translations.change(BERT, 'c1', 'q1', change)).rejects.toMatchObject({ code: 'not_found' });
    await expect(storage.translations.change(ANNE, 'c1', 'q2', change)).rejects.toMatchObject({ code: 'not_found' });
    await storage.translations.change(ANNE, 'c1', 'q1', change);
    expect(await storage.translations.list(BERT, 'c1')).toEqual([]);
    await storage.conversations.purge(ANNE, 'c1');
    expect(await list()).toEqual([]);
  });
}

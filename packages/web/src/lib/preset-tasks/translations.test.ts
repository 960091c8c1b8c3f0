import type { ChangeTranslation, MessageTranslation, PresetTaskName } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../api/error.ts';
import { createTestApi } from '../api/test-fixtures/test-api.ts';
import type { PresetTaskOptions } from './fetch-preset-task-result.ts';
import type { fetchPresetTaskResult } from './fetch-preset-task-result.ts';
import type { ShownTranslation } from './translate-message.ts';
import { translateMessage } from './translate-message.ts';
import { Translations } from './message-translations.svelte.ts';

const offline = new ApiError({ code: 'network', status: 0, detail: 'Offline.' });
const request = { conversationId: 'c', messageId: 'm', text: 'Hello', to: 'de' } as const;

type Task = PresetTaskOptions<PresetTaskName>;

/** Tasks that the test answers, by name. */
function scriptedTasks() {
  const started: Task[] = [];
  const ended = new Map<string, PromiseWithResolvers<unknown>>();
  const run = (async (options: Task) => {
    started.push(options);
    const end = Promise.withResolvers<unknown>();
    ended.set(options.params.task, end);
    options.onLoadingChange?.(true);
    try {
      const value = await end.promise;
      if (options.signal?.aborted !== true) await options.onFinish?.(value as never);
    } catch (thrown) {
      if (options.signal?.aborted !== true) options.onError?.(thrown as ApiError);
    } finally {
      options.onLoadingChange?.(false);
    }
  }) as typeof fetchPresetTaskResult;
  return {
    run,
    started,
    piece: (text: string) =>
      started.find(({ params }) => params.task === 'translate')?.onMessageHandle?.({ type: 'text', text }),
    answer: (task: PresetTaskName, value: unknown) => ended.get(task)?.resolve(value),
    fail: (task: PresetTaskName, error: ApiError) => ended.get(task)?.reject(error),
  };
}

function begin(store: (change: ChangeTranslation) => Promise<void> = () => Promise.resolve()) {
  const tasks = scriptedTasks();
  const stored: ChangeTranslation[] = [];
  let shown: ShownTranslation = { from: null, to: 'de', content: '', isBusy: true, error: null };
  const over = translateMessage(
    { ...request, signal: new AbortController().signal },
    {
      run: tasks.run,
      show: (change) => (shown = { ...shown, ...change }),
      store: async (change) => {
        await store(change);
        stored.push(change);
      },
    },
  );
  return { ...tasks, stored, over, shown: () => shown };
}

describe('translating a message', () => {
  test('detection and translation start together, in one trace', () => {
    const { started } = begin();
    expect(started.map(({ params }) => params)).toEqual([
      { task: 'detect-language', text: 'Hello', conversationId: 'c' },
      { task: 'translate', text: 'Hello', conversationId: 'c', to: 'de' },
    ]);
    expect(new Set(started.map(({ trace }) => trace?.id)).size).toBe(1);
  });

  test.each([
    ['detect-language', 'translate'],
    ['translate', 'detect-language'],
  ] as const)('neither result overwrites the other: %s first', async (first, second) => {
    const { answer, piece, shown, stored, over } = begin();
    const values = { 'detect-language': 'en', translate: 'Hallo' };
    piece('Hal');
    for (const task of [first, second]) {
      answer(task, values[task]);
      await Promise.resolve();
    }
    await over;
    expect(shown()).toEqual({ from: 'en', to: 'de', content: 'Hallo', isBusy: false, error: null });
    expect(stored).toHaveLength(2);
    expect(stored).toContainEqual({ from: 'en' });
    expect(stored).toContainEqual({ to: 'de', content: 'Hallo' });
  });

  test('the text grows and is shown before it is stored', async () => {
    const storing = Promise.withResolvers<void>();
    const { answer, piece, shown, stored, over } = begin(() => storing.promise);
    piece('Hal');
    expect(shown()).toMatchObject({ content: 'Hal', isBusy: true });
    piece('lo');
    expect(shown().content).toBe('Hallo');
    answer('translate', 'Hallo!');
    answer('detect-language', null);
    await expect.poll(() => shown().content).toBe('Hallo!');
    expect([shown().isBusy, stored]).toEqual([true, []]);
    storing.resolve();
    await over;
    expect(shown().isBusy).toBe(false);
  });

  test('is not busy after a failure, which is shown; a failed detection is ignored', async () => {
    const { answer, fail, shown, stored, over } = begin();
    fail('detect-language', offline);
    fail('translate', offline);
    await over;
    expect(shown()).toMatchObject({ isBusy: false, error: offline });
    expect(stored).toEqual([]);
    answer('translate', 'late');
  });
});

describe('translations of a conversation', () => {
  function open(initial: MessageTranslation[] = []) {
    const calls: string[] = [];
    let stored = initial;
    let failing: ApiError | null = null;
    const tasks: { control: AbortSignal; show: (change: Partial<ShownTranslation>) => void; end: () => void }[] = [];
    const translations = new Translations({
      api: createTestApi(({ method, path }) => {
        calls.push(`${method} ${path}`);
        if (failing) throw failing;
      }),
      stored: () => stored,
      refresh: () => Promise.resolve(),
      onProblem: () => calls.push('problem'),
      translate: ({ signal }, { show }) =>
        new Promise((resolve) => tasks.push({ control: signal, show, end: resolve })),
    });
    return {
      translations,
      calls,
      tasks,
      load: (items: MessageTranslation[]) => (stored = items),
      fail: (error: ApiError) => (failing = error),
    };
  }
  const german = { messageId: 'm', from: 'en', to: 'de', content: 'Hallo' } as const;

  test('another language aborts the translation in progress, whose results are dropped', async () => {
    const { translations, tasks } = open();
    const first = translations.translate(request);
    const second = translations.translate({ ...request, to: 'ja' });
    expect(tasks.map(({ control }) => control.aborted)).toEqual([true, false]);
    tasks[0]?.show({ content: 'Hallo' });
    expect(translations.of('m')).toMatchObject({ to: 'ja', content: '', isBusy: true });
    tasks[1]?.show({ content: 'こんにちは', isBusy: false });
    for (const { end } of tasks) end();
    await Promise.all([first, second]);
    expect(translations.of('m')).toMatchObject({ to: 'ja', content: 'こんにちは', isBusy: false });
  });

  test('what was translated stays until the loaded conversation contains it, then that is shown', async () => {
    const { translations, tasks, load } = open();
    const over = translations.translate(request);
    tasks[0]?.show({ content: 'Hallo', isBusy: false });
    load([german]);
    tasks[0]?.end();
    await over;
    load([]);
    expect(translations.of('m')).toBeUndefined();
  });

  test('stopping shows the stored translation again', () => {
    const { translations } = open([german]);
    void translations.translate({ ...request, to: 'ja' });
    expect(translations.of('m')).toMatchObject({ to: 'ja', from: 'en' });
    translations.stop('m');
    expect(translations.of('m')).toMatchObject({ to: 'de', content: 'Hallo', isBusy: false });
  });

  test('a removed one is hidden at once, and shown again if that fails', async () => {
    const { translations, calls, fail } = open([german]);
    const removed = translations.remove('c', 'm');
    expect(translations.of('m')).toBeUndefined();
    await removed;
    expect(calls).toEqual(['DELETE /api/conversations/c/translations/m']);
    fail(offline);
    const again = open([german]);
    again.fail(offline);
    await again.translations.remove('c', 'm');
    expect(again.translations.of('m')).toMatchObject({ content: 'Hallo' });
    expect(again.calls).toContain('problem');
  });
});

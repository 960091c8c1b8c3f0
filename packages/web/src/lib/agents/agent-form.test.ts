import type { AgentView } from '@toolyard/protocol';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../api/error.ts';
import type { fetchPresetTaskResult } from '../preset-tasks/fetch-preset-task-result.ts';
import { AgentForm, SUGGESTED, tagsIn } from './agent-form.svelte.ts';

const AGENT: AgentView = {
  id: 'a',
  title: 'Own name',
  profile: {},
  configuration: { instructions: 'Counts only.' },
  version: 1,
  createdAt: 0,
  updatedAt: 0,
};

/** A form whose tasks end when the test says so. */
function openForm(agent: AgentView) {
  let stored = agent;
  const ends = new Map<string, (value: string | string[]) => void>();
  const update = vi.fn((_id: string, { version, ...change }: { version: number }) => {
    if (version !== stored.version) {
      return Promise.reject(new ApiError({ code: 'conflict', status: 409, detail: 'changed' }));
    }
    stored = { ...stored, ...change, version: version + 1 };
    return Promise.resolve(stored);
  });
  const fetch = vi.fn(async (options: Parameters<typeof fetchPresetTaskResult>[0]) => {
    options.onLoadingChange?.(true);
    const value = await new Promise<string | string[]>((resolve) => ends.set(options.params.task, resolve));
    await options.onFinish?.(value);
    options.onLoadingChange?.(false);
  });
  const agents = { get: () => Promise.resolve(stored), create: vi.fn(), update };
  const form = new AgentForm(agent, { agents, fetchPresetTaskResult: fetch } as unknown as ConstructorParameters<
    typeof AgentForm
  >[1]);
  const end = async (task: string, value: string | string[]): Promise<void> => {
    ends.get(task)?.(value);
    const field = SUGGESTED.find((each) => `agent-${each}` === task) ?? 'title';
    await vi.waitFor(() => expect(form.suggestions[field].isLoading).toBe(false));
  };
  return { form, fetch, end, update, current: () => stored, replace: (changed: AgentView) => (stored = changed) };
}

it('after an edit suggests the empty fields only, each stored by itself', async () => {
  const { form, fetch, end, update, current } = openForm(AGENT);
  form.configuration = { instructions: 'Counts to ten.' };
  await form.save();
  expect(fetch.mock.calls.map(([{ params }]) => params.task)).toEqual([
    'agent-avatar',
    'agent-description',
    'agent-tags',
  ]);
  expect(fetch.mock.calls[0]?.[0].params).toMatchObject({
    agent: { title: 'Own name', instructions: 'Counts to ten.' },
  });
  expect(form.suggestions.avatar.isLoading).toBe(true);
  expect(form.suggestions.title.isLoading).toBe(false);
  // Written while the task was running: it stays, and is not stored.
  form.texts.description = 'mine';
  await end('agent-description', 'theirs');
  await end('agent-tags', ['a', 'b']);
  await end('agent-avatar', '🧮');
  expect(form.texts).toEqual({ title: 'Own name', avatar: '🧮', description: 'mine', tags: 'a, b' });
  await vi.waitFor(() => expect(current().profile).toEqual({ avatar: '🧮', tags: ['a', 'b'] }));
  expect(update).toHaveBeenCalledTimes(3);
  expect(form.isDirty).toBe(true);
});

it('offers a suggestion beside a text of the user, which stays until it is accepted', async () => {
  const { form, end, update } = openForm(AGENT);
  void form.suggest('title');
  await end('agent-title', 'Counter');
  expect(form.texts.title).toBe('Own name');
  expect(form.suggestions.title.offered).toBe('Counter');
  form.accept('title');
  expect(form.texts.title).toBe('Counter');
  expect(update).not.toHaveBeenCalled();
});

it('does not replace a version that was stored elsewhere, unless the user says so', async () => {
  const { form, replace, current } = openForm(AGENT);
  replace({ ...AGENT, version: 5 });
  form.texts.title = 'New';
  expect(await form.save()).toBeNull();
  expect(form.saving.error?.code).toBe('conflict');
  expect(await form.save({ replaces: true })).not.toBeNull();
  expect(current()).toMatchObject({ title: 'New', version: 6 });
});

it('reads tags and refuses what is no emoji and a template without its place', () => {
  expect(tagsIn(' a, b、c，a ,, ')).toEqual(['a', 'b', 'c']);
  const { form } = openForm(AGENT);
  form.texts.avatar = 'AB';
  expect(form.hasBadAvatar).toBe(true);
  expect(form.profile).not.toHaveProperty('avatar');
  form.configuration = { inputTemplate: 'x' };
  expect(form.hasBadTemplate).toBe(true);
  form.configuration = { inputTemplate: 'x {{ text }}' };
  expect(form.hasBadTemplate).toBe(false);
});

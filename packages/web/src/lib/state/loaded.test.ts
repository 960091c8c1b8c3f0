import type { RunEvent } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../api/error.ts';
import type { LiveChange, LiveHello } from '../live/live.svelte.ts';
import { Loaded } from './loaded.svelte.ts';

const unreachable = new ApiError({ code: 'network', status: 0, detail: 'Not reachable.' });

/** A resource whose responses the test provides one by one, and the live stream it subscribes to. */
function setup(options: { status?: 'open' | 'connecting'; delayMs?: number } = {}) {
  const requests: { answer: (text: string) => void; fail: (error: unknown) => void }[] = [];
  const hellos = new Set<(hello: LiveHello) => void>();
  const changes = new Set<(change: LiveChange) => void>();
  const runs = new Set<(event: RunEvent) => void>();
  const listen = <T>(all: Set<T>, listener: T) => (all.add(listener), () => void all.delete(listener));
  const resource = new Loaded<string>(() => new Promise((answer, fail) => requests.push({ answer, fail })), {
    changes: ['providers', 'settings'],
    runs: ({ type }) => type === 'run_finished',
    ...defined({ delayMs: options.delayMs }),
    live: {
      status: options.status ?? 'connecting',
      onHello: (listener) => listen(hellos, listener),
      onChanged: (listener) => listen(changes, listener),
      onRun: (listener) => listen(runs, listener),
    },
  });
  return {
    resource,
    requests,
    emitHello: () => hellos.forEach((hello) => hello({ type: 'hello', boot: 'b', version: '1' })),
    emitChanged: (what: LiveChange['what']) => changes.forEach((changed) => changed({ type: 'changed', what })),
    emitRun: (type: RunEvent['type']) => runs.forEach((take) => take({ type } as RunEvent)),
    hasListeners: () => hellos.size + changes.size + runs.size > 0,
  };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('loads once for several watchers, and again after its changes and a reconnect', () => {
  const { resource, requests, emitHello, emitChanged } = setup({ status: 'open' });
  resource.watch();
  resource.watch();
  expect(requests).toHaveLength(1);
  emitChanged('queue');
  expect(requests).toHaveLength(1);
  emitChanged('providers');
  emitHello();
  expect(requests).toHaveLength(3);
});

it('is followed until the component is gone, also by events of runs', () => {
  const { resource, requests, emitChanged, emitRun, hasListeners } = setup();
  const leave = resource.follow();
  expect(requests).toHaveLength(1);
  emitRun('text_delta');
  expect(requests).toHaveLength(1);
  emitRun('run_finished');
  emitChanged('settings');
  expect(requests).toHaveLength(3);
  leave();
  expect(hasListeners()).toBe(false);
});

it('waits for the first event of a stream that is not open yet', () => {
  const { resource, requests, emitHello } = setup({ status: 'connecting' });
  resource.watch();
  expect(requests).toHaveLength(0);
  emitHello();
  expect(requests).toHaveLength(1);
});

it('sends one request for a burst of changes', async () => {
  const { resource, requests, emitChanged } = setup({ delayMs: 100 });
  resource.watch();
  emitChanged('settings');
  emitChanged('settings');
  await vi.advanceTimersByTimeAsync(99);
  expect(requests).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(requests).toHaveLength(1);
  emitChanged('settings');
  resource.cancelRefresh();
  await vi.advanceTimersByTimeAsync(1000);
  expect(requests).toHaveLength(1);
});

it('shows the response to the latest request, in whatever order responses arrive', async () => {
  const { resource, requests } = setup();
  void resource.load();
  void resource.load();
  requests[1]?.answer('new');
  await settled();
  requests[0]?.answer('old');
  await settled();
  expect([resource.data, resource.loading]).toEqual(['new', false]);
});

it('keeps the last response after a failure, and the error until the next response', async () => {
  const { resource, requests } = setup();
  void resource.load();
  requests[0]?.answer('first');
  await settled();
  void resource.load();
  expect([resource.data, resource.loading]).toEqual(['first', true]);
  requests[1]?.fail(unreachable);
  await settled();
  expect([resource.data, resource.error, resource.loading]).toEqual(['first', unreachable, false]);
  void resource.load();
  requests[2]?.answer('second');
  await settled();
  expect([resource.data, resource.error]).toEqual(['second', null]);
});

it('drops the response to a request that began before a change', async () => {
  const { resource, requests } = setup();
  void resource.load();
  resource.set('changed');
  requests[0]?.answer('before');
  await settled();
  expect([resource.data, resource.loading]).toEqual(['changed', false]);
});

it('shows an optimistic change at once, and the previous data if it fails', async () => {
  const { resource, requests } = setup();
  resource.set('before');
  let fail = (_: Error): void => undefined;
  const change = resource.optimistic('after', () => new Promise((_, reject) => (fail = reject)));
  expect(resource.data).toBe('after');
  fail(unreachable);
  await expect(change).rejects.toBe(unreachable);
  expect(resource.data).toBe('before');
  expect(requests).toHaveLength(1);
});

it('loads after a change, and reports why one was rejected without loading', async () => {
  const { resource, requests } = setup();
  expect(await resource.change(() => Promise.reject(unreachable))).toBe(false);
  expect([resource.error, requests.length]).toEqual([unreachable, 0]);
  const change = resource.change(() => Promise.resolve());
  await settled();
  requests[0]?.answer('loaded');
  expect(await change).toBe(true);
  expect([resource.data, resource.error]).toEqual(['loaded', null]);
});

import { ToolyardError } from '@toolyard/protocol';
import { beforeEach, expect, test, vi } from 'vitest';
import * as requests from '../../../resources/server-requests.ts';
import { ResourceBrowser } from './resource-browser.svelte.ts';

vi.mock('../../../resources/server-requests.ts');
const ref = { place: 'server', serverId: 's' } as const;
const text = (content: string) => [{ type: 'resource' as const, uri: 'a', text: content }];
const { readResource, followResource } = vi.mocked(requests);

beforeEach(() => vi.resetAllMocks());

test('shows the last opened resource, whatever order the answers have', async () => {
  const browser = new ResourceBrowser(ref);
  const slow = Promise.withResolvers<ReturnType<typeof text>>();
  readResource.mockReturnValueOnce(slow.promise).mockResolvedValueOnce(text('second'));
  const first = browser.open('a');
  await browser.open('b');
  slow.resolve(text('first'));
  await first;
  expect(browser.current).toMatchObject({ uri: 'b', parts: text('second'), loading: false });
});

test('opens a resource from the cache, and reloads it from its server', async () => {
  const browser = new ResourceBrowser(ref);
  readResource.mockResolvedValue(text('same'));
  await browser.open('a');
  expect(readResource).toHaveBeenLastCalledWith(ref, 'a', {});
  await browser.open('a');
  expect(readResource).toHaveBeenLastCalledWith(ref, 'a', { fresh: true });
});

test('reports a deleted resource and keeps what was read before', async () => {
  const browser = new ResourceBrowser(ref);
  readResource.mockResolvedValueOnce(text('old'));
  await browser.open('a');
  readResource.mockRejectedValueOnce(new ToolyardError({ code: 'not_found', message: 'Resource a not found' }));
  await browser.open('a');
  expect(browser.current).toMatchObject({ parts: text('old'), error: { message: 'Resource a not found' } });
});

test('an update marks a resource and reads the open one again; ending the subscription stops that', async () => {
  const browser = new ResourceBrowser(ref);
  const end = vi.fn();
  let update = (): void => undefined;
  followResource.mockImplementation(async (_ref, _uri, listener) => {
    update = listener;
    return end;
  });
  readResource.mockResolvedValueOnce(text('one')).mockResolvedValueOnce(text('two'));
  await browser.open('a');
  await browser.toggleFollow('a');
  expect(browser.isFollowed('a')).toBe(true);
  update();
  await vi.waitFor(() => expect(browser.updated.has('a')).toBe(true));
  expect(browser.current?.parts).toEqual(text('two'));
  await browser.toggleFollow('a');
  expect(end).toHaveBeenCalledOnce();
  expect(browser.isFollowed('a')).toBe(false);
});

test('a rejected subscription is not shown as one', async () => {
  const browser = new ResourceBrowser(ref);
  followResource.mockRejectedValueOnce(new ToolyardError({ code: 'server_refused', message: 'no' }));
  await expect(browser.toggleFollow('a')).rejects.toThrow('no');
  expect(browser.isFollowed('a')).toBe(false);
});

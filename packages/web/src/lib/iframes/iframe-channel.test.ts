import type { JsonValue } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import type { IframeReport } from '../../frames/messages.ts';
import type { IframeChannelOptions, IframeState } from './iframe-channel.ts';
import { CONNECT_WITHIN_MS, IframeChannel, LOAD_WITHIN_MS, MAX_FRAME_MESSAGE, MAX_TO_FRAME } from './iframe-channel.ts';

const ORIGIN = 'http://localhost:8711';

/** A channel whose windows and timers are those of the test. */
function setUp(changes: Partial<IframeChannelOptions> = {}) {
  const page = new EventTarget();
  const sent: [message: unknown, target: unknown][] = [];
  const target = { postMessage: (message: unknown, to: unknown) => void sent.push([message, to]) };
  const timers = new Map<number, { ms: number; callback: () => void }>();
  const states: IframeState[] = [];
  const messages: JsonValue[] = [];
  const reports: IframeReport[] = [];
  const dropped: string[] = [];
  const channel = new IframeChannel({
    page,
    target: () => target,
    origin: ORIGIN,
    content: { html: '<p>Hi</p>', query: '', allow: '', context: { theme: 'dark', locale: 'en' } },
    onstate: (state) => states.push(state),
    onmessage: (message) => messages.push(message),
    onreport: (report) => reports.push(report),
    ondropped: (why) => dropped.push(why),
    after: (ms, callback) => {
      const id = timers.size;
      timers.set(id, { ms, callback });
      return () => timers.delete(id);
    },
    ...changes,
  });
  const receive = (
    data: unknown,
    { source = target, origin = ORIGIN }: { source?: object | null; origin?: string } = {},
  ): void => {
    page.dispatchEvent(Object.assign(new Event('message'), { data, source, origin }));
  };
  const elapse = (ms: number): void => {
    for (const timer of timers.values()) if (timer.ms === ms) timer.callback();
  };
  return { channel, sent, states, messages, reports, dropped, receive, elapse, timers };
}

test('loads the content when the outer document is ready, and names its origin as the target', () => {
  const { receive, sent, states, channel, timers } = setUp();
  receive({ toolyard: 'ready' });
  expect(sent).toEqual([[expect.objectContaining({ toolyard: 'load', html: '<p>Hi</p>' }), ORIGIN]]);
  expect(channel.post({ early: true })).toBe(false);
  receive({ toolyard: 'loaded' });
  expect(states).toEqual(['loading', 'shown']);
  expect(channel.post({ jsonrpc: '2.0' })).toBe(true);
  expect(sent.at(-1)).toEqual([{ toolyard: 'post', json: '{"jsonrpc":"2.0"}' }, ORIGIN]);
  expect(timers.size).toBe(0);
});

test('ignores messages of other windows and origins', () => {
  const { receive, sent, states, messages } = setUp();
  receive({ toolyard: 'ready' }, { source: {} });
  receive({ toolyard: 'ready' }, { source: null });
  for (const origin of ['null', 'http://localhost:8710', 'https://localhost:8711', '']) {
    receive({ toolyard: 'ready' }, { origin });
    receive({ toolyard: 'message', json: '1' }, { origin });
  }
  expect([sent, states, messages]).toEqual([[], [], []]);
});

test('accepts an opaque frame only if it is to be opaque', () => {
  const { receive, sent } = setUp({ origin: null });
  receive({ toolyard: 'ready' }, { origin: ORIGIN });
  expect(sent).toEqual([]);
  receive({ toolyard: 'ready' }, { origin: 'null' });
  expect(sent).toEqual([[expect.objectContaining({ toolyard: 'load' }), '*']]);
});

test('passes on messages and reports, and drops what is too large or not JSON', () => {
  const { receive, messages, reports, dropped } = setUp();
  receive({ toolyard: 'message', json: '{"method":"ping"}' });
  receive({ toolyard: 'message', json: '{' });
  receive({ toolyard: 'message', json: JSON.stringify('x'.repeat(MAX_FRAME_MESSAGE)) });
  receive({ toolyard: 'report', json: '{"kind":"size","height":5,"more":1}' });
  for (const forged of ['null', '{}', '{"kind":"size","height":"5"}', '{"kind":"console","level":"fatal"}', '{']) {
    receive({ toolyard: 'report', json: forged });
  }
  receive({ toolyard: 'dropped', why: 'rate' });
  expect(messages).toEqual([{ method: 'ping' }]);
  expect(reports).toEqual([{ kind: 'size', height: 5 }]);
  expect(dropped).toEqual(['size', 'rate']);
});

test('reports a frame that does not respond, and content that does not load', () => {
  const unreachable = setUp();
  unreachable.elapse(CONNECT_WITHIN_MS);
  expect(unreachable.states).toEqual(['unreachable']);
  const slow = setUp();
  slow.receive({ toolyard: 'ready' });
  slow.elapse(LOAD_WITHIN_MS);
  expect(slow.states).toEqual(['loading', 'timeout']);
});

test('reports content that left or was removed', () => {
  for (const state of ['left', 'flood'] as const) {
    const { receive, states, channel } = setUp();
    receive({ toolyard: 'ready' });
    receive({ toolyard: 'loaded' });
    receive({ toolyard: state });
    expect(states.at(-1)).toBe(state);
    expect(channel.post({})).toBe(false);
  }
});

test('rejects messages to the content that are too large', () => {
  const { receive, channel } = setUp();
  receive({ toolyard: 'ready' });
  receive({ toolyard: 'loaded' });
  expect(channel.post('x'.repeat(MAX_TO_FRAME))).toBe(false);
});

test('passes theme and locale on, and loads changed content', () => {
  const { receive, channel, sent } = setUp();
  receive({ toolyard: 'ready' });
  receive({ toolyard: 'loaded' });
  channel.setContext({ theme: 'light', locale: 'zh-Hant' });
  expect(sent.at(-1)?.[0]).toEqual({ toolyard: 'context', context: { theme: 'light', locale: 'zh-Hant' } });
  channel.reload({ html: '<p>New</p>', query: 'connect=https%3A%2F%2Fa.example' });
  expect(sent.at(-1)?.[0]).toMatchObject({ toolyard: 'load', html: '<p>New</p>', context: { theme: 'light' } });
});

test('a closed channel receives nothing', () => {
  const { receive, channel, sent, elapse, states } = setUp();
  channel.close();
  receive({ toolyard: 'ready' });
  elapse(CONNECT_WITHIN_MS);
  expect([sent, states]).toEqual([[], []]);
});

import { expect, it } from 'vitest';
import { RenderQueue, type LateContent } from './render-queue.ts';

function setUp() {
  let waiting: (() => void) | null = null;
  const state = { now: 0, loading: false };
  const rendered: string[] = [];
  const queue = new RenderQueue({
    next: (callback) => (waiting = callback),
    now: () => state.now,
    isLoading: () => state.loading,
    flush: () => undefined,
  });
  function frame(): boolean {
    const callback = waiting;
    waiting = null;
    callback?.();
    return callback !== null;
  }
  /** Content of some slices at a distance, each of which takes some milliseconds. */
  function add(name: string, distance: number, { slices = 1, ms = 5, hasPlaces = false } = {}): () => void {
    let left = slices;
    const late: LateContent = {
      hasPlaces,
      distance: () => distance,
      render() {
        state.now += ms;
        rendered.push(name);
        left -= 1;
        if (left === 0) remove();
      },
    };
    const remove = queue.add(late);
    return remove;
  }
  return { state, rendered, frame, add };
}

it('renders the nearest first, as much per frame as takes some milliseconds, one slice at least', () => {
  const { rendered, frame, add } = setUp();
  add('far', 900, { slices: 2, ms: 1 });
  add('near', 10, { slices: 3 });
  add('expensive', 20, { ms: 50 });
  add('placed', 30, { slices: 2, ms: 1, hasPlaces: true });
  const frames = [['near', 'near'], ['near'], ['expensive'], ['placed'], ['placed'], ['far', 'far']];
  for (const expected of frames) {
    frame();
    expect(rendered.splice(0)).toEqual(expected);
  }
  expect(frame()).toBe(false);
});

it('waits for what content is rendered with', () => {
  const { state, rendered, frame, add } = setUp();
  state.loading = true;
  add('a', 0);
  for (let time = 0; time < 10; time += 1) expect(frame()).toBe(true);
  expect(rendered).toEqual([]);
  state.loading = false;
  frame();
  expect(rendered).toEqual(['a']);
});

it('stops for content that is gone, and starts again for other content', () => {
  const { rendered, frame, add } = setUp();
  add('gone', 0, { slices: 9 })();
  frame();
  expect(frame()).toBe(false);
  add('other', 0);
  frame();
  expect(rendered).toEqual(['other']);
});

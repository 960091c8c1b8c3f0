import { expect, it } from 'vitest';
import { placeBefore, textOfParts, withText } from './queue.ts';

const queue = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];

/** Applies the move as the server does. */
function moved(id: string, to: number): string | undefined {
  const before = placeBefore(queue, id, to);
  if (before === undefined) return undefined;
  const rest = queue.filter((item) => item.id !== id);
  const at = before === null ? rest.length : rest.findIndex((item) => item.id === before);
  return rest
    .toSpliced(at, 0, { id })
    .map((item) => item.id)
    .join('');
}

it('moves a queued message up, down and to either end', () => {
  expect(['c', 'c', 'a', 'a', 'b'].map((id, index) => moved(id, [0, 1, 1, 2, 2][index] ?? 0))).toEqual([
    'cab',
    'acb',
    'bac',
    'bca',
    'acb',
  ]);
});

it('sends nothing if nothing would change', () => {
  expect([moved('a', 0), moved('a', -1), moved('c', 3), moved('x', 0)]).toEqual(Array(4).fill(undefined));
});

it('changes the text of a message and keeps its files', () => {
  const image = { type: 'image', mimeType: 'image/png', source: { data: '' } } as const;
  const parts = [{ type: 'text', text: 'one' } as const, image];
  expect(textOfParts(parts)).toBe('one');
  expect(withText(parts, 'two')).toEqual([{ type: 'text', text: 'two' }, image]);
  expect(withText(parts, ' ')).toEqual([image]);
});

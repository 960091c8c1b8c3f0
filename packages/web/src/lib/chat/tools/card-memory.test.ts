import { expect, test } from 'vitest';
import { CardMemory } from './card-memory.ts';

test('remembers what is changed, and forgets the oldest of very many', () => {
  const memory = new CardMemory();
  memory.change('first', { unfolded: true });
  memory.change('second', { unfolded: true });
  memory.change('first', { text: 'it worked' });
  expect(memory.get('first')).toEqual({ unfolded: true, text: 'it worked' });
  expect(memory.get('never')).toEqual({});
  for (let index = 0; index < 499; index += 1) memory.change(`call ${String(index)}`, { unfolded: true });
  expect(memory.get('second')).toEqual({});
  expect(memory.get('first')).toEqual({ unfolded: true, text: 'it worked' });
});

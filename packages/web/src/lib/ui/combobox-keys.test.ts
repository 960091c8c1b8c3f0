import { expect, it } from 'vitest';
import { optionAfterKey } from './combobox-keys.ts';

it('moves around the ends by arrows, and stops there by pages', () => {
  expect(optionAfterKey('ArrowDown', 9, 10)).toBe(0);
  expect(optionAfterKey('ArrowUp', 0, 10)).toBe(9);
  expect(optionAfterKey('PageDown', 5, 10)).toBe(9);
  expect(optionAfterKey('PageUp', 5, 10)).toBe(0);
  expect(optionAfterKey('Home', 5, 10)).toBeNull();
  expect(optionAfterKey('ArrowDown', 0, 0)).toBeNull();
});

import { describe, expect, it } from 'vitest';
import { positionFloating } from './position-floating.ts';

const view = { width: 1000, height: 800 };
const button = (left: number, top: number) => ({ left, right: left + 40, top, bottom: top + 40 });

describe('position of a popover', () => {
  it('is below its button, aligned at the end', () => {
    const place = positionFloating(button(500, 100), { width: 200, height: 300 }, view, {
      side: 'bottom',
      align: 'end',
    });
    expect(place).toMatchObject({ left: 340, top: 146 });
  });

  it('is above it if there is no room below', () => {
    const place = positionFloating(button(500, 700), { width: 200, height: 300 }, view, {
      side: 'bottom',
      align: 'start',
    });
    expect(place).toMatchObject({ left: 500, top: 394 });
  });

  it('stays on the preferred side, with less height, if the other has even less room', () => {
    const place = positionFloating(button(500, 500), { width: 200, height: 2000 }, view, {
      side: 'top',
      align: 'start',
    });
    expect(place.maxHeight).toBe(486);
    expect(place.top).toBe(8);
  });

  it('is always inside the window', () => {
    const right = positionFloating(button(980, 100), { width: 300, height: 50 }, view, {
      side: 'bottom',
      align: 'start',
    });
    expect(right.left).toBe(692);
    const left = positionFloating(button(0, 100), { width: 300, height: 50 }, view, { side: 'bottom', align: 'end' });
    expect(left.left).toBe(8);
    const narrow = positionFloating(
      button(0, 0),
      { width: 900, height: 50 },
      { width: 390, height: 800 },
      { side: 'bottom', align: 'center' },
    );
    expect(narrow.left).toBe(8);
  });

  it('is on the other side of a button at the right edge', () => {
    const place = positionFloating(button(900, 100), { width: 200, height: 50 }, view, {
      side: 'right',
      align: 'start',
    });
    expect(place).toMatchObject({ left: 694, top: 100 });
  });
});

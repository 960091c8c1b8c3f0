type Box = { left: number; right: number; top: number; bottom: number };
type Size = { width: number; height: number };

export type FloatingPlacement = { side: 'top' | 'bottom' | 'right'; align: 'start' | 'center' | 'end' };
export type FloatingPosition = { left: number; top: number; maxHeight: number };

const GAP = 6;
/** Margin at the edges of the window, in pixels. */
const MARGIN = 8;

/**
 * Position of a popover beside its button: on the preferred side if it fits there or has more room than on the other,
 * and always inside the window.
 */
export function positionFloating(
  anchor: Box,
  size: Size,
  view: Size,
  { side, align }: FloatingPlacement,
): FloatingPosition {
  if (side === 'right') {
    const fits = anchor.right + GAP + size.width + MARGIN <= view.width;
    const maxHeight = view.height - 2 * MARGIN;
    return {
      left: fits ? anchor.right + GAP : Math.max(MARGIN, anchor.left - GAP - size.width),
      top: clamp(anchor.top, Math.min(size.height, maxHeight), view.height),
      maxHeight,
    };
  }
  const above = anchor.top - GAP - MARGIN;
  const below = view.height - anchor.bottom - GAP - MARGIN;
  const [preferred, other] = side === 'top' ? [above, below] : [below, above];
  const isFlipped = size.height > preferred && other > preferred;
  const maxHeight = isFlipped ? other : preferred;
  const onTop = (side === 'top') !== isFlipped;
  const height = Math.min(size.height, maxHeight);
  const lefts = {
    start: anchor.left,
    center: (anchor.left + anchor.right - size.width) / 2,
    end: anchor.right - size.width,
  };
  return {
    left: clamp(lefts[align], size.width, view.width),
    top: onTop ? anchor.top - GAP - height : anchor.bottom + GAP,
    maxHeight,
  };
}

function clamp(start: number, length: number, whole: number): number {
  return Math.max(MARGIN, Math.min(start, whole - MARGIN - length));
}

import { browserValue } from '../browser-storage.ts';

/** Width of the panel in percent of the window. */
export const WIDTH = { min: 25, max: 70, step: 2 };

const kept = browserValue<number>('preview-width', {
  version: 1,
  read: (value) => (typeof value === 'number' && Number.isFinite(value) ? bounded(value) : undefined),
  fallback: 45,
});

function bounded(percent: number): number {
  return Math.round(Math.min(WIDTH.max, Math.max(WIDTH.min, percent)));
}

class PanelWidth {
  percent: number = $state(kept.get());

  set(percent: number): void {
    this.percent = bounded(percent);
    kept.set(this.percent);
  }
}

export const panelWidth = new PanelWidth();

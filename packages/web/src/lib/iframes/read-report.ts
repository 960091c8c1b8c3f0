import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { IframeReport } from '../../frames/messages.ts';

const MAX_TEXT = 5_000;
const MAX_HEIGHT = 100_000;
const LEVELS = ['debug', 'log', 'info', 'warn', 'error'] as const;

/** Validates what the content document reported, which content can forge. Null: not a report. */
export function readReport(value: JsonValue): IframeReport | null {
  if (!isJsonObject(value)) return null;
  const text = (key: string): string => {
    const found = value[key];
    return typeof found === 'string' ? found.slice(0, MAX_TEXT) : '';
  };
  const number = (key: string): number | null => {
    const found = value[key];
    return typeof found === 'number' && Number.isFinite(found) ? found : null;
  };
  switch (value['kind']) {
    case 'console': {
      const level = LEVELS.find((each) => each === value['level']);
      return level === undefined ? null : { kind: 'console', level, text: text('text') };
    }
    case 'error':
      return { kind: 'error', text: text('text'), line: number('line'), stack: text('stack') };
    case 'blocked':
      return { kind: 'blocked', url: text('url'), directive: text('directive') };
    case 'link':
      return { kind: 'link', url: text('url') };
    case 'size': {
      const height = number('height');
      return height === null ? null : { kind: 'size', height: Math.min(MAX_HEIGHT, Math.max(0, Math.ceil(height))) };
    }
    default:
      return null;
  }
}

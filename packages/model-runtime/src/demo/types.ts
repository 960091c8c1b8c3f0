import type { Clock, ErrorInfo, JsonObject } from '@toolyard/protocol';

/** A call of the demo; `arguments` is null if the requested text is not a JSON object. */
export type DemoCall = { name: string; arguments: JsonObject | null; argumentsText: string };

/** The demo's reaction to a request. */
export type DemoAnswer =
  | { kind: 'say'; text: string }
  | { kind: 'call'; text: string; calls: DemoCall[] }
  | { kind: 'slow'; wordCount: number }
  | { kind: 'fail'; error: ErrorInfo };

/** What the demo provider needs. */
export type DemoOptions = {
  clock: Clock;
  /** Generates call ids. */
  newId: () => string;
};

import type { Clock, ErrorInfo, JsonObject } from '@toolyard/protocol';

/** A call as the demo makes it; `arguments` is null where what was asked for is no JSON object. */
export type DemoCall = { name: string; arguments: JsonObject | null; argumentsText: string };

/** What the demo does with a request. */
export type DemoAnswer =
  | { kind: 'say'; text: string }
  | { kind: 'call'; text: string; calls: DemoCall[] }
  | { kind: 'slow'; words: number }
  | { kind: 'fail'; error: ErrorInfo };

export type DemoOptions = {
  clock: Clock;
  /** Names the calls. */
  newId: () => string;
};

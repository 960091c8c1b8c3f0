import type { RateLimit } from '@toolyard/protocol';
import type { RateSpan } from '@toolyard/storage';

const SPANS = { minute: 60_000, day: 86_400_000 } as const;

/** The current minute and day (UTC) of a rate limit. */
export function rateSpans({ perMinute, perDay }: RateLimit, now: number): RateSpan[] {
  const spans = [
    { span: 'minute', limit: perMinute },
    { span: 'day', limit: perDay },
  ] as const;
  return spans.flatMap(({ span, limit }) =>
    limit === undefined ? [] : [{ span, limit, startedAt: now - (now % SPANS[span]) }],
  );
}

/** Seconds until the span of a used up limit ends. */
export function secondsUntilEnd({ span, startedAt }: RateSpan, now: number): number {
  return Math.max(1, Math.ceil((startedAt + (span === 'day' ? SPANS.day : SPANS.minute) - now) / 1_000));
}

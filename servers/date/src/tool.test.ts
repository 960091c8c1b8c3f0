import { describe, expect, test } from 'vitest';
import { getDate } from './tool.ts';

const options = { now: () => Date.parse('2026-11-05T05:03:07.890Z'), timeZone: 'Europe/Berlin', locale: 'de-DE' };

test('defaults to iso in the local zone', () => {
  expect(getDate({}, options)).toEqual({
    content: [{ type: 'text', text: '2026-11-05T06:03:07+01:00' }],
    structuredContent: {
      text: '2026-11-05T06:03:07+01:00',
      format: 'iso',
      iso: '2026-11-05T06:03:07+01:00',
      unix: 1793854987,
      timezone: 'Europe/Berlin',
      utcOffset: '+01:00',
      locale: 'de-DE',
    },
  });
});

test('without options uses time, zone and locale of the machine', () => {
  const result = getDate({ format: 'unix' }, {});
  const machine = new Intl.DateTimeFormat().resolvedOptions();
  expect(result.isError).toBeUndefined();
  expect(result.structuredContent).toMatchObject({ locale: machine.locale });
});

test('treats null and empty arguments as missing', () => {
  expect(getDate({ format: 'UNIX', timezone: '', locale: null }, options)).toMatchObject({
    content: [{ text: '1793854987' }],
    structuredContent: { timezone: 'Europe/Berlin', locale: 'de-DE' },
  });
});

describe('answers an invalid value with an error the model can correct', () => {
  test.each([
    [{ format: 'rfc3339' }, ['rfc3339', 'iso, date, time, datetime, locale, unix, rfc2822']],
    [{ format: 7 }, ['Unknown format 7', 'rfc2822']],
    [{ timezone: 'Asia/Tokio' }, ['Asia/Tokio', 'Nearest: Asia/Tokyo', 'Europe/London']],
    [{ timezone: 9 }, ['timezone must be a string, not 9']],
    [{ locale: 'klingon' }, ['klingon', 'en-US']],
    [{ locale: 'klingon', format: 'iso' }, ['klingon']],
    [{ tz: 'Asia/Tokyo' }, ['no argument "tz"', 'format, timezone, locale']],
    [{ format: 'x', timezone: [1] }, ['Unknown format "x"', 'timezone must be a string']],
  ])('%j', (args, words) => {
    const result = getDate(args, options);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    const [first] = result.content;
    for (const word of words) expect(first).toMatchObject({ text: expect.stringContaining(word) as string });
  });
});

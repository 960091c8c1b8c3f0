/** Date and time in a time zone; `weekday` 0 is Sunday. */
type LocalTime = { day: string; weekday: number; hour: number };

const MINUTE_MS = 60_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const formats = new Map<string, Intl.DateTimeFormat>();

/** Local times of a time zone. Throws a RangeError for an unknown zone. */
export function localTime(at: number, timeZone: string): LocalTime {
  const parts = toParts(at, timeZone);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return {
    day: `${part('year')}-${part('month')}-${part('day')}`,
    weekday: WEEKDAYS.indexOf(part('weekday')),
    hour: Number(part('hour')),
  };
}

export function isTimeZone(name: string): boolean {
  try {
    getFormat(name);
    return true;
  } catch {
    return false;
  }
}

/** The beginning of the next local hour. Where a clock is set back by less than an hour it may repeat the hour. */
export function nextLocalHour(at: number, timeZone: string): number {
  const minute = Number(toParts(at, timeZone).get('minute'));
  return (Math.floor(at / MINUTE_MS) + 60 - minute) * MINUTE_MS;
}

/** The beginning of the next local day, which is not always midnight. */
export function nextLocalDay(at: number, timeZone: string): number {
  const { day } = localTime(at, timeZone);
  let later = nextLocalHour(at, timeZone);
  while (localTime(later, timeZone).day === day) later = nextLocalHour(later, timeZone);
  return later;
}

function toParts(at: number, timeZone: string): ReadonlyMap<Intl.DateTimeFormatPartTypes, string> {
  return new Map(
    getFormat(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
}

function getFormat(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format;
}

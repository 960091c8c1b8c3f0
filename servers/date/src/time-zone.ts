import { nearest } from './nearest.ts';

/** A value, or why it is invalid. `problem` is written for the model that sent it. */
export type Read<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Local date and time in a zone at one instant. */
export type WallClock = {
  /** `2026-11-05`. */
  date: string;
  /** `14:03:07`. */
  time: string;
};

const EXAMPLES = 'Asia/Tokyo, Europe/London, America/New_York, UTC';

/** Old names that the runtime's own list still contains. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/**
 * Abbreviations the runtime accepts although they are not IANA names. Each has several meanings, and the runtime's
 * choice is surprising: it reads BST as Dhaka, not London.
 */
const AMBIGUOUS = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '),
);

/** The time zone of this machine, by its current IANA name. */
export function machineTimeZone(): string {
  return currentName(new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** All time zones, by their current IANA names. */
export function allTimeZones(): string[] {
  return [...Intl.supportedValuesOf('timeZone').map(currentName), 'UTC'];
}

/** Reads an IANA name in any case, or an offset such as `+05:30`, and returns its current canonical form. */
export function readTimeZone(written: string): Read<string> {
  const name = written.trim();
  if (AMBIGUOUS.has(name.toUpperCase())) {
    return {
      ok: false,
      problem: `The time zone "${name}" is an ambiguous abbreviation. Use a place instead, such as ${EXAMPLES}.`,
    };
  }
  try {
    return {
      ok: true,
      value: currentName(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone),
    };
  } catch {
    const close = nearest(name, allTimeZones());
    const nearestOnes = close.length === 0 ? '' : ` Nearest: ${close.join(', ')}.`;
    return {
      ok: false,
      problem: `Unknown time zone "${shorten(name)}".${nearestOnes} Use an IANA name such as ${EXAMPLES}.`,
    };
  }
}

/** The UTC offset of a zone at an instant, in seconds; negative in the west. */
export function utcOffsetSeconds(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(instant);
  const written = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const match = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(written);
  if (match === null) throw new Error(`The runtime returned an offset that cannot be read: ${written}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}

/** Date and time on a clock that is `offsetSeconds` ahead of UTC. */
export function wallClock(instant: number, offsetSeconds: number): WallClock {
  const [date = '', time = ''] = new Date(instant + offsetSeconds * 1000).toISOString().split('T');
  return { date, time: time.slice(0, 8) };
}

function currentName(name: string): string {
  return RENAMED[name] ?? name;
}

/** Shortens model input that an error message quotes. */
export function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

import { shorten, type Read } from './time-zone.ts';

const EXAMPLES = 'en-US, en-GB, de-DE, ja-JP, zh-TW, pt-BR';

/** The locale of this machine. */
export function machineLocale(): string {
  return new Intl.DateTimeFormat().resolvedOptions().locale;
}

/** Reads a BCP 47 tag in any case; also accepts the underscore and encoding of `zh_TW.UTF-8`. */
export function readLocale(written: string): Read<string> {
  const tag = written.trim().replace(/\..*$/, '').replaceAll('_', '-');
  try {
    const [supported] = Intl.DateTimeFormat.supportedLocalesOf(tag);
    if (supported !== undefined) return { ok: true, value: supported };
  } catch {
    // Not even the form of a tag: the same answer helps.
  }
  return {
    ok: false,
    problem: `Unknown locale "${shorten(written.trim())}". Use a BCP 47 tag such as ${EXAMPLES}.`,
  };
}

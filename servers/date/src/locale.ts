import { shorten, type Read } from './time-zone.ts';

const EXAMPLES = 'en-US, en-GB, de-DE, ja-JP, zh-TW, pt-BR';

/** The machine's own locale. */
export function machineLocale(): string {
  return new Intl.DateTimeFormat().resolvedOptions().locale;
}

/** Reads a BCP 47 tag in any case; the underscore and the encoding of `zh_TW.UTF-8` are forgiven. */
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
    problem: `There is no locale "${shorten(written.trim())}". Locales are BCP 47 tags such as ${EXAMPLES}.`,
  };
}

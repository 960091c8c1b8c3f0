/** The languages of the page, each with its native name. */
export const LOCALES = { en: 'English', 'zh-Hant': '繁體中文', 'zh-Hans': '简体中文' } as const;

export type Locale = keyof typeof LOCALES;

export function isLocale(value: unknown): value is Locale {
  return typeof value === 'string' && Object.hasOwn(LOCALES, value);
}

/** Returns the first preferred language that the page supports, or English. */
export function chooseLocale(preferred: readonly string[]): Locale {
  for (const tag of preferred) {
    const found = match(tag);
    if (found !== null) return found;
  }
  return 'en';
}

function match(tag: string): Locale | null {
  const parts = tag.toLowerCase().split(/[-_]/);
  if (parts[0] === 'en') return 'en';
  if (parts[0] === 'yue') return parts.includes('hans') ? 'zh-Hans' : 'zh-Hant';
  if (parts[0] !== 'zh') return null;
  if (parts.includes('hant')) return 'zh-Hant';
  if (parts.includes('hans')) return 'zh-Hans';
  return parts.some((part) => part === 'tw' || part === 'hk' || part === 'mo') ? 'zh-Hant' : 'zh-Hans';
}

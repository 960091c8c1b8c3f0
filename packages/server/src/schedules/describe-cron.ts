import type { DescriptionLanguage, ScheduleTiming } from '@toolyard/protocol';

type Describe = (expression: string, options: { locale: string; use24HourTimeFormat: boolean }) => string;

const LOCALES: Record<DescriptionLanguage, string> = { en: 'en', 'zh-Hant': 'zh_TW', 'zh-Hans': 'zh_CN' };

/** A cron expression in words; null for other timings, and without words for it. The library is loaded when needed. */
export async function describeTiming(timing: ScheduleTiming, language: DescriptionLanguage): Promise<string | null> {
  if (timing.kind !== 'cron') return null;
  const { default: library } = await import('cronstrue/i18n.js');
  // A static function of the library, not that of Object.
  const { toString: describe } = library as unknown as { toString: Describe };
  try {
    return describe(timing.expression, { locale: LOCALES[language], use24HourTimeFormat: true });
  } catch {
    return null;
  }
}

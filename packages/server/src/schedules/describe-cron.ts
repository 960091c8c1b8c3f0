import type { PreviewSchedule } from '@toolyard/protocol';

type Language = NonNullable<PreviewSchedule['language']>;

type Describe = (expression: string, options: { locale: string; use24HourTimeFormat: boolean }) => string;

const LOCALES: Record<Language, string> = { en: 'en', 'zh-Hant': 'zh_TW', 'zh-Hans': 'zh_CN' };

/** A valid cron expression in words; null if it has no words, such as a nickname. The library is loaded when needed. */
export async function describeCron(expression: string, language: Language): Promise<string | null> {
  const { default: library } = await import('cronstrue/i18n.js');
  // A static function of the library, not that of Object.
  const { toString: describe } = library as unknown as { toString: Describe };
  try {
    return describe(expression, { locale: LOCALES[language], use24HourTimeFormat: true });
  } catch {
    return null;
  }
}

import { t } from '../i18n/i18n.svelte.ts';
import { LOCALES } from '../i18n/locale.ts';
import type { Locale } from '../i18n/locale.ts';
import type { ThemeChoice } from '../state/theme.svelte.ts';

export function themeChoices(): { value: ThemeChoice; label: string }[] {
  return (['system', 'light', 'dark'] as const).map((value) => ({ value, label: t(`common.theme_${value}`) }));
}

/** Languages have their own names. */
export function languageChoices(): { value: Locale | 'system'; label: string }[] {
  const locales = Object.keys(LOCALES) as Locale[];
  return [
    { value: 'system', label: t('common.languageSystem') },
    ...locales.map((value) => ({ value, label: LOCALES[value] })),
  ];
}

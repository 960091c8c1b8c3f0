import type { JsonValue, PropsView } from '@toolyard/protocol';
import { fetchWithSession } from '../api/session-fetch.ts';
import { chooseLocale, isLocale } from '../i18n/locale.ts';
import type { Locale } from '../i18n/locale.ts';
import type { ThemeChoice } from '../state/theme.svelte.ts';
import { isThemeChoice } from '../state/theme.svelte.ts';

/** The operator's settings for the page (`--ui-config`); choices of the user win. */
export type OperatorSettings = { theme: ThemeChoice; language: Locale | 'system' };

/** Never rejects: without a response the page uses the defaults of the browser. */
export async function readOperatorSettings(): Promise<OperatorSettings> {
  try {
    const response = await fetchWithSession('/props');
    return parseOperatorSettings(response.ok ? ((await response.json()) as PropsView).ui_settings : {});
  } catch {
    return parseOperatorSettings({});
  }
}

/** Unknown values count as absent: the same settings may serve pages of another version. */
export function parseOperatorSettings({ theme, language }: { [key: string]: JsonValue }): OperatorSettings {
  return { theme: isThemeChoice(theme) ? theme : 'system', language: readLanguage(language) };
}

function readLanguage(value: JsonValue | undefined): Locale | 'system' {
  if (isLocale(value)) return value;
  return typeof value === 'string' && /^(en|zh|yue)\b/i.test(value) ? chooseLocale([value]) : 'system';
}

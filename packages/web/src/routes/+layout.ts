import { i18n } from '#lib/i18n/i18n.svelte.ts';
import { readOperatorSettings } from '#lib/settings/operator-settings.ts';
import { session } from '#lib/state/session.svelte.ts';
import { startUp } from '#lib/shell/startup.ts';
import { theme } from '#lib/state/theme.svelte.ts';

export const ssr = false;
export const prerender = false;

/** The page appears in the user's language and theme at once. */
export async function load(): Promise<void> {
  const operatorSettings = await startUp();
  theme.start(operatorSettings.theme);
  await i18n.start(operatorSettings.language);
  // Only signed-in users get the operator's settings.
  session.onSignedIn(async () => {
    const { theme: themeChoice, language } = await readOperatorSettings();
    theme.useDefault(themeChoice);
    await i18n.useDefault(language).catch(() => undefined);
  });
}

import { i18n } from '#lib/i18n/i18n.svelte.ts';
import { session } from '#lib/state/session.svelte.ts';
import { readOperatorSettings } from '#lib/state/operator-settings.ts';
import { theme } from '#lib/state/theme.svelte.ts';

export const ssr = false;
export const prerender = false;

/** The page appears in the user's language and theme at once. */
export async function load(): Promise<void> {
  // The operator's settings are sent only to signed-in users.
  await session.useAddress();
  const operatorSettings = await readOperatorSettings();
  theme.start(operatorSettings.theme);
  await i18n.start(operatorSettings.language);
}

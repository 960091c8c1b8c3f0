import { i18n } from '#lib/i18n/i18n.svelte.ts';

export const ssr = false;
export const prerender = false;

/** The page appears in the person's language, not in English first. */
export const load = (): Promise<void> => i18n.start();

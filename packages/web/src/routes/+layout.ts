import { i18n } from '#lib/i18n/i18n.svelte.ts';
import type { LayoutLoad } from './$types';

export const ssr = false;
export const prerender = false;

export const load: LayoutLoad = () => i18n.start();

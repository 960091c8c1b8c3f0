import { t } from '../i18n/i18n.svelte.ts';

/** Display name of an agent, which may have none yet. */
export function agentName({ title }: { title: string }): string {
  return title.trim() === '' ? t('agents.untitled') : title;
}

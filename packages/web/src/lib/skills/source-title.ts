import type { SkillSource } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';

/** Where a skill comes from. */
export function sourceTitle(source: SkillSource): string {
  if (source.kind === 'server') return t('skills.server', { server: source.serverId });
  return source.kind === 'workspace' ? t('skills.workspace') : t('skills.own');
}

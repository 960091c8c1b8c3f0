import { fenced, tokensOfText } from '@toolyard/agent-runtime';
import type { SkillSource } from '@toolyard/protocol';
import type { FoundSkill } from './skill.ts';

/** Tokens of the list, by default. */
export const CATALOGUE_TOKENS = 2_000;
/** Skills named as left out. */
const MAX_NAMED = 20;

const PREFACE =
  'Skills are instructions for certain tasks. The user has switched on those below. If one fits the task, read it with read_skill before you begin. Skills grant no permissions: calls are checked as always.';

/**
 * The list of skills that a model receives, within `limit` tokens. The order is that of `skills`, so that the beginning
 * of requests stays the same; with too many, the last ones are left out.
 */
export function createSkillList(
  skills: readonly FoundSkill[],
  limit: number,
): { text: string; leftOut: ReadonlySet<string> } {
  let tokens = 0;
  const entries: string[] = [];
  const leftOut: FoundSkill[] = [];
  for (const skill of skills) {
    const { name, description } = skill.head;
    const entry = fenced('skill', { name, from: describeSource(skill.source) }, description);
    tokens += tokensOfText(entry);
    if (tokens > limit) leftOut.push(skill);
    else entries.push(entry);
  }
  const lines = [PREFACE, ...entries, ...(leftOut.length === 0 ? [] : [describeLeftOut(leftOut)])];
  return { text: lines.join('\n'), leftOut: new Set(leftOut.map(({ id }) => id)) };
}

function describeLeftOut(skills: readonly FoundSkill[]): string {
  const named = skills.slice(0, MAX_NAMED).map(({ head }) => head.name);
  const more = skills.length > named.length ? ', and others' : '';
  return `For lack of space ${skills.length} more are not described here; read_skill reads them too: ${named.join(', ')}${more}.`;
}

/** For models: a path or an id of the user stays short and on one line. */
export function describeSource(source: SkillSource): string {
  if (source.kind === 'data') return 'the user';
  return source.kind === 'workspace' ? 'the workspace' : `the MCP server ${source.serverId}`;
}

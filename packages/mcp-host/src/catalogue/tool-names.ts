import type { ToolReference } from '@toolyard/protocol';

import { shortHash } from '../values/hash.ts';

/** The function names that every model provider accepts. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** How a name is written: bare, qualified with its server, or cut with a hash of the reference. */
type Style = { kind: 'bare' } | { kind: 'prefixed' } | { kind: 'hashed'; round: number };

/**
 * Assigns model-facing names. A name depends only on the set of tools, not on their order or on earlier runs:
 *
 * - the bare name if only one server has it
 * - `<server>__<name>` for each of them if several have it
 * - a name that is too long or still not unique is cut and gets a hash
 *
 * Takes distinct references; returns names in the same order, each at most 64 characters of `[A-Za-z0-9_-]` that start with a letter or `_`.
 */
export function nameTools(tools: readonly ToolReference[]): string[] {
  const bare = groupBy(tools, (tool) => clean(tool.name));
  const styles = tools.map((tool): Style => {
    const group = bare.get(clean(tool.name)) ?? [];
    return group.some((other) => tools[other]?.serverId !== tool.serverId) ? { kind: 'prefixed' } : { kind: 'bare' };
  });
  for (const [at, tool] of tools.entries()) {
    if (plainName(tool, styles[at]).length > MAX_LENGTH) styles[at] = { kind: 'hashed', round: 0 };
  }

  for (;;) {
    const names = tools.map((tool, at) => written(tool, styles[at]));
    const byName = groupBy(names, (name) => name);
    const clashing = [...byName.values()].filter((group) => group.length > 1).flat();
    if (clashing.length === 0) return names;
    for (const at of clashing) {
      const style = styles[at];
      styles[at] = { kind: 'hashed', round: style?.kind === 'hashed' ? style.round + 1 : 0 };
    }
  }
}

function written(tool: ToolReference, style: Style | undefined): string {
  if (style?.kind !== 'hashed') return plainName(tool, style);
  const salt = style.round === 0 ? '' : `#${style.round}`;
  const hash = shortHash(`${JSON.stringify([tool.serverId, tool.name])}${salt}`).slice(-HASH_LENGTH);
  return `${clean(tool.name).slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

function plainName(tool: ToolReference, style: Style | undefined): string {
  return style?.kind === 'prefixed' ? `${clean(tool.serverId)}__${clean(tool.name)}` : clean(tool.name);
}

/** Gemini requires a letter or an underscore at the start. */
function clean(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_-]/g, '_');
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
}

function groupBy<T>(items: readonly T[], getKey: (item: T) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [at, item] of items.entries()) {
    const key = getKey(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [at]);
    else group.push(at);
  }
  return groups;
}

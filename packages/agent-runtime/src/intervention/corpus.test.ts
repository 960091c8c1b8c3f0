import { loadPolicyCorpus, needs } from '@toolyard/testing';
import type { Need, PolicyCase } from '@toolyard/testing';
import type { JsonObject } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { findDanger } from './blacklist.ts';
import { CallFacts } from './call-facts.ts';
import type { CallContext } from './call-facts.ts';
import { compileRules } from './rules.ts';

const OWN: CallContext = { own: { dataFolder: '/home/anna/.local/share/toolyard', port: 8710 } };
const HINTS = { readOnly: false, destructive: true };

function createCall(tool: string, args: JsonObject, callContext: CallContext = OWN): CallFacts {
  const [serverId = '', name = ''] = tool.split('/');
  return new CallFacts({ serverId, name }, args, callContext);
}

/** Resolves the symbolic links of the cases like a file system. */
function resolver(links: Record<string, string>): (path: string) => string {
  return (path) => {
    let done: string[] = [];
    const open = path.split('/').reverse();
    while (open.length > 0) {
      const part = open.pop() ?? '';
      if (part === '..') done.pop();
      else if (part !== '' && part !== '.') done.push(part);
      const target = links[`/${done.join('/')}`];
      if (target === undefined) continue;
      done = [];
      open.push(...target.split('/').reverse());
    }
    return `/${done.join('/')}`;
  };
}

function judge(entry: PolicyCase): string {
  switch (entry.kind) {
    case 'command':
      return findDanger(createCall('shell/run', { command: entry.command }), false) ? 'flagged' : 'unflagged';
    case 'call':
      return findDanger(createCall(entry.call.tool, entry.call.arguments), false) ? 'flagged' : 'unflagged';
    case 'never': {
      const facts = createCall('shell/run', { command: entry.command });
      return compileRules([{ decision: 'never', command: entry.rule }])(facts, HINTS) === 'never'
        ? 'match'
        : 'no-match';
    }
    case 'path': {
      const { workingFolder, links = {}, call } = entry;
      const facts = createCall(call.tool, call.arguments, { workingFolder, resolvePath: resolver(links) });
      const allowed = compileRules([{ decision: 'allow', inside: entry.inside }])(facts, HINTS) === 'allow';
      return allowed ? 'inside' : 'outside';
    }
  }
}

/** Wrong results by group; of the sealed half only ids may be printed. */
function figures(half: 'open' | 'sealed', corpus: 'first' | 'second' = 'first') {
  const groups = new Map<string, { total: number; wrong: PolicyCase[] }>();
  for (const entry of loadPolicyCorpus(half, corpus)) {
    const group = groups.get(entry.group) ?? { total: 0, wrong: [] };
    groups.set(entry.group, group);
    group.total++;
    if (judge(entry) !== entry.expected) group.wrong.push(entry);
  }
  const sum = (of: (name: string, expected: string) => boolean): { total: number; right: number; wrong: string[] } => {
    let total = 0;
    const wrong: string[] = [];
    for (const entry of loadPolicyCorpus(half, corpus)) {
      if (!of(entry.group, entry.expected)) continue;
      total++;
      if (groups.get(entry.group)?.wrong.some(({ id }) => id === entry.id) === true) wrong.push(entry.id);
    }
    return { total, right: total - wrong.length, wrong };
  };
  const table = [...groups].map(
    ([name, { total, wrong }]) => `${name}: ${total - wrong.length}/${total} ${wrong.map(({ id }) => id).join(' ')}`,
  );
  return { sum, table: table.join('\n') };
}

const createNeed = (half: 'open' | 'sealed'): Need => {
  const isSealed = half === 'sealed' && process.env['TOOLYARD_SEALED'] !== '1';
  return {
    name: 'sealed-corpus',
    missing: isSealed ? 'it runs once, before a release: TOOLYARD_SEALED=1' : null,
  };
};

describe.each(['open', 'sealed'] as const)('the %s half of the policy corpus', (half) => {
  const need = createNeed(half);

  it('flags at least nine of ten dangerous commands and calls', needs(need), () => {
    const { sum, table } = figures(half);
    const { total, right } = sum((group, expected) => expected === 'flagged' && !group.startsWith('harmless-'));
    expect(right / total, table).toBeGreaterThanOrEqual(0.9);
  });

  it('flags at most one of twenty harmless commands', needs(need), () => {
    const { sum, table } = figures(half);
    const { total, right } = sum((_group, expected) => expected === 'unflagged');
    expect(1 - right / total, table).toBeLessThanOrEqual(0.05);
  });

  it('recognizes every form of a forbidden program', needs(need), () => {
    const { sum, table } = figures(half);
    const { total, right } = sum((group) => group === 'never');
    if (half === 'open') expect(right, table).toBe(total);
    else expect(right / total, table).toBeGreaterThanOrEqual(0.9);
  });

  it('takes no path outside a folder for one inside', needs(need), () => {
    const { sum, table } = figures(half);
    expect(sum((_group, expected) => expected === 'outside').wrong, table).toEqual([]);
    const { total, right } = sum((_group, expected) => expected === 'inside');
    expect(right / total, table).toBeGreaterThanOrEqual(0.9);
  });
});

describe.each(['open', 'sealed'] as const)('the %s half of the second policy corpus', (half) => {
  const need = createNeed(half);

  it('lets at most one of twenty dangerous commands through', needs(need), () => {
    const { sum, table } = figures(half, 'second');
    const isCommand = (group: string): boolean => group.startsWith('second-') && group !== 'second-arguments';
    const { total, wrong } = sum(isCommand);
    expect(wrong.length / total, table).toBeLessThanOrEqual(0.05);
  });

  it('lets at most one of ten dangerous arguments through', needs(need), () => {
    const { sum, table } = figures(half, 'second');
    const { total, wrong } = sum((group) => group === 'second-arguments');
    expect(wrong.length / total, table).toBeLessThanOrEqual(0.1);
  });

  it('flags at most one of fifty harmless commands and calls', needs(need), () => {
    const { sum, table } = figures(half, 'second');
    const { total, wrong } = sum((_group, expected) => expected === 'unflagged');
    expect(wrong.length / total, table).toBeLessThanOrEqual(0.02);
  });
});

import type { InterventionRule, JsonObject } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { CallFacts } from './call-facts.ts';
import { readInterventionRules } from './read-rules.ts';
import { compileRules } from './rules.ts';

const tool = { serverId: 'files', name: 'write' };
const NOTHING_KNOWN = { readOnly: false, destructive: true };

function by(rule: InterventionRule, args: JsonObject = {}, hints = NOTHING_KNOWN): string | undefined {
  return compileRules([rule])(new CallFacts(tool, args), hints);
}

describe('a rule', () => {
  it('is for tools by server and name', () => {
    expect(by({ decision: 'allow', tool: 'files/write' })).toBe('allow');
    expect(by({ decision: 'allow', tool: 'files/*' })).toBe('allow');
    expect(by({ decision: 'allow', tool: '*/write' })).toBe('allow');
    expect(by({ decision: 'allow', tool: 'file/*' })).toBeUndefined();
    expect(by({ decision: 'allow', tool: 'files/writ?' })).toBe('allow');
  });

  it('is for what a tool is, as far as its server is believed', () => {
    expect(by({ decision: 'allow', readOnly: true })).toBeUndefined();
    expect(by({ decision: 'allow', readOnly: true }, {}, { readOnly: true, destructive: false })).toBe('allow');
    expect(by({ decision: 'ask', destructive: true })).toBe('ask');
  });

  it('is for arguments at any depth, under any name: what forbids for one of them, what allows for all', () => {
    const args = { to: { list: ['/srv/a', { any: 'secret plan' }] }, count: 3 };
    expect(by({ decision: 'never', argument: '*secret*' }, args)).toBe('never');
    expect(by({ decision: 'ask', argument: 'count' }, args)).toBe('ask');
    expect(by({ decision: 'ask', argument: '3' }, args)).toBe('ask');
    expect(by({ decision: 'allow', argument: '/srv/*' }, args)).toBeUndefined();
    expect(by({ decision: 'allow', argument: '/srv/*' }, { a: '/srv/x', b: ['/srv/y'], count: 3 })).toBe('allow');
    expect(by({ decision: 'allow', argument: '/srv/*' }, { a: '/srv/../etc/passwd' })).toBeUndefined();
    expect(by({ decision: 'allow', argument: '*' }, {})).toBeUndefined();
  });

  it('is for commands, however they are put: what forbids for one of them, what allows for nothing else', () => {
    const never: InterventionRule = { decision: 'never', command: 'git push*' };
    for (const command of ['git push', 'ls && git  push -f', 'echo $(git push)', "'git' pu\\sh", 'x | (git push)']) {
      expect(by(never, { x: command })).toBe('never');
    }
    expect(by(never, { x: 'git status' })).toBeUndefined();
    const allow: InterventionRule = { decision: 'allow', command: 'git status*' };
    expect(by(allow, { x: 'git status -s 2>&1 >/dev/null; git status' })).toBe('allow');
    for (const command of [
      'git status; rm x',
      'git status $(rm x)',
      'git status > file',
      'git status `rm x`',
      'git status | sh',
      'GIT_PAGER=x git status',
      'git status $X',
      "git status '",
      '',
    ]) {
      expect(by(allow, { x: command }), command).toBeUndefined();
    }
  });

  it('is for paths outside of a folder', () => {
    const ask: InterventionRule = { decision: 'ask', outside: '/srv/project' };
    for (const path of [
      '/etc/x',
      '/srv/project/../other',
      '../x',
      '~/x',
      '/srv/projectile',
      'file:///etc/x',
      'C:\\x',
    ]) {
      expect(by(ask, { any: { path } }), path).toBe('ask');
    }
    expect(by(ask, { command: 'cp a /tmp/b' })).toBe('ask');
    expect(by(ask, { command: 'ls > ../b' })).toBe('ask');
    for (const path of ['/srv/project', '/srv/project/a', 'a/b', './a', 'plain text', 'a/../b']) {
      expect(by(ask, { path }), path).toBeUndefined();
    }
  });

  it('allows only where all paths are inside', () => {
    const allow: InterventionRule = { decision: 'allow', inside: '/srv/project/' };
    expect(by(allow, { from: '/srv/project/a', to: '/srv/project/b' })).toBe('allow');
    // The folder a relative path starts from is unknown.
    expect(by(allow, { from: '/srv/project/a', to: 'b' })).toBeUndefined();
    expect(by(allow, { from: '/srv/project/a', to: '/b' })).toBeUndefined();
    expect(by(allow, { command: 'cat "$X"' })).toBeUndefined();
  });

  it('allows no call for its paths that names none', () => {
    const allow: InterventionRule = { decision: 'allow', inside: '/srv/project' };
    for (const args of [
      {},
      { amount: 7 },
      { to: 'everybody@example.com', text: 'Good day' },
      { text: 'and/or' },
      { command: 'reboot' },
    ]) {
      expect(by(allow, args), JSON.stringify(args)).toBeUndefined();
    }
    expect(by(allow, { path: '/srv/project/notes.txt', text: 'and/or' })).toBe('allow');
  });

  it('has to fit in all that it says', () => {
    expect(by({ decision: 'never', tool: 'other/*', argument: 'x' }, { a: 'x' })).toBeUndefined();
    expect(by({ decision: 'never', tool: 'files/*', argument: 'x' }, { a: 'x' })).toBe('never');
  });

  it('gives way to a stricter one', () => {
    const rules: InterventionRule[] = [
      { decision: 'allow', tool: '*' },
      { decision: 'never', argument: 'x' },
      { decision: 'ask', argument: 'y' },
    ];
    expect(compileRules(rules)(new CallFacts(tool, { a: 'y' }), NOTHING_KNOWN)).toBe('ask');
    expect(compileRules(rules)(new CallFacts(tool, { a: 'y', b: 'x' }), NOTHING_KNOWN)).toBe('never');
    expect(compileRules(rules)(new CallFacts(tool, {}), NOTHING_KNOWN)).toBe('allow');
  });
});

describe('rules that cannot be read', () => {
  it.each<[unknown, string]>([
    [{}, 'no list'],
    [[{ decision: 'allow', tool: 'a/*' }, 7], 'Rule 2: it is no object'],
    [[{ decision: 'maybe', tool: 'a' }], 'Rule 1, "decision"'],
    [[{ decision: 'allow' }], 'Rule 1: it says nothing of the calls it is for'],
    [[{ decision: 'allow', tol: 'a' }], 'Rule 1, "tol": nothing of this name is known'],
    [[{ decision: 'never', tool: '' }], 'Rule 1, "tool": it must be a text'],
    [[{ decision: 'never', readOnly: 'yes' }], 'Rule 1, "readOnly": it must be true or false'],
    [[{ decision: 'allow', outside: '/a' }], 'Rule 1, "outside": a rule that allows says "inside"'],
    [[{ decision: 'ask', inside: '/a' }], 'Rule 1, "inside"'],
    [[{ decision: 'ask', outside: 'a' }], 'Rule 1, "outside": it must be a whole path'],
  ])('are named with what is wrong: %j', (rules, told) => {
    expect(() => readInterventionRules(rules)).toThrow(told);
  });

  it('are not those that can', () => {
    const rules = [{ decision: 'never', tool: 'a/*', command: 'git push*' }];
    expect(readInterventionRules(rules)).toEqual(rules);
  });
});

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
  it('matches tools by server and name', () => {
    expect(by({ decision: 'allow', tool: 'files/write' })).toBe('allow');
    expect(by({ decision: 'allow', tool: 'files/*' })).toBe('allow');
    expect(by({ decision: 'allow', tool: '*/write' })).toBe('allow');
    expect(by({ decision: 'allow', tool: 'file/*' })).toBeUndefined();
    expect(by({ decision: 'allow', tool: 'files/writ?' })).toBe('allow');
  });

  it('matches annotations of trusted servers', () => {
    expect(by({ decision: 'allow', readOnly: true })).toBeUndefined();
    expect(by({ decision: 'allow', readOnly: true }, {}, { readOnly: true, destructive: false })).toBe('allow');
    expect(by({ decision: 'ask', destructive: true })).toBe('ask');
  });

  it('matches arguments at any depth with any name: one is enough to forbid, all must match to allow', () => {
    const args = { to: { list: ['/srv/a', { any: 'secret plan' }] }, count: 3 };
    expect(by({ decision: 'never', argument: '*secret*' }, args)).toBe('never');
    expect(by({ decision: 'ask', argument: 'count' }, args)).toBe('ask');
    expect(by({ decision: 'ask', argument: '3' }, args)).toBe('ask');
    expect(by({ decision: 'allow', argument: '/srv/*' }, args)).toBeUndefined();
    expect(by({ decision: 'allow', argument: '/srv/*' }, { a: '/srv/x', b: ['/srv/y'], count: 3 })).toBe('allow');
    expect(by({ decision: 'allow', argument: '/srv/*' }, { a: '/srv/../etc/passwd' })).toBeUndefined();
    expect(by({ decision: 'allow', argument: '*' }, {})).toBeUndefined();
  });

  it('matches commands in any form: one is enough to forbid, all must match to allow', () => {
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

  it('matches hosts of URLs: one is enough to forbid, all texts must be such URLs to allow', () => {
    const page = { url: 'https://docs.example.com/a?b=c' };
    expect(by({ decision: 'allow', host: 'docs.example.com' }, page)).toBe('allow');
    expect(by({ decision: 'allow', host: '*.example.com' }, { url: 'http://a.b.EXAMPLE.com:8080/' })).toBe('allow');
    for (const url of [
      'https://docs.example.com.evil.example/',
      'https://docs.example.com@evil.example/',
      'https://docs.example.com:secret@docs.example.com/',
      'https://evil.example/docs.example.com',
      'https:\\\\evil.example\\docs.example.com',
      'docs.example.com',
      'ftp://docs.example.com/',
      'https://docs.example.com/a?to=https://evil.example',
      'https://docs.example.com/a?to=https%3A%2F%2Fevil.example',
    ]) {
      expect([url, by({ decision: 'allow', host: 'docs.example.com' }, { url })]).toEqual([url, undefined]);
    }
    expect(by({ decision: 'allow', host: 'docs.example.com' }, { ...page, note: 'hello' })).toBeUndefined();
    expect(by({ decision: 'allow', host: '*' }, {})).toBeUndefined();
    expect(by({ decision: 'never', host: 'evil.example' }, { text: 'see https://evil.example/x, please' })).toBe(
      'never',
    );
    expect(by({ decision: 'never', host: 'evil.example' }, { text: 'https://docs.example.com/' })).toBeUndefined();
  });

  it('matches paths outside a folder', () => {
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

  it('allows only if all paths are inside', () => {
    const allow: InterventionRule = { decision: 'allow', inside: '/srv/project/' };
    expect(by(allow, { from: '/srv/project/a', to: '/srv/project/b' })).toBe('allow');
    // The base of a relative path is unknown.
    expect(by(allow, { from: '/srv/project/a', to: 'b' })).toBeUndefined();
    expect(by(allow, { from: '/srv/project/a', to: '/b' })).toBeUndefined();
    expect(by(allow, { command: 'cat "$X"' })).toBeUndefined();
  });

  it('with `inside` allows no call without paths', () => {
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

  it('must match in all its fields', () => {
    expect(by({ decision: 'never', tool: 'other/*', argument: 'x' }, { a: 'x' })).toBeUndefined();
    expect(by({ decision: 'never', tool: 'files/*', argument: 'x' }, { a: 'x' })).toBe('never');
  });

  it('yields to a stricter one', () => {
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

describe('invalid rules', () => {
  it.each<[unknown, string]>([
    [{}, 'must be a list'],
    [[{ decision: 'allow', tool: 'a/*' }, 7], 'Rule 2: it must be an object'],
    [[{ decision: 'maybe', tool: 'a' }], 'Rule 1, "decision"'],
    [[{ decision: 'allow' }], 'Rule 1: it needs at least one field that says which calls it matches'],
    [[{ decision: 'allow', tol: 'a' }], 'Rule 1, "tol": it is not a known field'],
    [[{ decision: 'never', tool: '' }], 'Rule 1, "tool": it must be text that is not empty'],
    [[{ decision: 'never', readOnly: 'yes' }], 'Rule 1, "readOnly": it must be true or false'],
    [[{ decision: 'allow', outside: '/a' }], 'Rule 1, "outside": a rule that allows uses "inside" instead'],
    [[{ decision: 'ask', inside: '/a' }], 'Rule 1, "inside"'],
    [[{ decision: 'ask', outside: 'a' }], 'Rule 1, "outside": it must be an absolute path'],
  ])('are reported: %j', (rules, message) => {
    expect(() => readInterventionRules(rules)).toThrow(message);
  });

  it('are not confused with valid ones', () => {
    const rules = [{ decision: 'never', tool: 'a/*', command: 'git push*' }];
    expect(readInterventionRules(rules)).toEqual(rules);
  });
});

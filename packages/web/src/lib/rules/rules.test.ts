import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { faultsOfRules } from '@toolyard/protocol';
import type { InterventionRule } from '@toolyard/protocol';
import { testTool } from '../servers/test-fixtures/test-servers.ts';
import { explainCall, explainToolCall } from './explain-call.ts';
import type { CallToExplain } from './explain-call.ts';
import { toForm, toRule } from './rule-form.ts';

describe('rule form', () => {
  it.each<InterventionRule>([
    { decision: 'allow', tool: 'git/*', command: 'git status*', inside: '/home/ann' },
    { decision: 'never', argument: '*secret*' },
    { decision: 'ask', outside: 'C:\\work', destructive: true },
    { decision: 'allow', readOnly: true },
    { decision: 'ask', readOnly: false },
  ])('returns the rule it was filled with: %j', (rule) => {
    expect(toRule(toForm(rule))).toEqual({ ok: true, rule });
    expect(faultsOfRules([rule])).toEqual([]);
  });

  it('reports what is missing', () => {
    const empty = toForm({ decision: 'ask' });
    expect(toRule(empty)).toMatchObject({ ok: false, fault: { problem: 'empty' } });
    expect(toRule({ ...empty, tool: '  ' })).toMatchObject({ ok: false });
    expect(toRule({ ...empty, folder: 'here' })).toMatchObject({ ok: false, fault: { field: 'folder' } });
  });
});

const RULES: InterventionRule[] = [
  { decision: 'allow', tool: 'shell/run', command: 'git *' },
  { decision: 'ask', command: 'git push*' },
  { decision: 'never', argument: '*production*' },
];

function explained(command: string, more: Partial<CallToExplain> = {}) {
  return explainCall({
    tool: { serverId: 'shell', name: 'run' },
    args: { command },
    mode: 'allow-list',
    rules: RULES,
    lostRules: false,
    permission: undefined,
    judged: { builtIn: false, readOnly: false },
    ...more,
  });
}

it('"Try a call" flags no text for an isolated built-in tool, like a run, and flags it for any other', () => {
  const annotations = { readOnly: true, openWorld: false };
  const of = (builtIn: boolean, isolated?: true) =>
    explainToolCall(
      {
        server: { builtIn },
        view: testTool('compute', 'run_javascript', { annotations, ...(isolated ? { isolated } : {}) }),
        args: { code: 'require("child_process").execSync("rm -rf ~")' },
        context: {},
      },
      { mode: 'manual', rules: [], lostRules: false },
    );
  vi.stubGlobal('location', { port: '' });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(of(true, true)).toEqual({ decision: 'run', by: { kind: 'built_in' } });
  expect(of(true)).toMatchObject({ by: { kind: 'danger' } });
  // What a server says about itself does not count.
  expect(of(false, true)).toMatchObject({ decision: 'ask', by: { kind: 'danger' } });
});

describe('the reason of a decision', () => {
  it.each([
    ['git status', 'run', { kind: 'rules', rules: [0] }],
    ['git push', 'ask', { kind: 'rules', rules: [1] }],
    ['git push production', 'refused', { kind: 'rules', rules: [2] }],
    ['ls', 'ask', { kind: 'mode' }],
  ] as const)('%s: %s', (command, decision, by) => {
    expect(explained(command)).toEqual({ decision, by });
  });

  it('is that rules are invalid, before anything that allows', () => {
    const by = { kind: 'lost_rules' };
    expect(explained('git status', { lostRules: true, permission: 'allow', mode: 'auto' })).toEqual({
      decision: 'ask',
      by,
    });
    expect(explained('git push production', { lostRules: true })).toMatchObject({ by: { kind: 'rules' } });
    const judged = { builtIn: true, readOnly: true };
    expect(explained('ls', { lostRules: true, judged })).toEqual({ decision: 'run', by: { kind: 'built_in' } });
  });

  it('is a flagged danger before anything that allows, and a decision of the owner before that', () => {
    expect(explained('rm -rf /', { permission: 'allow' })).toMatchObject({ decision: 'ask', by: { kind: 'danger' } });
    expect(explained('rm -rf /', { mode: 'headless' }).decision).toBe('refused');
    expect(explained('rm -rf /', { permission: 'never' })).toEqual({ decision: 'refused', by: { kind: 'owner' } });
  });

  it('is never an allowing rule in the mode that always asks', () => {
    expect(explained('git status', { mode: 'manual' })).toEqual({ decision: 'ask', by: { kind: 'mode' } });
  });

  it('is that a tool changed since it was allowed', () => {
    const judged = { builtIn: false, readOnly: false, changed: { hasMoved: true, differences: [] } };
    expect(explained('ls', { permission: 'allow', judged })).toEqual({ decision: 'ask', by: { kind: 'changed' } });
    expect(explained('git push', { judged }).by).toEqual({ kind: 'rules', rules: [1] });
  });

  it('is that the tool is read-only and built in', () => {
    const judged = { builtIn: true, readOnly: true };
    expect(explained('ls', { judged })).toEqual({ decision: 'run', by: { kind: 'built_in' } });
  });
});

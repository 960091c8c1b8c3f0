import type { InterventionRule } from '@toolyard/protocol';

/** A rule as typed. */
export type RuleForm = {
  decision: InterventionRule['decision'];
  tool: string;
  argument: string;
  command: string;
  host: string;
  /** Allowing rules match inside a folder, other rules outside of it. */
  folder: string;
  hint: '' | 'reads' | 'writes' | 'destroys';
};

export type RuleFormFault = { field: 'folder' | 'all'; problem: 'path' | 'empty' };

export const EMPTY_RULE: RuleForm = {
  decision: 'ask',
  tool: '',
  argument: '',
  command: '',
  host: '',
  folder: '',
  hint: '',
};

export function formOf(rule: InterventionRule): RuleForm {
  const { decision, tool = '', argument = '', command = '', host = '', inside, outside, readOnly, destructive } = rule;
  const hint = destructive === true ? 'destroys' : readOnly === true ? 'reads' : readOnly === false ? 'writes' : '';
  return { decision, tool, argument, command, host, folder: inside ?? outside ?? '', hint };
}

/** The rule as typed, or what is wrong with it. */
export function ruleOf(form: RuleForm): { ok: true; rule: InterventionRule } | { ok: false; fault: RuleFormFault } {
  const [tool, argument, command, host, folder] = [form.tool, form.argument, form.command, form.host, form.folder].map(
    (text) => text.trim(),
  );
  const rule: InterventionRule = {
    decision: form.decision,
    ...put('tool', tool),
    ...put('argument', argument),
    ...put('command', command),
    ...put('host', host),
    ...put(form.decision === 'allow' ? 'inside' : 'outside', folder),
    ...(form.hint === 'reads' ? { readOnly: true } : {}),
    ...(form.hint === 'writes' ? { readOnly: false } : {}),
    ...(form.hint === 'destroys' ? { destructive: true } : {}),
  };
  if (Object.keys(rule).length < 2) return { ok: false, fault: { field: 'all', problem: 'empty' } };
  if (folder !== undefined && folder !== '' && !/^\/|^[A-Za-z]:[\\/]/.test(folder)) {
    return { ok: false, fault: { field: 'folder', problem: 'path' } };
  }
  return { ok: true, rule };
}

function put<Name extends string>(name: Name, text: string | undefined): { [Key in Name]?: string } {
  return (text === undefined || text === '' ? {} : { [name]: text }) as { [Key in Name]?: string };
}

import type { InterventionRule } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** A rule as typed. */
export type RuleForm = {
  decision: InterventionRule['decision'];
  /** Allowing rules match inside a folder, other rules outside of it. */
  folder: string;
  hint: '' | 'reads' | 'writes' | 'destroys';
} & Record<'tool' | 'argument' | 'command' | 'host', string>;

export type RuleFormFault = { field: 'folder' | 'all'; problem: 'path' | 'empty' };

export function toForm(rule: InterventionRule): RuleForm {
  const { decision, tool = '', argument = '', command = '', host = '', inside, outside, readOnly, destructive } = rule;
  const hint = destructive === true ? 'destroys' : readOnly === true ? 'reads' : readOnly === false ? 'writes' : '';
  return { decision, tool, argument, command, host, folder: inside ?? outside ?? '', hint };
}

/** The rule as typed, or what is wrong with it. */
export function toRule(form: RuleForm): { ok: true; rule: InterventionRule } | { ok: false; fault: RuleFormFault } {
  const typed = (field: 'tool' | 'argument' | 'command' | 'host' | 'folder') => form[field].trim() || undefined;
  const folder = typed('folder');
  const rule: InterventionRule = {
    decision: form.decision,
    ...defined({
      tool: typed('tool'),
      argument: typed('argument'),
      command: typed('command'),
      host: typed('host'),
      [form.decision === 'allow' ? 'inside' : 'outside']: folder,
      readOnly: form.hint === 'reads' ? true : form.hint === 'writes' ? false : undefined,
      destructive: form.hint === 'destroys' ? true : undefined,
    }),
  };
  if (Object.keys(rule).length < 2) return { ok: false, fault: { field: 'all', problem: 'empty' } };
  if (folder !== undefined && !/^\/|^[A-Za-z]:[\\/]/.test(folder)) {
    return { ok: false, fault: { field: 'folder', problem: 'path' } };
  }
  return { ok: true, rule };
}

import { loadPolicyCorpus } from '@toolyard/testing';
import { expect, it } from 'vitest';
import { inspectScript } from './dangers.ts';
import { isPlainProse } from './plain-prose.ts';
import { readShell } from './shell-reader.ts';

it('takes no dangerous command for prose', () => {
  const commands = loadPolicyCorpus('open').flatMap((entry) => ('command' in entry ? [entry.command] : []));
  const passed = commands.filter((command) => isPlainProse(command));
  expect(passed.filter((command) => inspectScript(readShell(command), {})?.kind === 'danger')).toEqual([]);
});

it.each([
  'shutdown now',
  'all is well; reboot',
  'see (halt)',
  'mytool purge everything',
  'then rm notes',
  'look at id_rsa first',
  'x\nsudo ls',
])('leaves %j to the parser', (text) => {
  expect(isPlainProse(text)).toBe(false);
});

it.each(["The tide is high (see page 12); I don't mind.", 'value 12 of the table', 'costs 3.5 km/h, e.g. at noon?'])(
  'accepts %j without parsing',
  (text) => {
    expect(isPlainProse(text)).toBe(true);
  },
);

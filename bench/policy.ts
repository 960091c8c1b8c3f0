// What the check of a call costs, with the blacklist and with rules. JSON lines on stdout, a table on stderr.
import { loadNow, machine, say } from './support/command.ts';
import { table } from './support/finding.ts';
import { measurePolicy } from './policy/checks.ts';

say(`${machine()}; ${loadNow()}`);
const findings = measurePolicy(process.argv.includes('--quick'));
for (const finding of findings) process.stdout.write(`${JSON.stringify({ bench: 'policy', ...finding })}\n`);
say(`\n${table(findings)}`);

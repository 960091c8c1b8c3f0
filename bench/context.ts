// What putting a request together costs where a conversation is long, and what a run costs that rests for a person.
// JSON lines on stdout, a table for people on stderr.
import { parseArgs } from 'node:util';
import { measureAssembling } from './context/assemble.ts';
import { measureParking } from './context/park.ts';
import { loadNow, machine, optionsOrExit, say } from './support/command.ts';
import { table } from './support/finding.ts';

const USAGE = `npm run bench -- context [--quick]

  --quick  some seconds: fewer rounds
`;

function readOptions(args: string[]): { rounds: number } | null {
  const { values } = parseArgs({
    args,
    options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
  });
  return values.help ? null : { rounds: values.quick ? 20 : 100 };
}

const { rounds } = optionsOrExit(readOptions, USAGE);
say(`${machine()}; ${loadNow()}`);
const findings = [...(await measureAssembling(rounds)), ...(await measureParking(rounds))];
for (const finding of findings) process.stdout.write(`${JSON.stringify({ bench: 'context', ...finding })}\n`);
say(`${loadNow()}\n\n${table(findings)}`);
process.exit();

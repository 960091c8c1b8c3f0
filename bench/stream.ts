// What streaming costs: the wires beside the least that reads an answer and beside other libraries, reading tool calls
// out of text by itself, importing the package. JSON lines on stdout, a table for people on stderr.
import { measureAnswers } from './stream/answers.ts';
import { measureImport } from './stream/import.ts';
import type { Options, Part } from './stream/options.ts';
import { readOptions, USAGE } from './stream/options.ts';
import { measureTextCalls } from './stream/text-calls.ts';
import { loadNow, machine, optionsOrExit, say } from './support/command.ts';
import type { Finding } from './support/finding.ts';
import { table } from './support/finding.ts';

const MEASURES: Readonly<Record<Part, (options: Options) => Promise<Finding[]> | Finding[]>> = {
  answers: measureAnswers,
  'text-calls': measureTextCalls,
  import: measureImport,
};

async function main(options: Options): Promise<Finding[]> {
  say(`${machine()}; ${loadNow()}`);
  const findings: Finding[] = [];
  for (const part of options.only) {
    const found = await MEASURES[part](options);
    for (const finding of found) process.stdout.write(`${JSON.stringify({ bench: 'stream', ...finding })}\n`);
    findings.push(...found);
    say(`${part}: measured; ${loadNow()}`);
  }
  return findings;
}

say(`\n${table(await main(optionsOrExit(readOptions, USAGE)))}`);

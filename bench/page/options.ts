import { parseArgs } from 'node:util';

export const PARTS = ['load', 'open', 'stream'] as const;
export type Part = (typeof PARTS)[number];

export type Options = { only: readonly Part[]; quick: boolean };

export const USAGE = `npm run bench -- page [--quick] [--only PART,...]

  --quick  about a minute instead of four: fewer rounds and a shorter answer
  --only   these parts alone: ${PARTS.join(', ')}
`;

/** Reads the arguments; null where only help is asked for. Throws an Error for a person to read. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return null;
  return { only: values.only?.split(',').map(partOf) ?? PARTS, quick: values.quick };
}

function partOf(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`There is no part "${name}"; there are ${PARTS.join(', ')}.`);
  return part;
}

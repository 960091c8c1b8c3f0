import { parseArgs } from 'node:util';

/** The parts of the bench, in the order they are run. */
export const PARTS = ['calls', 'concurrent', 'slow', 'tools', 'starting', 'closing'] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  only: readonly Part[];
  /** Under half a minute for everything: fewer calls and servers, the same checks. */
  quick: boolean;
};

export const USAGE = `npm run bench -- mcp [--quick] [--only PART,...]

  --quick    under half a minute instead of two: fewer calls and servers
  --only     these parts alone: ${PARTS.join(', ')}
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
  const only = values.only?.split(',').map(partOf) ?? PARTS;
  return { only, quick: values.quick };
}

function partOf(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`There is no part "${name}"; there are ${PARTS.join(', ')}.`);
  return part;
}

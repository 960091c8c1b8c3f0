import { parseArgs } from 'node:util';

/** The parts of the bench, in the order they are run. */
export const PARTS = ['commit', 'first-token', 'many', 'long', 'rest'] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  only: readonly Part[];
  /** About a minute for everything: fewer rounds and shorter runs, the same checks. */
  quick: boolean;
  /** Where the server leaves a CPU profile of each part; null for none. */
  profile: string | null;
};

export const USAGE = `npm run bench -- run [--quick] [--only PART,...] [--profile FOLDER]

  --quick    about a minute instead of six: fewer rounds, shorter runs
  --only     these parts alone: ${PARTS.join(', ')}
  --profile  leave a .cpuprofile of the server of each part in this folder (the times then count for little)
`;

/** Reads the arguments; null where only help is asked for. Throws an Error for a person to read. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return null;
  const only = values.only?.split(',').map(partOf) ?? PARTS;
  return { only, quick: values.quick, profile: values.profile ?? null };
}

function partOf(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`There is no part "${name}"; there are ${PARTS.join(', ')}.`);
  return part;
}

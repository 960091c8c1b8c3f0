import { parseArgs } from 'node:util';

export const PARTS = ['answers', 'text-calls', 'import'] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  only: readonly Part[];
  rounds: number;
  /** Answers in a block. */
  runs: number;
  /** Events in one write of the model. */
  batch: number;
};

export const USAGE = `npm run bench -- stream [--quick] [--only PART,...] [--batch N]

  --quick  fewer rounds: half a minute instead of two
  --only   these parts alone: ${PARTS.join(', ')}
  --batch  events the model puts into one write (default 5)
`;

/** Reads the arguments; null where only help is asked for. Throws an Error for a person to read. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      batch: { type: 'string', default: '5' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return null;
  const batch = Number(values.batch);
  if (!Number.isInteger(batch) || batch < 1) throw new Error('--batch takes a whole number from 1.');
  return {
    only: values.only?.split(',').map(partOf) ?? PARTS,
    rounds: values.quick ? 3 : 9,
    runs: 12,
    batch,
  };
}

function partOf(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`There is no part "${name}"; there are ${PARTS.join(', ')}.`);
  return part;
}

import { parseArgs } from 'node:util';

export type Options = {
  /** Runs in a block: a contender's turn. */
  runs: number;
  rounds: number;
  only: string[];
  /** Events the mock model puts into one write. */
  batch: number;
  /** Where each contender leaves a CPU profile; null for none. */
  profile: string | null;
};

export const USAGE = `npm run bench -- loop [--runs N] [--rounds N] [--batch N]
                         [--only floor,toolyard,...] [--profile FOLDER]

  --runs     runs in one turn of a contender (default 60)
  --rounds   turns of each contender in each scenario (default 16)
  --batch    tokens the model sends in one write (default 5; with 300 the whole answer comes at once)
  --only     these contenders alone; without floor there are no ratios
  --profile  leave a .cpuprofile of each contender in this folder (the times are then no longer worth printing)
`;

/** Reads the arguments; null where only help is asked for. Throws an Error for a person to read. */
export function readOptions(args: string[], known: readonly string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '60' },
      rounds: { type: 'string', default: '16' },
      batch: { type: 'string', default: '5' },
      only: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return null;
  const only = values.only?.split(',') ?? [...known];
  const strange = only.find((name) => !known.includes(name));
  if (strange !== undefined) throw new Error(`There is no contender "${strange}"; there are ${known.join(', ')}.`);
  return {
    runs: positive('--runs', values.runs),
    rounds: positive('--rounds', values.rounds),
    batch: positive('--batch', values.batch),
    only,
    profile: values.profile ?? null,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${name} takes a whole number above zero, not "${text}".`);
}

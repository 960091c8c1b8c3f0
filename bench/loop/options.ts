import { parseArgs } from 'node:util';

export type Options = {
  /** Runs in a block: a contender's turn. */
  runs: number;
  rounds: number;
  /** Requests a contender sends before its first round counts. */
  warmUpRequests: number;
  only: string[];
  /** Events the mock model puts into one write. */
  batch: number;
  /** Where each contender leaves a CPU profile; null for none. */
  profile: string | null;
};

export const USAGE = `npm run bench -- loop [--quick] [--runs N] [--rounds N] [--batch N]
                         [--only floor,toolyard,...] [--profile FOLDER]

  --quick    two rounds of five runs: shows that everything works, the figures mean little
  --runs     runs in one turn of a contender (default 60)
  --rounds   turns of each contender in each scenario (default 16)
  --batch    tokens the model sends in one write (default 5; with 300 the whole answer comes at once)
  --only     these contenders alone; without floor there are no ratios
  --profile  leave a .cpuprofile of each contender in this folder (the times are then no longer worth printing)
`;

/** After so many requests the optimising compiler has seen the hot paths, and times no longer fall. */
const WARM_UP_REQUESTS = 800;

/** Reads the arguments; null where only help is asked for. Throws an Error for a person to read. */
export function readOptions(args: string[], known: readonly string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      runs: { type: 'string' },
      rounds: { type: 'string' },
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
    runs: positive('--runs', values.runs ?? (values.quick ? '5' : '60')),
    rounds: positive('--rounds', values.rounds ?? (values.quick ? '2' : '16')),
    warmUpRequests: values.quick ? 20 : WARM_UP_REQUESTS,
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

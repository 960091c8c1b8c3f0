import { parseArgs } from 'node:util';

/** Where the bench takes place, in the order it is run. */
export const PLACES = ['sqlite', 'postgres', 'web+worker'] as const;
export type PlaceName = (typeof PLACES)[number];

export const PARTS = ['first-token', 'many', 'resume'] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  places: readonly PlaceName[];
  only: readonly Part[];
  quick: boolean;
  /** Where CPU profiles of the servers are left; null for none. */
  profile: string | null;
};

export const USAGE = `npm run bench -- scale [--quick] [--places PLACE,...] [--only PART,...] [--profile FOLDER]

  --quick   about two minutes instead of six: fewer rounds, shorter runs
  --places  these alone: ${PLACES.join(', ')}
  --only    these parts alone: ${PARTS.join(', ')}
  --profile CPU profiles of the servers are left in FOLDER
`;

/** Reads the arguments; null where only help is asked for. Throws an Error for a person to read. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      places: { type: 'string' },
      only: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return null;
  const places = values.places?.split(',').map((name) => oneOf(PLACES, name, 'place')) ?? PLACES;
  const only = values.only?.split(',').map((name) => oneOf(PARTS, name, 'part')) ?? PARTS;
  return { places, only, quick: values.quick, profile: values.profile ?? null };
}

function oneOf<Name extends string>(names: readonly Name[], name: string, what: string): Name {
  const found = names.find((known) => known === name);
  if (found === undefined) throw new Error(`There is no ${what} "${name}"; there are ${names.join(', ')}.`);
  return found;
}

import { parseArgs } from 'node:util';

const PARTS = ['mcp', 'models'] as const;
export type Part = (typeof PARTS)[number];

export type Options = {
  only: readonly Part[];
  /** IDs of peers; all if empty. */
  names: readonly string[];
  /** Downloads everything again, to measure the first connection. */
  fresh: boolean;
};

export const USAGE = `npm run bench -- peers [--only PART,...] [--fresh] [NAME...]

  Connects to MCP servers of others and to a real model server, and writes docs/peers.md.
  Downloads about 2.5 GB into .cache/peers the first time.

  --only     these parts alone: ${PARTS.join(', ')}
  --fresh    measure the first connection again: deletes what the sandboxed servers have downloaded
  NAME       these peers alone, by the first column of the report; the other rows stay as they are
`;

/** Null for --help. @throws Error with a message for the user */
export function readOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  return { only: values.only?.split(',').map(partOf) ?? PARTS, names: positionals, fresh: values.fresh };
}

function partOf(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`Unknown part "${name}". Use ${PARTS.join(', ')}.`);
  return part;
}

import type { z } from 'zod';

type Misfit = Parameters<z.core.$ZodErrorMap>[0];

/**
 * What does not fit about something that was sent or written, for whoever wrote it: given to zod as `error`. Where a
 * schema has words of its own for it, those are taken.
 */
export const plainZodError: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && issue.code !== 'custom') return 'it is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `it must be ${wanted(issue)}, not ${given(issue.input)}`;
    case 'invalid_value':
      return `it must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return amount(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return amount(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `it must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `${oneOf(issue.keys.map((key) => JSON.stringify(key.slice(0, 80))))} is not known here`;
    case 'invalid_union':
      return unionWords(issue);
    case 'invalid_format':
      return `it is not of the form that is expected here (${issue.format})`;
    case 'invalid_key':
      return 'one of its names cannot be used here';
    case 'invalid_element':
      return 'one of its entries does not fit';
    default:
      return 'it does not fit';
  }
};

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a time',
};

function wanted({ expected, inst }: Extract<Misfit, { code: 'invalid_type' }>): string {
  const { def } = inst?._zod ?? {};
  const isInt = expected === 'number' && def !== undefined && 'format' in def && def.format === 'safeint';
  return KINDS[isInt ? 'int' : expected] ?? 'something else';
}

function given(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'number') return Number.isFinite(input) ? String(input) : 'what is no number';
  if (typeof input === 'boolean') return String(input);
  return KINDS[typeof input] ?? 'what is given';
}

function amount({ origin }: Misfit & { origin: string }, limit: number | bigint, how: string): string {
  if (origin === 'string') return `it must have ${how} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') {
    return `it must have ${how} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  }
  return `it must be ${how} ${limit}`;
}

function unionWords(issue: Extract<Misfit, { code: 'invalid_union' }>): string {
  const { options } = issue as { options?: unknown };
  if (Array.isArray(options)) return `it must be ${oneOf(options.map((option) => JSON.stringify(option)))}`;
  const kinds = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? [KINDS[first.expected] ?? ''] : [],
  );
  const inside = issue.errors.flatMap(([first]) => (first && first.path.length > 0 ? [first] : []));
  const [only] = inside;
  if (only && inside.length === 1) return `"${only.path.map(String).join('.')}" in it: ${only.message}`;
  const known = [...new Set(kinds)].filter((kind) => kind !== '');
  return inside.length === 0 && known.length > 0 ? `it must be ${oneOf(known)}` : 'it has none of the forms taken here';
}

function oneOf(all: readonly string[]): string {
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}`;
}

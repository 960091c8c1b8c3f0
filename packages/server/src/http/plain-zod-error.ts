import type { z } from 'zod';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

/**
 * Messages for invalid values, as predicates: "must be an integer (got a string)". Pass it to zod as `error`. Messages
 * that a schema itself defines have precedence.
 */
export const plainZodError: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && issue.code !== 'custom') return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expectedKind(issue)} (got ${describeInput(issue.input)})`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return limitText(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return limitText(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys': {
      const names = issue.keys.map((key) => JSON.stringify(key.slice(0, 80)));
      return `has the unknown ${names.length === 1 ? 'field' : 'fields'} ${names.join(', ')}`;
    }
    case 'invalid_union':
      return unionText(issue);
    case 'invalid_format':
      return `must have the format ${issue.format}`;
    case 'invalid_key':
      return 'has an invalid field name';
    case 'invalid_element':
      return 'has an invalid entry';
    default:
      return 'is invalid';
  }
};

/** The sentence about an invalid value, without a period; messages that a schema defines follow a colon. */
export function issueSentence(subject: string, message: string): string {
  const predicate = message.replace(/^it (?=must|is|has)/, '');
  return /^(?:must|is|has)\b/.test(predicate) ? `${subject} ${predicate}` : `${subject}: ${message}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a time',
};

function expectedKind({ expected, inst }: Extract<Issue, { code: 'invalid_type' }>): string {
  const { def } = inst?._zod ?? {};
  const isInt = expected === 'number' && def !== undefined && 'format' in def && def.format === 'safeint';
  return KINDS[isInt ? 'int' : expected] ?? expected;
}

function describeInput(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'an array';
  if (typeof input === 'number' || typeof input === 'boolean') return String(input);
  return KINDS[typeof input] ?? typeof input;
}

function limitText({ origin }: Issue & { origin: string }, limit: number | bigint, how: string): string {
  if (origin === 'string') return `must have ${how} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') {
    return `must have ${how} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  }
  return `must be ${how} ${limit}`;
}

function unionText(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const { options } = issue as { options?: unknown };
  if (Array.isArray(options)) return `must be ${oneOf(options.map((option) => JSON.stringify(option)))}`;
  const kinds = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? [KINDS[first.expected] ?? ''] : [],
  );
  const inside = issue.errors.flatMap(([first]) => (first && first.path.length > 0 ? [first] : []));
  const [only] = inside;
  if (only && inside.length === 1) {
    return `is invalid: ${issueSentence(`"${only.path.map(String).join('.')}"`, only.message)}`;
  }
  const known = [...new Set(kinds)].filter((kind) => kind !== '');
  return inside.length === 0 && known.length > 0 ? `must be ${oneOf(known)}` : 'has none of the accepted forms';
}

function oneOf(all: readonly string[]): string {
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}`;
}

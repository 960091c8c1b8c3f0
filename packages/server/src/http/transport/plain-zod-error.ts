import type { z } from 'zod';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

/**
 * Messages for invalid values, as predicates: "must be an integer (got a string)". Pass it to zod as `error`. Messages
 * that a schema itself defines have precedence.
 */
export const plainZodError: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && issue.code !== 'custom') return MISSING;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expectedKind(issue)} (got ${describeInput(issue.input)})`;
    case 'invalid_value':
      return `must be ${formatAlternatives(issue.values.map((value) => JSON.stringify(value)))}`;
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

const MISSING = 'is missing';

/** The first issue as a sentence. `where`: what was validated. */
export function validationText({ issues: [first] }: z.ZodError, where: string): string {
  const path = first?.path.map(String).join('.') ?? '';
  const place = path === '' ? `The ${where}` : `${path} in the ${where}`;
  return `${issueSentence(place, first?.message ?? 'is invalid')}.`;
}

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

/** Says what the form that was meant lacks, or how the forms differ: by their fields or their kinds. */
function unionText(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const { options } = issue as { options?: unknown };
  if (Array.isArray(options)) return `must be ${formatAlternatives(options.map((option) => JSON.stringify(option)))}`;
  const firsts = issue.errors.flatMap(([first]) => (first ? [first] : []));
  const isMissing = (each: (typeof firsts)[number]): boolean => each.path.length === 1 && each.message === MISSING;
  const isOfOtherKind = (each: (typeof firsts)[number]): boolean =>
    each.code === 'invalid_type' && each.path.length === 0;
  // The form that the input has, as far as its fields and their types tell.
  const [meant, ...others] = firsts.filter((each) => !isMissing(each) && !isOfOtherKind(each));
  if (meant && others.length === 0) {
    return meant.path.length === 0
      ? meant.message
      : `is invalid: ${issueSentence(`"${meant.path.map(String).join('.')}"`, meant.message)}`;
  }
  if (firsts.length > 1 && firsts.every(isMissing)) {
    const fields = new Set(firsts.map(({ path }) => JSON.stringify(path[0])));
    return `must have ${fields.size === 1 ? 'the field' : 'one of the fields'} ${formatAlternatives([...fields])}`;
  }
  const kinds = firsts.map((each) => (each.code === 'invalid_type' ? (KINDS[each.expected] ?? '') : ''));
  const known = [...new Set(kinds)].filter((kind) => kind !== '');
  return firsts.every(isOfOtherKind) && known.length > 0
    ? `must be ${formatAlternatives(known)}`
    : 'has none of the accepted forms';
}

function formatAlternatives(all: readonly string[]): string {
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}`;
}

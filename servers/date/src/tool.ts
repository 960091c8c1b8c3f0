import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { FORMAT_NAMES, FORMATS, formatDate, offsetText, unixSeconds, type Moment } from './formats.ts';
import { machineLocale, readLocale } from './locale.ts';
import { machineTimeZone, readTimeZone, shorten, type Read } from './time-zone.ts';

/** What the tool takes from its surroundings: the time, and what holds where a call says nothing. */
export type DateOptions = {
  /** Milliseconds since 1970; the machine's clock by default. */
  now?: () => number;
  /** IANA name; the machine's zone by default. */
  timeZone?: string;
  /** BCP 47 tag; the machine's locale by default. */
  locale?: string;
};

const examples = FORMAT_NAMES.map((name) => `${name} (${FORMATS[name]})`).join(', ');

const argumentsSchema = z.strictObject({
  format: z.enum(FORMAT_NAMES).default('iso').describe(`How to write it: ${examples}.`),
  timezone: z.string().optional().describe('IANA time zone such as Asia/Tokyo; the local one if left out.'),
  locale: z.string().optional().describe('BCP 47 tag such as zh-TW for the format locale; the local one if left out.'),
});

const answerSchema = z.object({
  text: z.string().describe('The date in the format asked for.'),
  format: z.enum(FORMAT_NAMES),
  iso: z.string().describe('ISO 8601 with the offset of the time zone.'),
  unix: z.number().describe('Whole seconds since 1970.'),
  timezone: z.string().describe('IANA name.'),
  utcOffset: z.string().describe('Such as +09:00.'),
  locale: z.string().describe('BCP 47 tag.'),
});

type DateArguments = z.infer<typeof argumentsSchema>;
type DateAnswer = z.infer<typeof answerSchema>;

/** The one tool, as `tools/list` gives it. */
export const GET_DATE: Tool = {
  name: 'get-date',
  title: 'Get date',
  description: 'Tells the current date and time, in any time zone and in several formats.',
  inputSchema: { ...jsonSchema(argumentsSchema, 'input'), type: 'object' },
  outputSchema: { ...jsonSchema(answerSchema, 'output'), type: 'object' },
  annotations: {
    title: 'Get date',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

/** Answers one call. A wrong value gives a result with `isError` that names the right ones; this never throws. */
export function getDate(given: Readonly<Record<string, unknown>>, options: DateOptions): CallToolResult {
  const asked = readArguments(given);
  if (!asked.ok) return toolError(asked.problem);
  const timeZone = readTimeZone(asked.value.timezone ?? options.timeZone ?? machineTimeZone());
  if (!timeZone.ok) return toolError(timeZone.problem);
  const locale = readLocale(asked.value.locale ?? options.locale ?? machineLocale());
  if (!locale.ok) return toolError(locale.problem);

  const instant = (options.now ?? Date.now)();
  const answer = answerFor({ instant, timeZone: timeZone.value, locale: locale.value }, asked.value.format);
  return { content: [{ type: 'text', text: answer.text }], structuredContent: answer };
}

function answerFor(moment: Moment, format: DateArguments['format']): DateAnswer {
  return {
    text: formatDate(moment, format),
    format,
    iso: formatDate(moment, 'iso'),
    unix: unixSeconds(moment.instant),
    timezone: moment.timeZone,
    utcOffset: offsetText(moment),
    locale: moment.locale,
  };
}

function readArguments(given: Readonly<Record<string, unknown>>): Read<DateArguments> {
  const parsed = argumentsSchema.safeParse(forgiving(given));
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problem: parsed.error.issues.map((issue) => describeIssue(issue, given)).join(' ') };
}

/** Models write null or an empty text for what they leave out, and `ISO` for `iso`. */
function forgiving(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(given).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'format' && typeof value === 'string' ? value.toLowerCase() : value]),
  );
}

function describeIssue(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string {
  if (issue.code === 'unrecognized_keys') {
    const names = Object.keys(argumentsSchema.shape).join(', ');
    return `get-date has no argument "${shorten(issue.keys.join('", "'))}". Its arguments are ${names}.`;
  }
  const name = String(issue.path[0] ?? '');
  const value = given[name];
  const written = shorten(typeof value === 'string' ? `"${value}"` : JSON.stringify(value));
  if (name === 'format') return `There is no format ${written}. Formats are ${FORMAT_NAMES.join(', ')}.`;
  return `The argument ${name} must be a text, not ${written}.`;
}

function toolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Without `$schema`: MCP's own default dialect is the one meant, and every byte here is read by the model. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest as Omit<Tool['inputSchema'], 'type'>;
}

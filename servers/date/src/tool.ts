import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { FORMAT_NAMES, FORMATS, formatDate, offsetText, unixSeconds, type Moment } from './formats.ts';
import { machineLocale, readLocale } from './locale.ts';
import { machineTimeZone, readTimeZone, shorten, type Read } from './time-zone.ts';

/** The clock and the defaults of a call. */
export type DateOptions = {
  /** Milliseconds since 1970; default: the clock of this machine. */
  now?: () => number;
  /** IANA name; default: the time zone of this machine. */
  timeZone?: string;
  /** BCP 47 tag; default: the locale of this machine. */
  locale?: string;
};

const examples = FORMAT_NAMES.map((name) => `${name} (${FORMATS[name]})`).join(', ');

const argumentsSchema = z.strictObject({
  format: z.enum(FORMAT_NAMES).default('iso').describe(`Output format: ${examples}.`),
  timezone: z.string().optional().describe('IANA time zone such as Asia/Tokyo; default: the local one.'),
  locale: z.string().optional().describe('BCP 47 tag such as zh-TW, for the format locale; default: the local one.'),
});

const answerSchema = z.object({
  text: z.string().describe('The date in the requested format.'),
  format: z.enum(FORMAT_NAMES),
  iso: z.string().describe('ISO 8601 with the offset of the time zone.'),
  unix: z.number().describe('Whole seconds since 1970.'),
  timezone: z.string().describe('IANA name.'),
  utcOffset: z.string().describe('Such as +09:00.'),
  locale: z.string().describe('BCP 47 tag.'),
});

type DateArguments = z.infer<typeof argumentsSchema>;
type DateAnswer = z.infer<typeof answerSchema>;

/** The tool definition, as listed by `tools/list`. */
export const GET_DATE: Tool = {
  name: 'get-date',
  title: 'Get date',
  description: 'Returns the current date and time, in any time zone and in several formats.',
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

/** Answers one call. An invalid value gives a result with `isError` that lists the valid ones. Never throws. */
export function getDate(args: Readonly<Record<string, unknown>>, options: DateOptions): CallToolResult {
  const parsedArgs = readArguments(args);
  if (!parsedArgs.ok) return toolError(parsedArgs.problem);
  const timeZone = readTimeZone(parsedArgs.value.timezone ?? options.timeZone ?? machineTimeZone());
  if (!timeZone.ok) return toolError(timeZone.problem);
  const locale = readLocale(parsedArgs.value.locale ?? options.locale ?? machineLocale());
  if (!locale.ok) return toolError(locale.problem);

  const instant = (options.now ?? Date.now)();
  const answer = answerFor({ instant, timeZone: timeZone.value, locale: locale.value }, parsedArgs.value.format);
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

function readArguments(args: Readonly<Record<string, unknown>>): Read<DateArguments> {
  const parsed = argumentsSchema.safeParse(omitEmpty(args));
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problem: parsed.error.issues.map((issue) => describeIssue(issue, args)).join(' ') };
}

/** Models send null or an empty string for omitted arguments, and `ISO` for `iso`. */
function omitEmpty(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present = Object.entries(args).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(
    present.map(([name, value]) => [
      name,
      name === 'format' && typeof value === 'string' ? value.toLowerCase() : value,
    ]),
  );
}

function describeIssue(issue: z.core.$ZodIssue, args: Readonly<Record<string, unknown>>): string {
  if (issue.code === 'unrecognized_keys') {
    const names = Object.keys(argumentsSchema.shape).join(', ');
    return `get-date has no argument "${shorten(issue.keys.join('", "'))}". Its arguments: ${names}.`;
  }
  const name = String(issue.path[0] ?? '');
  const value = args[name];
  const written = shorten(typeof value === 'string' ? `"${value}"` : JSON.stringify(value));
  if (name === 'format') return `Unknown format ${written}. Use one of ${FORMAT_NAMES.join(', ')}.`;
  return `The argument ${name} must be a string, not ${written}.`;
}

function toolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Without `$schema`: MCP's default dialect applies, and the model reads every byte of it. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest as Omit<Tool['inputSchema'], 'type'>;
}

import type { ContentPart, ResourcePart, ToolContentPart } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';
import type { CommandIo } from './command-io.ts';
import { columns } from './models/columns.ts';
import { jsonLines, plainLine, sanitize, shownLine, shownMessage } from './sanitize.ts';

/** Prints a line on stdout, without control characters. */
export function printLine(io: Pick<CommandIo, 'stdout'>, text: string): void {
  io.stdout.write(`${sanitize(text)}\n`);
}

/** Prints a note on stderr. */
export function printNote(io: Pick<CommandIo, 'stderr'>, text: string): void {
  io.stderr.write(`toolyard: ${shownMessage(text)}\n`);
}

export function printJson(io: Pick<CommandIo, 'stdout'>, value: unknown): void {
  io.stdout.write(`${jsonLines(value)}\n`);
}

/** Prints rows as columns. */
export function printTable(io: Pick<CommandIo, 'stdout'>, rows: readonly (readonly string[])[]): void {
  for (const line of columns(rows)) printLine(io, line);
}

/** Prints items as JSON, or one row each; `none` is printed on stderr if there are none. */
export function printList<Item>(
  io: Pick<CommandIo, 'stdout' | 'stderr'>,
  items: readonly Item[],
  { json, none, row }: { json: boolean | undefined; none: string; row: (item: Item) => readonly string[] },
): void {
  if (json === true) return printJson(io, items);
  printTable(io, items.map(row));
  if (items.length === 0) io.stderr.write(`${none}\n`);
}

/** Prints what is known of an item, and a text below it. */
export function printFacts(
  io: Pick<CommandIo, 'stdout'>,
  facts: readonly (readonly [name: string, value: string | undefined])[],
  text: string,
): void {
  printTable(
    io,
    facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, plainLine(value, 500)]])),
  );
  if (text !== '') printLine(io, `\n${text}`);
}

/** Prints the message of an error as a note, and its hint below it. */
export function printProblem(
  io: Pick<CommandIo, 'stderr'>,
  { message, hint }: { message: string; hint?: string | undefined },
): void {
  printNote(io, message);
  if (hint !== undefined) printNote(io, `  ${hint}`);
}

/** The title of an item in a list. */
export function shownTitle(title: string): string {
  return title.trim() === '' ? '(untitled)' : shownLine(title, 60);
}

/** Prints a part of a tool result, prompt or resource. */
export function printPart(io: Pick<CommandIo, 'stdout'>, part: ToolContentPart | ResourcePart): void {
  printLine(io, partLines(part));
}

/** The text of a part, or its label and size. */
export function partLines(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource': {
      const name = part.title ?? part.name;
      if (part.text !== undefined) return part.text;
      const size = part.source === undefined ? 'a link' : formatSize(part.source);
      return `(resource ${shownLine(part.uri, 500)}${name === undefined ? '' : `, ${shownLine(name)}`}: ${size})`;
    }
    default:
      return `(${shownLine(labelOf(part), 500)}${'source' in part ? `, ${formatSize(part.source)}` : ''})`;
  }
}

function formatSize(source: NonNullable<ResourcePart['source']>): string {
  if ('data' in source) return bytes(Buffer.byteLength(source.data, 'base64'));
  return 'url' in source ? shownLine(source.url, 500) : 'stored';
}

function bytes(count: number): string {
  if (count < 1_024) return `${count} bytes`;
  return count < 1_024 * 1_024 ? `${Math.round(count / 1_024)} kB` : `${(count / (1_024 * 1_024)).toFixed(1)} MB`;
}

export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

import type { ContentPart, ResourcePart, ToolContentPart } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { jsonLines, sanitize, shownLine, shownMessage } from '../sanitize.ts';

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
      const size = part.source === undefined ? 'a link' : sizeOf(part.source);
      return `(resource ${shownLine(part.uri, 500)}${name === undefined ? '' : `, ${shownLine(name)}`}: ${size})`;
    }
    default:
      return `(${shownLine(labelOf(part), 500)}${'source' in part ? `, ${sizeOf(part.source)}` : ''})`;
  }
}

function sizeOf(source: NonNullable<ResourcePart['source']>): string {
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

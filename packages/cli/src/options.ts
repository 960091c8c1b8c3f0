import { InvalidArgumentError, Option } from 'commander';

/** An option that may be given several times; each adds to a list. */
export function repeatable(flags: string, description: string): Option {
  const add = (value: string, earlier: string[]): string[] => [...earlier, value];
  return new Option(flags, `${description} (repeatable)`).argParser(add).default([], 'none');
}

/** A port, as commander reads one; 0 takes any free one. */
export function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('It takes a port, from 0 to 65535.');
}

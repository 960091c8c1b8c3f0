import { InvalidArgumentError, Option } from 'commander';

/** An option that may be given several times; each adds to a list. */
export function repeatable(flags: string, description: string): Option {
  const add = (value: string, earlier: string[]): string[] => [...earlier, value];
  return new Option(flags, `${description} (repeatable)`).argParser(add).default([], 'none');
}

/** Reads the value of an option that is a number. Throws InvalidArgumentError, which commander tells. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It takes a number.');
  return value;
}

/** The same for a whole number from 1. */
export function positiveInteger(text: string): number {
  const value = number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It takes a whole number from 1.');
  return value;
}

/** The same for a number above 0. */
export function positiveNumber(text: string): number {
  const value = number(text);
  if (value <= 0) throw new InvalidArgumentError('It takes a number above 0.');
  return value;
}

/** A port, as commander reads one; 0 takes any free one. */
export function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('It takes a port, from 0 to 65535.');
}

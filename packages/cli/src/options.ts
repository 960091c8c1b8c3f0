import { InvalidArgumentError, Option } from 'commander';

/** An option that may be given several times; each adds to a list. */
export function repeatable(flags: string, description: string): Option {
  const add = (value: string, earlier: string[]): string[] => [...earlier, value];
  return new Option(flags, `${description} (repeatable)`).argParser(add).default([], 'none');
}

/** Parses a port; 0 means any free port. */
export function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}

/** Parses a finite number. Throws InvalidArgumentError, which commander reports with the flag and the value. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number.');
  return value;
}

/** Parses an integer from 1. */
export function positiveInteger(text: string): number {
  const value = number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Expected a whole number from 1.');
  return value;
}

/** Parses a number above 0. */
export function positiveNumber(text: string): number {
  const value = number(text);
  if (value <= 0) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

import { Option } from 'commander';

/** An option that may be given several times; each adds to a list. */
export function repeatable(flags: string, description: string): Option {
  const add = (value: string, earlier: string[]): string[] => [...earlier, value];
  return new Option(flags, `${description} (repeatable)`).argParser(add).default([], 'none');
}

import type { CommandIo } from './command-io.ts';

/**
 * What a user types to call this CLI again, as this process was called: `npm start` and `npm run toolyard` of a checkout
 * say so themselves, `npx` by the variables of npm.
 */
export function ownCommand({ env }: Pick<CommandIo, 'env'>): string {
  const named = env['TOOLYARD_COMMAND']?.trim() ?? '';
  if (named !== '') return named;
  return env['npm_command'] === 'exec' ? 'npx toolyard' : 'toolyard';
}

/** An argument of a command line that is printed, quoted if a shell would read it otherwise. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `"${text.replaceAll(/(["\\$`])/g, '\\$1')}"`;
}

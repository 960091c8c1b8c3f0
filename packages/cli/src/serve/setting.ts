import { ToolyardError } from '@toolyard/protocol';

/** Something the person can say under several names; the first is the one to use, the others are older. */
export type Spelling = { flags: readonly string[]; variables: readonly string[] };

/** What was given under which names, and where warnings go. */
export type Given = {
  /** Flags as commander gives them, by their names without dashes: `ui-config`. */
  flags: Readonly<Record<string, string | boolean | undefined>>;
  env: NodeJS.ProcessEnv;
  /** Relative paths start here. */
  cwd: string;
  warn: (line: string) => void;
};

/**
 * The value given for one setting: flags over environment, new names over old ones. An older name is heard, with a
 * warning.
 */
function settingOf({ flags, variables }: Spelling, given: Given): { value: string | boolean; name: string } | null {
  const said = [
    ...flags.map((name) => ({ name: `--${name}`, value: given.flags[name], preferred: `--${flags[0] ?? name}` })),
    ...variables.map((name) => ({ name, value: nonEmpty(given.env[name]), preferred: variables[0] ?? name })),
  ];
  for (const { name, value, preferred } of said) {
    if (value === undefined) continue;
    if (name !== preferred) given.warn(`${name} is an older name and still works; use ${preferred}.`);
    return { value, name };
  }
  return null;
}

const TRUE = new Set(['1', 'true', 'on', 'yes', 'enabled']);
const FALSE = new Set(['0', 'false', 'off', 'no', 'disabled']);

/** Reads an on-or-off setting. Throws ToolyardError `bad_config`. */
export function switchOf(spelling: Spelling, given: Given): boolean | null {
  const said = settingOf(spelling, given);
  if (!said) return null;
  if (typeof said.value === 'boolean') return said.value;
  const word = said.value.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  throw new ToolyardError({
    code: 'bad_config',
    message: `${said.name} is "${said.value}": it takes on or off.`,
    hint: `For example ${said.name}=on`,
  });
}

/** Reads a text setting; an empty variable counts as not given. Throws ToolyardError `bad_config` for an empty flag. */
export function textOf(spelling: Spelling, given: Given): { text: string; name: string } | null {
  const said = settingOf(spelling, given);
  if (!said || typeof said.value !== 'string') return null;
  if (nonEmpty(said.value) === undefined) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `${said.name} is empty.`,
      hint: 'Say something there, or leave it out.',
    });
  }
  return { text: said.value, name: said.name };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

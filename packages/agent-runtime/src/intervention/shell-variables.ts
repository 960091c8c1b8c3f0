import type { Command } from './shell-script.ts';
import { isAssignment, UNKNOWN } from './word-text.ts';
import { EQUALS, holds } from './words.ts';

/** Commands that give variables values nobody can foretell. */
const SETTING = new Set(['read', 'for', 'select', 'printf', 'getopts', 'mapfile', 'readarray', 'let', 'unset']);
const DECLARING = new Set(['export', 'declare', 'local', 'typeset', 'readonly']);

/** What is known of the variables of a script, as far as it has been read. */
export class ShellVariables {
  /** Null for what may have several values. */
  readonly #values = new Map<string, string | null>();

  /** Null where it cannot be told. */
  valueOf(name: string): string | null {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    if (name === 'HOME') return '~';
    return name === 'IFS' ? ' ' : null;
  }

  /** A variable that was given two values counts as unknown: which one holds depends on the way taken. */
  learnFrom({ words, assignments }: Command): void {
    const name = words[0]?.text ?? '';
    if (name === '') for (const { text } of assignments) this.#give(text);
    else if (DECLARING.has(name)) {
      for (const word of words) if (holds(word, EQUALS) && isAssignment(word.text)) this.#give(word.text);
    } else if (SETTING.has(name)) {
      for (const { text } of words.slice(1)) this.#values.set(text, null);
    }
  }

  #give(assignment: string): void {
    const at = assignment.indexOf('=');
    const variable = assignment.slice(0, at).replace(/\+$/, '');
    const value = assignment.slice(at + 1);
    const isSure = !value.includes(UNKNOWN) && assignment.charAt(at - 1) !== '+';
    const before = this.#values.get(variable);
    this.#values.set(variable, isSure && (before === undefined || before === value) ? value : null);
  }
}

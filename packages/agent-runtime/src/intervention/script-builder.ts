import type { Command, Redirect, Script, Word } from './shell-script.ts';
import { emptyCommand } from './shell-script.ts';
import type { ShellVariables } from './shell-variables.ts';
import { expandBraces, isAssignment } from './word-text.ts';
import { EQUALS, holds, OF_LISTS, wordOf } from './words.ts';

/** Words that only lead to the next command. */
export const LEADING: ReadonlySet<string> = new Set([
  ...['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', '}', 'time', 'coproc'],
]);

/** Puts pieces together to words, words to commands, and those to a script. */
export class ScriptBuilder {
  readonly #script: Script;
  readonly #variables: ShellVariables;
  #command = emptyCommand();
  #piped = false;
  /** Of the word that is being read; null between words. */
  #text: string | null = null;
  #inner: Command[] | undefined;
  #operator: string | null = null;
  #hereDocuments: Redirect[] = [];

  constructor(script: Script, variables: ShellVariables) {
    this.#script = script;
    this.#variables = variables;
  }

  get isInWord(): boolean {
    return this.#text !== null;
  }

  push(piece: string): void {
    this.#text = this.#text === null ? piece : this.#text + piece;
  }

  /** What the script got since it had so many commands is part of the word. */
  pushCommandsSince(count: number): void {
    (this.#inner ??= []).push(...this.#script.commands.slice(count));
  }

  endWord(): void {
    const text = this.#text;
    if (text === null) return;
    const inner = this.#inner;
    this.#text = null;
    this.#inner = undefined;
    const word = wordOf(text, inner);
    if (!holds(word, OF_LISTS)) this.#take(word);
    else for (const each of expandBraces(text)) this.#take(wordOf(each, inner));
  }

  startRedirect(operator: string): void {
    // A number right before it is a file descriptor.
    if (this.#text !== null && /^\d+$/.test(this.#text)) this.#text = null;
    this.endWord();
    this.#operator = operator;
  }

  endCommand(): void {
    this.endWord();
    this.#operator = null;
    const command = this.#command;
    if (command.words.length + command.assignments.length + command.redirects.length === 0) return;
    command.piped = this.#piped;
    this.#script.commands.push(command);
    this.#command = emptyCommand();
    this.#variables.learnFrom(command);
  }

  /** What has been read is piped on to what comes. */
  pipe(): void {
    this.endCommand();
    this.#piped = true;
  }

  /** Those whose bodies come next. */
  takeHereDocuments(): readonly Redirect[] {
    return this.#hereDocuments.length === 0 ? this.#hereDocuments : this.#hereDocuments.splice(0);
  }

  #take(word: Word): void {
    const { words, assignments, redirects } = this.#command;
    if (this.#operator !== null) {
      const redirect: Redirect = { operator: this.#operator, target: word };
      this.#operator = null;
      redirects.push(redirect);
      if (redirect.operator === '<<' || redirect.operator === '<<-') this.#hereDocuments.push(redirect);
    } else if (words.length === 0 && holds(word, EQUALS) && isAssignment(word.text)) assignments.push(word);
    else if (words.length > 0 || !LEADING.has(word.text)) words.push(word);
  }
}

import type { Program } from './programs.ts';
import { ANY_PROGRAM } from './programs.ts';

/** What a shell makes of a text: commands with their words and redirections, also those of substitutions. */
export type Script = { commands: Command[]; faults: Fault[] };

type Fault = 'open quote' | 'too deep';

export type Command = {
  words: Word[];
  assignments: Word[];
  redirects: Redirect[];
  /** Something before it in the same script is piped on. */
  piped: boolean;
};

/** A word of a command, with what is asked of it again and again. */
export type Word = {
  /** Without quotes; `UNKNOWN` stands where only the running shell knows. */
  readonly text: string;
  /** The commands whose output is part of the word. */
  readonly inner: readonly Command[];
  /** What a program is called that is run by this word. */
  readonly name: string;
  readonly program: Program;
  /** Which characters are in it: see `holds`. */
  readonly characters: number;
};

export type Redirect = { operator: string; target: Word; /** Of a here-document. */ body?: string };

export function emptyCommand(): Command {
  return { words: [], assignments: [], redirects: [], piped: false };
}

/** The name a command is called by; empty where it only sets variables or redirects. */
export function nameOf({ words }: Command): string {
  return words[0]?.name ?? '';
}

/** What is known of the program a command calls. */
export function programIn({ words }: Command): Program {
  return words[0]?.program ?? ANY_PROGRAM;
}

/** Its arguments are text to it: what they say is not done. */
export function takesMereText(command: Command): boolean {
  if (programIn(command).takesMereText) return true;
  return nameOf(command) === 'git' && /^(?:commit|tag|notes|log|grep|stash)$/.test(command.words[1]?.text ?? '');
}

import type { Finding } from './dangerous-commands.ts';
import type { Command } from './shell-script.ts';

/** What is known around a command that is looked at. */
export type Setting = {
  /** What is not plain is no mere text: it is meant to be run. */
  readonly isCommand: boolean;
  /** It is known that a shell reads it. */
  readonly sure: boolean;
  readonly commands: readonly Command[];
  /** Which of them is looked at. */
  readonly index: number;
  /** Where a `cd` right before went. */
  readonly folder: Folder | undefined;
  /** Looks at what the command holds. */
  readonly inside: Inspector;
};

export type Folder = {
  readonly path: string;
  /** What lies right in it may be secret. */ readonly mayHoldSecrets: boolean;
};

export type Inspector = {
  /** `isRun`: a shell reads it. */
  text: (text: string, isRun: boolean) => Finding | undefined;
  /** A command that is given in words already. */
  words: (words: readonly string[]) => Finding | undefined;
};

/** Looks at one command for one kind of danger. */
export type Look = (command: Command, setting: Setting) => Finding | undefined;

/** How many commands before one are looked at for what they hand on to it. */
export const MOST_BEFORE = 200;

/** A path as it is seen from the folder gone to. */
export function inFolder(path: string, folder: Folder | undefined): string {
  return folder === undefined || /^[-/~\0]/.test(path) ? path : `${folder.path}/${path}`;
}

import { FEARED, isFeared } from './dangerous-commands.ts';
import {
  CHANGES_FOLDER,
  isVersioned,
  POWER,
  PRINTERS,
  PRINTS_ENVIRONMENT,
  READERS,
  RUNS_TEXT,
  runsText,
  TEXT_ONLY,
  USUAL,
  WRAPPERS,
  WRITERS,
} from './shell-names.ts';

/** What is known of a program by its name: found once for each word, and asked for many times. */
export type Program = {
  /** It has to be looked at wherever it stands. */
  readonly isFeared: boolean;
  readonly endsMachine: boolean;
  /** It reads a text among its arguments, or its input, as a program. */
  readonly runsText: boolean;
  /** It takes a command with its arguments, and runs it. */
  readonly wraps: boolean;
  /** People hardly begin a sentence with its name. */
  readonly isUsual: boolean;
  readonly takesMereText: boolean;
  readonly prints: boolean;
  readonly printsEnvironment: boolean;
  readonly onlyReads: boolean;
  readonly writes: boolean;
  readonly changesFolder: boolean;
};

/** @internal What the lists say of a name, each asked by itself. */
export function describeProgram(name: string): Program {
  return {
    isFeared: isFeared(name),
    endsMachine: POWER.has(name),
    runsText: runsText(name),
    wraps: WRAPPERS.has(name),
    isUsual: USUAL.has(name),
    takesMereText: TEXT_ONLY.has(name),
    prints: PRINTERS.has(name),
    printsEnvironment: PRINTS_ENVIRONMENT.has(name),
    onlyReads: READERS.has(name),
    writes: WRITERS.has(name),
    changesFolder: CHANGES_FOLDER.has(name),
  };
}

const LISTS = [
  ...[FEARED, POWER, RUNS_TEXT, WRAPPERS, USUAL, TEXT_ONLY, PRINTERS, PRINTS_ENVIRONMENT, READERS, WRITERS],
  CHANGES_FOLDER,
];
const KNOWN = new Map(LISTS.flatMap((list) => [...list].map((name) => [name, describeProgram(name)] as const)));

/** Of which nothing is known. */
export const ANY_PROGRAM = describeProgram('');

/** @param name as it is called, in lower case */
export function programOf(name: string): Program {
  if (!mayBeProgram(name.charCodeAt(0))) return ANY_PROGRAM;
  const known = KNOWN.get(name);
  if (known) return known;
  // All that no list holds as they are.
  return name.startsWith('mkfs.') || isVersioned(name) ? describeProgram(name) : ANY_PROGRAM;
}

/** Flags, numbers and much else begin as no name of the lists does. */
function mayBeProgram(first: number): boolean {
  return first >= LETTER_A || first === DOT || first === BRACKET;
}

const LETTER_A = 97;
const DOT = 46;
const BRACKET = 91;

import { isNameStart } from './reading.ts';

const SINGLE_QUOTE = 39;
const LESS_THAN = 60;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;

/** The character after a marker that several families share identifies the family. */
export const beginsJson = (code: number): boolean => code === OPEN_BRACE || code === OPEN_BRACKET;
export const beginsTag = (code: number): boolean => code === LESS_THAN;
export const beginsName = (code: number): boolean => isNameStart(code) && code !== SINGLE_QUOTE;

import { isNameStart } from './reading.ts';

const SINGLE_QUOTE = 39;
const LESS_THAN = 60;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;

/** What follows a marker that several families share tells which of them it is. */
export const beginsJson = (code: number): boolean => code === OPEN_BRACE || code === OPEN_BRACKET;
export const beginsTag = (code: number): boolean => code === LESS_THAN;
export const beginsName = (code: number): boolean => isNameStart(code) && code !== SINGLE_QUOTE;

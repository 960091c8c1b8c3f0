import { isNameStart } from './reading.ts';
import { LESS_THAN, OPEN_BRACE, OPEN_BRACKET, SINGLE_QUOTE } from './codes.ts';

/** The character after a marker that several families share identifies the family. */
export const beginsJson = (code: number): boolean => code === OPEN_BRACE || code === OPEN_BRACKET;
export const beginsTag = (code: number): boolean => code === LESS_THAN;
export const beginsName = (code: number): boolean => isNameStart(code) && code !== SINGLE_QUOTE;

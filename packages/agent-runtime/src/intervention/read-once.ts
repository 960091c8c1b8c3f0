import { readShell } from './shell-reader.ts';
import type { Script } from './shell-script.ts';

/** Reads a text as {@link readShell} does; what is read is not to be changed. */
export type ReadShell = (text: string) => Script;

/** Reads each text once: blacklist and rules look at the same ones. */
export function readOnce(): ReadShell {
  const known = new Map<string, Script>();
  return (text) => {
    const before = known.get(text);
    if (before) return before;
    const script = readShell(text);
    known.set(text, script);
    return script;
  };
}

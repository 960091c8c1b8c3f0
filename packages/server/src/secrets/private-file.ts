import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { ToolyardError } from '@toolyard/protocol';
import { makePrivate } from '@toolyard/storage';

/**
 * Null where there is no such file. Closes it to other users of the machine.
 *
 * @throws ToolyardError `bad_config`
 */
export function readPrivate(file: string, log: (line: string) => void): string | null {
  try {
    closeToOthers(file, log);
    return readFileSync(file, 'utf8').trim();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    if (ToolyardError.isInstance(thrown)) throw thrown;
    throw badConfig(`${file} cannot be read (${codeOf(thrown)}).`, 'Make it readable for the user Toolyard runs as.');
  }
}

function closeToOthers(file: string, log: (line: string) => void): void {
  try {
    if (makePrivate(file) !== 'changed') return;
  } catch (thrown) {
    throw badConfig(
      `${file} can be read by other users of this machine, and that cannot be changed (${codeOf(thrown)}).`,
      'Give the file to the user Toolyard runs as, with mode 600, or set TOOLYARD_SECRET instead.',
    );
  }
  log(`${file} could be read by other users of this machine; it is closed to them now. Consider its key known.`);
}

/** Closes a file that may hold secrets to other users; logs if it cannot, because the file is used all the same. */
export function closeOrWarn(file: string, log: (line: string) => void): void {
  try {
    makePrivate(file);
  } catch (thrown) {
    log(
      `${file} may hold secrets and can be read by other users of this machine. Its mode cannot be set to 600 ` +
        `(${codeOf(thrown)}): change its owner to the user Toolyard runs as, or keep secrets out of it.`,
    );
  }
}

/** @throws ToolyardError `bad_config` */
export function writePrivate(file: string, text: string): void {
  const unfinished = `${file}.new`;
  try {
    // Only a whole file gets the name: half a key would lock everything sealed with it away.
    rmSync(unfinished, { force: true });
    const handle = openSync(unfinished, 'wx', 0o600);
    try {
      writeSync(handle, `${text}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(unfinished, file);
  } catch (thrown) {
    throw badConfig(
      `${file} cannot be written (${codeOf(thrown)}).`,
      'Make the data folder writable, or set TOOLYARD_SECRET.',
    );
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown reason';
}

export function badConfig(message: string, hint: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, hint });
}

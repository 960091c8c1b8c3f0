import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { ToolyardError } from '@toolyard/protocol';

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

/** Windows keeps its own lists of who may read what. */
function closeToOthers(file: string, log: (line: string) => void): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
  } catch (thrown) {
    throw badConfig(
      `${file} can be read by other users of this machine, and that cannot be changed (${codeOf(thrown)}).`,
      'Give the file to the user Toolyard runs as, with mode 600, or set TOOLYARD_SECRET instead.',
    );
  }
  log(`${file} could be read by other users of this machine; it is closed to them now. Consider its key known.`);
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

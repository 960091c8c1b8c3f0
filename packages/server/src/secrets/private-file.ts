import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { ToolyardError } from '@toolyard/protocol';
import { makePrivate } from '@toolyard/storage';
import { createConfigError } from '../errors.ts';

/**
 * Null if the file does not exist. Makes the file inaccessible to other users of the machine.
 *
 * @throws ToolyardError `bad_config`
 */
export function readPrivate(file: string, log: (line: string) => void): string | null {
  try {
    closeToOthers(file, log);
    return readFileSync(file, 'utf8').trim();
  } catch (thrown) {
    if (getErrorCode(thrown) === 'ENOENT') return null;
    if (ToolyardError.isInstance(thrown)) throw thrown;
    throw createConfigError(
      `${file} cannot be read (${getErrorCode(thrown)}).`,
      'Make it readable for the account that runs Toolyard.',
    );
  }
}

function closeToOthers(file: string, log: (line: string) => void): void {
  try {
    if (makePrivate(file) !== 'changed') return;
  } catch (thrown) {
    throw createConfigError(
      `${file} is readable by other users of this machine, and its mode cannot be changed (${getErrorCode(thrown)}).`,
      'Change its owner to the account that runs Toolyard and its mode to 600, or set TOOLYARD_SECRET instead.',
    );
  }
  log(
    `${file}: was readable by other users of this machine, which is corrected now; assume that they know its content`,
  );
}

/**
 * Makes a file that may contain secrets inaccessible to other users; logs a failure, because the file is used anyway.
 */
export function closeOrWarn(file: string, log: (line: string) => void): void {
  try {
    makePrivate(file);
  } catch (thrown) {
    log(
      `${file}: may contain secrets and is readable by other users of this machine. Its mode cannot be set ` +
        `to 600 (${getErrorCode(thrown)}): change its owner to the account that runs Toolyard, or keep secrets out ` +
        'of it.',
    );
  }
}

/** @throws ToolyardError `bad_config` */
export function writePrivate(file: string, text: string): void {
  const unfinished = `${file}.new`;
  try {
    // Rename only a complete file: a partial key would make stored secrets unreadable.
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
    throw createConfigError(
      `${file} cannot be written (${getErrorCode(thrown)}).`,
      'Make the data folder writable, or set TOOLYARD_SECRET.',
    );
  }
}

function getErrorCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown reason';
}

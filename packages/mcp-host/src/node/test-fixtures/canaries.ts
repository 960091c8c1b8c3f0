import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, inflateRawSync } from 'node:zlib';

/** Unique secrets, each named after the place where it was put. */
export class Canaries {
  readonly #places = new Map<string, string>();

  /** Letters and digits only, so that it survives quoting, and `rot13` and `rev` are recognized. */
  next(place: string): string {
    const secret = `canary${randomBytes(12).toString('hex')}`;
    for (const form of listForms(secret)) this.#places.set(form, place);
    return secret;
  }

  /** The places whose secrets occur in these bytes: plain, reversed, as base64, hex or rot13, or in a gzip file. */
  placesIn(bytes: Buffer): string[] {
    const text = bytes.toString('latin1');
    const dense = text.replace(/\s+/g, '');
    const found = [...this.#places].flatMap(([form, place]) =>
      text.includes(form) || dense.includes(form) ? [place] : [],
    );
    return [...new Set([...found, ...unpacked(bytes, dense).flatMap((each) => this.placesIn(each))])];
  }
}

function listForms(secret: string): string[] {
  const rot13 = secret.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + secret)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, [...secret].reverse().join(''), rot13, Buffer.from(secret).toString('hex'), ...base64];
}

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/** The contents of gzip files in these bytes, also in base64. */
function unpacked(bytes: Buffer, dense: string): Buffer[] {
  const encoded = [...dense.matchAll(/H4sI[\w+/]{20,}/g)].map(([run]) => Buffer.from(run, 'base64'));
  return [bytes, ...encoded].flatMap((each) => {
    const found: Buffer[] = [];
    for (let at = each.indexOf(GZIP); at !== -1; at = each.indexOf(GZIP, at + 1)) {
      // The header may be followed by the name of the file.
      const start = ((each[at + 3] ?? 0) & 8) === 0 ? at + 10 : each.indexOf(0, at + 10) + 1;
      try {
        found.push(inflateRawSync(each.subarray(start), { finishFlush: constants.Z_SYNC_FLUSH }));
      } catch {
        // These three bytes begin something else.
      }
    }
    return found;
  });
}

export function writeNew(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file, folder and link below a folder with its mode and content, to detect changes. */
export function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(pathsBelow(folder).map((path) => [path, readState(path)]));
}

/** The paths of all files below a folder with their contents. */
export function filesBelow(folder: string): { path: string; bytes: Buffer }[] {
  return pathsBelow(folder)
    .filter((path) => lstatSync(path).isFile())
    .map((path) => ({ path, bytes: readFileSync(path) }));
}

/** Links are not followed: commands create some next to their files. */
function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...pathsBelow(path)] : [path];
  });
}

function readState(path: string): string {
  const stat = lstatSync(path);
  const content = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path) : '';
  return `${stat.mode.toString(8)} ${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
}

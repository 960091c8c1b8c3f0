import { say } from '@toolyard/protocol';
import * as programs from './programs.ts';
import type { ScriptFinding, SimpleCommand } from './shell-script.ts';
import { dangerFinding, findInput, printedBy } from './shell-script.ts';
import { displayText } from './inline-code.ts';
import { hasUnknown } from './shell-text.ts';
import { inFolder } from './shell-values.ts';

/** They only read what is new, or show it. */
export const READERS: ReadonlySet<string> = new Set([
  ...programs.LISTERS,
  ...programs.TEXT_ONLY,
  ...programs.names(`cat head tail less more bat nl tac grep egrep fgrep rg ag ack wc sort uniq cut tr paste column fold fmt
    diff cmp comm jq yq xq htmlq pup xmllint fzf strings xxd od hexdump md5sum sha1sum sha256sum sha512sum shasum b2sum
    cksum file tee pbcopy xargs iconv jless glow mdcat json.tool chmod chown touch vim nano view emacs read mapfile while
    ffmpeg ffprobe magick convert identify pandoc git node_modules sed awk gawk cd rm`),
]);
/** Their results contain what they get. */
export const PASSES_ON =
  programs.names(`cp mv ln install tar bsdtar unzip gunzip zcat gzip xz xzcat unxz bzip2 bunzip2 zstd 7z
  7za unrar cpio ar base64 base32 xxd uudecode openssl gpg dd sed tr awk cut cat tee head tail rsync xargs`);
const UNPACKS = programs.names('tar bsdtar unzip 7z 7za unrar cpio ar');
export const FETCHES = programs.names(
  'curl wget yt-dlp iwr irm invoke-webrequest invoke-restmethod aria2c axel http https xh fetch lynx w3m links scp sftp ftp tftp rsync svn hg lwp-request lwp-download',
);
/** Programs that only read, unless they are given a file of commands. */
const RUNS_FILE = /^(?:git (?:apply|am)|(?:sed|[gm]?awk|patch) (?:-f|--file\S*)|(?:vim|view) -[Su])$/;
/** Files of data; those that a program looks for by name are none. */
export const DATA =
  /\.(?:png|jpe?g|gif|svg|webp|ico|mp[34]|mov|wav|csv|tsv|txt|md|pdf|html?|xml|json|log|parquet|ttf|woff2?)$/i;
export const MANIFEST =
  /(?:^|\/)(?:(?:gnu)?makefile|(?:rake|gem|just|jenkins|vagrant|proc|brew|docker|container)file[\w.]*|(?:package|composer|deno|tasks)\.json|[\w.-]*compose[\w.-]*\.ya?ml|requirements[\w.-]*\.txt|cmakelists\.txt|pyproject\.toml|setup\.\w+|conftest\.py|cargo\.toml|build\.\w+|pom\.xml|[\w.-]+\.config\.\w+|\.\w+rc)$/i;

/**
 * The files that a script creates. What it fetched, unpacked, decoded or generated is data that no user has seen: the
 * commands after it may read, show and move it, and nothing else.
 */
export class NewFiles {
  /** The text of each, if the script itself contains it. */
  readonly #texts = new Map<string, string | undefined>();
  /** Files and folders that come from elsewhere. */
  readonly #foreign = new Set<string>();

  add(command: SimpleCommand): void {
    const name = programs.plainName(command.program);
    const isForeign = fetches(name, command) || (PASSES_ON.has(name) && this.#reads(command)) || unpacks(name, command);
    for (const written of writtenBy(name, command, isForeign)) {
      const path = plainPath(inFolder(written, command.folder));
      if (path.startsWith('/dev/')) continue;
      this.#texts.set(path, this.#texts.has(path) || isForeign ? undefined : writtenText(command));
      if (isForeign && (!DATA.test(path) || MANIFEST.test(path))) this.#foreign.add(path);
    }
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** The text of a file that the script wrote; null if it did not write it. */
  findText(path: string): string | null | undefined {
    const plain = plainPath(path);
    return this.#isForeign(plain) ? undefined : this.#texts.has(plain) ? this.#texts.get(plain) : null;
  }

  /** The finding for a command that does more than read what is new. */
  usedBy(command: SimpleCommand, name: string): ScriptFinding | undefined {
    const { args, folder, words, sources, redirects } = command;
    const [program = ''] = words;
    if (program.includes('/') && this.findText(inFolder(program, folder)) === undefined) return newFinding(program);
    if (this.isEmpty && sources.length === 0 && !args.some((arg) => DOWNLOADED.test(arg))) return undefined;
    const isInterpreter = programs.INTERPRETERS.has(name) && !programs.BUILDS.has(name);
    const isReader =
      (READERS.has(name) || PASSES_ON.has(name) || FETCHES.has(name)) &&
      !args.some((arg) => RUNS_FILE.test(`${name} ${arg}`));
    const isFed = sources.some((source) => fetches(programs.plainName(source.program), source));
    if (isFed && !programs.INTERPRETERS.has(name) && (!isReader || name === 'git') && name !== '')
      return dangerFinding(say`It runs downloaded code.`);
    if (isReader) return undefined;
    const input = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
    const used = args
      .slice(0, isInterpreter ? args.findIndex((arg) => !arg.startsWith('-')) + 1 : undefined)
      .concat(input)
      .flatMap((arg) => [arg, arg.replace(/^-\w*=?|^--[\w-]+=|^@/, '')])
      .find((arg) => /\w/.test(arg) && this.#isForeign(plainPath(inFolder(arg, folder)), true));
    if (used !== undefined) return newFinding(used);
    const isProject = programs.BUILDS.has(name) || programs.INTERPRETERS.has(name) || PROJECTS.has(name);
    const here = plainPath(folder ?? '.');
    const found = [...this.#foreign].find(
      (path) =>
        (path === '.' ? here !== '.' : `${here}/`.startsWith(`${path}/`)) ||
        (MANIFEST.test(path) && !path.includes('/')),
    );
    return isProject && found !== undefined ? newFinding(found) : undefined;
  }

  #reads({ args, sources, folder }: SimpleCommand): boolean {
    return (
      sources.some((source) => fetches(programs.plainName(source.program), source)) ||
      args.some((arg) => this.#isForeign(plainPath(inFolder(arg, folder))))
    );
  }

  #isForeign(path: string, exactly = false): boolean {
    if (DOWNLOADED.test(path)) return true;
    for (const each of this.#foreign) {
      if (path === each || path.startsWith(`${each}/`)) return true;
      // An archive was unpacked here: any file in a folder may be from it.
      if (each === '.' && !exactly && !/^[/~]/.test(path)) return true;
    }
    return false;
  }
}

const PROJECTS = programs.names('docker docker-compose podman kubectl helm terraform tofu ansible-playbook vagrant');

const DOWNLOADED = /^(?:~|\/home\/[^/]+)\/downloads\/./i;

function newFinding(path: string): ScriptFinding {
  return dangerFinding(say`It runs ${displayText(path)}, which an earlier command wrote.`);
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.\/+)+(?=.)|(?<=.)(?:\/\.?)+$/g, '');
}

function fetches(name: string, { args }: SimpleCommand): boolean {
  const [action = ''] = args.filter((arg) => !arg.startsWith('-'));
  if (name === 'git')
    return action === 'clone' || args.some((arg) => /:\/\//.test(arg) && /^(?:pull|submodule|archive)$/.test(action));
  if (name === 'gh')
    return /^(?:release|repo|gist|run)$/.test(action) && /^(?:download|clone|view)$/.test(args[1] ?? '');
  if (/^(?:aws|gsutil|gcloud|rclone|s3cmd|mc)$/.test(name)) return args.some((arg) => /^\w+:\/\//.test(arg));
  if (/^(?:docker|podman|kubectl)$/.test(name)) return action === 'cp' && args.some((arg) => arg.includes(':'));
  if (/^(?:pip|npm)$/.test(name)) return /^(?:download|pack)$/.test(action) && !args.includes('--dry-run');
  if (!FETCHES.has(name))
    return (
      /^(?:base64|base32|xxd|uudecode|openssl)$/.test(name) && args.some((arg) => /^-[dDr]|^enc$|^\w+\.uu$/.test(arg))
    );
  return !args.some((arg) => /^(?:https?:\/\/)?(?:localhost|127\.|\[::1\])/.test(arg));
}

function unpacks(name: string, { args }: SimpleCommand): boolean {
  const isRead =
    name === 'unzip'
      ? !args.some((arg) => /^-[lpvtz]/.test(arg))
      : args.some((arg) => /^-?[a-zA-Z]*x|^--extract|^-i/.test(arg));
  return (
    (UNPACKS.has(name) && isRead) ||
    /^(?:gunzip|unxz|bunzip2)$/.test(name) ||
    (/^(?:xz|gzip|bzip2|zstd)$/.test(name) && args.some((arg) => /^-\w*d|^--de/.test(arg)))
  );
}

/**
 * The files that a command creates. One that gets data from elsewhere may write to every name that it mentions, and to
 * the last part of an address.
 */
function writtenBy(name: string, command: SimpleCommand, isForeign: boolean): string[] {
  const { args, redirects, sources } = command;
  const written = redirects.filter(({ operator }) => /^(?:&?>|>\||>>)/.test(operator)).map(({ target }) => target);
  if (name === 'tee' && sources.length > 0) written.push(...args.filter((arg) => !arg.startsWith('-')));
  if (name === 'dd') written.push(...args.flatMap((arg) => /^of=(.+)$/.exec(arg)?.[1] ?? []));
  if (!isForeign) return written;
  for (const arg of args) {
    const value = arg.replace(/^-[^=]*=?/, '');
    const last = value.replace(/[?#].*$|\/+$|\.(?:git|gz|xz|bz2|zst)$/g, '').replace(/^.*[/:]/, '');
    written.push(...(/:/.test(value) ? [] : [value]), last);
  }
  const isUnpacked = UNPACKS.has(name) && !args.some((arg) => /^-[a-zA-Z]*[CdoD]$|^--(?:directory|out)/.test(arg));
  if (isUnpacked || (name === 'git' && args[0] !== 'clone') || /^(?:uudecode|s?ftp|gh)$/.test(name)) written.push('./');
  return written.filter((path) => !/^[-.]?$/.test(path));
}

/** The text that a command writes to a file. */
function writtenText(command: SimpleCommand): string | undefined {
  const { program, redirects } = command;
  const text = program === 'cat' ? findInput(command) : printedBy({ ...command, redirects: [] });
  return text === undefined || hasUnknown(text) || redirects.some(({ operator }) => operator === '>>')
    ? undefined
    : text;
}

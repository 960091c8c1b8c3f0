import { isPattern, matchesSecret } from './file-patterns.ts';

/**
 * Which paths hold what nobody is to read or write unasked. Only the text of a path is looked at: links are not
 * followed, and nothing is read.
 */

/** Folders and files known by where they lie, in lower case, for some file systems make no difference. */
const SECRET_PLACES =
  /(?:^|\/)(?:\.ssh(?:$|\/(?!known_hosts|[^/]*\.pub$))|\.(?:aws|gnupg|azure|password-store)(?:\/|$)|\.kube\/config|\.docker\/config\.json|\.config\/(?:gcloud|gh\/hosts\.yml|op|rclone)(?:\/|$)|\.terraform\.d\/credentials|\.cargo\/credentials|\.git\/credentials|library\/keychains|\.local\/share\/keyrings|(?:var\/)?run\/(?:secrets|docker\.sock)(?:\/|$))|\/etc\/(?:passwd-?|g?shadow-?|sudoers(?:\.d)?|ssh\/(?:sshd_config|ssh_host_[^/]*key))(?:\/|$)|\/proc\/[^/]+\/(?:environ|mem)$|\/dev\/k?mem$/;

/** Files known by their name alone. */
const SECRET_NAMES =
  /(?:^|\/)(?:\.env(?:rc|\.(?!(?:example|sample|template|dist|defaults?)$)[\w.-]+)?|[._]netrc|\.(?:npmrc|pypirc|pgpass|my\.cnf|git-credentials|vault-token|htpasswd|s3cfg|boto)|\.(?:bash|zsh|sh|fish|python|node_repl|mysql|psql|sqlite|rediscli)_history|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|key4\.db|logins\.json|cookies\.sqlite|[\w-]*(?:chrome|chromium|brave-browser|microsoft-edge|opera|vivaldi)\/(?:[^/]+\/){0,4}(?:cookies|web data)|login data|login\.keychain(?:-db)?|[^/]+\.kdbx)$/;

/** What is run at the next start, sign-in or hour, without anybody asking for it. */
const STARTED_BY_ITSELF =
  /(?:^|\/)(?:\.(?:bash|zsh|ksh|csh|tcsh)rc|\.(?:bash_|zsh_|z)?(?:profile|login|logout|env)|\.zshenv|\.xinitrc|\.xsession|\.config\/(?:fish\/config\.fish|autostart(?:\/.*)?|systemd(?:\/.*)?)|\.git\/hooks\/[^/]+|library\/launchagents(?:\/.*)?)$|\/etc\/(?:profile(?:\.d)?|bash\.bashrc|bashrc|zsh|cron[^/]*|crontab|rc\.local|init\.d|systemd|ld\.so\.preload|pam\.d|hosts)(?:\/|$)|\/var\/spool\/cron(?:\/|$)|\/proc\/sys(?:\/|$|rq-trigger)|\/sys\/(?:firmware|power|kernel)\//;

const SAFE_DEVICES =
  /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd(?:\/\d+)?|ptmx|pts(?:\/\d*)?|shm(?:\/.*)?)$/;

/** What every secret path has a piece of in lower case, unless it is a pattern: most words are out after one look. */
const SECRET_PIECES =
  /ssh|aws|gnupg|azure|password-store|kube|docker|config\/|terraform|cargo|cred|keychain|keyrings|secrets|passwd|shadow|sudoers|environ|mem$|\.env|netrc|npmrc|pypirc|pgpass|my\.cnf|vault|s3cfg|boto|history|id_|key4|logins?|cookies|web data|kdbx/;

const ESCAPES = /[%\\]/;

/** What lies right in such a folder may be secret though nothing about its own name tells. */
const MAYBE_FOLDER = new RegExp(
  `${SECRET_PIECES.source}|[*?[\\0%\\\\]|etc|proc|dev|library|share|run|git|chrom|brave|edge|opera|vivaldi`,
  'i',
);

/** The same for what is started by itself. */
const MAYBE_STARTED = /rc|profile|log(?:in|out)|env|xsession|config|hooks|launchagents|etc|cron|proc|sys|[%\\]/i;

/** A piece of all of them, and of every device, as far as one word of a path may hold it. */
const MAYBE_ANY = new RegExp(`${SECRET_PIECES.source}|[*?[\\0]|${MAYBE_STARTED.source}|dev|mem|credentials`, 'i');

/** No system opens a path that is longer. */
const LONGEST = 4096;

/** One of these is in every path that is known here, and in few words. */
const PLACE = /[./_ \\%*?[\0]/;

/** Without what changes nothing about a path: `.`, `..`, slashes in a row. */
export function normalPath(path: string): string {
  if (!path.includes('/')) return path;
  const rooted = withoutRoot(path);
  if (rooted !== path) return normalPath(rooted);
  if (!/\/\/|(?:^|\/)\.{1,2}(?:\/|$)|.\/$/.test(path)) return path;
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const last = parts.at(-1);
    if (part !== '..') parts.push(part);
    else if (last !== undefined && last !== '..' && last !== '~') parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  return isAbsolute ? `/${parts.join('/')}` : parts.join('/') || '.';
}

/** `/proc/self/root` is the root once more. */
function withoutRoot(path: string): string {
  if (!path.includes('/root')) return path;
  return path.replace(/^\/+(?:\.\/+)*proc\/+(?:\.\/+)*[^/]+\/+(?:\.\/+)*root(?=\/|$)/, '') || '/';
}

/** False for a folder in which nothing is secret by a name that does not say where it lies. */
export function mayHoldSecrets(folder: string): boolean {
  return MAYBE_FOLDER.test(`${folder}/`);
}

/** `named`: files known by their name alone count too, not only those that say where they lie. */
export function isSecretPath(text: string, named: boolean): boolean {
  if (!PLACE.test(text)) return false;
  const hasPieces = SECRET_PIECES.test(text.toLowerCase()) || ESCAPES.test(text);
  if (!hasPieces && !isPattern(text)) return false;
  return pathsIn(text).some((written) => {
    if (!hasPieces && !isPattern(written)) return false;
    const path = normalPath(written);
    if (!named && !path.includes('/')) return false;
    return (hasPieces && (SECRET_PLACES.test(path) || SECRET_NAMES.test(path))) || matchesSecret(path);
  });
}

/** False for what is surely no part of a path that any of these knows. */
export function mayBeAnyPlace(text: string): boolean {
  return MAYBE_ANY.test(text);
}

/** True for a file that is run without anybody asking for it. */
export function isStartedByItself(text: string): boolean {
  if (!PLACE.test(text) || !MAYBE_STARTED.test(text)) return false;
  return pathsIn(text).some((path) => STARTED_BY_ITSELF.test(normalPath(path)));
}

/** A disk or whatever else is no file: what is written to it is written over everything. */
export function isDevice(text: string): boolean {
  if (!text.startsWith('/') || text.length > LONGEST) return false;
  const path = normalPath(text);
  return path.startsWith('/dev/') && !SAFE_DEVICES.test(path);
}

/** The root, a home, the working folder, or a folder of the system: all that would be lost with it. */
export function isEverything(text: string): boolean {
  if (text.length > LONGEST) return false;
  const path = normalPath(text.replace(/(?:\/(?:\*|\.\*|\.\[!\.\]\*|\{\*,\.\*\}|\.))+\/*$/, '/'));
  if (/^(?:\/|\.|\.\.(?:\/\.\.)*|\*|\.\*|\*\.\*|~[^/]*)$/.test(path)) return true;
  const at = path.toLowerCase();
  if (/^\/(?:home|users)(?:\/[^/]+)?$|^[a-z]:[\\/]?\*?$|^\/(?:mnt\/)?[a-z]$/.test(at)) return true;
  if (
    /^(?:%(?:userprofile|systemdrive|systemroot|homedrive|homepath)%|[a-z]:[\\/]?(?:users|windows))[\\/]?\*?$/.test(at)
  )
    return true;
  if (/^\/[^/]*[*?[][^/]*$/.test(at)) return true;
  return /^\/(?:bin|boot|dev|etc|lib(?:32|64)?|opt|proc|root|run|sbin|srv|sys|usr(?:\/(?:bin|lib(?:32|64)?|sbin|share|local))?|var(?:\/(?:lib|log|spool))?|system|library|applications|private|volumes|nix)$/.test(
    at,
  );
}

/** A folder in which people keep what is theirs, right in their home. */
export function isSomebodys(text: string): boolean {
  if (text.length > LONGEST) return false;
  const path = normalPath(text.replaceAll('\\', '/').replace(/\/\*$/, ''));
  return /^(?:~[^/]*|\/(?:home|users)\/[^/]+|\/root|[a-z]:\/users\/[^/]+|%userprofile%)\/(?:desktop|documents|downloads|pictures|photos|music|videos|movies|library|dropbox|onedrive)$/i.test(
    path,
  );
}

/** The paths a word may hold, as they are written: the whole, and what stands behind `=`, `@`, `:` or `,` in it. */
function pathsIn(text: string): string[] {
  const plain = unescaped(text).toLowerCase();
  const whole = plain.startsWith('file:') ? plain.replace(/^file:(?:\/\/[^/]*)?/, '') : plain;
  const parts = /[=@:,]/.test(plain) ? [whole, ...plain.split(/[=@:,]/)] : [whole];
  return parts.filter((path) => path !== '' && path.length <= LONGEST);
}

function unescaped(text: string): string {
  const slashed = text.includes('\\') ? text.replaceAll('\\', '/') : text;
  if (!slashed.includes('%')) return slashed;
  return slashed.replace(/%([0-9a-fA-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

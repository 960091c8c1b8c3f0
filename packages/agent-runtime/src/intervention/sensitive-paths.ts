import { matchesGlob } from './globs.ts';
import { hasUnknown, LISTED, remembering, UNKNOWN } from './shell-text.ts';

/** Paths that need approval. Judged by text only; the file system is not read. */

/** Why a path is protected. `secret`: any access; `startup` and `system`: write access. */
export type PathDanger = 'secret' | 'startup' | 'system' | 'device';

const MAX_LENGTH = 4_096;

/** Home folders in their usual spellings. */
const HOME = /^(?:~[^/]*|\/(?:home|users)\/[^/]+|\/root|\/var\/root|[a-z]:\/users\/[^/]+|%userprofile%)(?=\/|$)/;

/** Hidden files of a home folder without secrets; all others are assumed to have some. */
const HARMLESS_IN_HOME =
  /^(?:\.cache|\.(?:bash|zsh)(?:rc|_aliases)|\.profile|\.(?:bash|zsh)_?profile|\.zshenv|\.vim(?:rc|$)|\.vim\/|\.tmux\.conf|\.gitconfig|\.gitignore\w*|\.inputrc|\.nvm|\.npm\/_logs|\.rustup|\.cargo\/(?:bin|registry|env|git)|\.pyenv|\.rbenv|\.volta|\.local\/(?:bin|lib)|\.oh-my-zsh|\.fonts|\.themes|\.ssh\/(?:known_hosts[^/]*|[^/]+\.pub)$|\.config$|\.config\/(?:nvim|vim|fish|kitty|alacritty|htop|bat|lazygit|tmux|helix|zed|starship|autostart|systemd|environment\.d|code\/user)|\.local$|\.vscode(?:-server)?\/extensions)/;

const SECRET_PLACES = new RegExp(
  [
    '(?:^|/)\\.ssh(?:$|/(?!known_hosts|[^/]*\\.pub$))',
    '(?:^|/)\\.(?:aws|gnupg|azure|password-store|gcloud|kube|docker|oci|minikube|chef|ansible|gem|sops|keychain|mozilla|thunderbird|electrum|bitcoin|ethereum)(?:/|$)',
    '(?:^|/)\\.config/(?:gcloud|gh|hub|op|rclone|doctl|heroku|stripe|sops|age|glab-cli|google-chrome|chromium|bravesoftware|keepassxc|1password|bitwarden|configstore)(?:/|$)',
    '(?:^|/)(?:\\.terraform\\.d|\\.cargo)/credentials',
    '(?:^|/)\\.git/(?:credentials|config\\.secret)',
    '(?:^|/)library/(?:keychains|cookies|application support/(?:google|firefox|com\\.apple\\.tcc|1password|bitwarden|brave|toolyard))',
    '(?:^|/)\\.local/share/(?:keyrings|kwalletd|toolyard|gnupg|containers)',
    '(?:^|/)(?:var/)?run/(?:secrets|docker\\.sock|containerd|podman|user/\\d+/(?:keyring|gnupg|bus))',
    '^/(?:etc|private/etc)/(?:passwd-?|g?shadow-?|sudoers(?:\\.d)?|ssh|ssl/private|wireguard|openvpn|networkmanager|ppp|krb5|security|pki|letsencrypt|docker|kubernetes|rancher|vault[^/]*)(?:/|$)',
    '^/(?:etc|private/etc)/[^/]*(?:passw|secret|token|keytab|credential)',
    '^/proc/(?:kcore|kmem|[^/]+/(?:environ|mem|maps|fd|root|cwd|auxv|cmdline|task|stack))(?:/|$)',
    '^/dev/(?:k?mem|port|input)(?:/|$)',
    '^/var/(?:lib/(?:toolyard|mysql|postgresql|docker|kubelet|gdm|sss|vault)|spool/(?:cron|mail)|mail|backups)(?:/|$)',
    '^/tmp/krb5cc',
    '^/sys/firmware/efi/efivars',
    '(?:^|/)appdata/(?:roaming|local)/(?:google|mozilla|microsoft/(?:credentials|protect|vault)|toolyard)',
    '^c:/windows/system32/config(?:/|$)',
    '(?:^|/)[\\w-]*(?:chrome|chromium|brave-browser|microsoft-edge|opera|vivaldi)/(?:[^/]+/){0,4}(?:cookies|web data)$',
  ].join('|'),
);

/** Files that are recognized by name alone. */
const SECRET_NAMES =
  /(?:^|\/)(?:\.env(?:rc|\.(?!(?:example|sample|template|dist|defaults?|schema)$)[\w.-]+)?|[._]netrc|\.(?:npmrc|yarnrc|pypirc|pgpass|my\.cnf|mylogin\.cnf|git-credentials|vault-token|htpasswd|s3cfg|boto|dockercfg|databrickscfg|fly|pgpass|rhosts|xauthority|esd_auth|mongorc\.js|terraformrc|gemrc|rclone\.conf|smbcredentials)|\.(?:\w+_)?history|id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?|(?:key[34]|cert9|signons|login data|cookies)(?:\.(?:db|sqlite))?|logins\.json|login\.keychain(?:-db)?|login\.keyring|[^/]+\.(?:kdbx?|keychain|keystore|jks|p12|pfx|ppk|ovpn|agekey|keytab|pem|asc\.key)|(?:service[-_]?account|credentials|client_secret)[\w-]*\.json|secrets?\.(?:ya?ml|json|toml|env|key)|secret\.key|accesstokens\.json|kubeconfig|master\.key|wallet\.dat|sam|ntds\.dit)$/;

/** Files that run automatically: at startup, sign-in, commit or on a schedule. */
const STARTUP =
  /(?:^|\/)(?:\.git\/(?:hooks|config|info\/attributes)|\.git\/modules|\.husky|\.config\/(?:fish|autostart|systemd|environment\.d|git|nvim|vim)|library\/(?:launch(?:agents|daemons)|services|scripts|input methods)|node_modules\/\.bin|\.venv\/bin|\.local\/(?:bin|lib)|~\/bin|(?:user|site)customize\.py|\.vscode\/(?:tasks|settings|launch)\.json|\.idea\/(?:workspace\.xml|runconfigurations)|\.envrc|\.cargo\/(?:config|bin)|start menu\/programs\/startup|\.claude|\.cursor|\.devcontainer|lefthook\.ya?ml|\.pre-commit-config\.yaml|\.mcp\.json|mcp\.json|claude_desktop_config\.json)(?:\/|$|\.toml$)|(?:^|\/)\.(?:(?:bash|zsh|ksh|mksh|csh|tcsh|vim|gvim|input|screen|xinit|mail|in|wget|curl|npm|yarn|python|irb|pry|dircolors|lessh|gdbinit|nano)rc|\w*profile|\w*login|\w*logout|zshenv|bash_aliases|xsession|xinitrc|gitconfig|tmux\.conf|inputrc|vimrc|emacs)$|sitecustomize|\.pth$/;

const SYSTEM =
  /^\/(?:etc|usr(?!\/local\/share\/(?!ca-cert))|bin|sbin|lib\w*|boot|sys|proc|root|system|library|private\/(?:etc|var)|var\/(?:lib|spool|run|log|cache|www)|run|opt|nix|snap)(?:\/|$)|^[a-z]:\/(?:windows|program files)/;

const SAFE_DEVICES =
  /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd(?:\/.*)?|ptmx|pts(?:\/\d*)?|shm(?:\/.*)?|tcp\/(?:localhost|127\.0\.0\.1)\/.*)$/;

/** Names that wildcard patterns are tested against. */
const EXAMPLES = `
  .env .env.local .netrc .npmrc .pgpass .git-credentials .bash_history id_rsa id_ed25519 server.key x.pem .ssh .ssh/id_rsa
  .aws .aws/credentials ~/.ssh/id_rsa ~/.aws/credentials ~/.gnupg/secring.gpg ~/.kube/config ~/.docker/config.json ~/.netrc
  ~/.zsh_history ~/.config/gh/hosts.yml ~/.config/op/config /etc/shadow /etc/gshadow /etc/passwd /etc/sudoers
  /proc/self/environ`
  .trim()
  .split(/\s+/)
  .map((path) => path.split('/'));

/** Removes `.`, `..` and repeated slashes. */
export function normalPath(path: string): string {
  if (!/\/\/|(?:^|\/)\.{1,2}(?:\/|$)|.\/$|\/proc\//.test(path)) return path;
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const last = parts.at(-1);
    if (part !== '..') parts.push(part);
    else if (last !== undefined && last !== '..') {
      // The parent of a home folder contains those of other users.
      if (last.startsWith('~') && !isAbsolute) parts.splice(-1, 1, '', 'home');
      else parts.pop();
    } else if (!isAbsolute) parts.push(part);
    // The root of a process is the root folder again.
    if (part === 'root' && isAbsolute && parts[0] === 'proc' && parts.length === 3) parts.length = 0;
  }
  const joined = parts.join('/').replace(/^\/+/, '/');
  return isAbsolute ? `/${joined.replace(/^\/+/, '')}` : joined || '.';
}

/** Normalizes a path: home folders as `~`, in lower case, since some file systems ignore case. */
function toComparablePath(path: string): string {
  const slashed = path.includes('\\') ? path.replaceAll('\\', '/') : path;
  return normalPath(slashed.toLowerCase()).replace(HOME, '~');
}

/** The danger of a path in a word, or in its part after `=`, `:`, `@` or `,`. */
export function dangerOfPath(word: string): PathDanger | undefined {
  return word.length > MAX_LENGTH || !/[./~_\\%*?[\0\u0001]/.test(word) ? undefined : dangerOfWord(word);
}

const dangerOfWord = remembering((word): PathDanger | undefined => {
  let found: PathDanger | undefined;
  for (const text of pathsIn(word)) {
    const danger = findPathDanger(text);
    if (danger === 'secret') return danger;
    found ??= danger;
  }
  return found;
});

function findPathDanger(text: string): PathDanger | undefined {
  // From a folder that is not known, enough steps up lead to the root.
  const path = toComparablePath(text).replace(/^(?:\.\.\/){2,}(?=(?:etc|root|proc|home|users|var|dev|run)\/)/, '/');
  if (SECRET_PLACES.test(path) || SECRET_NAMES.test(path)) return 'secret';
  const hidden = /^~\/(\.[^/]*.*)$/s.exec(path)?.[1];
  if (hidden !== undefined && hidden !== '.' && !HARMLESS_IN_HOME.test(hidden)) return 'secret';
  if (path.startsWith('/dev/') && !SAFE_DEVICES.test(path)) return 'device';
  if (/[*?[\0]/.test(path) && matchesSecret(path)) return 'secret';
  if (
    STARTUP.test(path) ||
    (hidden !== undefined && !/^\.(?:$|cache|npm\/_|local\/share|config$|local$|ssh\/)/.test(hidden))
  )
    return 'startup';
  return SYSTEM.test(path) ? 'system' : undefined;
}

/** True for a wildcard pattern that can match secret files: `/e*c/sh?dow`. */
function matchesSecret(path: string): boolean {
  const pattern = path
    .replace(/\[[^\]]*\]/g, '?')
    .replaceAll(UNKNOWN, '*')
    .replaceAll(LISTED, '*');
  const last = pattern.slice(pattern.lastIndexOf('/') + 1);
  const isAny = last.replace(/[*?]/g, '').length < 2;
  if (isAny && !/^(?:~|\/etc|\/proc)\//.test(path) && !/^\.[*?]/.test(last)) return false;
  // A single wildcard in a home folder matches hidden files only if it begins with a dot.
  if (isAny && /^~\/[*?]/.test(path) && !path.includes(UNKNOWN) && !path.slice(2).includes('/')) return false;
  const parts = pattern.split('/');
  return EXAMPLES.some(
    (example) => example.length === parts.length && parts.every((part, at) => matchesName(part, example[at] ?? '')),
  );
}

/** A pattern that begins with `*` or `?` matches no hidden file, except `**`, which is unknown. */
function matchesName(pattern: string, name: string): boolean {
  const isHidden = name.startsWith('.') && /^(?:\?|\*[^*])/.test(pattern);
  return !isHidden && matchesGlob(pattern, name);
}

/** `secret` if a text with other characters around them names such a path: `file("~/.netrc")`. */
export function secretWithin(text: string): 'secret' | undefined {
  if (text.length > MAX_LENGTH || !/[\s"'`(){}<>]/.test(text) || !/[/~]/.test(text)) return undefined;
  const paths = text.split(/[\s"'`(){}<>;|]+/).filter((each) => /^[~/]/.test(each));
  return paths.some((path) => dangerOfPath(path) === 'secret') ? 'secret' : undefined;
}

/** True for the root, a home folder, or a system folder. */
export function isWholeSystem(text: string): boolean {
  return text.length <= MAX_LENGTH && /[/~%:\\]/.test(text) && isWholeFolder(text);
}

const isWholeFolder = remembering((text): boolean => {
  const path = toComparablePath(text.replace(/(?:\/(?:\*+|\.\*|\.\[!\.\]\*|\[[^\]]*\]\*?|\.|[\0\u0001]+))+\/*$/, '/'));
  return (
    /^(?:\/|~|\/home|\/users|\/root|[a-z]:\/?\*?|%(?:userprofile|systemdrive|systemroot|homedrive|homepath)%\/?\*?)$/.test(
      path,
    ) ||
    /^\/(?:bin|boot|dev|etc|lib\w*|mnt|media|opt|proc|root|run|sbin|srv|sys|usr(?:\/(?:bin|lib\w*|sbin|share|local))?|var(?:\/(?:lib|log|spool|www))?|system|library|applications|private|volumes|nix|data|[a-z])$/.test(
      path,
    ) ||
    /^\/[^/]*[*?[{\0][^/]*$|^[a-z]:\/(?:users|windows)\/?\*?$/.test(path)
  );
});

/** True for a folder directly in a home or top-level folder, or one that is only known by a pattern. */
export function isPersonal(text: string): boolean {
  const path = toComparablePath(text);
  if (/^~\/(?:\.cache|\.npm\/_cacache)\//.test(path)) return false;
  if (/^~\/[^/]+$|^~\/.*[*?[\0]/.test(path)) return true;
  if (/^\/(?:tmp|var\/tmp|private\/tmp)(?:\/[^/]|$)/.test(path)) return false;
  return /^\/[^/]+(?:\/[^/]+)?$|^\/(?:etc|usr|var|opt|boot|lib)\/|^\/.*[*?[\0]|^[a-z]:\/[^/]*\/?[^/]*$/.test(path);
}

/** The paths that a word may contain: the word itself, and its parts after `=`, `@`, `:` or `,`. */
function pathsIn(text: string): string[] {
  const plain = text.includes('%') ? decodePath(text) : text;
  // A sentence is not a path, unless it begins like one.
  if (/\s/.test(plain) && !/^(?:[/~.]|[A-Za-z]:)/.test(plain) && !/[=@]\s*[/~.]/.test(plain)) return [];
  const whole = plain.replace(/^file:(?:\/\/[^/]*)?/i, '');
  if (!/[=@:,]/.test(plain)) return attached(whole);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(whole)) return [];
  return [whole, ...plain.split(/[=@:,]/)].filter((path) => path !== '').flatMap(attached);
}

/** A value may follow its option without a space: `-f/etc/shadow`. */
function attached(path: string): string[] {
  const value = /^-[A-Za-z]([~/.].*)$/s.exec(path)?.[1];
  // An unknown part may be empty.
  const bare = hasUnknown(path) && path.length > 1 ? [path.replaceAll(UNKNOWN, '')] : [];
  return value === undefined ? [path, ...bare] : [path, value];
}

export function decodePath(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

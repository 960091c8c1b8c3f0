import { matchesGlob } from './globs.ts';
import { UNKNOWN } from './word-text.ts';

/** What a pattern of file names is tried on. */
const EXAMPLES = [
  ...['.env', '.env.local', '.env.production', '.npmrc', '.netrc', '.pgpass', '.git-credentials', '.bash_history'],
  ...['.zsh_history', 'id_rsa', 'id_ed25519', '.ssh', '.aws', '.gnupg', '.ssh/id_rsa', '.aws/credentials'],
  ...['.kube/config', '.docker/config.json', '/etc/shadow', '/etc/passwd', '/etc/sudoers', '/proc/self/environ'],
].map((path) => ({ parts: path.split('/'), name: path.slice(path.lastIndexOf('/') + 1) }));

/** True for a pattern that stands for secret files among others: `/e*c/sh?dow`. */
export function matchesSecret(path: string): boolean {
  if (!isPattern(path)) return false;
  const last = path.slice(path.lastIndexOf('/') + 1);
  // A lone `*` is everybody's, and no hidden file is among what it stands for.
  if (!last.startsWith('.') && last.replace(/\[[^\]]*\]|[*?\0]/g, '').length < 2) return false;
  const lastPattern = patternOf(last);
  const examples = EXAMPLES.filter((example) => fits(lastPattern, example.name));
  if (examples.length === 0) return false;
  const parts = path.split('/');
  return examples.some((example) => {
    const from = parts.length - example.parts.length;
    return from >= 0 && example.parts.every((name, at) => fits(patternOf(parts[from + at] ?? ''), name));
  });
}

/** {@link UNKNOWN} may be anything too. */
export function isPattern(text: string): boolean {
  return /[*?[\0]/.test(text);
}

type Pattern = {
  glob: string;
  /** What follows the last character that is not taken as it is. */
  tail: string;
  skipsHidden: boolean;
};

/** No expression is made of it: one could be written that takes for ever. Null for a part of which nothing is known. */
function patternOf(part: string): Pattern | null {
  if (part === UNKNOWN) return null;
  const glob = isPattern(part) ? part.replace(/\[[^\]]*\]/g, '?').replaceAll(UNKNOWN, '*') : part;
  const tail = glob.slice(Math.max(glob.lastIndexOf('*'), glob.lastIndexOf('?')) + 1);
  return { glob, tail, skipsHidden: /^[*?]/.test(part) };
}

function fits(pattern: Pattern | null, name: string): boolean {
  if (!pattern || !name.endsWith(pattern.tail) || (pattern.skipsHidden && name.startsWith('.'))) return false;
  return matchesGlob(pattern.glob, name);
}

import type { Finding } from './dangerous-commands.ts';
import { forbidden } from './dangerous-commands.ts';
import { DECODED } from './handed-on.ts';
import { secret } from './look-at-paths.ts';
import type { Inspector } from './look.ts';
import { isEverything, isSecretPath, isSomebodys } from './sensitive-paths.ts';
import { putTogether } from './sought-secrets.ts';

const REMOVES = /rm_?tree|rm_?rf|rmSync|\brm\(|rmdir|removeSync|unlink|rimraf|remove_all|remove_tree/i;
const TEXTS = /"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g;
const RUNS = /\b(?:exec|eval|system|Function)\b/;
const DECODES = /b64decode|fromhex|atob|base64|decode64|unhexlify|fromCharCode/;

/**
 * Looks at a program in a language that is not read here: at the texts in it, for what they would do as commands and
 * paths.
 */
export function inspectCode(code: string, inside: Inspector): Finding | undefined {
  if (!/["'`]/.test(code)) return undefined;
  const texts = [...code.matchAll(TEXTS)].map(([, double, single, back]) => double ?? single ?? back ?? '');
  const removes = texts.length > 0 && REMOVES.test(code);
  for (const text of texts) {
    if (isSecretPath(text, true)) return secret(text);
    if (removes && ((isEverything(text) && !/^[.*]/.test(text)) || isSomebodys(text))) {
      return forbidden(`It removes ${text} and all that is in it.`);
    }
    const finding = inside.text(text, false);
    if (finding?.kind === 'forbidden') return finding;
  }
  const put = putTogether(code).find((text) => isSecretPath(text, true));
  if (put !== undefined) return secret(put);
  const joined = texts.length > 1 ? inside.words(texts) : undefined;
  if (joined?.kind === 'forbidden') return joined;
  return runsDecoded(code) ? DECODED : undefined;
}

/** One after the other: a single expression would take time in proportion to the square of the length. */
function runsDecoded(code: string): boolean {
  const runs = RUNS.exec(code);
  return runs !== null && DECODES.test(code.slice(runs.index + runs[0].length));
}

const WORDS = 'key|token|secret|passw|auth(?!ors?(?![a-z]))|credential|cookie|signature';
const MAY_BE = new RegExp(WORDS, 'i');
/** As the last word of a name, in any spelling: `x-api-key`, `accessToken`, `sig`. */
const LAST_WORD =
  /(?:^|[-_. ])(?:api|access|auth)?(?:key|sig|code|auth|authorization|passwd|pwd|pass|jwt|pat|bearer)$|(?:token|secret|password|credential|signature|cookie)$/i;
const LAST_PART = /[a-z](?:Key|Auth|Code|Pass)$/;

/** A pattern of names that announce a secret, for what must not be shown: rather one too many. */
export const SECRET_WORDS = WORDS;

/** True for a name whose value must not be shown. */
export function mayBeSecret(name: string): boolean {
  return MAY_BE.test(name);
}

/** True for a name that can be of a secret alone, for what must not be overlooked: rather one too few. */
export function isSecretName(name: string): boolean {
  return LAST_WORD.test(name) || LAST_PART.test(name);
}

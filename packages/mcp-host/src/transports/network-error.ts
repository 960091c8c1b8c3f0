/** Failures before the first byte of a request was sent. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/**
 * The network error of a failed fetch, or undefined for other failures. Runtimes hide the code in `cause`, some of them
 * in a list with one attempt per address.
 */
export function findNetworkCode(thrown: unknown, depth = 0): { code: string; neverConnected: boolean } | undefined {
  if (!(thrown instanceof Error) || depth > 4) return undefined;
  if (thrown instanceof AggregateError) {
    const found = thrown.errors.map((error) => findNetworkCode(error, depth + 1)).filter((each) => each !== undefined);
    const first = found.find((each) => !each.neverConnected) ?? found[0];
    if (first !== undefined) return first;
  }
  if (
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    /^[A-Z][A-Z0-9_]*$/.test(thrown.code) &&
    isErrno(thrown.code)
  ) {
    return { code: thrown.code, neverConnected: NEVER_CONNECTED.has(thrown.code) };
  }
  const deeper = findNetworkCode(thrown.cause, depth + 1);
  if (deeper !== undefined) return deeper;
  return thrown.name === 'TypeError' && /fetch|network|load failed/i.test(thrown.message)
    ? { code: 'no connection', neverConnected: false }
    : undefined;
}

/** Codes of the SDK's own errors do not look like this, except `ERA_...`. */
function isErrno(code: string): boolean {
  return NEVER_CONNECTED.has(code) || /^(E[A-Z0-9]{2,}$|UND_ERR|ERR_|HPE_|CERT_)/.test(code);
}

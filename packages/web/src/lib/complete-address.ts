/** A host of this machine or its network, where HTTPS is rare, with an optional port. */
const NEARBY =
  /^(?:localhost|[\w-]+(?=:\d)|[\w-]+\.(?:local|lan|internal)|host\.docker\.internal|0\.0\.0\.0|127(?:\.\d+){3}|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|\[[\da-f:]+\])(?::\d{1,5})?(?=[/?#]|$)/i;

/** An address as typed into any form: a scheme is added if it can only be `http`. */
export function completeAddress(typed: string): string {
  const address = typed.trim();
  return NEARBY.test(address) ? `http://${address}` : address;
}

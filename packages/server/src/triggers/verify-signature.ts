import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonValue, TriggerSignature } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** A request of a sender: its raw body, and its headers by name in lower case. */
export type SignedRequest = { body: Uint8Array; header: (name: string) => string | undefined };

const DEFAULT_TOLERANCE_S = 300;

/** True if the sender knows the secret and, where the signature has a timestamp, sent the request recently. */
export function isSigned(
  { body, header }: SignedRequest,
  { signature, secret, now }: { signature: TriggerSignature; secret: string; now: number },
): boolean {
  const mac = (algorithm: string, ...texts: (string | Uint8Array)[]): Buffer => {
    const hmac = createHmac(algorithm, secret);
    for (const text of texts) hmac.update(text);
    return hmac.digest();
  };
  switch (signature.kind) {
    case 'github':
      return isEqual(header('x-hub-signature-256'), 'sha256=', 'hex', mac('sha256', body));
    case 'stripe': {
      const fields = (header('stripe-signature') ?? '').split(',').map((field) => field.trim());
      const time = fields.find((field) => field.startsWith('t='))?.slice(2) ?? '';
      if (!/^\d{1,12}$/.test(time)) return false;
      const tolerance = signature.toleranceSeconds ?? DEFAULT_TOLERANCE_S;
      if (Math.abs(now / 1_000 - Number(time)) > tolerance) return false;
      const expected = mac('sha256', `${time}.`, body);
      // While a secret is rotated there is one for each.
      return fields.filter((field) => field.startsWith('v1=')).some((field) => isEqual(field, 'v1=', 'hex', expected));
    }
    case 'hmac': {
      const { header: name, algorithm, encoding, prefix = '' } = signature;
      return isEqual(header(name.toLowerCase()), prefix, encoding, mac(algorithm, body));
    }
  }
}

/** Compares in constant time. */
function isEqual(text: string | undefined, prefix: string, encoding: 'hex' | 'base64', expected: Buffer): boolean {
  if (text === undefined || !text.startsWith(prefix)) return false;
  const given = Buffer.from(text.slice(prefix.length), encoding);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * What identifies a delivery, so that a repeated or replayed one has no second effect. An id that the signature does not
 * cover could be changed by a replaying client: then the body identifies it, unless the user chose a header.
 */
export function readDeliveryId(
  { body, header }: SignedRequest,
  signature: TriggerSignature,
  payload: JsonValue,
): string {
  if (signature.kind === 'stripe') {
    const id = isJsonObject(payload) ? payload['id'] : undefined;
    if (typeof id === 'string' && id !== '' && id.length <= 200) return id;
  }
  if (signature.kind === 'hmac' && signature.deliveryHeader !== undefined) {
    const id = header(signature.deliveryHeader.toLowerCase());
    if (id !== undefined && id !== '' && id.length <= 200) return id;
  }
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** Null if the body is not JSON in UTF-8. */
export function readPayload(body: Uint8Array): JsonValue | null {
  try {
    const parsed = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}

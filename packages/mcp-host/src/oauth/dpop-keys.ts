import { DpopSession, generateDpopKeyPair } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };

/** A key to which tokens are bound; stored with them, because they are useless without it. */
export type ProofKey = { session: DpopSession; stored: JsonObject };

/** Generates a key. */
export async function createProofKey(): Promise<ProofKey> {
  const keyPair = await generateDpopKeyPair({ extractable: true });
  const { d } = await crypto.subtle.exportKey('jwk', keyPair.privateKey);
  const { kty, crv, x, y } = keyPair.publicJwk;
  const stored = { kty, crv, x, y, d, thumbprint: keyPair.thumbprint };
  return { session: await DpopSession.create({ keyPair }), stored: asJson(stored) };
}

/** Reads a stored key; undefined if it is invalid. */
export async function readProofKey(stored: unknown): Promise<ProofKey | undefined> {
  if (!isJsonObject(stored)) return undefined;
  const text = (name: string): string => (typeof stored[name] === 'string' ? stored[name] : '');
  const publicJwk = { kty: text('kty'), crv: text('crv'), x: text('x'), y: text('y') };
  try {
    const privateKey = await crypto.subtle.importKey('jwk', { ...publicJwk, d: text('d') }, CURVE, true, ['sign']);
    const publicKey = await crypto.subtle.importKey('jwk', publicJwk, CURVE, true, ['verify']);
    const keyPair = { privateKey, publicKey, publicJwk, thumbprint: text('thumbprint'), alg: 'ES256' as const };
    return { session: await DpopSession.create({ keyPair }), stored };
  } catch {
    return undefined;
  }
}

function asJson(fields: Record<string, string | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

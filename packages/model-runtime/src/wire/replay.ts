import type { AssistantMessage } from '@toolyard/protocol';
import type { WireName } from './names.ts';

/** Tags opaque data of a provider with the wire it came from: no other wire can read it. */
export function sealReplay(wire: WireName, content: string): string {
  return `${wire}:${content}`;
}

/** The data sealed by this wire; null for any other. */
export function unsealReplay(wire: WireName, signature: string | undefined): string | null {
  return signature?.startsWith(`${wire}:`) === true ? signature.slice(wire.length + 1) : null;
}

/** True if the sealed data of `message` may be sent back: a model reads only its own. */
export function isOwnOf(message: AssistantMessage, model: string): boolean {
  return message.model === model;
}

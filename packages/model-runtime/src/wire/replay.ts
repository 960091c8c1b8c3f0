import type { AssistantMessage } from '@toolyard/protocol';
import type { WireName } from './names.ts';

/** Marks what a provider gave to be sent back with the wire it came over: no other can read it. */
export function sealReplay(wire: WireName, content: string): string {
  return `${wire}:${content}`;
}

/** What was sealed on this wire; null for what another gave, or nobody. */
export function unsealReplay(wire: WireName, signature: string | undefined): string | null {
  return signature?.startsWith(`${wire}:`) === true ? signature.slice(wire.length + 1) : null;
}

/** True where what `message` holds sealed may go back: a model reads only what it wrote itself. */
export function isOwnOf(message: AssistantMessage, model: string): boolean {
  return message.model === model;
}

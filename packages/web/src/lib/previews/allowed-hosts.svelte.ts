import type { FramePolicy } from '@toolyard/protocol';
import { NO_NETWORK } from '@toolyard/protocol';
import { SvelteMap } from 'svelte/reactivity';

/** Hosts that the user allowed to documents, by the id of the document; forgotten when the page is reloaded. */
const allowed = new SvelteMap<string, readonly string[]>();

export function allowedHosts(documentId: string): readonly string[] {
  return allowed.get(documentId) ?? [];
}

export function allowHost(documentId: string, source: string): void {
  allowed.set(documentId, [...new Set([...allowedHosts(documentId), source])]);
}

export function revokeHost(documentId: string, source: string): void {
  allowed.set(
    documentId,
    allowedHosts(documentId).filter((one) => one !== source),
  );
}

/** Frames inside the document are never allowed: they would have what was removed from it. */
export function policyWith(sources: readonly string[]): FramePolicy {
  if (sources.length === 0) return NO_NETWORK;
  return { ...NO_NETWORK, connect: sources, resources: sources.filter((source) => source.startsWith('http')) };
}

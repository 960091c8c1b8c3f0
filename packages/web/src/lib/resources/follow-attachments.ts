import type { ComposerDraft } from '../composer/draft.svelte.ts';
import { refreshResource } from './attach.ts';
import { followResource } from './server-requests.ts';

/**
 * Keeps the resources of the draft on screen up to date: each is read again after an update by its server, and once when
 * its draft is shown, because there was no listener before.
 */
export function followAttachments(): { follow: (draft: ComposerDraft) => void; end: () => void } {
  const followed = new Map<string, Promise<() => void>>();
  let current: ComposerDraft | null = null;

  function end(): void {
    for (const stop of followed.values()) void stop.then((unsubscribe) => unsubscribe());
    followed.clear();
    current = null;
  }

  return {
    follow(draft) {
      const isShown = current !== draft;
      if (isShown) end();
      current = draft;
      const attached = draft.attachments.filter(({ origin }) => origin?.uri !== undefined);
      for (const [id, stop] of followed) {
        if (attached.some((one) => one.id === id)) continue;
        followed.delete(id);
        void stop.then((unsubscribe) => unsubscribe());
      }
      for (const { id, state, origin } of attached) {
        if (followed.has(id) || origin?.uri === undefined) continue;
        const update = (): void => void refreshResource(draft, id);
        // A server without subscriptions does not update it; reading it again is an offer of its chip.
        followed.set(
          id,
          followResource(origin, origin.uri, update).catch(() => () => undefined),
        );
        if (isShown && state === 'ready') update();
      }
    },
    end,
  };
}

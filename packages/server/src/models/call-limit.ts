import type { Owner, Usage } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/** One call of a model that somebody outside asks for. */
export type ApiModelCall = {
  providerId: string;
  modelId: string;
  ability: 'chat' | 'embeddings' | 'images' | 'speech' | 'transcriptions' | 'objects';
  /** The run it is made for, where a loop in a tab makes it. */
  runId?: string;
};

/** Told once, when a call is over, however it ended; without a usage where nobody said what it took. */
export type OnCallEnd = (usage: Usage | undefined) => void;

/** Decides on calls that come from outside of a run, and learns what they used. */
export type CallPolicy = {
  /**
   * Called before anything is sent.
   *
   * @throws ToolyardError where the call is not to be made
   */
  admit(principal: Owner, call: ApiModelCall): OnCallEnd | Promise<OnCallEnd>;
};

/** How many calls one owner may have under way; a loop that runs away in a tab stops here. */
const MOST_AT_ONCE = 32;

/** The policy of a server nobody gave another: so many at once, whatever they cost. */
export function createCallLimit(most = MOST_AT_ONCE): { admit(principal: Owner): OnCallEnd } {
  const underWay = new Map<string, number>();
  return {
    admit({ ownerId }) {
      const now = underWay.get(ownerId) ?? 0;
      if (now >= most) {
        throw new ToolyardError({
          code: 'rate_limited',
          message: `${most} model calls of yours are under way already.`,
          hint: 'Wait until one of them is over.',
          retryable: true,
        });
      }
      underWay.set(ownerId, now + 1);
      return () => {
        const left = (underWay.get(ownerId) ?? 1) - 1;
        if (left === 0) underWay.delete(ownerId);
        else underWay.set(ownerId, left);
      };
    },
  };
}

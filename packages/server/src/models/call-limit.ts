import type { Owner, Usage } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';

/** A single model call requested through the API. */
export type ApiModelCall = {
  providerId: string;
  modelId: string;
  ability: 'chat' | 'embeddings' | 'images' | 'speech' | 'transcriptions' | 'objects';
  /** The run it belongs to, if a browser tab executes the run. */
  runId?: string;
};

/** Called once when a call ends, however it ends; without usage if it is unknown. */
export type OnCallEnd = (usage: Usage | undefined, hasFailed?: boolean) => void;

/** Admits model calls outside of runs, and records their usage. */
export type CallPolicy = {
  /**
   * Called before the request is sent.
   *
   * @throws ToolyardError if the call is rejected
   */
  admit(principal: Owner, call: ApiModelCall): OnCallEnd | Promise<OnCallEnd>;
};

/** Maximum number of concurrent calls per owner; it stops an endless loop in a tab. */
const MOST_AT_ONCE = 32;

/** The default policy: limits concurrent calls, whatever they cost. */
export function createCallLimit(most = MOST_AT_ONCE): { admit(principal: Owner): OnCallEnd } {
  const inProgress = new Map<string, number>();
  return {
    admit({ ownerId }) {
      const now = inProgress.get(ownerId) ?? 0;
      if (now >= most) {
        throw new ToolyardError({
          code: 'rate_limited',
          message: say`You have ${most} model calls in progress already.`,
          hint: say`Wait until one of them ends.`,
          retryable: true,
        });
      }
      inProgress.set(ownerId, now + 1);
      return () => {
        const remaining = (inProgress.get(ownerId) ?? 1) - 1;
        if (remaining === 0) inProgress.delete(ownerId);
        else inProgress.set(ownerId, remaining);
      };
    },
  };
}

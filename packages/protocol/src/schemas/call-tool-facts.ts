import { z } from 'zod';
import { jsonObject, toolChange, textTemplates } from './common.ts';
import { textCall } from './parts.ts';

/** What a user who is asked about a call sees of it besides its tool and its arguments. */
export const callToolFacts = z.strictObject({
  /**
   * The server's description of the tool, as the model gets it. Untrusted; shown with hidden characters written
   * out.
   */
  description: z.string().exactOptional(),
  /** Hash of the tool's definition when this was asked; the approval applies to that definition only. */
  definition: z.string().exactOptional(),
  /** Schema for the arguments, also for those a user edits; absent if it is large. Untrusted. */
  inputSchema: jsonObject.exactOptional(),
  /** Set if the definition changed since the tool was approved. */
  changed: toolChange.exactOptional(),
  /** What the call would change when this was asked, as lines that begin with `+`, `-` or a space. */
  diff: z.string().exactOptional(),
  /**
   * Why the call is flagged as dangerous: it runs only with an answer to this approval, whatever else is allowed.
   */
  danger: z.string().exactOptional(),
  /** Of `danger`. */
  templates: textTemplates.exactOptional(),
  /** A rule asks about every such call: an answer applies to this call only. */
  byRule: z.literal(true).exactOptional(),
  /** Set if the model wrote the call as text. */
  textCall: textCall.exactOptional(),
  /**
   * Mode `auto` would allow this call, but was not confirmed for these enabled local servers, which run without a
   * sandbox. Set only if nothing else asks.
   */
  autoUnconfirmed: z.array(z.string()).exactOptional(),
});

import { z } from 'zod';
import { jsonObject, named, namedObject, createPageSchema, toolReference } from './common.ts';
import { toolResult } from './parts.ts';

const hint = z.boolean().exactOptional();

export const tabTool = z.strictObject({
  name: z.string().min(1).max(500),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.exactOptional(),
  annotations: z.strictObject({ readOnly: hint, destructive: hint, idempotent: hint, openWorld: hint }).exactOptional(),
});
export const tabServer = namedObject('TabServer', {
  /** Begins with `browser-`. */
  id: z.string().regex(/^browser-[^/\s]{1,200}$/, 'expected a name that begins with browser-'),
  /** Identifies the server: if it changes, earlier approvals of its tools do not apply. */
  url: z.string().max(2_000),
  /** Hash of how it is reached, with its headers and parameters; absent: of the URL. */
  endpoint: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex')
    .exactOptional(),
  instructions: z.string().max(100_000).exactOptional(),
  tools: z.array(tabTool).max(1_000),
});
/** A server of a tab. */
export type TabServer = z.output<typeof tabServer>;
/** A tool as its server lists it, sent by the tab that connects to the server. Untrusted. */
export type TabTool = TabServer['tools'][number];

export const offerTabToolsBody = namedObject('OfferTabTools', { servers: z.array(tabServer).max(100) });
/** The servers of this tab that a conversation may use; replaces what the tab offered it before. */
export type OfferTabTools = z.output<typeof offerTabToolsBody>;

const mayBelongTo = z.array(z.string().max(200)).max(100).exactOptional();
const tabInputRequest = named(
  'TabQuestion',
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('form'),
      message: z.string(),
      requestedSchema: jsonObject,
      /** See the interrupt that it becomes. */
      mayBelongTo,
    }),
    z.strictObject({
      kind: z.literal('url'),
      message: z.string(),
      url: z.string(),
      /** See the interrupt that it becomes. */
      mayBelongTo,
    }),
    z.strictObject({
      kind: z.literal('sampling'),
      request: jsonObject,
      /** See the interrupt that it becomes. */
      mayBelongTo,
    }),
  ]),
);
/** A request of the call's server, which becomes an interrupt of the run. The text is the server's. */
export type TabInputRequest = z.output<typeof tabInputRequest>;

const tabInputAnswer = named(
  'TabQuestionAnswer',
  z.union([
    z.strictObject({ kind: z.literal('form'), action: z.literal('accept'), content: jsonObject }),
    z.strictObject({ kind: z.literal('form'), action: z.enum(['decline', 'cancel']) }),
    z.strictObject({ kind: z.literal('url'), action: z.enum(['accept', 'decline', 'cancel']) }),
    z.strictObject({ kind: z.literal('sampling'), answer: jsonObject }),
    z.strictObject({ kind: z.literal('refused') }),
  ]),
);
/** The answer for its server; `refused` if no user could be asked. */
export type TabInputAnswer = z.output<typeof tabInputAnswer>;

const tabCallView = namedObject('TabCall', {
  callId: z.string(),
  runId: z.string(),
  conversationId: z.string(),
  tool: toolReference,
  /** True if this tab has claimed it. */
  claimed: z.boolean(),
  /** Answers to the server's requests, by the id of the request. */
  answers: z.record(z.string(), tabInputAnswer),
});
/** A call that a tab may claim or has claimed. */
export type TabCallView = z.output<typeof tabCallView>;
export const tabCallPage = createPageSchema('TabCallPage', tabCallView);

export const claimedTabCall = namedObject('ClaimedTabCall', {
  callId: z.string(),
  fence: z.int(),
  tool: toolReference,
  arguments: jsonObject,
  /** Hash of the tool as the run knows it: a tool that has changed since is not called. */
  definition: z.string(),
});
/** From here on this tab makes the call, under this fence. */
export type ClaimedTabCall = z.output<typeof claimedTabCall>;

const fence = z.int().positive();

export const finishTabCallBody = namedObject('FinishTabCall', { fence, result: toolResult });
/** `fence`: as it was claimed. The same result may be sent again. */
export type FinishTabCall = z.output<typeof finishTabCallBody>;

export const askFromTabBody = namedObject('AskFromTab', { fence, question: tabInputRequest });
export type AskFromTab = z.output<typeof askFromTabBody>;

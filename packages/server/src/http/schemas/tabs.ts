import type {
  AskFromTab,
  ClaimedTabCall,
  FinishTabCall,
  OfferTabTools,
  TabCallView,
  TabQuestion,
  TabQuestionAnswer,
  TabServer,
} from '@toolyard/protocol';
import { z } from 'zod';
import { jsonObject, named, pageOf, toolReference } from './common.ts';
import { exactly } from './exactly.ts';
import { toolResult } from './parts.ts';

const hint = z.boolean().exactOptional();

const tabServer = named(
  'TabServer',
  exactly<TabServer>()(
    z.strictObject({
      id: z.string().regex(/^browser-[^/\s]{1,200}$/, 'expected a name that begins with browser-'),
      url: z.string().max(2_000),
      instructions: z.string().max(100_000).exactOptional(),
      tools: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(500),
            title: z.string().exactOptional(),
            description: z.string().exactOptional(),
            inputSchema: jsonObject,
            outputSchema: jsonObject.exactOptional(),
            annotations: z
              .strictObject({ readOnly: hint, destructive: hint, idempotent: hint, openWorld: hint })
              .exactOptional(),
          }),
        )
        .max(1_000),
    }),
  ),
);

export const offerTabTools = named(
  'OfferTabTools',
  exactly<OfferTabTools>()(z.strictObject({ servers: z.array(tabServer).max(100) })),
);

const mayBelongTo = z.array(z.string().max(200)).max(100).exactOptional();
const tabQuestion = named(
  'TabQuestion',
  exactly<TabQuestion>()(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('form'), message: z.string(), requestedSchema: jsonObject, mayBelongTo }),
      z.strictObject({ kind: z.literal('url'), message: z.string(), url: z.string(), mayBelongTo }),
      z.strictObject({ kind: z.literal('sampling'), request: jsonObject, mayBelongTo }),
    ]),
  ),
);

const tabQuestionAnswer = named(
  'TabQuestionAnswer',
  exactly<TabQuestionAnswer>()(
    z.union([
      z.strictObject({ kind: z.literal('form'), action: z.literal('accept'), content: jsonObject }),
      z.strictObject({ kind: z.literal('form'), action: z.enum(['decline', 'cancel']) }),
      z.strictObject({ kind: z.literal('url'), action: z.enum(['accept', 'decline', 'cancel']) }),
      z.strictObject({ kind: z.literal('sampling'), answer: jsonObject }),
      z.strictObject({ kind: z.literal('refused') }),
    ]),
  ),
);

const tabCallView = named(
  'TabCall',
  exactly<TabCallView>()(
    z.strictObject({
      callId: z.string(),
      runId: z.string(),
      conversationId: z.string(),
      tool: toolReference,
      claimed: z.boolean(),
      answers: z.record(z.string(), tabQuestionAnswer),
    }),
  ),
);
export const tabCallPage = pageOf('TabCallPage', tabCallView);

export const claimedTabCall = named(
  'ClaimedTabCall',
  exactly<ClaimedTabCall>()(
    z.strictObject({
      callId: z.string(),
      fence: z.int(),
      tool: toolReference,
      arguments: jsonObject,
      definition: z.string(),
    }),
  ),
);

const fence = z.int().positive();

export const finishTabCall = named(
  'FinishTabCall',
  exactly<FinishTabCall>()(z.strictObject({ fence, result: toolResult })),
);

export const askFromTab = named('AskFromTab', exactly<AskFromTab>()(z.strictObject({ fence, question: tabQuestion })));

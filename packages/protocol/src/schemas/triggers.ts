import { z } from 'zod';
import { rateLimit } from './access.ts';
import {
  clientId,
  existingId,
  jsonValue,
  namedObject,
  createPageSchema,
  timestamp,
  titleText,
  toolReference,
  textTemplates,
} from './common.ts';
import { webhookSecret } from './webhook.ts';

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'expected the name of an HTTP header');

export const triggerSignature = z.discriminatedUnion('kind', [
  /** `X-Hub-Signature-256` */
  z.strictObject({ kind: z.literal('github') }),
  /** `Stripe-Signature`, with its timestamp. */
  z.strictObject({ kind: z.literal('stripe'), toleranceSeconds: z.int().min(10).max(3_600).exactOptional() }),
  /** An HMAC of the body in a header. */
  z.strictObject({
    kind: z.literal('hmac'),
    header: headerName,
    algorithm: z.enum(['sha256', 'sha512', 'sha1']),
    encoding: z.enum(['hex', 'base64']),
    /** Text in front of the signature, such as `sha256=`. */
    prefix: z.string().max(40).exactOptional(),
    /** Header with the id of the delivery; absent: the same body is accepted once. */
    deliveryHeader: headerName.exactOptional(),
  }),
]);
/** How the sender signs its requests. */
export type TriggerSignature = z.output<typeof triggerSignature>;

const definitionFields = {
  /** The agent that runs the task. */
  agentId: existingId,
  /** The message of each run; `{{path.to.field}}` is a value of the JSON body, `{{.}}` the whole body. */
  template: z.string().min(1).max(20_000),
  signature: triggerSignature,
  rate: rateLimit,
  /** Tools that may be called without approval, while their definitions do not change. */
  allowedTools: z.array(toolReference).max(200),
};
export const triggerDefinition = z.strictObject(definitionFields);
/** Everything about an incoming webhook that the user chooses, except title and secret. */
export type TriggerDefinition = z.output<typeof triggerDefinition>;

export const triggerView = namedObject('TriggerView', {
  id: z.string(),
  title: z.string(),
  ...definitionFields,
  enabled: z.boolean(),
  /** Path of the URL to which the sender posts. */
  path: z.string(),
  version: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** An incoming webhook: each verified delivery starts a run. */
export type TriggerView = z.output<typeof triggerView>;
export const triggerPage = createPageSchema('TriggerPage', triggerView);

export const savedTrigger = namedObject('SavedTrigger', { trigger: triggerView, secret: z.string().exactOptional() });
/** `secret`: the generated one; it is returned only here. */
export type SavedTrigger = z.output<typeof savedTrigger>;

const optionalFields = {
  rate: rateLimit.exactOptional(),
  allowedTools: definitionFields.allowedTools.exactOptional(),
  enabled: z.boolean().exactOptional(),
};
export const createTriggerBody = namedObject('CreateTrigger', {
  id: clientId.max(60).exactOptional(),
  title: titleText.min(1),
  agentId: existingId,
  template: definitionFields.template,
  signature: triggerSignature,
  ...optionalFields,
  /** The secret that the sender gives; absent: one is generated. */
  secret: webhookSecret.exactOptional(),
});
export type CreateTrigger = z.output<typeof createTriggerBody>;

export const changeTriggerBody = namedObject('ChangeTrigger', {
  version: z.int().positive().describe('The version that the client read; an older one is rejected'),
  title: titleText.min(1).exactOptional(),
  agentId: existingId.exactOptional(),
  template: definitionFields.template.exactOptional(),
  signature: triggerSignature.exactOptional(),
  ...optionalFields,
  /** A new secret; `generate`: it is generated and returned. */
  secret: z.union([z.literal('generate'), webhookSecret]).exactOptional(),
});
export type ChangeTrigger = z.output<typeof changeTriggerBody>;

export const testTriggerBody = namedObject('TestTrigger', { payload: jsonValue, run: z.boolean().exactOptional() });
export const testedTrigger = namedObject('TestedTrigger', {
  message: z.string(),
  runId: z.string().nullable(),
  conversationId: z.string().nullable(),
});
/** The message that a payload results in; with `run`, also the run that was started with it. */
export type TestedTrigger = z.output<typeof testedTrigger>;

export const triggerDelivery = namedObject('TriggerDelivery', {
  /** The id of the sender, or a digest of the body. */
  id: z.string(),
  at: timestamp,
  /** `due`: accepted, its run is being started. `rejected`: it was not accepted. */
  outcome: z.enum(['due', 'started', 'failed', 'rejected']),
  reason: z.string().nullable(),
  templates: textTemplates.exactOptional(),
  runId: z.string().nullable(),
  conversationId: z.string().nullable(),
});
/** One request of a sender and its outcome. */
export type TriggerDelivery = z.output<typeof triggerDelivery>;
export const triggerDeliveryPage = createPageSchema('TriggerDeliveryPage', triggerDelivery);

export const acceptedDelivery = namedObject('AcceptedDelivery', { runId: z.string() });

import { z } from 'zod';
import { KEY_SCOPES, SCOPES } from '../access.ts';
import { existingId, named, namedObject, createPageSchema, timestamp } from './common.ts';
import { budgetAmounts } from './configuration.ts';

const credential = z.string().min(1).max(1000);

export const signInBody = named(
  'SignIn',
  z.union([z.strictObject({ token: credential }), z.strictObject({ code: credential })]),
);
/** `POST /api/session`: exactly one of the two. */
export type SignIn = z.output<typeof signInBody>;

export const signInHelp = namedObject('SignInHelp', { command: z.string() });

const session = {
  ownerId: z.string(),
  version: z.string(),
  /** False on a server that runs with `--no-token`. */
  tokenRequired: z.boolean(),
  via: z.enum(['session', 'token', 'terminal', 'api_key', 'signed_url', 'open']),
  scopes: z.array(z.enum(SCOPES)),
};
export const sessionView = namedObject('SessionView', session);
/** `GET /api/session`: who is signed in. */
export type SessionView = z.output<typeof sessionView>;
/**
 * How a request was authenticated:
 * - `session`: a browser that signed in; `token`: the access token; `terminal`: a command of the user who runs the server
 * - `api_key`: a key with scopes; `signed_url`: a signed URL of a file
 * - `open`: the server runs with `--no-token`
 */
export type PrincipalVia = SessionView['via'];
export const signedIn = namedObject('SignedIn', { ...session, secret: z.string().nullable() });
/** `secret` belongs in the header `x-toolyard-session` of every request with the cookie; null if none is needed. */
export type SignedIn = z.output<typeof signedIn>;

const signedInSession = namedObject('SignedInSession', {
  id: z.string(),
  /** Browser and system, as the browser names them; empty if it does not. */
  userAgent: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  expiresAt: timestamp,
  /** True for the session of this request. */
  current: z.boolean(),
});
/** A browser that is signed in. */
export type SignedInSession = z.output<typeof signedInSession>;
export const sessionPage = createPageSchema('SessionPage', signedInSession);

export const signInLink = namedObject('SignInLink', {
  /** Path and fragment; the code in it can be used once. */
  path: z.string(),
  expiresAt: timestamp,
  /** Base URLs at which other devices may reach this server; empty if it listens on this machine only. */
  origins: z.array(z.string()),
});
/** A link that signs another browser in, once. */
export type SignInLink = z.output<typeof signInLink>;

/** Runs per calendar minute and per day (UTC). */
export const rateLimit = z.strictObject({
  perMinute: z.int().min(1).max(10_000).exactOptional(),
  perDay: z.int().min(1).max(1_000_000).exactOptional(),
});
export type RateLimit = z.output<typeof rateLimit>;

const amounts = z.strictObject(budgetAmounts);
export const apiKeyLimits = named(
  'ApiKeyLimits',
  z
    .strictObject({
      /** Ids of the agents that runs may use, also as sub-agents. */
      agents: z.array(existingId).min(1).max(100).exactOptional(),
      /** Tools that runs may call, as `server/tool`; `*` matches any characters. Empty: none. */
      tools: z
        .array(
          z
            .string()
            .max(300)
            .regex(/^[^/]+\/./, 'expected "server/tool"; * matches any characters'),
        )
        .max(200)
        .exactOptional(),
      /** `run`: each run with its sub-agents. `day`: all runs of the key, per day (UTC). */
      budget: z.strictObject({ run: amounts.exactOptional(), day: amounts.exactOptional() }).exactOptional(),
      rate: rateLimit.exactOptional(),
    })
    .refine((limits) => Object.keys(limits).length > 0, 'expected at least one limit'),
);
/** What an API key is limited to, besides its scopes. Such a key can only start runs, and sees nothing else. */
export type ApiKeyLimits = z.output<typeof apiKeyLimits>;

const keyScope = z.enum(KEY_SCOPES as [(typeof KEY_SCOPES)[number], ...(typeof KEY_SCOPES)[number][]]);
const key = {
  id: z.string(),
  name: z.string(),
  scopes: z.array(keyScope),
  /** The first characters of the key, to recognize it by. */
  start: z.string(),
  createdAt: timestamp,
  /** Null: it does not expire. */
  expiresAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  /** Null: only its scopes limit it. */
  limits: apiKeyLimits.nullable(),
};
const apiKeyView = namedObject('ApiKeyView', key);
export type ApiKeyView = z.output<typeof apiKeyView>;
export const apiKeyPage = createPageSchema('ApiKeyPage', apiKeyView);
export const createdApiKey = namedObject('CreatedApiKey', { ...key, key: z.string() });
/** The only answer that contains the key itself. */
export type CreatedApiKey = z.output<typeof createdApiKey>;
export const createApiKeyBody = namedObject('CreateApiKey', {
  name: z.string().trim().min(1).max(100),
  scopes: z.array(keyScope).min(1).max(KEY_SCOPES.length).exactOptional(),
  expiresAt: timestamp.exactOptional(),
  limits: apiKeyLimits.exactOptional(),
});
export type CreateApiKey = z.output<typeof createApiKeyBody>;

export const fileLinksOf = namedObject('FileLinksOf', {
  files: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex'))
    .min(1)
    .max(200),
});
export const fileLinks = namedObject('FileLinks', { urls: z.record(z.string(), z.string()), expiresAt: timestamp });
/** URLs of files that work without credentials until `expiresAt`, by sha256. */
export type FileLinks = z.output<typeof fileLinks>;

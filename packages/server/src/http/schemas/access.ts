import type {
  ApiKeyView,
  CreateApiKey,
  CreatedApiKey,
  FileLinks,
  Page,
  SessionView,
  SignedIn,
  SignedInSession,
  SignIn,
  SignInLink,
} from '@toolyard/protocol';
import { KEY_SCOPES, SCOPES } from '@toolyard/protocol';
import { z } from 'zod';
import { named, time } from './common.ts';
import { exactly } from './exactly.ts';

const credential = z.string().min(1).max(1000);

export const signIn = named(
  'SignIn',
  exactly<SignIn>()(z.union([z.strictObject({ token: credential }), z.strictObject({ code: credential })])),
);

const session = {
  ownerId: z.string(),
  version: z.string(),
  tokenRequired: z.boolean(),
  via: z.enum(['session', 'token', 'terminal', 'api_key', 'signed_url', 'open']),
  scopes: z.array(z.enum(SCOPES)),
};
export const sessionView = named('SessionView', exactly<SessionView>()(z.strictObject(session)));
export const signedIn = named(
  'SignedIn',
  exactly<SignedIn>()(z.strictObject({ ...session, secret: z.string().nullable() })),
);

const signedInSession = named(
  'SignedInSession',
  exactly<SignedInSession>()(
    z.strictObject({
      id: z.string(),
      userAgent: z.string(),
      createdAt: time,
      lastUsedAt: time,
      expiresAt: time,
      current: z.boolean(),
    }),
  ),
);
export const sessionPage = named(
  'SessionPage',
  exactly<Page<SignedInSession>>()(
    z.strictObject({ items: z.array(signedInSession), next: z.string().exactOptional() }),
  ),
);

export const signInLink = named(
  'SignInLink',
  exactly<SignInLink>()(z.strictObject({ path: z.string(), expiresAt: time, origins: z.array(z.string()) })),
);

const keyScope = z.enum(KEY_SCOPES as [(typeof KEY_SCOPES)[number], ...(typeof KEY_SCOPES)[number][]]);
const key = {
  id: z.string(),
  name: z.string(),
  scopes: z.array(keyScope),
  start: z.string(),
  createdAt: time,
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable(),
};
const apiKeyView = named('ApiKeyView', exactly<ApiKeyView>()(z.strictObject(key)));
export const apiKeyPage = named(
  'ApiKeyPage',
  exactly<Page<ApiKeyView>>()(z.strictObject({ items: z.array(apiKeyView), next: z.string().exactOptional() })),
);
export const createdApiKey = named(
  'CreatedApiKey',
  exactly<CreatedApiKey>()(z.strictObject({ ...key, key: z.string() })),
);
export const createApiKey = named(
  'CreateApiKey',
  exactly<CreateApiKey>()(
    z.strictObject({
      name: z.string().trim().min(1).max(100),
      scopes: z.array(keyScope).min(1).max(KEY_SCOPES.length).exactOptional(),
      expiresAt: time.exactOptional(),
    }),
  ),
);

export const fileLinksOf = named(
  'FileLinksOf',
  z.strictObject({
    files: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 in hex'))
      .min(1)
      .max(200),
  }),
);
export const fileLinks = named(
  'FileLinks',
  exactly<FileLinks>()(z.strictObject({ urls: z.record(z.string(), z.string()), expiresAt: time })),
);

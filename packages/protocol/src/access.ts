import type { Owner } from './run-store.ts';

/**
 * Rights of a credential. The owner's sessions and the owner's terminal hold all of them; an API key holds those it was
 * created with.
 */
export const SCOPES = ['read', 'write', 'settings', 'approve', 'answer', 'servers', 'metrics', 'access'] as const;

/**
 * - `read`: read conversations, runs, files, models and settings
 * - `write`: create and change conversations, start and stop runs, call models, upload files
 * - `settings`: change providers, agents, defaults and the webhook
 * - `approve`: approve or deny tool calls, call tools directly, change approval mode, rules, budgets and permissions
 * - `answer`: answer questions of models and MCP servers
 * - `servers`: add, change, test and remove MCP servers, and sign in to them
 * - `metrics`: read `/metrics`
 * - `access`: list and revoke sessions, create and revoke API keys, create sign-in links
 */
export type Scope = (typeof SCOPES)[number];

/** `access` stays with the owner: a key that could create keys could give itself every other scope. */
export const KEY_SCOPES = SCOPES.filter((scope): scope is Exclude<Scope, 'access'> => scope !== 'access');

export type KeyScope = (typeof KEY_SCOPES)[number];

/** What an API key can do if nothing else was asked for. */
export const DEFAULT_KEY_SCOPES: readonly KeyScope[] = ['read', 'write'];

/**
 * How a request was authenticated:
 * - `session`: a browser that signed in; `token`: the access token; `terminal`: a command of the user who runs the server
 * - `api_key`: a key with scopes; `signed_url`: a signed URL of a file
 * - `open`: the server runs with `--no-token`
 */
export type PrincipalVia = 'session' | 'token' | 'terminal' | 'api_key' | 'signed_url' | 'open';

/** Who makes a request: the owner it acts for, how it was authenticated, and what it may do. */
export type Principal = Owner & {
  via: PrincipalVia;
  scopes: readonly Scope[];
  /** Of the session or API key. */
  credentialId?: string;
};

/** `GET /api/session`: who is signed in. */
export type SessionView = {
  ownerId: string;
  version: string;
  /** False on a server that runs with `--no-token`. */
  tokenRequired: boolean;
  via: PrincipalVia;
  scopes: Scope[];
};

/** `POST /api/session`: exactly one of the two. */
export type SignIn = { token: string } | { code: string };

/** `secret` belongs in the header `x-toolyard-session` of every request with the cookie; null if none is needed. */
export type SignedIn = SessionView & { secret: string | null };

/** A browser that is signed in. */
export type SignedInSession = {
  id: string;
  /** Browser and system, as the browser names them; empty if it does not. */
  userAgent: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
  /** True for the session of this request. */
  current: boolean;
};

/** A link that signs another browser in, once. */
export type SignInLink = {
  /** Path and fragment; the code in it can be used once. */
  path: string;
  expiresAt: number;
  /** Base URLs at which other devices may reach this server; empty if it listens on this machine only. */
  origins: string[];
};

export type ApiKeyView = {
  id: string;
  name: string;
  scopes: KeyScope[];
  /** The first characters of the key, to recognize it by. */
  start: string;
  createdAt: number;
  /** Null: it does not expire. */
  expiresAt: number | null;
  lastUsedAt: number | null;
};

export type CreateApiKey = { name: string; scopes?: KeyScope[]; expiresAt?: number };

/** The only answer that contains the key itself. */
export type CreatedApiKey = ApiKeyView & { key: string };

/** URLs of files that work without credentials until `expiresAt`, by sha256. */
export type FileLinks = { urls: Record<string, string>; expiresAt: number };

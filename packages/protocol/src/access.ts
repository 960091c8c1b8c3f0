/**
 * Scopes of a credential. A signed-in browser and a local command of the operator have all of them; an API key has
 * those it was created with.
 */
export const SCOPES = ['read', 'write', 'settings', 'approve', 'answer', 'servers', 'metrics', 'access'] as const;

/**
 * - `read`: read conversations, runs, files, models and settings
 * - `write`: create and change conversations, start and stop runs, call models, upload files
 * - `settings`: change providers, agents, schedules, incoming webhooks, defaults and the webhook
 * - `approve`: approve or deny tool calls, call tools directly, change approval mode, rules, budgets and permissions
 * - `answer`: answer interrupts (requests of models and MCP servers)
 * - `servers`: add, change, test and remove MCP servers, and sign in to them
 * - `metrics`: read `/metrics`
 * - `access`: list and revoke sessions, create and revoke API keys, create sign-in links
 */
export type Scope = (typeof SCOPES)[number];

/** An API key cannot have `access`: a key that could create keys could grant itself every other scope. */
export const KEY_SCOPES = SCOPES.filter((scope): scope is Exclude<Scope, 'access'> => scope !== 'access');

export type KeyScope = (typeof KEY_SCOPES)[number];

/** Scopes that an API key with limits can have: the others concern more than runs. */
export const LIMITED_KEY_SCOPES: readonly KeyScope[] = ['read', 'write', 'approve', 'answer'];

/** Scopes of an API key that was created without any. */
export const DEFAULT_KEY_SCOPES: readonly KeyScope[] = ['read', 'write'];

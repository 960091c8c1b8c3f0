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

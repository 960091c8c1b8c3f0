import type { Clock, ErrorInfo, Fetch, JsonObject, JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import { networkCodeOf } from '../transports/network-error.ts';
import { readUrl } from '../values/read-url.ts';
import type { HostedConfig } from './hosted-config.ts';
import { serviceAddress, titleOf, userOf } from './hosted-config.ts';

/** A server the service has made: where it is, and by what the service knows it. */
export type HostedInstance = { url: string; instanceId: string };

/** What the service says of a server it has made. `signInUrl` is missing where it names none. */
export type InstanceState = { kind: 'gone' } | { kind: 'there' } | { kind: 'needs_sign_in'; signInUrl?: string };

export type ServiceContext = { serverId: string; clock: Clock; fetch: Fetch };

/** How long one answer of the service may take, in milliseconds. */
const PATIENCE_MS = 20_000;
const LONGEST_WORDS = 300;

/**
 * Has a server made.
 *
 * @throws ToolyardError in words for the person whose server it is
 */
export async function createInstance(config: HostedConfig, context: ServiceContext): Promise<HostedInstance> {
  const answer = await ask(config, context, 'POST', '/mcp-server/instance/create', {
    serverName: config.server,
    userId: userOf(config),
    platformName: 'Toolyard',
    connectionType: 'StreamableHttp',
  });
  if (!answer.ok) throw refusal(config, context, answer);
  const { serverUrl, instanceId } = answer.body;
  if (typeof serverUrl !== 'string' || typeof instanceId !== 'string' || !isSafe(serverUrl)) {
    throw new ToolyardError({
      code: 'bad_response',
      message: `${titleOf(config)} made the server "${context.serverId}" and did not say where it can be reached safely.`,
      hint: 'Try again later; if it stays like this, the service has changed.',
    });
  }
  return { url: serverUrl, instanceId };
}

/** Whether it is still there, and whether somebody has to sign in first. @throws ToolyardError */
export async function inspectInstance(
  config: HostedConfig,
  context: ServiceContext,
  instanceId: string,
): Promise<InstanceState> {
  const answer = await ask(config, context, 'GET', `/mcp-server/instance/${encodeURIComponent(instanceId)}`);
  if (!answer.ok) {
    if (isUnknown(answer.status)) return { kind: 'gone' };
    throw refusal(config, context, answer);
  }
  const { authNeeded, isAuthenticated, oauthUrl } = answer.body;
  if (authNeeded !== true || isAuthenticated === true) return { kind: 'there' };
  const signInUrl = typeof oauthUrl === 'string' && isSafe(oauthUrl) ? { signInUrl: oauthUrl } : {};
  return { kind: 'needs_sign_in', ...signInUrl };
}

/** Gives a server back, and the sign-ins it has; one that is gone already is fine. @throws ToolyardError */
export async function deleteInstance(config: HostedConfig, context: ServiceContext, instanceId: string): Promise<void> {
  const answer = await ask(config, context, 'DELETE', `/mcp-server/instance/${encodeURIComponent(instanceId)}`);
  if (!answer.ok && !isUnknown(answer.status)) throw refusal(config, context, answer);
}

type Answer = { ok: true; body: JsonObject } | { ok: false; status: number; words: string; retryAfterMs?: number };

async function ask(
  config: HostedConfig,
  { serverId, clock, fetch }: ServiceContext,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<Answer> {
  const patience = new AbortController();
  const callOff = clock.after(PATIENCE_MS, () => patience.abort());
  try {
    const response = await fetch(`${serviceAddress(config)}${path}`, {
      method,
      signal: patience.signal,
      redirect: 'error',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${config.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = parseJson(await response.text());
    if (!response.ok) {
      const seconds = Number(response.headers.get('retry-after'));
      return {
        ok: false,
        status: response.status,
        words: parsed.ok ? wordsIn(parsed.value) : '',
        ...(seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {}),
      };
    }
    return { ok: true, body: parsed.ok && isJsonObject(parsed.value) ? parsed.value : {} };
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown)) throw thrown;
    const why = patience.signal.aborted ? 'it does not answer' : (networkCodeOf(thrown)?.code ?? 'no connection');
    throw new ToolyardError({
      code: 'server_unreachable',
      message: `${titleOf(config)}, which hosts the server "${serverId}", cannot be reached at ${shownHost(config)} (${why}).`,
      hint: 'Check the connection to the Internet, and the address of the service if you have set one.',
      retryable: true,
    });
  } finally {
    callOff();
  }
}

function refusal(
  config: HostedConfig,
  { serverId }: ServiceContext,
  { status, words, retryAfterMs }: Extract<Answer, { ok: false }>,
): ToolyardError {
  const title = titleOf(config);
  const said = words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`;
  const about = (what: string): string => `${title}, which hosts the server "${serverId}", ${what} (${said}).`;
  if (status === 401 || status === 403) {
    return error(
      'bad_config',
      about('does not take the API key'),
      `Check "apiKey"; keys are made on the pages of ${title}.`,
    );
  }
  if (status === 402 || status === 429) {
    const hint = 'Wait a while, or look at what your account there allows.';
    return new ToolyardError({
      code: 'rate_limited',
      message: about('wants fewer requests, or another plan'),
      hint,
      retryable: true,
      ...defined({ retryAfterMs }),
    });
  }
  if (status >= 500) {
    return new ToolyardError({
      code: 'server_unreachable',
      message: about('has failed'),
      hint: 'Try again later.',
      retryable: true,
    });
  }
  const hint = `Check "server": ${title} may not have one called "${config.server}".`;
  return error('bad_config', about('does not make this server'), hint);
}

function error(code: ErrorInfo['code'], message: string, hint: string): ToolyardError {
  return new ToolyardError({ code, message, hint });
}

function isUnknown(status: number): boolean {
  return status === 404 || status === 410;
}

/** What the service says went wrong, out of the shapes it has for that; it is shown, so it is short. */
function wordsIn(body: JsonValue): string {
  if (!isJsonObject(body)) return '';
  const { detail, message, error: other } = body;
  const said = Array.isArray(detail)
    ? detail.map((each) => (isJsonObject(each) && typeof each['msg'] === 'string' ? each['msg'] : '')).join('; ')
    : [detail, message, other].find((each) => typeof each === 'string');
  return typeof said === 'string' ? said.replaceAll(/\s+/g, ' ').slice(0, LONGEST_WORDS) : '';
}

/** Over TLS, or on this machine. */
function isSafe(address: string): boolean {
  const url = readUrl(address);
  if (url === null) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

function shownHost(config: HostedConfig): string {
  return readUrl(serviceAddress(config))?.origin ?? 'its address';
}

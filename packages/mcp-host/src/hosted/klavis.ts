import type { Clock, ErrorInfo, Fetch, JsonObject, JsonValue, AnyText } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson, ToolyardError, say } from '@toolyard/protocol';
import { findNetworkCode } from '../transports/network-error.ts';
import { readUrl } from '../values/read-url.ts';
import type { HostedConfig } from './hosted-config.ts';
import { serviceAddress, getTitle, getUser } from './hosted-config.ts';

/** A created server: its URL and its id at the service. */
export type HostedInstance = { url: string; instanceId: string };

/** The state of a created server. `signInUrl` is absent if the service names none. */
export type InstanceState = { kind: 'gone' } | { kind: 'there' } | { kind: 'needs_sign_in'; signInUrl?: string };

export type ServiceContext = { serverId: string; clock: Clock; fetch: Fetch };

/** Timeout of one request to the service, in milliseconds. */
const REQUEST_TIMEOUT_MS = 20_000;
const MAX_MESSAGE_LENGTH = 300;

/**
 * Creates a server.
 *
 * @throws ToolyardError with a message for its user
 */
export async function createInstance(config: HostedConfig, context: ServiceContext): Promise<HostedInstance> {
  const answer = await request(config, context, 'POST', '/mcp-server/instance/create', {
    serverName: config.server,
    userId: getUser(config),
    platformName: 'Toolyard',
    connectionType: 'StreamableHttp',
  });
  if (!answer.ok) throw createRefusalError(config, context, answer);
  const { serverUrl, instanceId } = answer.body;
  if (typeof serverUrl !== 'string' || typeof instanceId !== 'string' || !isSafe(serverUrl)) {
    throw new ToolyardError({
      code: 'bad_response',
      message: say`${getTitle(config)} created the server "${context.serverId}" but returned no safe URL for it.`,
      hint: say`Try again later. If it persists, the API of the service has changed.`,
    });
  }
  return { url: serverUrl, instanceId };
}

/** Whether the server exists, and whether it requires a sign-in. @throws ToolyardError */
export async function inspectInstance(
  config: HostedConfig,
  context: ServiceContext,
  instanceId: string,
): Promise<InstanceState> {
  const answer = await request(config, context, 'GET', `/mcp-server/instance/${encodeURIComponent(instanceId)}`);
  if (!answer.ok) {
    if (isUnknown(answer.status)) return { kind: 'gone' };
    throw createRefusalError(config, context, answer);
  }
  const { authNeeded, isAuthenticated, oauthUrl } = answer.body;
  if (authNeeded !== true || isAuthenticated === true) return { kind: 'there' };
  const signInUrl = typeof oauthUrl === 'string' && isSafe(oauthUrl) ? { signInUrl: oauthUrl } : {};
  return { kind: 'needs_sign_in', ...signInUrl };
}

/** Deletes a server and its sign-ins; one that is gone already is fine. @throws ToolyardError */
export async function deleteInstance(config: HostedConfig, context: ServiceContext, instanceId: string): Promise<void> {
  const answer = await request(config, context, 'DELETE', `/mcp-server/instance/${encodeURIComponent(instanceId)}`);
  if (!answer.ok && !isUnknown(answer.status)) throw createRefusalError(config, context, answer);
}

type Answer =
  | { ok: true; body: JsonObject }
  | { ok: false; status: number; serviceMessage: string; retryAfterMs?: number };

async function request(
  config: HostedConfig,
  { serverId, clock, fetch }: ServiceContext,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<Answer> {
  const timeout = new AbortController();
  const cancelTimer = clock.after(REQUEST_TIMEOUT_MS, () => timeout.abort());
  try {
    const response = await fetch(`${serviceAddress(config)}${path}`, {
      method,
      signal: timeout.signal,
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
        serviceMessage: parsed.ok ? messageIn(parsed.value) : '',
        ...(seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {}),
      };
    }
    return { ok: true, body: parsed.ok && isJsonObject(parsed.value) ? parsed.value : {} };
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown)) throw thrown;
    const why = timeout.signal.aborted ? 'no response' : (findNetworkCode(thrown)?.code ?? 'no connection');
    throw new ToolyardError({
      code: 'server_unreachable',
      message: say`${getTitle(config)}, which hosts the server "${serverId}", cannot be reached at ${shownHost(config)} (${why}).`,
      hint: say`Check the Internet connection, and the URL of the service if you have set one.`,
      retryable: true,
    });
  } finally {
    cancelTimer();
  }
}

function createRefusalError(
  config: HostedConfig,
  { serverId }: ServiceContext,
  { status, serviceMessage, retryAfterMs }: Extract<Answer, { ok: false }>,
): ToolyardError {
  const title = getTitle(config);
  const detailText = serviceMessage === '' ? `HTTP ${status}` : `HTTP ${status}: ${serviceMessage}`;
  const about = (what: string): string => `${title}, which hosts the server "${serverId}", ${what} (${detailText}).`;
  if (status === 401 || status === 403) {
    return createServiceError(
      'bad_config',
      about('rejected the API key'),
      `Check "apiKey"; you create keys on the website of ${title}.`,
    );
  }
  if (status === 402 || status === 429) {
    const hint = say`Wait a while, or check the limits of your account there.`;
    return new ToolyardError({
      code: 'rate_limited',
      message: about('limits the requests of this account'),
      hint,
      retryable: true,
      ...defined({ retryAfterMs }),
    });
  }
  if (status >= 500) {
    return new ToolyardError({
      code: 'server_unreachable',
      message: about('failed'),
      hint: say`Try again later.`,
      retryable: true,
    });
  }
  const hint = say`Check "server": ${title} may not offer one named "${config.server}".`;
  return createServiceError('bad_config', about('cannot create this server'), hint);
}

function createServiceError(code: ErrorInfo['code'], message: AnyText, hint: AnyText): ToolyardError {
  return new ToolyardError({ code, message, hint });
}

function isUnknown(status: number): boolean {
  return status === 404 || status === 410;
}

/** The error message of the service, from any of the forms it uses, shortened for display. */
function messageIn(body: JsonValue): string {
  if (!isJsonObject(body)) return '';
  const { detail, message, error: other } = body;
  const detailText = Array.isArray(detail)
    ? detail.map((each) => (isJsonObject(each) && typeof each['msg'] === 'string' ? each['msg'] : '')).join('; ')
    : [detail, message, other].find((each) => typeof each === 'string');
  return typeof detailText === 'string' ? detailText.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE_LENGTH) : '';
}

/** TLS, or the local machine. */
function isSafe(address: string): boolean {
  const url = readUrl(address);
  if (url === null) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

function shownHost(config: HostedConfig): string {
  return readUrl(serviceAddress(config))?.origin ?? 'its URL';
}

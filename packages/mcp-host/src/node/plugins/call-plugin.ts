import type { Fetch, JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import { REDACTED } from '../../log/redact.ts';
import { limitMessages } from '../../transports/body-limit.ts';
import { findNetworkCode } from '../../transports/network-error.ts';
import { STREAM_ENDED } from '../../transports/raw-result-transport.ts';
import { MethodError } from '../../transports/serve-methods.ts';
import type { PluginRequest } from './plugin.ts';

/** The longest response of a plugin, in bytes. */
const MAX_RESPONSE = 4_000_000;
const MAX_ERROR_LENGTH = 2_000;
/** Shorter values are too common to be searched for. */
const SHORTEST_SECRET = 4;

/** Statuses of intermediaries that do not know whether the request was executed. */
const IN_DOUBT = new Set([408, 502, 504]);

/** `errorType` of the gateway, in words. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  PluginApiNotFound: 'it has no function of this name',
  PluginApiParamsError: 'the arguments do not match its schema',
  PluginManifestInvalid: 'its manifest is invalid',
  PluginManifestNotFound: 'its manifest was not found',
  PluginMarketIndexInvalid: 'the plugin index is invalid',
  PluginMarketIndexNotFound: 'the plugin index was not found',
  PluginMetaInvalid: 'its description in the plugin index is invalid',
  PluginMetaNotFound: 'it is not in the plugin index',
  PluginOpenApiInitError: 'its OpenAPI document cannot be used',
  PluginServerError: 'its server failed',
  PluginSettingsInvalid: 'its settings are missing or invalid',
  PluginUnauthorized: 'it rejected the credentials in its settings',
  PluginGatewayError: 'its gateway failed',
};

/** What a plugin answered: text, or an image. */
export type PluginAnswer = { content: JsonObject[]; text: string | null; isError: boolean };

/**
 * Makes one call. A redirect of a request that contains secrets is an error: they would go to a URL that the user did not choose.
 *
 * @throws MethodError if the plugin did not answer; it says whether the call may have been executed
 */
export async function callPlugin(request: PluginRequest, fetch: Fetch, signal: AbortSignal): Promise<PluginAnswer> {
  const { method, url, headers, body, secrets } = request;
  const redact = createRedactor(secrets);
  const hasSecrets = secrets.length > 0;
  try {
    const response = await limitMessages(fetch, MAX_RESPONSE)(url, {
      method,
      headers,
      redirect: hasSecrets ? 'manual' : 'follow',
      signal,
      ...(body === undefined ? {} : { body }),
    });
    return await readAnswer(response, redact);
  } catch (thrown) {
    if (thrown instanceof MethodError) throw thrown;
    if (ToolyardError.isInstance(thrown)) return failed(redact(sentence(thrown)));
    const network = findNetworkCode(thrown);
    if (network?.neverConnected === true) {
      throw new MethodError(-32_600, `The plugin cannot be reached (${network.code}).`);
    }
    throw new MethodError(-32_000, 'The response of the plugin was cut off.', STREAM_ENDED);
  }
}

async function readAnswer(response: Response, redact: (text: string) => string): Promise<PluginAnswer> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return failed(
      `The plugin redirected the call (HTTP ${status}). It was not followed, because the request contains settings of the plugin.`,
    );
  }
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (status >= 400) return readError(status, redact(decode(bytes) ?? ''));
  if (/^image\/(png|jpeg|gif|webp)$/.test(type)) {
    const data = Buffer.from(bytes).toString('base64');
    return { content: [{ type: 'image', mimeType: type, data }], text: null, isError: false };
  }
  const text = decode(bytes);
  if (text === undefined) return failed(`The plugin answered with ${type || 'bytes'}, which cannot be shown as text.`);
  const shown = redact(text);
  return { content: [{ type: 'text', text: shown }], text: shown, isError: false };
}

function readError(status: number, text: string): PluginAnswer {
  const parsed = parseJson(text);
  const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
  const errorType = typeof body?.['errorType'] === 'string' ? body['errorType'] : undefined;
  if (errorType === undefined && IN_DOUBT.has(status)) {
    throw new MethodError(-32_001, `the plugin answered with HTTP ${status}.`);
  }
  const isAuth = status === 401 || status === 403 || errorType === 'PluginSettingsInvalid';
  const known = errorType !== undefined && Object.hasOwn(ERROR_TYPES, errorType) ? ERROR_TYPES[errorType] : undefined;
  const why = known ?? (isAuth ? 'it rejected the credentials in its settings' : 'the call failed');
  const detail = body === undefined ? text.trim() : readDetail(body);
  return failed(
    [
      `The plugin answered with HTTP ${status}: ${why}${errorType === undefined ? '' : ` (${errorType.slice(0, 60)})`}.`,
      ...(isAuth ? ['The user can change them on the page: Settings > Tools.'] : []),
      ...(detail === '' ? [] : [detail.slice(0, MAX_ERROR_LENGTH)]),
    ].join(' '),
  );
}

/** The message of an error body. Its other fields stay out: gateways repeat credentials and stack traces there. */
function readDetail(body: JsonObject): string {
  const inner = isJsonObject(body['body']) ? body['body'] : body;
  for (const key of ['message', 'error', 'detail', 'error_description', 'title']) {
    const value = inner[key];
    if (typeof value === 'string') return value;
    if (isJsonObject(value) && typeof value['message'] === 'string') return value['message'];
  }
  return typeof body['body'] === 'string' ? body['body'] : '';
}

function failed(text: string): PluginAnswer {
  return { content: [{ type: 'text', text }], text: null, isError: true };
}

/** A guard's refusal, or a response that is too large. */
function sentence({ message, hint }: ToolyardError): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Plugins repeat what they received, above all in errors. */
function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
}

import { ProtocolError, SdkHttpError, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** The protocol versions that `initialize` can offer, newest first. */
export const LEGACY_VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

const MAX_REASON_LENGTH = 300;
/** Statuses with which servers reject the content of a request. */
const REJECTIONS = new Set([400, 406, 422, 426, 501, 505]);
/** Statuses that say nothing about the content, whatever their text says. */
const OTHER_REASONS = new Set([401, 429, 502, 503, 504]);
/** JSON-RPC codes of a request with the wrong content. */
const INVALID = new Set([-32_600, -32_602]);

/**
 * A server that rejects `initialize` is asked again with another version: the newest that it names in its error, else the
 * next older one if the error may be about the version. Undefined if neither is left.
 *
 * @param mayGuess whether to try older versions that the server does not name
 */
export function nextVersion(thrown: unknown, tried: readonly string[], mayGuess: boolean): string | undefined {
  const said = rejectionText(thrown);
  if (said === undefined) return undefined;
  const left = LEGACY_VERSIONS.filter((version) => !tried.includes(version));
  // What it rejected is often quoted, too.
  const named = (said.text.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? []).filter((version) => !tried.includes(version));
  if (named.length > 0) return left.find((version) => named.includes(version));
  const mayBeVersion = said.isInvalid || /version/i.test(said.text);
  return mayGuess && mayBeVersion ? left.find((version) => version < (tried.at(-1) ?? '')) : undefined;
}

/** Everything a server says in its rejection; undefined if it is not one. */
function rejectionText(thrown: unknown): { text: string; isInvalid: boolean } | undefined {
  if (thrown instanceof ProtocolError) {
    const text = `${thrown.message} ${JSON.stringify(thrown.data ?? null)}`;
    return { text, isInvalid: INVALID.has(thrown.code) };
  }
  if (!(thrown instanceof SdkHttpError)) return undefined;
  const text = bodyText(thrown) ?? '';
  const { status } = thrown.data;
  if (REJECTIONS.has(status)) return { text, isInvalid: true };
  // With any other status, only a text about versions is a rejection; pages contain those of programs.
  const isAboutVersions = /version/i.test(text) && !/^\s*</.test(text);
  return isAboutVersions && !OTHER_REASONS.has(status) ? { text, isInvalid: false } : undefined;
}

/**
 * The version that a server accepted, as one that is known: without the text around it, the offered one if it names none,
 * and the next older one for a date between known ones. A date that is newer or older than all is returned as it is.
 */
export function acceptedVersion(answered: unknown, offered: string): string {
  if (typeof answered !== 'string' || answered.trim() === '') return offered;
  const date = /\d{4}-\d{2}-\d{2}/.exec(answered)?.[0] ?? answered;
  if (date > (LEGACY_VERSIONS[0] ?? '')) return date;
  return LEGACY_VERSIONS.find((version) => version <= date) ?? date;
}

/** The body of a rejected HTTP request, if it was read. */
export function bodyText({ data }: SdkHttpError): string | undefined {
  return typeof data['text'] === 'string' ? data['text'] : undefined;
}

/** The reason in the body of a rejected HTTP request: the message of an error, or a short text; not a page. */
export function reasonIn(body: string | undefined): string | undefined {
  const text = body?.trim() ?? '';
  const parsed = parseJson(text);
  const found = parsed.ok
    ? messageIn(parsed.value)
    : /^[^<{[]/.test(text) && text.length <= MAX_REASON_LENGTH
      ? text
      : '';
  const reason = (found ?? '').replaceAll(/\s+/g, ' ').trim();
  return reason === '' ? undefined : reason.slice(0, MAX_REASON_LENGTH);
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  const { error, message, error_description: description, detail, title } = value;
  if (isJsonObject(error)) return messageIn(error);
  return [message, description, detail, error, title].find((text) => typeof text === 'string' && text !== '') as
    | string
    | undefined;
}

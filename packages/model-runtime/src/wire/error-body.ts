import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { readObject, readObjects } from './json-values.ts';

/** An error of a provider, normalized from any format. `param` names the rejected field. */
export type ProviderFault = { message: string; code: string; type: string; param: string; retryAfterMs?: number };

const EMPTY_ERROR: ProviderFault = { message: '', code: '', type: '', param: '' };

/** How many errors within errors are read: gateways wrap those of providers. */
const MAX_DEPTH = 6;

/** Members that carry the reason, in the order of preference. */
const REASONS = [
  'message',
  'Message',
  'detail',
  'error',
  'msg',
  'reason',
  'error_message',
  'error_description',
  'title',
];

/**
 * Parses the body of an error response: formats of OpenAI, vLLM, llama.cpp, Ollama, FastAPI, Google, gateways, problem
 * details, a web page, or plain text. The rule: what can be read is shown; a body without a known member is shown itself.
 */
export function readProviderError(body: string, own?: (value: JsonValue) => ProviderFault | null): ProviderFault {
  const parsed = parseJson(body);
  if (!parsed.ok) return createMessageError(looksLikeHtml(body) ? readTitle(body) : body);
  const { value } = parsed;
  if (typeof value === 'string') return createMessageError(value);
  const known = own?.(value) ?? readErrorValue(value) ?? errorIn(value, 0);
  if (known !== null && known.message !== '') return known;
  const isEmpty = value === null || typeof value !== 'object' || Object.keys(value).length === 0;
  return { ...(known ?? EMPTY_ERROR), message: isEmpty ? '' : body };
}

/** An error that consists only of a message. */
export function createMessageError(message: string): ProviderFault {
  return { ...EMPTY_ERROR, message };
}

/** The error in a value of a stream or a response; null if it contains no error. */
export function readErrorValue(value: JsonValue): ProviderFault | null {
  if (Array.isArray(value)) return value[0] === undefined ? null : readErrorValue(value[0]);
  if (!isJsonObject(value)) return null;
  const { error, errors, detail, message, choices } = value;
  const isError =
    (error !== undefined && error !== null && error !== '') ||
    value['object'] === 'error' ||
    value['type'] === 'error' ||
    (Array.isArray(errors) && errors.length > 0) ||
    (detail !== undefined && detail !== null) ||
    (typeof message === 'string' && choices === undefined);
  return isError ? errorIn(value, 0) : null;
}

/** Reads an error in any of the formats, with the errors it wraps. */
function errorIn(value: JsonValue, depth: number): ProviderFault | null {
  if (depth > MAX_DEPTH) return null;
  if (typeof value === 'string') return errorInText(value, depth);
  if (Array.isArray(value)) return joined(value.flatMap((each) => errorIn(each, depth + 1) ?? []));
  if (!isJsonObject(value)) return null;
  const { loc, error, errors, metadata } = value;
  const held = REASONS.flatMap((member) => {
    const inner = value[member];
    return inner === undefined || inner === null || inner === '' ? [] : [inner];
  });
  // The first text is the reason; an error within it, or beside it, says more.
  const found = held.flatMap((inner) => errorIn(inner, depth + 1) ?? []).slice(0, isJsonObject(error) ? 2 : 1);
  const raw = readObject(metadata)['raw'] ?? null;
  const violations = readObjects(value['details']).flatMap(({ fieldViolations }) =>
    readObjects(fieldViolations).map(({ description }) => description ?? null),
  );
  const further = [raw, value['innererror'] ?? null, Array.isArray(errors) ? errors : null, ...violations];
  const whole = joined([...found, ...further.flatMap((each) => errorIn(each, depth + 1) ?? [])]);
  const own: ProviderFault = {
    message: '',
    code: readWord(value['code']) || readStatus(value),
    type: joinWords([readWord(value['type']), readWord(value['error_type']), ...googleWords(value)]),
    param: typeof value['param'] === 'string' ? value['param'] : '',
  };
  const path = readPath(loc);
  if (whole === null && own.code === '' && own.type === '') return null;
  const message = whole?.message ?? '';
  return {
    message: path === '' || message === '' ? message : `${path}: ${message}`,
    code: own.code === '' ? (whole?.code ?? '') : own.code,
    // The code of a wrapped error says what kind it is, even if its gateway has a code of its own.
    type: joinWords([own.type, whole?.type ?? '', own.code === '' ? '' : (whole?.code ?? '')]),
    param: own.param !== '' ? own.param : path !== '' ? path : (whole?.param ?? ''),
  };
}

/** Gateways send the answer of the provider as text, often as JSON in text. */
function errorInText(text: string, depth: number): ProviderFault | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (/^[[{]/.test(trimmed)) {
    const parsed = parseJson(trimmed);
    const inner = parsed.ok ? errorIn(parsed.value, depth + 1) : null;
    if (inner !== null && inner.message !== '') return inner;
  }
  return createMessageError(looksLikeHtml(trimmed) ? readTitle(trimmed) : text);
}

/** Several errors as one: each message once, the first code. */
function joined(errors: readonly ProviderFault[]): ProviderFault | null {
  const [first] = errors;
  if (first === undefined) return null;
  const messages: string[] = [];
  for (const { message } of errors) {
    if (message !== '' && !messages.some((each) => each.includes(message))) messages.push(message);
  }
  return {
    message: messages.map((each, at) => (at < messages.length - 1 ? each.replace(/[.:]\s*$/, '') : each)).join(': '),
    code: errors.find(({ code }) => code !== '')?.code ?? '',
    type: joinWords(errors.map(({ type }) => type)),
    param: errors.find(({ param }) => param !== '')?.param ?? '',
  };
}

/** The status that an error of a stream names beside its message. */
function readStatus({ status, status_code: snake, statusCode: camel }: JsonObject): string {
  const found = [snake, camel, status].find((each) => typeof each === 'number');
  return readWord(found);
}

/** Google names the kind of an error by `status`, and by the reasons of its details. */
function googleWords({ status, details }: JsonObject): string[] {
  const reasons = readObjects(details).map(({ reason }) => readWord(reason));
  return [typeof status === 'string' ? status : '', ...reasons];
}

function joinWords(words: readonly string[]): string {
  return [...new Set(words.filter((each) => each !== ''))].join(' ');
}

/** Where FastAPI found the fault: `["body", "tools", 0]` becomes `tools.0`. */
function readPath(loc: JsonValue | undefined): string {
  if (!Array.isArray(loc)) return '';
  const steps = loc.map(readWord).filter((step) => step !== '');
  return (steps[0] === 'body' ? steps.slice(1) : steps).join('.');
}

function readWord(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** True for the start of an HTML page. */
export function looksLikeHtml(body: string): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml|!--)/i.test(body.slice(0, 200));
}

/** The title of a web page, otherwise its first heading: what a proxy says, such as "502 Bad Gateway". */
function readTitle(page: string): string {
  const found = /<title[^>]*>([^<]*)<|<h1[^>]*>([^<]*)</i.exec(page.slice(0, 20_000));
  return (found?.[1] ?? found?.[2] ?? '').replace(/\s+/g, ' ').trim();
}

import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** `a=b&c=d`, in which some token endpoints answer. */
const FORM = /^[\w.-]+=[^\s<>{}]*(&[\w.-]+=[^\s<>{}]*)*$/;

/**
 * Reads a document of an authorization server, as JSON or form-encoded. A member that is `null` or an empty text is
 * absent, also inside others: servers fill in what they do not use. Undefined for anything else.
 */
export function readDocument(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  if (parsed.ok) return isJsonObject(parsed.value) ? withoutEmpty(parsed.value) : undefined;
  return FORM.test(text.trim()) ? withoutEmpty(Object.fromEntries(new URLSearchParams(text.trim()))) : undefined;
}

/** A copy without members and elements that are null or empty texts. */
function withoutEmpty(value: JsonObject): JsonObject {
  const kept = Object.entries(value).map(([name, member]) => [name, shortened(member)] as const);
  return Object.fromEntries(kept.filter(([, member]) => !isEmpty(member)));
}

function shortened(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shortened).filter((item) => !isEmpty(item));
  return isJsonObject(value) ? withoutEmpty(value) : value;
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === '';
}

/** The message of an OAuth error (RFC 6749, 5.2), also where the error is an object; undefined without one. */
export function errorMessageIn(document: JsonObject | undefined): string | undefined {
  if (document === undefined) return undefined;
  const { error, error_description: description, message, detail, title, errors } = document;
  const [first] = Array.isArray(errors) ? errors : [];
  if (error === undefined && isJsonObject(first)) return errorMessageIn(first);
  if (isJsonObject(error))
    return errorMessageIn({ error_description: error['message'] ?? null, error: error['code'] ?? null });
  const texts = [error, description].filter((one): one is string => typeof one === 'string' && one !== '');
  if (texts.length > 0) return texts.join(': ');
  return [message, detail, title, first].find((one): one is string => typeof one === 'string' && one !== '');
}

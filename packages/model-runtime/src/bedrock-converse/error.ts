import { isJsonObject, type JsonValue } from '@toolyard/protocol';
import type { ProviderFault } from '../wire/provider-error.ts';

/** Parses an error of an AWS API: the message is in the body, the type in a header. */
export function readError(value: JsonValue, headers?: Headers): ProviderFault | null {
  if (!isJsonObject(value)) return null;
  const message = value['message'] ?? value['Message'];
  // `ThrottlingException:http://internal.amazon.com/...`
  const header = headers?.get('x-amzn-errortype')?.split(':')[0] ?? '';
  const inBody = typeof value['__type'] === 'string' ? (value['__type'].split('#').at(-1) ?? '') : '';
  const name = header === '' ? inBody : header;
  if (typeof message !== 'string' && name === '') return null;
  const text = typeof message === 'string' ? message : '';
  const type = /provided model identifier is invalid|could not resolve the foundation model/i.test(text)
    ? 'model_not_found'
    : typeOfException(name);
  return { message: explained(name, text), code: '', type, param: '' };
}

/** The common names of exceptions: see `classify` of the error mapping. */
const TYPES: readonly (readonly [exceptions: RegExp, type: string])[] = [
  [/^(Throttling|TooManyRequests|ModelNotReady)Exception$/, 'rate_limit'],
  [/^ServiceQuotaExceededException$/, 'insufficient_quota'],
  [/^(AccessDenied|ExpiredToken|UnrecognizedClient|MissingAuthenticationToken)Exception$/, 'permission_denied'],
  [/^(Invalid|Incomplete)SignatureException$/, 'permission_denied'],
  [/^ResourceNotFoundException$/, 'model_not_found'],
  [/^(ServiceUnavailable|InternalServer|ModelStreamError|ModelError|ModelTimeout)Exception$/, 'service_unavailable'],
];

export function typeOfException(name: string): string {
  const exception = name.charAt(0).toUpperCase() + name.slice(1);
  return TYPES.find(([exceptions]) => exceptions.test(exception))?.[1] ?? name;
}

/** AWS does not say what to do about these. */
function explained(name: string, message: string): string {
  if (name === 'ExpiredTokenException' || /security token .*expired/i.test(message))
    return `${message} Temporary AWS credentials end after some hours: enter new ones.`;
  if (/signature expired|signature not yet current/i.test(message))
    return `${message} Check the clock of this machine.`;
  // The message repeats the whole request that was to be signed.
  if (name === 'InvalidSignatureException') return 'The signature was not accepted: check the secret access key.';
  return message;
}

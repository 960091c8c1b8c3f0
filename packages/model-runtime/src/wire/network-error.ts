import { createErrorInfo, say, ToolyardError, type AnyText, type ErrorInfo } from '@toolyard/protocol';

/**
 * Converts an exception of fetch to an error: connection refused, unknown host, TLS, connection closed. Names host and
 * port, after the user's label of the provider if there is one.
 */
export function toNetworkError(thrown: unknown, url: string, label?: string): ErrorInfo {
  // The guarded fetch of the server throws ToolyardErrors.
  if (ToolyardError.isInstance(thrown)) return thrown.toJSON();
  const address = URL.canParse(url) ? hostAndPort(new URL(url)) : 'the model server';
  const host = label === undefined ? address : `${label} (${address})`;
  const code = getErrorCode(thrown);

  if (code === 'ECONNREFUSED') {
    return network(
      say`Cannot connect to ${host}.`,
      say`Check that the model server is running, and that this is its port.`,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA') {
    return network(
      say`The host name of ${host} could not be resolved, or DNS cannot be reached.`,
      say`Check the spelling of the base URL and the network.`,
    );
  }
  if (/CERT|SSL|TLS|UNABLE_TO_|SELF_SIGNED|EPROTO/.test(code)) {
    return network(
      say`No secure connection to ${host} (${code}).`,
      say`Check the certificate, and whether the base URL should begin with http:// or https://.`,
    );
  }
  if (/TIMEDOUT|TIMEOUT/.test(code)) {
    return createErrorInfo({
      code: 'timed_out',
      message: say`${host} did not respond in time.`,
      hint: say`Check the base URL and whether the server is busy.`,
      retryable: true,
    });
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return network(
      say`${host} cannot be reached from this machine.`,
      say`Check the network, the firewall and the base URL.`,
    );
  }
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code)) {
    return network(
      say`${host} closed the connection without a response.`,
      say`Check the log of the model server, then try again.`,
    );
  }
  return network(
    code === '' ? say`The request to ${host} failed.` : say`The request to ${host} failed (${code}).`,
    say`Check that the server is running, and that this origin may access it.`,
  );
}

function network(message: AnyText, hint: AnyText): ErrorInfo {
  return createErrorInfo({ code: 'network', message, hint, retryable: true });
}

function hostAndPort(url: URL): string {
  const port = url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
  return `${url.hostname}:${port}`;
}

/**
 * The system's error code, which fetch puts into `cause`, or into one of several causes if a host has several
 * addresses.
 */
function getErrorCode(thrown: unknown, depth = 0): string {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return '';
  if ('code' in thrown && typeof thrown.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(thrown.code))
    return thrown.code;
  if ('errors' in thrown && Array.isArray(thrown.errors)) {
    for (const inner of thrown.errors) {
      const code = getErrorCode(inner, depth + 1);
      if (code !== '') return code;
    }
  }
  return 'cause' in thrown ? getErrorCode(thrown.cause, depth + 1) : '';
}

/** True for a broken connection, which may succeed on retry. A refused connection or a bad certificate is permanent. */
export function isTransient(thrown: unknown): boolean {
  return /ECONNRESET|EPIPE|UND_ERR_SOCKET|EAI_AGAIN/.test(getErrorCode(thrown));
}

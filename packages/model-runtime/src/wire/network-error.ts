import { ToolyardError, type ErrorInfo } from '@toolyard/protocol';

/** What a failed fetch means: nobody there, no such host, no trust, cut off. Names host and port. */
export function toNetworkError(thrown: unknown, url: string): ErrorInfo {
  // The owner's guard in front of fetch speaks our language already.
  if (ToolyardError.isInstance(thrown)) return thrown.toJSON();
  const host = URL.canParse(url) ? hostAndPort(new URL(url)) : 'the model server';
  const code = errorCodeOf(thrown);

  if (code === 'ECONNREFUSED') {
    return network(`Nothing answers at ${host}.`, 'Is the model server running, and is this its port?');
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA') {
    return network(
      `The name in ${host} is not known, or the name service cannot be reached.`,
      'Check the spelling of the address and the network.',
    );
  }
  if (/CERT|SSL|TLS|UNABLE_TO_|SELF_SIGNED|EPROTO/.test(code)) {
    return network(
      `No secure connection to ${host} (${code}).`,
      'Check the certificate, and whether the address should begin with http:// or https://.',
    );
  }
  if (/TIMEDOUT|TIMEOUT/.test(code)) {
    return {
      code: 'timed_out',
      message: `${host} did not answer in time.`,
      hint: 'Check the address and whether the server is busy.',
      retryable: true,
    };
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return network(`${host} cannot be reached from here.`, 'Check the network, the firewall and the address.');
  }
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code)) {
    return network(
      `${host} closed the connection without an answer.`,
      'Look into the log of the model server, then try again.',
    );
  }
  const detail = code === '' ? '' : ` (${code})`;
  return network(
    `The request to ${host} failed${detail}.`,
    'Check that the server runs, and that this place may reach it.',
  );
}

function network(message: string, hint: string): ErrorInfo {
  return { code: 'network', message, hint, retryable: true };
}

function hostAndPort(url: URL): string {
  const port = url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
  return `${url.hostname}:${port}`;
}

/** The system's code, which fetch hides in its cause, or among several causes where a name has several addresses. */
function errorCodeOf(thrown: unknown, depth = 0): string {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return '';
  if ('code' in thrown && typeof thrown.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(thrown.code))
    return thrown.code;
  if ('errors' in thrown && Array.isArray(thrown.errors)) {
    for (const inner of thrown.errors) {
      const code = errorCodeOf(inner, depth + 1);
      if (code !== '') return code;
    }
  }
  return 'cause' in thrown ? errorCodeOf(thrown.cause, depth + 1) : '';
}

/** True for a connection that broke: the next may hold. Nobody there, or a bad certificate, stays so. */
export function isTransient(thrown: unknown): boolean {
  return /ECONNRESET|EPIPE|UND_ERR_SOCKET|EAI_AGAIN/.test(errorCodeOf(thrown));
}

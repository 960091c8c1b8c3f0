import { ToolyardError } from '@toolyard/protocol';

/**
 * Normalizes the base URL of a model server: adds a missing scheme; removes surrounding spaces, trailing slashes and
 * the fragment.
 *
 * @param options.where Where the URL is set, as a prefix of the error message.
 * @throws ToolyardError that does not repeat the URL, which may contain a key.
 */
export function checkBaseUrl(input: string, options: { code: 'bad_config' | 'bad_request'; where?: string }): string {
  const { code, where = '' } = options;
  const text = input.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const gap = /\{[A-Z0-9_]+\}/.exec(text)?.[0];
  if (gap !== undefined) {
    throw createBaseUrlError(
      code,
      `${where}the base URL still contains the placeholder ${gap}.`,
      `Replace ${gap} with your own value.`,
    );
  }
  const url = text !== '' && URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw createBaseUrlError(
      code,
      `${where}this is not the base URL of a model server.`,
      'Use a form such as http://127.0.0.1:8080/v1 or https://api.example.com/v1.',
    );
  }
  // URL parsers read numbers as IPv4 addresses: "0" is 0.0.0.0, "1" is 0.0.0.1, "0x7f.1" is 127.0.0.1.
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(withScheme)?.[1] ?? '';
  if (/^\d+\.\d+\.\d+\.\d+$/.test(url.hostname) && host !== url.hostname) {
    throw createBaseUrlError(
      code,
      `${where}"${host.slice(0, 50)}" is not the host of a model server.`,
      'Write the whole address, such as http://127.0.0.1:8080/v1.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw createBaseUrlError(
      code,
      `${where}the base URL at ${url.host} contains a user name or a password.`,
      'Remove everything between // and @, and enter the API key separately.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/** Query parameters that are secrets by their name. */
const SECRET_PARAMETER = /(^|[-_.])(api)?(key|token|secret|sig|signature|code|auth|password)$|(Key|Token|Secret)$/i;

/** @throws ToolyardError `bad_request` for a URL that contains a key: only keys are stored encrypted. */
export function checkHasNoKey(baseUrl: string): void {
  const { searchParams, host } = new URL(baseUrl);
  const name = [...searchParams.keys()].find((each) => SECRET_PARAMETER.test(each));
  if (name === undefined) return;
  throw createBaseUrlError(
    'bad_request',
    `the base URL at ${host} contains a key in the parameter "${name}".`,
    'Remove it from the URL and enter the API key separately.',
  );
}

/** The URL with the values of secret parameters masked, for display. */
export function shownBaseUrl(baseUrl: string): string {
  const at = baseUrl.indexOf('?');
  if (at === -1) return baseUrl;
  const shown = baseUrl
    .slice(at + 1)
    .split('&')
    .map((pair) => {
      const name = pair.split('=', 1)[0] ?? '';
      return SECRET_PARAMETER.test(name) ? `${name}=•••` : pair;
    });
  return `${baseUrl.slice(0, at)}?${shown.join('&')}`;
}

function createBaseUrlError(code: 'bad_config' | 'bad_request', message: string, hint: string): ToolyardError {
  const capital = message.charAt(0).toUpperCase() + message.slice(1);
  return new ToolyardError({ code, message: capital, hint });
}

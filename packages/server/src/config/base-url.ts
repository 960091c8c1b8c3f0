import { ToolyardError } from '@toolyard/protocol';

/**
 * The address of a model server as it is kept: with a scheme, without spaces around it, a slash or a fragment at its
 * end.
 *
 * @param told.where Put before the message: where the address stands.
 * @throws ToolyardError in plain words. The address itself is not repeated: it may hold a key.
 */
export function checkBaseUrl(given: string, told: { code: 'bad_config' | 'bad_request'; where?: string }): string {
  const { code, where = '' } = told;
  const text = given.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const gap = /\{[A-Z0-9_]+\}/.exec(text)?.[0];
  if (gap !== undefined) {
    throw bad(code, `${where}the address still has ${gap} in it.`, `Put your own in the place of ${gap}.`);
  }
  const url = text !== '' && URL.canParse(withScheme) ? new URL(withScheme) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw bad(
      code,
      `${where}this is not the address of a model server.`,
      'It looks like http://127.0.0.1:8080/v1 or https://api.example.com/v1.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw bad(
      code,
      `${where}the address at ${url.host} has a user name or a password in it.`,
      'Leave out everything between // and @, and give the key on its own.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}

/** A parameter of an address that is a key by its name. */
const SECRET_PARAMETER = /(^|[-_.])(api)?(key|token|secret|sig|signature|code|auth|password)$|(Key|Token|Secret)$/i;

/** @throws ToolyardError `bad_request` for an address with a key in it: only keys are kept encrypted. */
export function checkHasNoKey(baseUrl: string): void {
  const { searchParams, host } = new URL(baseUrl);
  const name = [...searchParams.keys()].find((each) => SECRET_PARAMETER.test(each));
  if (name === undefined) return;
  throw bad(
    'bad_request',
    `the address at ${host} has a key in it, as "${name}".`,
    'Leave it out of the address and give the key on its own.',
  );
}

/** The address as it may be told: what is a key in it by its name is not. */
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

function bad(code: 'bad_config' | 'bad_request', message: string, hint: string): ToolyardError {
  const capital = message.charAt(0).toUpperCase() + message.slice(1);
  return new ToolyardError({ code, message: capital, hint });
}

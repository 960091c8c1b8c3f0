import type { JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';
import { createConfigError } from '../values/config-error.ts';

/** A server that a service creates on demand for one of its users; its URL is known when connecting. */
export type HostedConfig = {
  type: 'hosted';
  service: HostedServiceName;
  /** The service's name for it, such as `Gmail`. */
  server: string;
  apiKey: string;
  /** The service's user for whom the server is created and whose sign-ins it uses; default `toolyard`. */
  user?: string;
  /** The base URL of the service, unless it is the public one. */
  url?: string;
};

/** The known services that host MCP servers. */
export type HostedServiceName = 'klavis';

const ADDRESSES: Readonly<Record<HostedServiceName, string>> = { klavis: 'https://api.klavis.ai' };
const TITLES: Readonly<Record<HostedServiceName, string>> = { klavis: 'Klavis' };
const DEFAULT_USER = 'toolyard';

/** The display name of the service. */
export function getTitle({ service }: HostedConfig): string {
  return TITLES[service];
}

/**
 * The base URL of the service.
 *
 * @example
 * const config = { type: 'hosted', service: 'klavis', server: 'Gmail', apiKey: 'key' } as const;
 * serviceAddress(config); // 'https://api.klavis.ai'
 */
export function serviceAddress({ service, url }: HostedConfig): string {
  return (url ?? ADDRESSES[service]).replace(/\/+$/, '');
}

export function getUser({ user }: HostedConfig): string {
  return user ?? DEFAULT_USER;
}

/** Identifies a hosted server, without its key. */
export function hostedIdentity(config: HostedConfig): { [name: string]: string } {
  return {
    service: config.service,
    address: serviceAddress(config),
    server: config.server.toLowerCase(),
    user: getUser(config),
  };
}

/**
 * Reads `hosted` of an `mcp.json` entry; `where` names the place in errors, `fill` substitutes variables.
 *
 * @throws ToolyardError `bad_config`
 * @example
 * const config = readHosted('mail', { service: 'klavis', server: 'Gmail', apiKey: '${env:KEY}' }, fill);
 */
export function readHosted(where: string, value: JsonValue, fill: (text: string) => string): HostedConfig {
  if (!isJsonObject(value)) throw createConfigError(`${where}: "hosted" must be an object.`);
  const text = (key: string): string | undefined => {
    const raw = value[key];
    if (raw === undefined) return undefined;
    if (typeof raw !== 'string' || raw.trim() === '')
      throw createConfigError(`${where}: "hosted.${key}" must be a string.`);
    return fill(raw);
  };
  const service = text('service');
  if (service !== 'klavis') {
    throw createConfigError(
      `${where}: "hosted.service" is ${service === undefined ? 'missing' : `"${service}"`}.`,
      'Use "klavis".',
    );
  }
  const server = text('server');
  const apiKey = text('apiKey');
  if (server === undefined)
    throw createConfigError(`${where}: "hosted.server" is missing.`, 'Use a name such as "Gmail".');
  if (apiKey === undefined) {
    throw createConfigError(
      `${where}: "hosted.apiKey" is missing.`,
      `Set it from a variable: "\${env:KLAVIS_API_KEY}".`,
    );
  }
  const user = text('user');
  const url = text('url');
  // The value of a variable is not known yet.
  const protocol = url === undefined || url.includes('${') ? 'https:' : readUrl(url)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:')
    throw createConfigError(`${where}: "hosted.url" must be an http or https URL.`);
  return {
    type: 'hosted',
    service,
    server,
    apiKey,
    ...defined({ user, url }),
  };
}

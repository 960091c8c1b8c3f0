import type { JsonValue } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';

/** A server that a service makes when it is wanted, for one of its users; where it is turns out when connecting. */
export type HostedConfig = {
  type: 'hosted';
  service: HostedServiceName;
  /** As the service calls it, such as `Gmail`. */
  server: string;
  apiKey: string;
  /** For whom of the key's users the server is made, and whose sign-ins it has; default `toolyard`. */
  user?: string;
  /** Where the service is, if it is not the public one. */
  url?: string;
};

export type HostedServiceName = 'klavis';

const ADDRESSES: Readonly<Record<HostedServiceName, string>> = { klavis: 'https://api.klavis.ai' };
const TITLES: Readonly<Record<HostedServiceName, string>> = { klavis: 'Klavis' };
const DEFAULT_USER = 'toolyard';

/** The service, for people. */
export function titleOf({ service }: HostedConfig): string {
  return TITLES[service];
}

/** Where the service is. */
export function serviceAddress({ service, url }: HostedConfig): string {
  return (url ?? ADDRESSES[service]).replace(/\/+$/, '');
}

export function userOf({ user }: HostedConfig): string {
  return user ?? DEFAULT_USER;
}

/** What tells one hosted server from another, without its key. */
export function hostedIdentity(config: HostedConfig): { [name: string]: string } {
  return {
    service: config.service,
    address: serviceAddress(config),
    server: config.server.toLowerCase(),
    user: userOf(config),
  };
}

/**
 * Reads what stands under `hosted` in an `mcp.json`; `where` names the place in what is thrown, `fill` puts variables in.
 *
 * @throws ToolyardError `bad_config`
 */
export function readHosted(where: string, value: JsonValue, fill: (text: string) => string): HostedConfig {
  if (!isJsonObject(value)) throw bad(`${where}: "hosted" is not an object.`);
  const text = (key: string): string | undefined => {
    const given = value[key];
    if (given === undefined) return undefined;
    if (typeof given !== 'string' || given.trim() === '') throw bad(`${where}: "hosted.${key}" is not a text.`);
    return fill(given);
  };
  const service = text('service');
  if (service !== 'klavis') {
    throw bad(
      `${where}: "hosted.service" is ${service === undefined ? 'missing' : `"${service}"`}.`,
      'It is "klavis".',
    );
  }
  const server = text('server');
  const apiKey = text('apiKey');
  if (server === undefined) throw bad(`${where}: "hosted.server" is missing.`, 'It is a name such as "Gmail".');
  if (apiKey === undefined) {
    throw bad(`${where}: "hosted.apiKey" is missing.`, `Put it into a variable: "\${env:KLAVIS_API_KEY}".`);
  }
  const user = text('user');
  const url = text('url');
  // What a variable will say is not known yet.
  const protocol = url === undefined || url.includes('${') ? 'https:' : readUrl(url)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:') throw bad(`${where}: "hosted.url" is not an http address.`);
  return {
    type: 'hosted',
    service,
    server,
    apiKey,
    ...defined({ user, url }),
  };
}

function bad(message: string, hint?: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, ...defined({ hint }) });
}

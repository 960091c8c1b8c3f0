import { BlockList, isIP } from 'node:net';
import { createConfigError } from '../../values/config-error.ts';

/** A proxy the machine has to use, from variables such as `HTTPS_PROXY`. */
export type UpstreamProxy = { url: URL; authorization: string | undefined };

/** The proxy for a connection; undefined: none. `https:` stands for every `CONNECT`. */
export type UpstreamProxies = (protocol: 'http:' | 'https:', host: string, port: number) => UpstreamProxy | undefined;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` (lower-case forms take precedence) like curl.
 *
 * @throws ToolyardError `bad_config` for a proxy that is not an `http:` or `https:` URL, rather than bypassing it
 */
export function upstreamProxies(env: Environment): UpstreamProxies {
  const ofHttps = proxyIn(env, 'HTTPS_PROXY') ?? proxyIn(env, 'ALL_PROXY');
  const ofHttp = proxyIn(env, 'HTTP_PROXY') ?? proxyIn(env, 'ALL_PROXY');
  const direct = (findValue(env, 'NO_PROXY') ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((rule) => rule !== '');
  return (protocol, host, port) => {
    if (direct.some((rule) => exempts(rule, host, port))) return undefined;
    return protocol === 'https:' ? ofHttps : ofHttp;
  };
}

function findValue(env: Environment, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}

function proxyIn(env: Environment, name: string): UpstreamProxy | undefined {
  const text = findValue(env, name)?.trim();
  if (text === undefined) return undefined;
  const complete = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(complete) ? new URL(complete) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw createConfigError(
      `A server whose network is limited to hosts cannot be started: ${name} is ${
        url === undefined ? 'not a URL' : `a URL with "${url.protocol.slice(0, 20)}"`
      }. Only http:// and https:// proxies are supported.`,
      `Correct or unset ${name} in the environment of Toolyard, or change "sandbox.network" of the server.`,
    );
  }
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url, authorization };
}

/** Whether a `NO_PROXY` rule matches this host: `*`, an address, a subnet, or a name and its subdomains. */
function exempts(rule: string, host: string, port: number): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return isInSubnet(rule, host);
  const [, name = rule, rulePort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(rule) === 6 ? `[${rule}]` : rule) ?? [];
  if (rulePort !== undefined && Number(rulePort) !== port) return false;
  const bare = name.replace(/^\*?\./, '');
  return host === bare || (isIP(bare) === 0 && host.endsWith(`.${bare}`));
}

function isInSubnet(rule: string, host: string): boolean {
  const [address = '', bits = ''] = rule.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const subnet = new BlockList();
  subnet.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return subnet.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

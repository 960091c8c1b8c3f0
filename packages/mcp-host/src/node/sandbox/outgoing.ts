import type { RequestOptions } from 'node:http';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { LookupFunction } from 'node:net';
import { BlockList, connect, isIP } from 'node:net';
import { lookup } from 'node:dns';
import { lookup as find } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import type { UpstreamProxy } from './upstream-proxy.ts';

/** Timeout of the local DNS before a name is left to the proxy, which resolves it anyway, in milliseconds. */
const DNS_TIMEOUT_MS = 2_000;

/** Connect timeout of a proxy, in milliseconds. */
const PROXY_TIMEOUT_MS = 60_000;

/** Connects to an allowed host, directly or through a proxy. @throws Error with the reason */
export async function connectTo(host: string, port: number, proxy: UpstreamProxy | undefined): Promise<Duplex> {
  if (proxy === undefined || isOwn(host)) return connectDirectly(host, port);
  await refuseNamesOfThisMachine(host);
  return tunnel(`${isIP(host) === 6 ? `[${host}]` : host}:${port}`, proxy);
}

/** The request options for a plain request to an allowed host. @throws Error as {@link connectTo} does */
export async function requestOptions(url: URL, proxy: UpstreamProxy | undefined): Promise<RequestOptions> {
  const host = getHost(url);
  if (proxy === undefined || isOwn(host)) {
    return { host, port: url.port || 80, path: url.pathname + url.search, lookup: lookupPublic };
  }
  await refuseNamesOfThisMachine(host);
  // A proxy behind TLS gets its requests through a separate tunnel.
  const socket = proxy.url.protocol === 'https:' ? await tunnel(`${host}:${url.port || 80}`, proxy) : undefined;
  if (socket !== undefined) return { path: url.pathname + url.search, createConnection: () => socket };
  return { ...toAddress(proxy), path: url.href, headers: headersFor(proxy) };
}

function connectDirectly(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: lookupPublic });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function tunnel(target: string, proxy: UpstreamProxy): Promise<Duplex> {
  const send = proxy.url.protocol === 'https:' ? requestTls : request;
  return new Promise((resolve, reject) => {
    const tunnelRequest = send({
      ...toAddress(proxy),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...headersFor(proxy) },
      agent: false,
      timeout: PROXY_TIMEOUT_MS,
    });
    tunnelRequest.once('timeout', () => tunnelRequest.destroy());
    tunnelRequest.once('error', () => reject(new Error(`the proxy ${proxy.url.host} cannot be reached`)));
    tunnelRequest.once('response', (response) => {
      response.destroy();
      reject(new Error(`the proxy ${proxy.url.host} answered ${response.statusCode}`));
    });
    tunnelRequest.once('connect', (response, socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`the proxy ${proxy.url.host} answered ${response.statusCode}`));
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    tunnelRequest.end();
  });
}

function toAddress({ url }: UpstreamProxy): { host: string; port: string | number } {
  return { host: getHost(url), port: url.port || (url.protocol === 'https:' ? 443 : 80) };
}

/** Removes the brackets of an IPv6 address. */
export function getHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function headersFor({ authorization }: UpstreamProxy): Record<string, string> {
  return authorization === undefined ? {} : { 'proxy-authorization': authorization };
}

/** Addresses of this machine and of cloud metadata services, to which no name may resolve. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8);
LOCAL.addSubnet('0.0.0.0', 8);
LOCAL.addSubnet('169.254.0.0', 16);
LOCAL.addSubnet('::1', 128, 'ipv6');
LOCAL.addSubnet('::', 128, 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) LOCAL.addAddress(address);
for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42'])
  LOCAL.addAddress(address, 'ipv6');

/** True for an address of this machine, including those of its network interfaces, or of cloud metadata services. */
export function isOwn(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (LOCAL.check(address, family === 6 ? 'ipv6' : 'ipv4')) return true;
  return Object.values(networkInterfaces()).some((cards) => cards?.some((card) => card.address === address));
}

/** A host allowed by name must not resolve to this machine. A listed IP address is used as given. */
const lookupPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    const good = addresses.filter(({ address }) => !isOwn(address));
    const [first] = good;
    if (first === undefined) return done(createOwnAddressError(host), '', 0);
    if (options.all === true) return done(null, good);
    done(null, first.address, first.family);
  });
};

/**
 * The proxy resolves the name again, so one bad address is enough to reject it. A name that only the proxy can resolve
 * passes.
 */
async function refuseNamesOfThisMachine(host: string): Promise<void> {
  if (isIP(host) !== 0) return;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<[]>((resolve) => (timer = setTimeout(resolve, DNS_TIMEOUT_MS, [])));
  const addresses = await Promise.race([find(host, { all: true }).catch(() => []), tooLate]);
  clearTimeout(timer);
  if (addresses.some(({ address }) => isOwn(address))) throw createOwnAddressError(host);
}

function createOwnAddressError(host: string): Error {
  return new Error(`${host} is an address of this machine`);
}

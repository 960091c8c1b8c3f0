import { networkInterfaces } from 'node:os';
import { isLoopback } from '../config/server-options.ts';
import type { HostAndPort } from '../http/transport/hosts.ts';
import { readHost } from '../http/transport/hosts.ts';

/** The origin of frames, seen from the page. */
export type IframeOrigins = {
  /** The origin of frames for a page that was opened under this name; null: the page's own, with opaque frames. */
  forPage(host: HostAndPort): string | null;
  /** True for a name under which this server serves frames only (`--frame-origin`). */
  isFrameHost(host: HostAndPort): boolean;
  /** True for the origin of a page of this server, which may contain its frames. */
  isPage(origin: string): boolean;
};

export type IframeOriginOptions = {
  /** The configured address of the page. */
  host: string;
  allowHosts: readonly string[];
  /** `--frame-origin`, validated. */
  frameOrigin: string | undefined;
  /** Port of the frame server; null without one. */
  framePort: number | null;
  /** Known once the page's server listens. */
  pagePort: () => number;
};

export function createIframeOrigins(options: IframeOriginOptions): IframeOrigins {
  const { host, frameOrigin, framePort, pagePort } = options;
  const allowed = options.allowHosts.flatMap((each) => readHost(each) ?? []);
  const configured = frameOrigin === undefined ? null : new URL(frameOrigin);
  const onLoopback = isLoopback(host);

  return {
    forPage({ name, port }) {
      if (configured !== null) return configured.origin;
      // Behind a proxy or a forwarded port, nothing says whether the browser reaches the frame port too.
      if (framePort === null || port !== String(pagePort())) return null;
      // CSP has no form for IPv6 addresses.
      if (name.includes(':')) return null;
      if (!onLoopback) return `http://${name}:${framePort}`;
      if (!isLoopback(name)) return null;
      // Another name, not only another port: cookies ignore ports, and browsers separate processes by site.
      return `http://${name === 'localhost' ? '127.0.0.1' : 'localhost'}:${framePort}`;
    },
    isFrameHost({ name, port }) {
      if (configured === null || name !== configured.hostname) return false;
      const usual = configured.protocol === 'https:' ? '443' : '80';
      return (port || usual) === (configured.port || usual);
    },
    isPage(origin) {
      const page = /^https?:\/\/(.+)$/.exec(origin)?.[1];
      const from = page === undefined ? null : readHost(page);
      if (from === null) return false;
      if (allowed.some(({ name, port }) => name === from.name && (port === '' || port === from.port))) return true;
      if ((from.port || '80') !== String(pagePort())) return false;
      return isLoopback(from.name) || from.name === host.toLowerCase() || isOwnAddress(from.name);
    },
  };
}

function isOwnAddress(name: string): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === name));
}

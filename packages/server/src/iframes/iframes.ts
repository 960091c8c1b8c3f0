import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../config/server-options.ts';
import type { HostAndPort } from '../http/transport/hosts.ts';
import { getHost } from '../http/transport/hosts.ts';
import { createIframeDocuments, FRAME_PATHS } from './iframe-documents.ts';
import { createIframeOrigins } from './iframe-origins.ts';
import { startFrameServer } from './iframe-server.ts';

/** Frames for content of models and servers: their documents, and the origin that serves them. */
export type Iframes = {
  /** The origin of frames for the page that sent this request; null: the page's own, with opaque frames. */
  originFor(incoming: IncomingMessage): string | null;
  /**
   * The response to a request for a document of a frame at the page's port, or to any request for the host of
   * `--frame-origin`; null for all other requests.
   */
  answer(incoming: IncomingMessage, checkName: (incoming: IncomingMessage) => HostAndPort): Promise<Response> | null;
  close(): Promise<void>;
};

export type IframesOptions = {
  host: string;
  port: number;
  allowHosts: readonly string[];
  frameOrigin?: string;
  framePort?: number;
  /** Of the built page; null if this process serves none. */
  folder: string | null;
  pagePort: () => number;
};

/**
 * On loopback, or with `--frame-port`, starts a server on a second port.
 *
 * @throws ToolyardError `bad_config` if it cannot listen on the configured port
 */
export async function startIframes(options: IframesOptions): Promise<Iframes> {
  const { host, port, allowHosts, frameOrigin, framePort, folder, pagePort } = options;
  const onLoopback = isLoopback(host);
  const isWanted = folder !== null && (framePort !== undefined || (onLoopback && frameOrigin === undefined));
  const isPage = (origin: string): boolean => origins.isPage(origin);
  const documents = createIframeDocuments(folder, { isPage });
  const server = isWanted
    ? await startFrameServer({
        // A browser may resolve `localhost` to either; no other program may have the port on one of them.
        hosts: onLoopback ? ['127.0.0.1', '::1'] : [host],
        port: framePort ?? 0,
        ...(port > 0 && port < 65_535 ? { preferred: port + 1 } : {}),
        allowHosts: frameOrigin === undefined ? allowHosts : [...allowHosts, new URL(frameOrigin).hostname],
        documents,
      })
    : null;
  const origins = createIframeOrigins({
    host,
    allowHosts,
    frameOrigin,
    framePort: server?.port ?? null,
    pagePort,
  });

  return {
    originFor(incoming) {
      const at = getHost(incoming);
      return at === null ? null : origins.forPage(at);
    },
    answer(incoming, checkName) {
      const { method = 'GET', url: target = '/', headers } = incoming;
      const destination = headers['sec-fetch-dest'];
      const request = { method, target, destination: typeof destination === 'string' ? destination : undefined };
      const at = getHost(incoming);
      if (at !== null && origins.isFrameHost(at)) return documents(request, 'separate');
      if (!target.startsWith(FRAME_PATHS)) return null;
      checkName(incoming);
      return documents(request, 'shared');
    },
    close: async () => server?.close(),
  };
}

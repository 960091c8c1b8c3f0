import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { ToolyardError } from '@toolyard/protocol';
import type { IframeDocuments } from './iframe-documents.ts';
import { createNameCheck } from '../http/transport/hosts.ts';

/** The server of the second port. */
export type IframeServer = { readonly port: number; close(): Promise<void> };

/** How often another free port is tried when one loopback address has it and the other has not. */
const ATTEMPTS = 5;

/**
 * Listens on the port for frames.
 *
 * @param options.hosts addresses; those after the first may be missing on this machine, but their port may not be taken
 * @param options.port 0 chooses a free one
 * @param options.preferred tried first, if `port` is 0: with the same port as before, open pages find their frames
 * @throws ToolyardError `bad_config` if the port is in use
 */
export async function startFrameServer(options: {
  hosts: readonly string[];
  port: number;
  preferred?: number;
  allowHosts: readonly string[];
  documents: IframeDocuments;
}): Promise<IframeServer> {
  const { hosts, port, preferred, documents } = options;
  const checkName = createNameCheck({ host: hosts[0] ?? '', allowHosts: options.allowHosts });
  const answer: RequestListener = (incoming, outgoing) => {
    // The body of a request is never read.
    incoming.resume();
    const { method = 'GET', url: target = '/', headers } = incoming;
    const destination = headers['sec-fetch-dest'];
    void (async () => {
      try {
        checkName(incoming);
      } catch {
        outgoing.writeHead(403, { 'content-type': 'text/plain', connection: 'close' });
        outgoing.end('The Host header contains a name that does not belong to this server.\n');
        return;
      }
      const response = await documents(
        { method, target, destination: typeof destination === 'string' ? destination : undefined },
        'separate',
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(await response.text());
    })().catch(() => outgoing.destroy());
  };
  const ports =
    port !== 0 ? [port] : [...(preferred === undefined ? [] : [preferred]), ...Array<number>(ATTEMPTS).fill(0)];
  let fault: NodeJS.ErrnoException | undefined;
  for (const each of ports) {
    try {
      return await listenOnAll(hosts, each, answer);
    } catch (error) {
      fault = error as NodeJS.ErrnoException;
    }
  }
  throw new ToolyardError(
    {
      code: 'bad_config',
      message: `Cannot listen on port ${port} for frames (${fault?.code ?? 'unknown reason'}).`,
      hint: 'Choose another port with --frame-port; 0 chooses a free one.',
    },
    { cause: fault },
  );
}

async function listenOnAll(hosts: readonly string[], port: number, answer: RequestListener): Promise<IframeServer> {
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(
      servers.map((server) => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        return closed;
      }),
    );
  };
  let chosen = port;
  try {
    for (const [index, host] of hosts.entries()) {
      const server = createServer({ noDelay: true }, answer);
      try {
        chosen = await open(server, host, chosen);
        servers.push(server);
      } catch (error) {
        if (index === 0 || (error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw error;
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port: chosen, close };
}

function open(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port, ipv6Only: true }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

import { SdkErrorCode, SdkHttpError, SSEClientTransport } from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import type { HostTransport, TransportContext, TransportEnd } from './transport.ts';
import type { TransportConfig } from '../types.ts';
import { webAddress } from './web-url.ts';
import { withBody } from './with-body.ts';

/**
 * HTTP+SSE of 2024-11-05. Its one stream is the connection, so the connection ends with it. (The SDK would reopen the
 * stream, and the server would see a client that never initialized.)
 */
class SseTransport extends SSEClientTransport implements HostTransport {
  end: TransportEnd | undefined;
  #isOver = false;
  #giveUp: () => void = () => undefined;
  /** Why the stream could not be opened, which the SDK does not report. */
  readonly #refused: () => unknown;

  constructor(url: URL, fetch: Fetch, headers: Record<string, string>) {
    let hasStream = false;
    let refused: unknown;
    super(url, {
      requestInit: { headers },
      fetch: async (input, init) => {
        if (init?.method === 'POST') return refuseFailed(await fetch(input, init));
        if (hasStream) throw new Error('The stream has ended.');
        const response = await fetch(input, init).catch((thrown: unknown) => {
          refused = thrown;
          throw thrown;
        });
        if (!response.ok || response.body === null) return response;
        hasStream = true;
        return withBody(
          response,
          watchEnd(response.body, () => this.#over()),
        );
      },
    });
    this.#refused = () => refused;
  }

  /** Also rejects when closed: a server may accept the stream and never send its endpoint. */
  override async start(): Promise<void> {
    const opened = new Promise<never>((_resolve, reject) => {
      this.#giveUp = () => reject(new Error('The connection was closed before it was open.'));
    });
    try {
      await Promise.race([super.start(), opened]);
    } catch (thrown) {
      throw this.#refused() ?? thrown;
    }
  }

  override async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#giveUp();
    await super.close();
  }

  #over(): void {
    if (this.#isOver) return;
    this.end = { kind: 'hung_up' };
    void this.close();
  }
}

/** The SDK would reduce the status to a text, but the status decides the outcome of a failed call. */
function refuseFailed(response: Response): Response {
  if (response.ok || response.status === 401) return response;
  void response.body?.cancel().catch(() => undefined);
  const { status, statusText } = response;
  throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'The server rejected a message.', {
    status,
    statusText,
  });
}

/** Forwards a body and reports its end, on either side. */
function watchEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * HTTP+SSE over the given fetch.
 *
 * @throws ToolyardError `bad_config` if the URL is not http or https
 */
export function createSseTransport(
  config: Extract<TransportConfig, { type: 'sse' }>,
  context: TransportContext,
  fetch: Fetch,
): HostTransport {
  return new SseTransport(webAddress('http', config.url, context.serverId), fetch, config.headers ?? {});
}

import { SdkErrorCode, SdkHttpError, SSEClientTransport } from '@modelcontextprotocol/client';
import type { Fetch } from '@toolyard/protocol';
import type { HostTransport, TransportContext, TransportEnd } from './transport.ts';
import type { TransportConfig } from '../types.ts';
import { webAddress } from './web-url.ts';

/**
 * HTTP+SSE as servers of 2024-11-05 speak it. Its one stream is the connection: when it ends, the connection has
 * ended. (Left to itself the SDK opens another one, which the server takes for a client that has never said hello.)
 */
class SseTransport extends SSEClientTransport implements HostTransport {
  end: TransportEnd | undefined;
  #isOver = false;
  #giveUp: () => void = () => undefined;
  /** Why the stream could not be opened; the SDK tells only that it could not. */
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
        const { status, statusText } = response;
        const watched = watchEnd(response.body, () => this.#over());
        const answer = new Response(watched, { status, statusText, headers: response.headers });
        Object.defineProperty(answer, 'url', { value: response.url });
        return answer;
      },
    });
    this.#refused = () => refused;
  }

  /** Ends when it is closed, too: a server may accept and then never say where messages go. */
  override async start(): Promise<void> {
    const given = new Promise<never>((_resolve, reject) => {
      this.#giveUp = () => reject(new Error('It was closed before it had begun.'));
    });
    try {
      await Promise.race([super.start(), given]);
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

/** The SDK would make a text of the status, and it decides what a failed call means. */
function refuseFailed(response: Response): Response {
  if (response.ok || response.status === 401) return response;
  void response.body?.cancel().catch(() => undefined);
  const { status, statusText } = response;
  throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'The server refused a message.', {
    status,
    statusText,
  });
}

/** Passes a body on and tells when it has ended, by whomever. */
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
 * HTTP+SSE through the given fetch.
 *
 * @throws ToolyardError `bad_config` if the address is no http or https URL.
 */
export function createSseTransport(
  config: Extract<TransportConfig, { type: 'sse' }>,
  context: TransportContext,
  fetch: Fetch,
): HostTransport {
  return new SseTransport(webAddress('http', config.url, context.serverId), fetch, config.headers ?? {});
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RecordingServer } from '@toolyard/testing';
import { startRecordingServer } from '@toolyard/testing';

/** Starts a server behind the proxy that records its requests. */
export function startProxyTarget(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"here":true}');
  },
): Promise<RecordingServer> {
  return startRecordingServer(answer);
}

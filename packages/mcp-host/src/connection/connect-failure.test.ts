import { ProtocolError, SdkHttpError, SdkErrorCode } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { explainFailedConnect } from './connect-failure.ts';

const createHttpError = (status: number): Error =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'failed', { status, statusText: '', text: '' });

test.each<[string, Error, boolean]>([
  ['an internal error', new ProtocolError(-32_603, 'database not ready'), true],
  ['an error of the range for servers', new ProtocolError(-32_000, 'starting'), true],
  ['the other end of that range', new ProtocolError(-32_099, 'starting'), true],
  ['an unknown method', new ProtocolError(-32_601, 'Method not found'), false],
  ['invalid parameters', new ProtocolError(-32_602, 'no'), false],
  ['an error of its own', new ProtocolError(7, 'no'), false],
  ['HTTP 500', createHttpError(500), true],
  ['HTTP 503', createHttpError(503), true],
  ['HTTP 429', createHttpError(429), true],
  ['HTTP 400', createHttpError(400), false],
  ['HTTP 403', createHttpError(403), false],
])('an attempt that ends with %s is retried only if that may be temporary', (_name, thrown, isRetried) => {
  for (const phase of ['initializing', 'listing'] as const) {
    const error = explainFailedConnect({
      config: { id: 'odd', transport: { type: 'http', url: 'http://127.0.0.1/mcp' } },
      ...{ phase, thrown, timedOut: false, timeoutMs: 1_000, end: undefined, noiseLines: 0, stderr: [] },
    });
    expect(error.retryable === true).toBe(isRetried);
  }
});

import { ProtocolError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connectionLoss } from './connection-loss.ts';

const http = (status: number, text = ''): Error =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error: ${text}`, { status, statusText: '', text });
const rpc = (code: number, message: string): Error => new ProtocolError(code, message);

test.each<[Error, boolean]>([
  [http(404), true],
  [http(410), true],
  [http(400, 'Bad Request: No valid session ID provided'), true],
  [http(400, 'Server not initialized'), true],
  [http(403, '{"error":"Session expired"}'), true],
  [http(422, 'the session was terminated'), true],
  [http(500, 'Session not found'), true],
  [rpc(-32_001, 'Session not found'), true],
  [rpc(-32_600, 'Invalid session ID'), true],
  [http(400, 'Bad Request'), false],
  [http(403, 'no seat'), false],
  [http(429, 'too many sessions: session limit expired'), false],
  [http(500, 'the training session is full'), false],
  [rpc(-32_603, 'the session of the browser failed'), false],
])('%s ends the session: %s', (thrown, isOver) => {
  expect(connectionLoss(thrown, 's', true)?.by === 'session_lost').toBe(isOver);
  expect(connectionLoss(thrown, 's', false)).toBeNull();
});

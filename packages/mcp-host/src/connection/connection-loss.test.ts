import { ProtocolError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connectionLoss } from './connection-loss.ts';

const createHttpError = (status: number, text = ''): Error =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error: ${text}`, { status, statusText: '', text });
const createRpcError = (code: number, message: string): Error => new ProtocolError(code, message);

test.each<[Error, boolean]>([
  [createHttpError(404), true],
  [createHttpError(410), true],
  [createHttpError(400, 'Bad Request: No valid session ID provided'), true],
  [createHttpError(400, 'Server not initialized'), true],
  [createHttpError(403, '{"error":"Session expired"}'), true],
  [createHttpError(422, 'the session was terminated'), true],
  [createHttpError(500, 'Session not found'), true],
  [createRpcError(-32_001, 'Session not found'), true],
  [createRpcError(-32_600, 'Invalid session ID'), true],
  [createHttpError(400, 'Bad Request'), false],
  [createHttpError(403, 'no seat'), false],
  [createHttpError(429, 'too many sessions: session limit expired'), false],
  [createHttpError(500, 'the training session is full'), false],
  [createRpcError(-32_603, 'the session of the browser failed'), false],
])('%s ends the session: %s', (thrown, isOver) => {
  expect(connectionLoss(thrown, 's', true)?.by === 'session_lost').toBe(isOver);
  expect(connectionLoss(thrown, 's', false)).toBeNull();
});

import type { TestResponse, TestServer } from './test-server.ts';

/** What a browser sends after a sign-in: the cookie, and the secret of its page. */
export type SignedInHeaders = { cookie: string; 'x-toolyard-session': string };

export async function signIn(
  server: TestServer,
  { token }: { token: string },
  headers: Record<string, string> = {},
): Promise<SignedInHeaders> {
  const answer = await server.ask('/api/session', { json: { token }, headers });
  if (answer.status !== 200) throw new Error(`the sign-in was refused: ${answer.text}`);
  return getHeaders(answer);
}

function getHeaders({ headers, json }: TestResponse): SignedInHeaders {
  const cookie = headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  return { cookie, 'x-toolyard-session': (json as { secret: string }).secret };
}

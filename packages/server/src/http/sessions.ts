import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock, Principal } from '@toolyard/protocol';
import { refusal } from './problems.ts';
import type { AccessToken } from './types.ts';
import { OWNER } from './types.ts';

/** What trying a wrong token costs. */
const DELAY_AFTER_FAILURE_MS = 250;

export type Sessions = {
  readonly tokenRequired: boolean;
  /** @throws ProblemAnswer 401 where neither token nor cookie is a valid one. */
  principalOf(incoming: IncomingMessage): Promise<Principal>;
  /** The `Set-Cookie` for this token. @throws ProblemAnswer 401 where it is none of ours. */
  signIn(incoming: IncomingMessage, token: string): Promise<{ principal: Principal; cookie: string | null }>;
  /** The `Set-Cookie` that ends a session in this browser. */
  signOut(incoming: IncomingMessage): string;
};

type Known = { principal: Principal; token: Buffer; cookieValue: string; cookie: Buffer };

/** Tokens and the cookies they are exchanged for. Nothing is kept: a cookie is valid as long as its token is. */
export function createSessions(tokens: readonly AccessToken[], clock: Pick<Clock, 'after'>): Sessions {
  const known: Known[] = tokens.map(({ token, principal }) => {
    const cookieValue = createHmac('sha256', token).update('toolyard session cookie 1').digest('base64url');
    return { principal, token: digest(token), cookieValue, cookie: digest(cookieValue) };
  });

  /** Compares with every token, so that the time taken tells nothing. */
  function find(kind: 'token' | 'cookie', text: string): Known | undefined {
    const given = digest(text);
    return known.filter((each) => timingSafeEqual(each[kind], given))[0];
  }

  async function refuse(presented: boolean): Promise<never> {
    if (presented) await new Promise<void>((resolve) => void clock.after(DELAY_AFTER_FAILURE_MS, resolve));
    throw refusal(
      presented
        ? { code: 'unauthorized', message: 'This token is not the one of this server.', hint: WHERE_TO_FIND_IT }
        : { code: 'unauthorized', message: 'This server asks for a token.', hint: WHERE_TO_FIND_IT },
      { headers: { 'www-authenticate': 'Bearer' } },
    );
  }

  return {
    tokenRequired: known.length > 0,
    async principalOf(incoming) {
      if (known.length === 0) return OWNER;
      const { authorization } = incoming.headers;
      if (authorization !== undefined) {
        const bearer = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
        const found = bearer === undefined ? undefined : find('token', bearer);
        return found?.principal ?? (await refuse(true));
      }
      const value = cookieOf(incoming);
      const found = value === undefined ? undefined : find('cookie', value);
      return found?.principal ?? (await refuse(value !== undefined));
    },
    async signIn(incoming, token) {
      if (known.length === 0) return { principal: OWNER, cookie: null };
      const found = find('token', token) ?? (await refuse(true));
      return { principal: found.principal, cookie: setCookie(incoming, found.cookieValue, ONE_YEAR_S) };
    },
    signOut: (incoming) => setCookie(incoming, '', 0),
  };
}

const WHERE_TO_FIND_IT = 'It is the one the server was started with; in a terminal the address printed then holds it.';
const ONE_YEAR_S = 365 * 24 * 3600;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Browsers do not tell ports apart in cookies: two servers on one machine would sign each other out. */
function cookieName(incoming: IncomingMessage): string {
  return `toolyard_${incoming.socket.localPort ?? 0}`;
}

function cookieOf(incoming: IncomingMessage): string | undefined {
  const start = `${cookieName(incoming)}=`;
  return (incoming.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

function setCookie(incoming: IncomingMessage, value: string, maxAge: number): string {
  // A page that was loaded by https says so: what ends TLS may be a proxy in front of us.
  const secure = incoming.headers.origin?.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(incoming)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`;
}

import type { SessionView } from '@toolyard/protocol';
import { ApiError, api } from '../api/client.ts';

/** Whether this page may talk to the server, and as whom. */
class Session {
  /** `token`: it asks for one. `offline`: it does not answer. */
  status: 'checking' | 'ready' | 'token' | 'offline' = $state('checking');
  view: SessionView | null = $state.raw(null);

  /** Takes the token out of the address first, where there is one, so that it is neither shown nor bookmarked. */
  async start(): Promise<void> {
    const token = tokenFromAddress();
    if (token !== null) await this.enter(token).catch(() => undefined);
    await this.check();
  }

  async check(): Promise<void> {
    try {
      this.view = await api.get<SessionView>('/api/session');
      this.status = 'ready';
    } catch (error) {
      this.status = error instanceof ApiError && error.status === 401 ? 'token' : 'offline';
    }
  }

  /** Exchanges the token for a cookie; rejects with the server's reason. */
  async enter(token: string): Promise<void> {
    await api.post('/api/session', { token });
    await this.check();
  }

  signedOut(): void {
    this.status = 'token';
  }
}

function tokenFromAddress(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

export const session = new Session();

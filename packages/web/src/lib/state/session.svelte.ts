import type { SessionView, SignIn } from '@toolyard/protocol';
import { api, ApiError } from '../api/client.ts';
import { onSignInNeeded, sessionSecret, resumeAfterSignIn } from '../api/session-fetch.ts';

/**
 * Whether the user is signed in, and the scopes. Not a resource: failures of its requests are states of the page, a
 * failed check leaves the view as it is, and no event of the live stream announces a change.
 */
class Session {
  /**
   * - `token`: not signed in; `expired`: the session ended while the page was in use
   * - `offline`: the server does not respond
   */
  status: 'checking' | 'ready' | 'token' | 'expired' | 'offline' = $state('checking');
  view: SessionView | null = $state.raw(null);
  /** Why the opened sign-in link failed; null if it succeeded, or there was none. */
  problem: ApiError | null = $state.raw(null);
  /** False once the user has closed the dialog; the next request that needs a sign-in opens it again. */
  asking = $state(false);
  #beforeReady: () => Promise<void> = () => Promise.resolve();

  /** Called and awaited after every sign-in on a loaded page, before the page is shown. It must not reject. */
  onSignedIn(listener: () => Promise<void>): void {
    this.#beforeReady = listener;
  }

  /** Tracks who is signed in. */
  start(): void {
    onSignInNeeded(() => this.signedOut());
    // Again: SvelteKit restores the initial URL while it loads the page.
    takeFromAddress();
    // A sign-in link opened in this tab changes only the fragment and loads no page.
    addEventListener('hashchange', () => void this.useAddress());
    // Another tab of this browser has signed in or out.
    sessionSecret.watch(() => void this.check());
  }

  async check(): Promise<void> {
    try {
      this.view = await api.get('/api/session', { waits: false });
      if (this.status !== 'checking' && this.status !== 'ready') await this.#beforeReady();
      this.status = 'ready';
      this.asking = false;
      this.problem = null;
      resumeAfterSignIn();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.signedOut();
      else if (this.status === 'checking') this.status = 'offline';
    }
  }

  /** Exchanges the access token, or the code of a link, for a session. Rejects with the server's reason. */
  async enter(credential: SignIn): Promise<void> {
    const { secret } = await api.post('/api/session', { body: credential, waits: false });
    sessionSecret.set(secret);
    await this.check();
  }

  /** The content of the page stays: it is in use and works again after the sign-in. */
  signedOut(): void {
    this.status = this.view === null ? 'token' : 'expired';
    this.asking = true;
  }

  /** Ends this browser's session. */
  async signOut(): Promise<void> {
    await api.delete('/api/session');
    sessionSecret.set(null);
    // Clears the session's data from memory.
    location.assign('/');
  }

  /** Signs in by the opened link, if it is one. Never rejects. */
  async useAddress(): Promise<void> {
    const credential = takeFromAddress();
    if (credential === null) return;
    this.problem = null;
    try {
      await this.enter(credential);
    } catch (error) {
      if (error instanceof ApiError) this.problem = error;
    }
  }
}

/** Removes the code from the URL at once, so that it is neither shown nor bookmarked. */
function takeFromAddress(): SignIn | null {
  const hash = new URLSearchParams(location.hash.slice(1));
  const [code, token] = [hash.get('code'), hash.get('token')];
  if (code === null && token === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code === null ? { token: token ?? '' } : { code };
}

export const session = new Session();

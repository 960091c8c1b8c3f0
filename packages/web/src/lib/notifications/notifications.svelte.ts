import type { StoredInterrupt } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import { browserValue } from '../browser-storage.ts';
import { i18n, t } from '../i18n/i18n.svelte.ts';

const enabled = browserValue<boolean>('notifications', {
  version: 1,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  fallback: false,
});

const refusalRead = browserValue<boolean>('notifications-refused', {
  version: 1,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  fallback: false,
});

type Deps = {
  open: (conversationId: string) => void;
  /** No notification while the page is visible. */
  isWatched: () => boolean;
};

/** Browser notifications of new interrupts, only after the user enabled them by a click. */
export class Notifications {
  /** `refused`: the user blocked notifications in the browser. */
  state: 'absent' | 'off' | 'on' | 'refused' = $state('off');
  /** The user has closed the remark that they are blocked. */
  isRefusalRead: boolean = $state(refusalRead.get());
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.state = read();
    enabled.watch(() => (this.state = read()));
  }

  async turnOn(): Promise<void> {
    if (this.state === 'absent') return;
    await Notification.requestPermission();
    enabled.set(true);
    this.state = read();
  }

  readRefusal(): void {
    refusalRead.set(true);
    this.isRefusalRead = true;
  }

  turnOff(): void {
    enabled.set(false);
    this.state = read();
  }

  async notify(added: readonly StoredInterrupt[]): Promise<void> {
    if (added.length === 0 || this.state !== 'on' || this.#deps.isWatched()) return;
    await i18n.need('inbox');
    for (const { id, conversationId, interrupt } of added) {
      try {
        // Several tabs notify of the same interrupt: the tag merges them into one.
        const shown = new Notification(t('inbox.noticeTitle'), {
          body:
            interrupt.kind === 'budget'
              ? t('inbox.noticeBudget')
              : t('inbox.noticeText', { tool: showHidden(interrupt.tool.name) }),
          tag: `toolyard-${id}`,
          icon: '/icon.svg',
        });
        shown.onclick = () => {
          window.focus();
          this.#deps.open(conversationId);
          shown.close();
        };
      } catch {
        // Some browsers support notifications for installed apps only.
        this.state = 'absent';
      }
    }
  }
}

function read(): Notifications['state'] {
  if (!('Notification' in globalThis)) return 'absent';
  if (Notification.permission === 'denied') return 'refused';
  return enabled.get() && Notification.permission === 'granted' ? 'on' : 'off';
}

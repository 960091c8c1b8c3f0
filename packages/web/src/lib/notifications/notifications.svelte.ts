import type { StoredInterrupt } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import { goto } from '$app/navigation';
import { browserFlag } from '../browser-storage.ts';
import { i18n, t } from '../i18n/i18n.svelte.ts';
import { conversationAddress } from '../shell/addresses.ts';

const enabled = browserFlag('notifications', false);
const refusalRead = browserFlag('notifications-refused', false);

/** Browser notifications of new interrupts, only after the user enabled them by a click. */
class Notifications {
  /** `refused`: the user blocked notifications in the browser. */
  state: 'absent' | 'off' | 'on' | 'refused' = $state('off');
  /** The user has closed the remark that they are blocked. */
  isRefusalRead: boolean = $state(refusalRead.get());

  constructor() {
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

  /** No notification while the page is in use. */
  async notify(added: readonly StoredInterrupt[]): Promise<void> {
    if (added.length === 0 || this.state !== 'on' || document.hasFocus()) return;
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
          void goto(conversationAddress(conversationId));
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

export const notifications = new Notifications();

import { goto } from '$app/navigation';
import type { Component } from 'svelte';
import Cpu from '@lucide/svelte/icons/cpu';
import Download from '@lucide/svelte/icons/download';
import FileText from '@lucide/svelte/icons/file-text';
import Pencil from '@lucide/svelte/icons/pencil';
import Play from '@lucide/svelte/icons/play';
import Plus from '@lucide/svelte/icons/plus';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import Wrench from '@lucide/svelte/icons/wrench';
import { t } from '../../i18n/i18n.svelte.ts';
import { newChatAddress } from '../../shell/addresses.ts';
import { download } from '../../shell/conversation-actions.ts';
import { chat } from '../../chat/state/chat.svelte.ts';
import { toasts } from '../../state/toasts.svelte.ts';
import { isCut } from '../../transcript/rows.ts';

export type Command = {
  /** What is typed, the same in all languages. */
  name: string;
  label: string;
  icon: Component<{ size?: number | string; 'aria-hidden'?: 'true' }>;
  run: () => void;
};

/** The commands that apply now: actions that have a button elsewhere. `press` presses a button of the composer. */
export function commands(press: (button: string) => void, rename: () => void): Command[] {
  const { view, busy } = chat;
  const last = chat.rows.at(chat.rows.length - 1);
  const all: (Command | false)[] = [
    { name: 'new', label: t('common.newChat'), icon: Plus, run: () => void goto(newChatAddress()) },
    last?.kind === 'assistant' &&
      !busy && {
        name: 'regenerate',
        label: t('chat.regenerate'),
        icon: RotateCcw,
        run: () => void chat.regenerate(last.begin?.messageId ?? last.messageId).catch(toasts.problem),
      },
    last?.kind === 'assistant' &&
      !busy &&
      isCut(last) && {
        name: 'continue',
        label: t('chat.continue'),
        icon: Play,
        run: () => void chat.continueAnswer(last.messageId).catch(toasts.problem),
      },
    { name: 'model', label: t('composer.chooseModel'), icon: Cpu, run: () => press('model') },
    { name: 'tools', label: t('composer.toolsTitle'), icon: Wrench, run: () => press('tools') },
    { name: 'settings', label: t('composer.parameters'), icon: SlidersHorizontal, run: () => press('parameters') },
    view !== null && { name: 'rename', label: t('sidebar.rename'), icon: Pencil, run: rename },
    view !== null && {
      name: 'export',
      label: t('sidebar.exportMarkdown'),
      icon: FileText,
      run: () => void download(view, 'markdown'),
    },
    view !== null && {
      name: 'export-json',
      label: t('sidebar.exportJson'),
      icon: Download,
      run: () => void download(view, 'json'),
    },
  ];
  return all.filter((command) => command !== false);
}

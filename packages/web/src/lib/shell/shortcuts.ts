export type Shortcut = 'search' | 'find' | 'print' | 'new-chat' | 'sidebar' | 'help' | 'escape';

type Key = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing' | 'defaultPrevented'
>;

/** The shortcut of a key press; null if it belongs to the focused element. */
export function findShortcut(event: Key, typing: boolean): Shortcut | null {
  if (event.isComposing || event.defaultPrevented || event.altKey) return null;
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (command && !event.shiftKey && key === 'k') return 'search';
  if (command && !event.shiftKey && key === 'f') return 'find';
  if (command && !event.shiftKey && key === 'p') return 'print';
  if (command && event.shiftKey && key === 'o') return 'new-chat';
  if (command && !event.shiftKey && key === 'b') return 'sidebar';
  if (command) return null;
  if (key === 'escape') return 'escape';
  return key === '?' && !typing ? 'help' : null;
}

/** True for an element that accepts text. */
export function takesText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])'))
  );
}

/** How the keys are labelled on this platform. */
export function keyNames(platform: string): { command: string; shift: string } {
  return /mac|iphone|ipad/i.test(platform) ? { command: '⌘', shift: '⇧' } : { command: 'Ctrl', shift: 'Shift' };
}

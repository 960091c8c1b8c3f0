/** What a key in the input does; null if the input handles it itself. */
export type ComposerKey = 'send' | 'stop' | null;

type KeyPress = Pick<KeyboardEvent, 'key' | 'keyCode' | 'isComposing' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>;

/**
 * Enter sends, unless it confirms an input method composition: most browsers set `isComposing`, Safari only key code
 * 229. On a touch keyboard Enter is a new line, since it has no Shift+Enter.
 */
export function composerKey(event: KeyPress, state: { touch: boolean; busy: boolean }): ComposerKey {
  if (event.isComposing || event.keyCode === 229) return null;
  if (event.key === 'Escape') return state.busy ? 'stop' : null;
  if (event.key !== 'Enter' || event.shiftKey || event.altKey) return null;
  if (state.touch && !event.ctrlKey && !event.metaKey) return null;
  return 'send';
}

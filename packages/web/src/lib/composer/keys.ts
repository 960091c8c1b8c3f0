/** What a key in the input means; null where it is the input's own business. */
export type ComposerKey = 'send' | 'stop' | null;

type KeyPress = Pick<KeyboardEvent, 'key' | 'keyCode' | 'isComposing' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>;

/**
 * Enter sends, unless it confirms what an input method composes: some browsers say so by `isComposing`, Safari by the
 * key code 229 only. On a touch keyboard Enter is a new line, since there is no Shift+Enter there.
 */
export function composerKey(event: KeyPress, situation: { touch: boolean; busy: boolean }): ComposerKey {
  if (event.isComposing || event.keyCode === 229) return null;
  if (event.key === 'Escape') return situation.busy ? 'stop' : null;
  if (event.key !== 'Enter' || event.shiftKey || event.altKey) return null;
  if (situation.touch && !event.ctrlKey && !event.metaKey) return null;
  return 'send';
}

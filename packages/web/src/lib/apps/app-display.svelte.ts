import type { JsonObject } from '@toolyard/protocol';
import type { DisplayMode } from './app-session.ts';
import { DISPLAY_MODES } from './app-session.ts';

/** Height of an app in its card, in pixels. */
const HEIGHT = { min: 120, max: 720 };
/** Narrower pages have no place for an app beside the chat, in pixels. */
const MIN_WIDTH_PIP = 640;

/** How an app is shown: in its card, in front of the chat, or in the whole window; and its size. */
export class AppDisplay {
  mode: DisplayMode = $state('inline');
  /** The modes that the app declares to support. */
  supported: readonly DisplayMode[] = $state.raw(DISPLAY_MODES);
  /** Of the card, before the app left it. */
  inlineHeight = $state(0);
  element: HTMLElement | null = null;
  readonly #onchange: (context: JsonObject) => void;
  #size = { width: 0, height: 0 };

  /** @param onchange gets the changed fields of the host context */
  constructor(onchange: (context: JsonObject) => void) {
    this.#onchange = onchange;
  }

  /** The modes offered now. */
  get modes(): readonly DisplayMode[] {
    return this.supported.filter((mode) => mode !== 'pip' || window.innerWidth >= MIN_WIDTH_PIP);
  }

  get frameHeight(): 'fill' | typeof HEIGHT {
    return this.mode === 'inline' ? HEIGHT : 'fill';
  }

  /** The fields of the host context about the display. */
  get context(): JsonObject {
    return {
      displayMode: this.mode,
      availableDisplayModes: [...this.modes],
      containerDimensions: this.#dimensions(),
    };
  }

  /** The element that contains the frame; the returned function detaches it. */
  attach(element: HTMLElement): () => void {
    this.element = element;
    const observer = new ResizeObserver(() => this.#measure());
    observer.observe(element);
    return () => {
      observer.disconnect();
      if (this.element === element) this.element = null;
    };
  }

  /** Returns the mode in force afterwards: the browser may refuse full screen. */
  async change(mode: DisplayMode): Promise<DisplayMode> {
    if (mode === this.mode || (mode !== 'inline' && !this.modes.includes(mode))) return this.mode;
    if (this.mode === 'inline') this.inlineHeight = this.element?.offsetHeight ?? 0;
    if (document.fullscreenElement === this.element && this.element !== null) {
      await document.exitFullscreen().catch(() => undefined);
    }
    if (mode === 'fullscreen') await this.element?.requestFullscreen().catch(() => undefined);
    else this.#set(mode);
    this.followFullscreen();
    return this.mode;
  }

  /** The user or the browser may end full screen. */
  followFullscreen(): void {
    const isFull = this.element !== null && document.fullscreenElement === this.element;
    if (isFull) this.#set('fullscreen');
    else if (this.mode === 'fullscreen') this.#set('inline');
  }

  #set(mode: DisplayMode): void {
    if (mode === this.mode) return;
    this.mode = mode;
    this.#onchange(this.context);
  }

  #measure(): void {
    const { offsetWidth: width = 0, offsetHeight: height = 0 } = this.element ?? {};
    const isSame = width === this.#size.width && (this.mode === 'inline' || height === this.#size.height);
    this.#size = { width, height };
    if (!isSame) this.#onchange({ containerDimensions: this.#dimensions() });
  }

  /** In a card the width is given, and the app chooses its height up to a limit. */
  #dimensions(): JsonObject {
    const frame = this.element?.querySelector('iframe');
    const width = frame?.clientWidth ?? this.#size.width;
    if (this.mode === 'inline') return { ...(width > 0 ? { width } : {}), maxHeight: HEIGHT.max };
    return { width, height: frame?.clientHeight ?? this.#size.height };
  }
}

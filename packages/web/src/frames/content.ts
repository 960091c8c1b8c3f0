import type { IframeContext, IframeReport, FromContent, ToContent } from './messages.ts';
import { removeWebRtc, withoutShadowRoots } from './no-web-rtc.ts';

/**
 * The content document of a frame: it writes the HTML into itself that it receives, because `srcdoc` has no URL of its
 * own, which some libraries need. Its scripts share a window with this one and could change it: it only observes.
 */
const MAX_TEXT = 2_000;
const parent = window.parent;
// Taken before any content runs.
const send = parent.postMessage.bind(parent);

function toOuter(message: FromContent): void {
  // The outer document may have an opaque origin; nothing here is secret from any parent.
  send(message, '*');
}

function report(message: IframeReport): void {
  toOuter({ toolyard: 'report', report: message });
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return value.stack ?? value.message;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function watchConsole(): void {
  for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    const original = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      original(...values);
      report({ kind: 'console', level, text: shorten(values.slice(0, 20).map(toText).join(' ')) });
    };
  }
}

function watchErrors(): void {
  window.addEventListener('error', (event) => {
    const stack = event.error instanceof Error ? (event.error.stack ?? '') : '';
    report({ kind: 'error', text: shorten(event.message), line: event.lineno || null, stack: shorten(stack) });
  });
  window.addEventListener('unhandledrejection', ({ reason }) => {
    const stack = reason instanceof Error ? (reason.stack ?? '') : '';
    report({ kind: 'error', text: shorten(toText(reason)), line: null, stack: shorten(stack) });
  });
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
    report({ kind: 'blocked', url: shorten(blockedURI), directive: effectiveDirective });
  });
}

/** Links would navigate this frame, which is blocked: the page asks the user instead. */
function watchLinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href], area[href]') : null;
    const href = link?.getAttribute('href');
    if (!(link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement) || href?.startsWith('#')) return;
    event.preventDefault();
    report({ kind: 'link', url: shorten(link.href) });
  });
  window.open = (url) => {
    report({ kind: 'link', url: shorten(String(url ?? '')) });
    return null;
  };
}

function watchSize(): void {
  let last = -1;
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height !== last) report({ kind: 'size', height });
    last = height;
  });
  observer.observe(document.documentElement);
}

/** An opaque origin has no storage, and reading `localStorage` throws: scripts get one that ends with the frame. */
function provideStorage(): void {
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    const entries = new Map<string, string>();
    const storage: Storage = {
      get length() {
        return entries.size;
      },
      key: (index) => [...entries.keys()][index] ?? null,
      getItem: (key) => entries.get(String(key)) ?? null,
      setItem: (key, value) => void entries.set(String(key), String(value)),
      removeItem: (key) => void entries.delete(String(key)),
      clear: () => entries.clear(),
    };
    Object.defineProperty(window, name, { value: storage, configurable: true });
  }
}

function show({ theme, locale }: IframeContext): void {
  const root = document.documentElement;
  root.dataset['theme'] = theme;
  if (!root.lang) root.lang = locale;
}

function listen(): void {
  window.addEventListener('message', (event) => {
    const message = event.data as Partial<ToContent> | null;
    if (event.source !== parent || message?.toolyard === undefined) return;
    event.stopImmediatePropagation();
    switch (message.toolyard) {
      case 'write':
        return write(message as Extract<ToContent, { toolyard: 'write' }>);
      case 'context':
        return show((message as Extract<ToContent, { toolyard: 'context' }>).context);
      case 'ping':
        return toOuter({ toolyard: 'pong' });
    }
  });
}

let isWritten = false;

function write({ html, context }: Extract<ToContent, { toolyard: 'write' }>): void {
  if (isWritten) return;
  isWritten = true;
  // Removes all listeners of the window and the document; they are added again before the first script of the content.
  document.open();
  listen();
  watchErrors();
  watchLinks();
  const hasFrames = new URLSearchParams(location.search).has('frame');
  if (!hasFrames) removeWebRtc();
  document.write(hasFrames ? html : withoutShadowRoots(html));
  document.close();
  show(context);
  watchSize();
  toOuter({ toolyard: 'written' });
}

// In a tab of its own, another window could fill this document.
if (parent !== window) {
  watchConsole();
  provideStorage();
  listen();
  toOuter({ toolyard: 'ready' });
}

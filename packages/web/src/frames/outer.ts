import type { FromContent, FromOuter, ToContent, ToOuter } from './messages.ts';

/**
 * The outer document of a frame, on the origin of frames. It contains the content document, which cannot reach it, and
 * passes messages on: only JSON, of a limited size and number. It runs in a process of its own, so that large or many
 * messages do not delay the page.
 */
const MAX_MESSAGE = 1_000_000;
/** Messages per second, and how many may come at once. */
const RATE = 100;
const BURST = 400;
/** Dropped messages after which the content is removed. */
const FLOOD = 5_000;
const PONG_WITHIN_MS = 3_000;

const query = new URLSearchParams(location.search);
const pageOrigin = query.get('page') ?? '';
const inner = document.createElement('iframe');
inner.title = 'Content';
/** Null until the page has sent what to show. */
let load: Extract<ToOuter, { toolyard: 'load' }> | null = null;
let isWritten = false;
let tokens = BURST;
let refilled = performance.now();
let dropped = 0;
let lastDropped = -Infinity;
let waitingForPong: ReturnType<typeof setTimeout> | undefined;

function toPage(message: FromOuter): void {
  window.parent.postMessage(message, pageOrigin);
}

function toContent(message: unknown): void {
  // The origin of the content is opaque: no target origin names it. The policy keeps the frame on this origin.
  inner.contentWindow?.postMessage(message, '*');
}

function control(message: ToContent): void {
  toContent(message);
}

function drop(why: 'size' | 'rate' | 'form'): void {
  dropped += 1;
  if (dropped > FLOOD && inner.isConnected) {
    inner.remove();
    toPage({ toolyard: 'flood' });
    return;
  }
  const now = performance.now();
  if (now - lastDropped < 1000) return;
  lastDropped = now;
  toPage({ toolyard: 'dropped', why });
}

function takeToken(): boolean {
  const now = performance.now();
  tokens = Math.min(BURST, tokens + ((now - refilled) / 1000) * RATE);
  refilled = now;
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

/** The JSON of a message; null if it has none or is too long. */
function toJson(data: unknown): string | null {
  try {
    const json = JSON.stringify(data) as string | undefined;
    return json === undefined ? null : json;
  } catch {
    return null;
  }
}

function fromContent(data: unknown): void {
  if (!takeToken()) return drop('rate');
  const json = toJson(data);
  if (json === null) return drop('form');
  if (json.length > MAX_MESSAGE) return drop('size');
  const message = data as Partial<FromContent> | null;
  switch (message?.toolyard) {
    case 'ready':
      isWritten = false;
      if (load !== null) control({ toolyard: 'write', html: load.html, context: load.context });
      return;
    case 'written':
      isWritten = true;
      return toPage({ toolyard: 'loaded' });
    case 'pong':
      return clearTimeout(waitingForPong);
    case 'report':
      return toPage({ toolyard: 'report', json: toJson(message.report) ?? 'null' });
    case undefined:
      return toPage({ toolyard: 'message', json });
  }
}

function fromPage(message: ToOuter): void {
  switch (message.toolyard) {
    case 'load': {
      load = message;
      isWritten = false;
      inner.setAttribute('sandbox', 'allow-scripts allow-forms');
      inner.setAttribute('allow', message.allow);
      inner.referrerPolicy = 'no-referrer';
      const parameters = new URLSearchParams(message.query);
      parameters.set('page', pageOrigin);
      inner.src = `${new URL(location.href).origin}/frame/content?${parameters.toString()}`;
      if (!inner.isConnected) document.body.append(inner);
      return;
    }
    case 'post': {
      if (isWritten) toContent(JSON.parse(message.json));
      return;
    }
    case 'context': {
      if (load !== null) load = { ...load, context: message.context };
      control({ toolyard: 'context', context: message.context });
    }
  }
}

// A document that answers is the content document; the error page of a blocked navigation does not.
inner.addEventListener('load', () => {
  if (load === null || !inner.isConnected) return;
  clearTimeout(waitingForPong);
  waitingForPong = setTimeout(() => toPage({ toolyard: 'left' }), PONG_WITHIN_MS);
  control({ toolyard: 'ping' });
});

window.addEventListener('message', (event) => {
  if (event.source === window.parent && event.origin === pageOrigin) fromPage(event.data as ToOuter);
  else if (event.source !== null && event.source === inner.contentWindow) fromContent(event.data);
});
toPage({ toolyard: 'ready' });

/**
 * WebRTC obeys no `Content-Security-Policy`: it would send data to any host. It is removed from this window, and so is
 * every frame inside the content, which would have it again. Chromium also enforces the header `Connection-Allowlist`.
 *
 * The content shares this window and may replace every function in it, so what runs later calls only functions that
 * were taken before, and reads no property that content can define.
 */
type Captured = (...values: unknown[]) => unknown;
const captureMethod = (owner: object, name: string): Captured => Reflect.get(owner, name) as Captured;
const captureGetter = (owner: object, name: string): Captured =>
  captureMethod(Object.getOwnPropertyDescriptor(owner, name) ?? {}, 'get');

const call = captureMethod(Reflect, 'apply') as (method: Captured, on: unknown, values: readonly unknown[]) => unknown;
/** Not an accessor in every browser. */
const countFrames: unknown = captureGetter(window, 'length');
const targetOf = captureGetter(MutationRecord.prototype, 'target');
const getRootNode = captureMethod(Node.prototype, 'getRootNode');
const queryDocument = captureMethod(Document.prototype, 'querySelectorAll');
const queryFragment = captureMethod(DocumentFragment.prototype, 'querySelectorAll');
const remove = captureMethod(Element.prototype, 'remove');
const itemOf = captureMethod(NodeList.prototype, 'item');
const includes = captureMethod(String.prototype, 'includes');
const toLowerCase = captureMethod(String.prototype, 'toLowerCase');
const observe = captureMethod(MutationObserver.prototype, 'observe');
const page = document;

const FRAMES = 'iframe,frame,object,embed';
/** Makes a shadow tree that no script has created, and into which none can look. */
const DECLARATIVE = 'shadowrootmode';
const WATCHED = { childList: true, subtree: true };

/** Call it before any content runs. */
export function removeWebRtc(): void {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCIceTransport']) {
    Reflect.deleteProperty(window, name);
  }
  const observer = new MutationObserver(removeFrames);
  observer.observe(page, WATCHED);
  const attachShadow = captureMethod(Element.prototype, 'attachShadow');
  Element.prototype.attachShadow = function (init) {
    // A clone of a shadow root would not be observed.
    const root = call(attachShadow, this, [{ ...init, clonable: false }]) as ShadowRoot;
    call(observe, observer, [root, WATCHED]);
    return root;
  };
  for (const owner of [Element.prototype, ShadowRoot.prototype, Document]) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (name.endsWith('HTMLUnsafe')) Reflect.deleteProperty(owner, name);
    }
  }
  for (const name of ['write', 'writeln'] as const) {
    const original = captureMethod(Document.prototype, name);
    Document.prototype[name] = function (...texts: string[]) {
      let text = '';
      for (let index = 0; index < texts.length; index += 1) text += String(texts[index]);
      if (call(includes, call(toLowerCase, text, []), [DECLARATIVE]) === true) {
        throw new TypeError('Declarative shadow roots are not supported here.');
      }
      // The space ends an unfinished word, which could continue with the text that follows.
      call(original, this, [`${text} `]);
    };
  }
}

/** The HTML without declarative shadow roots. */
export function withoutShadowRoots(html: string): string {
  return html.replace(new RegExp(DECLARATIVE, 'gi'), 'data-shadow');
}

/** Runs before the frames load anything: their documents are written or fetched by tasks of their own. */
function removeFrames(records: MutationRecord[]): void {
  // The cheapest check first: this runs after every change. Frames in shadow trees are not counted.
  if (typeof countFrames !== 'function' || call(countFrames as Captured, window, []) !== 0)
    removeAll(call(queryDocument, page, [FRAMES]));
  for (let index = 0; index < records.length; index += 1) {
    const root: unknown = call(getRootNode, call(targetOf, records[index], []), []);
    if (root !== page) removeAll(framesInShadow(root));
  }
}

function framesInShadow(root: unknown): unknown {
  try {
    return call(queryFragment, root, [FRAMES]);
  } catch {
    // An element that is not in the document any more.
    return null;
  }
}

function removeAll(frames: unknown): void {
  if (frames === null) return;
  for (let index = 0; ; index += 1) {
    const frame: unknown = call(itemOf, frames, [index]);
    if (frame === null) return;
    call(remove, frame, []);
  }
}

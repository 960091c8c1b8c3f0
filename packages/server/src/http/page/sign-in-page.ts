import { createHash } from 'node:crypto';
import type { ErrorInfo } from '@toolyard/protocol';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1rem; box-sizing: border-box; }
  main { max-width: 34rem; }
  h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
  p { margin: 0 0 .75rem; overflow-wrap: anywhere; }
`;

/** Closes a popup; if the browser forbids that, the page stays readable. */
const SCRIPT = `setTimeout(() => window.close(), 1500);`;

/**
 * A sign-in to a server that a browser tab connects to is completed by that tab: the page posts the query to the tabs
 * of this origin and shows the result. The page of Toolyard is the other end of the channel.
 */
const RELAY = `
  const channel = new BroadcastChannel('toolyard:sign-in');
  const show = (title, text) => {
    document.querySelector('h1').textContent = title;
    document.querySelector('p').textContent = text;
  };
  const noTab = setTimeout(() => show('Not signed in',
    'No open Toolyard tab started this sign-in. Open Toolyard and start it again.'), 15000);
  channel.onmessage = ({ data }) => {
    if (typeof data?.text !== 'string') return;
    clearTimeout(noTab);
    show(data.ok ? 'Signed in' : 'Not signed in', data.text);
    if (data.ok) setTimeout(() => window.close(), 1500);
  };
  channel.postMessage({ search: location.search });
  history.replaceState(null, '', location.pathname);
`;

const POLICY = [
  "default-src 'none'",
  `style-src '${hashText(STYLE)}'`,
  `script-src '${hashText(SCRIPT)}' '${hashText(RELAY)}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Shown after a successful sign-in to a server. */
export function finishedPage(serverId: string): Response {
  return page({
    status: 200,
    title: 'Signed in',
    lines: [
      `Toolyard is signed in to “${serverId}” and is now connecting to it.`,
      'You can close this window and return to Toolyard.',
    ],
    script: SCRIPT,
  });
}

/** Shown after a failed sign-in. */
export function refusedPage({ code, message, hint }: ErrorInfo): Response {
  const lines = [message, ...(hint === undefined ? [] : [hint]), 'You can close this window and return to Toolyard.'];
  return page({ status: code === 'internal' ? 500 : 400, title: 'Not signed in', lines });
}

/** Shown after a sign-in that a tab of this browser started. */
export function relayPage(): Response {
  const lines = ['The Toolyard tab that started the sign-in completes it.'];
  return page({ status: 200, title: 'One moment…', lines, script: RELAY });
}

type Page = { status: number; title: string; lines: readonly string[]; script?: string };

function page({ status, title, lines, script }: Page): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Toolyard</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
</main>
${script === undefined ? '' : `<script>${script}</script>`}
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      // The URL contains a code; the page must not be cached.
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  });
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function hashText(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

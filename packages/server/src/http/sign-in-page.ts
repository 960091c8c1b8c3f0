import { createHash } from 'node:crypto';
import type { ErrorInfo } from '@toolyard/protocol';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1rem; box-sizing: border-box; }
  main { max-width: 34rem; }
  h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
  p { margin: 0 0 .75rem; overflow-wrap: anywhere; }
`;

/** A window that was opened for this is closed; in a browser that forbids it, the page stays and says what it says. */
const SCRIPT = `setTimeout(() => window.close(), 1500);`;

/**
 * A sign-in to a server of the browser itself is finished by the tab that began it: what the person has brought back is
 * told to the tabs of this origin, and what became of it is shown. The channel has its other half in the page.
 */
const RELAY = `
  const channel = new BroadcastChannel('toolyard:sign-in');
  const show = (title, text) => {
    document.querySelector('h1').textContent = title;
    document.querySelector('p').textContent = text;
  };
  const nobody = setTimeout(() => show('Not signed in',
    'No open tab of Toolyard has begun this sign-in. Open Toolyard, and begin it again.'), 15000);
  channel.onmessage = ({ data }) => {
    if (typeof data?.text !== 'string') return;
    clearTimeout(nobody);
    show(data.ok ? 'Signed in' : 'Not signed in', data.text);
    if (data.ok) setTimeout(() => window.close(), 1500);
  };
  channel.postMessage({ search: location.search });
  history.replaceState(null, '', location.pathname);
`;

const POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(SCRIPT)}' '${hashOf(RELAY)}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** What a person sees who has signed in to a server. */
export function finishedPage(serverId: string): Response {
  return page({
    status: 200,
    title: 'Signed in',
    lines: [
      `Toolyard is signed in to “${serverId}” and connects to it now.`,
      'You can close this window and go back to Toolyard.',
    ],
    script: SCRIPT,
  });
}

/** What a person sees who has not. */
export function refusedPage({ code, message, hint }: ErrorInfo): Response {
  const lines = [message, ...(hint === undefined ? [] : [hint]), 'You can close this window and go back to Toolyard.'];
  return page({ status: code === 'internal' ? 500 : 400, title: 'Not signed in', lines });
}

/** What a person sees who comes back from a sign-in that a tab of this browser has begun. */
export function relayPage(): Response {
  const lines = ['The tab of Toolyard that you came from finishes it.'];
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
      // The address holds a code, used up as it is.
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

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

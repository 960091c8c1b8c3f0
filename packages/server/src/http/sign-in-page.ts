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

const POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
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
    closes: true,
  });
}

/** What a person sees who has not. */
export function refusedPage({ code, message, hint }: ErrorInfo): Response {
  const lines = [message, ...(hint === undefined ? [] : [hint]), 'You can close this window and go back to Toolyard.'];
  return page({ status: code === 'internal' ? 500 : 400, title: 'Not signed in', lines, closes: false });
}

type Page = { status: number; title: string; lines: readonly string[]; closes: boolean };

function page({ status, title, lines, closes }: Page): Response {
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
${closes ? `<script>${SCRIPT}</script>` : ''}
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

/** What is needed of a DOM node. */
export type DomNode = {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: Iterable<DomNode>;
  getAttribute?(name: string): string | null;
};

const TEXT = 3;
const ELEMENT = 1;
const MAX_DEPTH = 400;
const SKIPPED: ReadonlySet<string> = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG CANVAS IFRAME OBJECT EMBED VIDEO AUDIO HEAD BUTTON SELECT TEXTAREA INPUT'.split(
    ' ',
  ),
);
const BLOCKS: ReadonlySet<string> = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER HR LI MAIN NAV OL P SECTION TABLE TBODY THEAD TFOOT TR UL'.split(
    ' ',
  ),
);

/** Text with headings, lists, code, table rows and the targets of links; without images and what a user cannot read. */
export function toMarkdown(root: DomNode, base: string): string {
  return toText(root, base, 0)
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function toText(node: DomNode, base: string, depth: number): string {
  if (node.nodeType === TEXT) return (node.textContent ?? '').replace(/\s+/g, ' ');
  if (node.nodeType !== ELEMENT || depth > MAX_DEPTH || isHidden(node)) return '';
  const name = node.nodeName.toUpperCase();
  if (SKIPPED.has(name)) return '';
  if (name === 'BR') return '\n';
  if (name === 'PRE') return `\n\n\`\`\`\n${(node.textContent ?? '').trimEnd()}\n\`\`\`\n\n`;
  const inner = [...node.childNodes].map((child) => toText(child, base, depth + 1)).join('');
  const heading = /^H([1-6])$/.exec(name);
  if (heading) return inner.trim() === '' ? '' : `\n\n${'#'.repeat(Number(heading[1]))} ${oneLine(inner)}\n\n`;
  if (name === 'A') return linked(inner, node.getAttribute?.('href') ?? '', base);
  if (name === 'CODE') return inner.trim() === '' ? '' : `\`${inner.trim()}\``;
  if (name === 'LI') return `\n- ${inner.trim()}`;
  if (name === 'TD' || name === 'TH') return ` ${oneLine(inner)} |`;
  if (name === 'TR') return `\n|${inner}`;
  return BLOCKS.has(name) ? `\n\n${inner}\n\n` : inner;
}

/** Text that readers do not see is a way to instruct models. */
function isHidden(node: DomNode): boolean {
  if (node.getAttribute === undefined) return false;
  if (node.getAttribute('hidden') !== null || node.getAttribute('aria-hidden') === 'true') return true;
  return /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])/i.test(
    node.getAttribute('style') ?? '',
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function linked(text: string, href: string, base: string): string {
  const label = oneLine(text);
  if (label === '' || !URL.canParse(href, base)) return text;
  const { protocol, href: target } = new URL(href, base);
  return protocol === 'https:' || protocol === 'http:' ? `[${label}](${target})` : text;
}

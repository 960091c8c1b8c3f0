import DOMPurify from 'dompurify';

/** `address`: a data URL. An image executes nothing, loads nothing, and its styles do not reach the page. */
export type Drawn = { address: string; width: number; height: number; title: string };

/** The SVG of a diagram as an image. No script, no link, no HTML, no URL outside of it passes. */
export function safeSvg(markup: string): Drawn {
  const clean = purify.sanitize(markup, CONFIG);
  const svg = clean.querySelector('svg');
  if (svg === null) throw new Error('Mermaid returned no image');
  for (const style of svg.querySelectorAll('style')) style.textContent = withoutAddresses(style.textContent ?? '');
  for (const element of svg.querySelectorAll('[style]')) {
    element.setAttribute('style', withoutAddresses(element.getAttribute('style') ?? ''));
  }
  const [, , width, height] = sizesIn(svg.getAttribute('viewBox') ?? '');
  if (width === undefined || height === undefined) throw new Error('Mermaid returned an image without a size');
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const title = svg.querySelector(':scope > title')?.textContent ?? '';
  const text = new XMLSerializer().serializeToString(svg);
  return { address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, width, height, title };
}

function sizesIn(viewBox: string): number[] {
  const numbers = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return numbers.length === 4 && numbers.every(Number.isFinite) ? numbers.map((number) => Math.ceil(number)) : [];
}

/** CSS with references to elements of the image only. */
function withoutAddresses(css: string): string {
  return css
    .replace(/\\/g, '')
    .replace(/@import[^;]*;?/gi, '')
    .replace(/(?:url|image|image-set|src)\(\s*(?!["']?#)[^)]*\)?/gi, 'none');
}

const purify = DOMPurify(window);
purify.addHook('uponSanitizeAttribute', (_element, attribute) => {
  const isAddress = /href|^src$/i.test(attribute.attrName);
  const refersOut = /url\(\s*(?!["']?#)/i.test(attribute.attrValue) && attribute.attrName !== 'style';
  if ((isAddress && !attribute.attrValue.startsWith('#')) || refersOut) attribute.keepAttr = false;
});

const CONFIG = {
  USE_PROFILES: { svg: true, svgFilters: true },
  FORBID_TAGS: ['foreignObject', 'a', 'image', 'script', 'animate', 'set'],
  RETURN_DOM_FRAGMENT: true as const,
};

import DOMPurify from 'dompurify';

/** `address`: a data URL. An image executes nothing, loads nothing, and its styles do not reach the page. */
export type Drawn = { address: string; width: number; height: number; title: string };

/** Around a diagram, in pixels. */
const MARGIN = 8;

/** The SVG of a diagram as an image. No script, no link, no HTML, no URL outside of it passes. */
export function safeSvg(markup: string): Drawn {
  const clean = purify.sanitize(markup, CONFIG);
  const svg = clean.querySelector('svg');
  if (svg === null) throw new Error('Mermaid returned no image');
  // A link has the position of the node in it; it has lost its address.
  for (const link of svg.querySelectorAll('a')) {
    const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    for (const { name, value } of link.attributes) group.setAttribute(name, value);
    group.append(...link.childNodes);
    link.replaceWith(group);
  }
  for (const style of svg.querySelectorAll('style')) style.textContent = withoutAddresses(style.textContent ?? '');
  for (const element of svg.querySelectorAll('[style]')) {
    element.setAttribute('style', withoutAddresses(element.getAttribute('style') ?? ''));
  }
  removeDistantDay(svg);
  const { x, y, width, height } = measureBox(svg);
  if (width <= 2 * MARGIN || height <= 2 * MARGIN) throw new Error('the diagram is empty');
  svg.setAttribute('viewBox', [x, y, width, height].join(' '));
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const title = svg.querySelector(':scope > title')?.textContent ?? '';
  const text = new XMLSerializer().serializeToString(svg);
  return { address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, width, height, title };
}

/** The line of the present day in a Gantt chart of another time is thousands of pixels away from its bars. */
function removeDistantDay(svg: SVGSVGElement): void {
  const { x, width } = svg.viewBox.baseVal;
  for (const line of svg.querySelectorAll('line.today')) {
    const at = Number(line.getAttribute('x1'));
    if (!(at >= x && at <= x + width)) line.remove();
  }
}

/** What the image contains: the size that Mermaid states is wrong for some diagrams, and cut them off. */
function measureBox(svg: SVGSVGElement): Pick<DOMRect, 'x' | 'y' | 'width' | 'height'> {
  const place = document.createElement('div');
  place.style.cssText = 'position:fixed;top:0;left:-10000px;width:1200px;visibility:hidden';
  // In a shadow tree the styles of the image do not apply to the page.
  place.attachShadow({ mode: 'closed' }).append(svg);
  document.body.append(place);
  const { x, y, width, height } = svg.getBBox();
  place.remove();
  return {
    x: Math.floor(x) - MARGIN,
    y: Math.floor(y) - MARGIN,
    width: Math.ceil(width) + 2 * MARGIN,
    height: Math.ceil(height) + 2 * MARGIN,
  };
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
  FORBID_TAGS: ['foreignObject', 'image', 'script', 'animate', 'set'],
  RETURN_DOM_FRAGMENT: true as const,
};

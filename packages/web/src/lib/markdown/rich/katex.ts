/** KaTeX with its fonts; only ever imported by `import()`. */
import 'katex/dist/katex.min.css';
// Copies the source of selected formulas.
import 'katex/contrib/copy-tex';
import DOMPurify from 'dompurify';
import katex from 'katex';

export type SetFormula = { html: string } | { reason: string };

/** Enough for any readable formula; macros that expand without end stop early. */
const LIMITS = { maxSize: 20, maxExpand: 500 };

/** Sets a formula, with MathML for screen readers. */
export function setFormula(tex: string, displayMode: boolean): SetFormula {
  try {
    const html = katex.renderToString(tex, {
      displayMode,
      output: 'htmlAndMathml',
      throwOnError: true,
      strict: 'ignore',
      // No command that writes a URL, an image, a class or an attribute.
      trust: false,
      ...LIMITS,
    });
    return { html: purify.sanitize(html, CONFIG) };
  } catch (thrown) {
    return { reason: getReason(thrown) };
  }
}

function getReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  // Deeply nested groups overflow the stack of the parser.
  if (thrown instanceof RangeError) return 'nested too deeply';
  return 'rawMessage' in thrown && typeof thrown.rawMessage === 'string' ? thrown.rawMessage : thrown.message;
}

/** An instance of its own: the hook must not apply to other content. */
const purify = DOMPurify(window);

/** Lengths, numbers and colours: no `url()`, no other function. */
const STYLE = /^(?:[a-z-]+:[\w.,#%\s-]*(?:;|$))*$/i;
purify.addHook('uponSanitizeAttribute', (_element, attribute) => {
  if (attribute.attrName === 'style' && !STYLE.test(attribute.attrValue)) attribute.keepAttr = false;
});

const HTML = ['span', 'svg', 'path', 'line', 'g'];
const MATHML = (
  'math semantics annotation mrow mi mo mn ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose ' +
  'msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mlabeledtr mtd'
).split(' ');
const ATTRIBUTES = (
  'class style aria-hidden xmlns display encoding mathvariant stretchy fence separator accent accentunder lspace rspace ' +
  'width height depth voffset minsize maxsize columnalign columnspacing columnlines rowspacing rowlines rowspan ' +
  'columnspan scriptlevel displaystyle linethickness notation mathcolor mathbackground mathsize movablelimits symmetric ' +
  'largeop side viewBox preserveAspectRatio d x1 x2 y1 y2 stroke-width'
).split(' ');
const CONFIG = {
  ALLOWED_TAGS: [...HTML, ...MATHML],
  ALLOWED_ATTR: ATTRIBUTES,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
};

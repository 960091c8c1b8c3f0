/** Characters with which calls are marked up, in any format. */
const MARKS = /[<>{}[\]()"'`=:|“”„«»「」『』‘’]+/gu;
const ACCENTS = /\p{M}/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;
/** Letters that no font shows and models read: tag characters, and variation selectors as the bytes of a text. */
const SMUGGLED = /[\u{e0020}-\u{e007e}]+|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const MAY_SMUGGLE = /[\ufe00-\ufe0f\u{e0020}-\u{e01ef}]|&#|\\u(?:d|fe|\{e)|\\U|%(?:ef|f3)/iu;
const TERMINAL = /\u001b\[[0-?]{0,40}[ -/]{0,9}[@-~]|\u001b\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\?)/g;

/** HTML's names of what calls and their markup are written with. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ lt: '<', gt: '>', quot: '"', amp: '&', apos: "'", lsquo: "'", rsquo: "'", ldquo: '"', rdquo: '"', grave: '`' },
    ...{ lbrace: '{', lcub: '{', rbrace: '}', rcub: '}', lbrack: '[', lsqb: '[', rbrack: ']', rsqb: ']' },
    ...{ lpar: '(', rpar: ')', colon: ':', semi: ';', comma: ',', period: '.', equals: '=', lowbar: '_', sol: '/' },
    ...{ bsol: '\\', verbar: '|', vert: '|', num: '#', excl: '!', quest: '?', ast: '*', plus: '+', dollar: '$' },
    ...{ percnt: '%', commat: '@', hyphen: '-', dash: '-', nbsp: ' ', newline: '\n', tab: '\t', shy: '' },
    ...{ zwj: '', zwnj: '', nobreak: '', zerowidthspace: '', lrm: '', rlm: '', ensp: ' ', emsp: ' ', thinsp: ' ' },
  }),
);
const ENTITY = /&(?:#x([0-9a-f]{1,8});?|#([0-9]{1,8});?|([a-z]{2,16});|([a-z]{2,4}))/gi;
/** Those that need no semicolon in HTML. */
const BARE_ENTITY = /^(?:lt|gt|quot|amp|nbsp)/i;
const ESCAPE = /\\(?:U(000[0-9a-f]{5})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|[nrtfb])/gi;

/** Elements within words of HTML; others end a word. */
const INLINE =
  /<\/?(?:a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|nobr|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr|[a-z]+-[a-z-]+)(?:[\s+/][^<>]{0,300})?>/gi;
const BLOCK =
  /<\/?(?:article|blockquote|body|br|dd|div|dl|dt|h[1-6]|hr|html|li|main|ol|p|pre|section|table|tbody|td|th|thead|tr|ul)(?:[\s+/][^<>]{0,300})?>/gi;
const COMMENT = /<!--(?:(?!-->)[^]){0,300}-->/g;
const LINK = /!?\[([^[\]\n]{0,300})\]\([^()\s]{0,2000}\)/g;
/** Numbers of lines, as tools that read files write them. */
const LINE_NUMBER = /^[ \t]*\d+(?:\t|→| ?[|:│] ?)/gm;

/** Undoes escapes of JSON, JavaScript, HTML and URLs, whichever there are, at most five levels of them. */
function unescaped(text: string, read: (text: string) => string): string {
  let plain = read(text);
  for (let level = 0; level < 5 && /[&\\%]/.test(plain); level += 1) {
    const before = plain;
    plain = read(
      withoutEntities(plain)
        .replace(/\\+/g, '\\')
        .replace(ESCAPE, (_, ...codes: (string | undefined)[]) => {
          const hex = codes.slice(0, 4).find((code) => code !== undefined);
          return hex === undefined ? '\n' : character(Number.parseInt(hex, 16));
        })
        .replace(/(?:%[0-9a-f]{2})+/gi, fromBytes),
    );
    if (plain === before) break;
  }
  return plain;
}

/** The letters that a font shows. */
function visible(text: string): string {
  return text.normalize('NFKD').replace(INVISIBLE, '').replace(ACCENTS, '');
}

/** What a model may read besides. */
function withSmuggled(text: string): string {
  return text.replace(SMUGGLED, (run) => {
    const codes = Array.from(run, (each) => each.codePointAt(0) ?? 0);
    if (/^[\u{e0020}-\u{e007e}]/u.test(run))
      return codes.map((code) => String.fromCodePoint(code - 0xe_00_00)).join('');
    const bytes = codes.map((code) => (code < 0xe_00_00 ? code - 0xfe_00 : code - 0xe_01_00 + 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}

function withoutEntities(text: string): string {
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, named?: string, rest?: string) => {
    if (hex !== undefined) return character(Number.parseInt(hex, 16));
    if (decimal !== undefined) return character(Number(decimal));
    const known = named === undefined ? undefined : ENTITIES.get(named.toLowerCase());
    if (known !== undefined) return known;
    const name = BARE_ENTITY.exec(named ?? rest ?? '')?.[0] ?? '';
    return name === '' ? whole : `${ENTITIES.get(name.toLowerCase()) ?? ''}${whole.slice(1 + name.length)}`;
  });
}

function fromBytes(escapes: string): string {
  return new TextDecoder().decode(Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16)));
}

function character(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}

/** A text without the markup of pages, Markdown and terminals within its words. */
function withoutMarkup(text: string): string {
  return text
    .replace(TERMINAL, '')
    .replace(COMMENT, '')
    .replaceAll('<![CDATA[', '')
    .replace(INLINE, '')
    .replace(BLOCK, '\n')
    .replace(LINK, '$1')
    .replace(LINE_NUMBER, '');
}

/**
 * The readings of a text without what copies differ in: letters and digits in upper case and without accents, one space
 * for white space, and one `|` for any markup between them. Escapes are undone; invisible characters and other
 * punctuation are dropped. The first is the text itself; others, if they differ, are without the markup around its
 * words, and with what is hidden in it. Both sides of a comparison are folded by this function.
 */
export function foldedForms(text: string): string[] {
  const plain = unescaped(text, visible);
  const readings = [plain, withoutMarkup(plain)];
  if (MAY_SMUGGLE.test(text)) readings.push(withoutMarkup(unescaped(text, (each) => visible(withSmuggled(each)))));
  return [...new Set(readings)].map(fold);
}

function fold(reading: string): string {
  return reading
    .toUpperCase()
    .replace(MARKS, '|')
    .replace(/[^\p{L}\p{N}| \s,]+/gu, '')
    .replace(/[\s,]+/g, ' ')
    .replace(/ *\|[ |]*/g, '|');
}

/**
 * The same text as the levels of escapes, the JSON and the markup around it leave it, the original first: for parsers.
 */
export function unescapedForms(text: string): string[] {
  const bare = (form: string): string => form.replace(/^[ \t]*(?:>[ \t]?)+/gm, '').replace(/`+\w*|~{3,}\w*/g, '');
  const forms = [text];
  for (let level = 0; level < 2; level += 1) {
    const last = forms.at(-1) ?? '';
    const next = unescapedOnce(last);
    if (next === last) break;
    forms.push(next);
  }
  forms.push(unescapedOnce(joinStrings(text)), withSmuggled(text));
  const readings = forms.map((form) => bare(form.replace(INVISIBLE, '')));
  return [...new Set(readings.flatMap((form) => [form, withoutMarkup(form)]))];
}

/** The strings of JSON, one after another. */
function joinStrings(text: string): string {
  return Array.from(text.matchAll(/"((?:[^"\\]|\\[^])*)(?:"|$)/g), ([, string = '']) => string).join('\n');
}

function unescapedOnce(text: string): string {
  return withoutEntities(text).replace(/\\(u[0-9a-f]{4}|.)/gi, (_, escape: string) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return { n: '\n', t: '\t', r: '\r' }[escape] ?? escape;
  });
}

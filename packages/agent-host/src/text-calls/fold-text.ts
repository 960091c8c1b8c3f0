/** Characters with which calls are marked up, in any format. */
const MARKS = /[<>{}[\]()"'`=:|“”„«»「」『』‘’]+/gu;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', apos: "'", nbsp: ' ' };

/** Undoes escapes of JSON, HTML and URLs, whichever there are. */
function unescaped(text: string): string {
  let plain = text;
  // Twice: a page in a JSON document, or an entity of an entity.
  for (let level = 0; level < 2 && plain.includes('&'); level += 1) {
    plain = plain.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,4});/gi, (whole, name: string) => {
      if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
      return character(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
    });
  }
  return plain
    .replace(/\\+/g, '\\')
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrtfb]/g, ' ')
    .replace(/%([2-7][0-9a-f])/gi, (_, code: string) => character(Number.parseInt(code, 16)));
}

function character(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}

/**
 * A text without what copies differ in: letters and digits in lower case, one space for white space, and one `|` for
 * any markup between them. Escapes are undone; invisible characters and other punctuation are dropped.
 */
export function foldText(text: string): string {
  return unescaped(text)
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '')
    .toLowerCase()
    .replace(MARKS, '|')
    .replace(/[\s,]+/g, ' ')
    .replace(/[^\p{L}\p{N}\p{M}| ]+/gu, '')
    .replace(/ *\|[ |]*/g, '|');
}

/** The same text as the levels of escapes around it leave it, the original first: for parsers. */
export function unescapedForms(text: string): string[] {
  const bare = (form: string): string => form.replace(/^[ \t]*(?:>[ \t]?)+/gm, '').replace(/`+\w*|~{3,}\w*/g, '');
  const forms = [text];
  for (let level = 0; level < 2; level += 1) {
    const last = forms.at(-1) ?? '';
    const next = unescapedOnce(last);
    if (next === last) break;
    forms.push(next);
  }
  return forms.map((form) => bare(form).replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

function unescapedOnce(text: string): string {
  return text
    .replace(/&(lt|gt|quot|amp|apos|nbsp|#x[0-9a-f]{1,6}|#[0-9]{1,7});/gi, (whole) => unescaped(whole))
    .replace(/\\(u[0-9a-f]{4}|.)/gi, (_, escape: string) => {
      if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return { n: '\n', t: '\t', r: '\r' }[escape] ?? escape;
    });
}

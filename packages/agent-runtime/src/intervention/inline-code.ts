import { say } from '@toolyard/protocol';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding, unclearFinding } from './shell-script.ts';
import { dangerOfPath } from './sensitive-paths.ts';

/** Programs in languages that are not parsed: accepted only if nothing in them has effects outside the program. */

const MAX_CODE_LENGTH = 32_768;

/** Modules without side effects. */
const HARMLESS_MODULES =
  /^(?:json|datetime|math|cmath|re|sys|collections|itertools|functools|statistics|time|random|string|decimal|fractions|textwrap|pprint|csv|io|typing|dataclasses|enum|operator|copy|hashlib|uuid|calendar|platform|bisect|heapq|struct|unicodedata|difflib|zoneinfo|os\.path|pathlib|node:?(?:path|util|url|assert|os)|path|util|assert|url|numpy|pandas|List::Util|POSIX|strict|warnings|Data::Dumper|JSON::PP|set|yaml|tomllib|ast|inspect|version|pkg_resources|importlib\.metadata|\.{0,2}\/.*|[\w@/-]+\/package\.json)$/;

/** Anything that runs, sends, writes, removes, reads the environment, or computes names. */
const REACHES = new RegExp(
  [
    '\\b(?:exec\\w*|eval\\w*|system|popen\\w*|spawn\\w*|subprocess|e?syscmd|fork|child_\\w*|shell_exec|passthru|proc_open|pcntl\\w*|pty|ctypes|qx|backtick)\\b',
    '\\b(?:socket\\w*|TCP\\w*|UDP\\w*|urllib|requests|https?|fetch|net|dgram|tls|fsockopen|curl_\\w+|ftplib|smtplib|WebSocket|XMLHttp\\w*|LWP|IO|open-uri|URI|Net)\\b(?!["\']?\\s*:\\s)',
    'document\\.cookie|\\b(?:environ|getenv\\w*|ENV|ENVIRON|putenv|process\\.(?:env|mainModule|binding|dlopen|kill|chdir|setuid))\\b|\\$_(?:ENV|SERVER)|%ENV',
    '\\b(?:unlink\\w*|remove\\w*|rmtree|rm\\w{0,6}|rmdir\\w*|rename\\w*|truncate\\w*|delete_file|write\\w*|append\\w*file|chmod\\w*|chown\\w*|symlink\\w*|copyfile|move|mkdir\\w*|shutil|FileUtils|glob|Dir|setuid|setgid|kill|chroot|os\\.(?!(?:path|getcwd|cpu_count|sep|name)\\b)\\w+)\\b(?!["\'])',
    '__\\w+__|\\b(?:getattr|setattr|globals|locals|vars|compile|importlib(?!\\.metadata)|Function|constructor|Reflect|Proxy|instance_eval|class_eval|send|method_missing|binding|Kernel|call_user_func\\w*|create_function|assert_options|include\\w*|require_once|preg_replace_callback|array_map|usort)\\b',
    '\\b(?:b64decode|base64\\w*|atob|fromCharCode|fromCodePoint|unhexlify|fromhex|bytes|chr|quopri|unquote\\w*|decodeURI\\w*|decode\\w*|rot13|str_rot13|pack|unpack|marshal|pickle|Buffer|gunzip\\w*|inflate\\w*|zlib)\\b',
    '\\b(?:readFile\\w*|createReadStream|file_get_contents|readfile|File|file|slurp|sqlite3|psycopg2?|mysql\\w*|redis|expanduser|homedir|home)\\b',
    '\\|\\s*(?:getline|&)|getline|/inet/|print[^;}\\n]{0,200}(?:>|\\|)\\s*"|@load|\\bclose\\(',
    'open\\s*\\([^)]{0,200},\\s*["\'](?:[rbt]*[wax+]|\\+?[<>]|\\|)',
    '`[^`]*`\\s*(?:;|$)|\\{\\s*exec|\\bimport\\s*\\(|-e\\b',
  ].join('|'),
);

const TEXTS = /"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g;

/** Checks a program in a language that is not parsed. */
export function inspectCode(code: string): ScriptFinding | undefined {
  if (code.length > MAX_CODE_LENGTH) return unclearFinding(say`The program is too long to be checked.`);
  const joined = code.replace(/(["'`])\s*[+.]\s*["'`]/g, '');
  const asPath = /join\s*\(/.test(code) ? code.replace(/(["'`])\s*,\s*["'`]/g, '/') : '';
  for (const [, double, single, back] of `${joined}\n${asPath}`.matchAll(TEXTS)) {
    const literal = double ?? single ?? back ?? '';
    if (dangerOfPath(literal) === 'secret')
      return dangerFinding(say`The program names ${displayText(literal)}, which may contain secrets.`);
  }
  if (/\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|[0-7]{3})/i.test(code))
    return unclearFinding(say`The program contains escape sequences.`);
  for (const name of modulesIn(code))
    if (!HARMLESS_MODULES.test(name)) return dangerFinding(say`The program uses ${displayText(name)}.`);
  const reaches = REACHES.exec(
    code.replace(/(["'])(?:\\.|(?!\1)[^\\\n/$@])*\1/g, (text) =>
      /^["'][\w ,.:;!?%\\()=-]*["']$/.test(text) && !/^["'](?:[rbt]*[wax+]|exec|eval|child)/.test(text) ? '""' : text,
    ),
  );
  return reaches ? dangerFinding(say`The program uses "${displayText(reaches[0].trim())}".`) : undefined;
}

/** Modules that a program loads, in Python, JavaScript, Perl, Ruby and Lua. */
function modulesIn(code: string): string[] {
  const imported = [...code.matchAll(/(?:^|[;\n])\s*import\s+([\w., ]{1,200}?)(?=\s*(?:;|\n|$))/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim().replace(/\s+as\s+\w+$/, ''))
    .filter((name) => name !== 'os');
  const named = LOADS.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = '']) => name));
  return [...imported, ...named, ...(/\brequire\s*\(\s*[^"')\s]/.test(code) ? ['require(…)'] : [])];
}

const LOADS = [
  /(?:^|[;\n])\s*from\s+([\w.]+)\s+import\b/g,
  /\brequire\s*\(?\s*["']([^"']*)["']/g,
  /\bimport\b[^;\n]{0,200}?["']([^"']*)["']/g,
  /(?:^|[;\n])\s*use\s+([A-Z][\w:]*)/g,
];

/** @internal */
export function displayText(text: string): string {
  const seen = text.replace(/[\0\u0001\ue000]/g, '?');
  return seen.length > 80 ? `${seen.slice(0, 80)}...` : seen;
}

const HARMFUL_SQL =
  /\b(?:drop\s+(?:table|database|schema|user|role|view|index|owned|column|collection)|truncate\b|delete\s+from|alter\s+(?:table|role|user|system)\b|grant\s|create\s+(?:user|role|extension|function)|copy\b[^;]*\bprogram\b|load_file|into\s+(?:outfile|dumpfile)|attach\s+(?:database|['"])|pg_shadow|pg_authid|mysql\.user|authentication_string|requirepass|(?:slave|replica)of|pg_read_\w+|lo_(?:import|export)|xp_cmdshell|update\s+\w+\s+set\b(?![^;]*\bwhere\b)|dropdatabase|deletemany|remove\(\{?\}?\)|drop\(\)|flush(?:all|db)|shutdown|sys_(?:exec|eval)|runprogram|\brun\s*\(\s*["']|create\s+(?:or\s+replace\s+)?language|config\s+set|reassign\s+owned)|(?:^|\n)\s*\\!|\.(?:shell|system|dump|output|load)\b|\\copy\b/i;

/** The effect of a text on a database, if it is SQL or a command of a database shell. */
export function inspectQuery(text: string): ScriptFinding | undefined {
  if (text.length > MAX_CODE_LENGTH) return unclearFinding(say`The query is too long to be checked.`);
  for (const [, path = ''] of text.matchAll(/'([~/][^']*)'/g)) {
    const danger = dangerOfPath(path);
    if (danger === 'secret') return dangerFinding(say`It accesses ${displayText(path)}, which may contain secrets.`);
    if (danger === 'startup') return dangerFinding(say`It writes to ${displayText(path)}, which runs automatically.`);
  }
  const found = HARMFUL_SQL.exec(text.replace(/'[^']*'/g, "''"));
  return found ? dangerFinding(say`It changes a database: ${displayText(found[0].trim())}.`) : undefined;
}

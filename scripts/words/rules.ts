/** A phrase that is not written here, and what to write instead. */
export type WordRule = { readonly pattern: RegExp; readonly write: string };

/**
 * Words instead of terms of docs/glossary.md, then habits of style. A pattern is listed here only if it is wrong nearly
 * everywhere: an exception costs more than a missed sentence.
 */
export const WORD_RULES: readonly WordRule[] = [
  rule('utterance', 'message'),
  rule('bot', 'agent'),
  rule('owner of the machine', 'operator'),
  rule('tell it now', 'steer'),
  rule('folding|summing up', 'compaction'),
  rule('how much a model takes', 'context window'),
  rule('longest answer|most turns', 'max output tokens, max turns'),
  rule('server that is a program', 'local server (stdio), command'),
  rule('saying hello|greeting', 'initialize'),
  rule('twice does no more than once', 'idempotent'),
  rule('question of a server', 'elicitation'),
  rule('permission to run', 'approval'),
  rule('may have taken effect', 'outcome unknown, in doubt'),
  rule('contained|containment', 'sandbox'),
  rule('what it speaks', 'API format'),
  rule('found on this machine', 'detected'),
  rule('what calls came to', 'usage, cost'),
  rule('sign of life', 'lease, heartbeat'),
  rule('takeover|comes to another', 'failover'),
  rule('longest way to a connection', 'timeout'),
  rule('who(?:m|so)?ever', 'the noun: user, caller, client, process'),
  rule('(?:any|no|some|every)body', 'the noun: user, caller, client, process; “no user”, “no process”'),
  rule('persons?', 'user'),
  rule('strangers?', 'third party, untrusted client'),
  rule('what (?:came|comes|come|became|becomes) of', 'result, outcome'),
  rule('told', 'notified, reported, sent, informed'),
  rule('he(?:ars?|ard)', 'receives, is notified of'),
  rule('anew', 'again; reconnect, restart, regenerate'),
  rule('of the moment', 'current'),
  rule('(?:dies?|died|dying)', 'exits, crashes, is killed'),
  rule('let(?:s|ting)? go(?: of)?', 'release'),
  rule('to be had', 'available'),
  rule('t(?:ake|akes|aken|ook|aking) up', 'resume, claim, start'),
  rule('c(?:o|a)m(?:e|es|ing) to (?:its|an|their|the) end', 'end, complete'),
  rule('go(?:es|ing)? on|went on|gone on', 'continue, resume'),
  rule('in mid-\\w+', 'during, while'),
  rule('makings', 'inputs'),
  rule('blows?', 'fault'),
  rule('shut(?!s? ?down|ting down)', 'close, dismiss'),
  rule('films?', 'video'),
  rule('fear(?:ed|s)?', 'flagged as dangerous'),
  rule('under ?way', 'executing, in progress'),
  rule('at work', 'executing, in progress'),
  rule('what waits', 'the noun: queue, pending calls, waiting messages'),
  rule('is none', 'name what it is instead, or “is not”'),
  rule('stands?(?! for\\b)|stood', 'is, is located, is stored'),
  rule('(?:is|are|was|were|be|been) said', 'is reported, is written, is sent'),
  rule('of its own accord', 'by itself'),
  rule('the like', '“such as”, or the list'),
  rule('unasked', 'without approval'),
  rule('no one’s', 'without an owner'),
  rule('lest', '“so that … not”'),
  rule('thereupon|henceforth|heretofore|whereupon|albeit', 'then, from now on, although'),
];

/** A rule for a phrase: whole words, any case, across line ends. */
function rule(phrase: string, write: string): WordRule {
  return {
    pattern: new RegExp(
      `(?<![\\w-])(?:${phrase.replaceAll(' ', String.raw`(?:\s+|\s*\n\s*(?:\*|//)\s*)`)})(?![\\w-])`,
      'giu',
    ),
    write,
  };
}

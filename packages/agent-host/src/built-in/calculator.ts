// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module cannot be imported
/// <reference path="./mathjs-bundle.d.ts" />
import type { MathNode, MathType } from 'mathjs';
import mathjs from 'mathjs/lib/browser/math.js';

/** Significant digits of decimal numbers. */
const PRECISION = 64;
const SHOWN_DIGITS = 32;
const MAX_RESULT_LENGTH = 4_000;
/** A factorial of a larger number takes seconds; its digits are useless to a model. */
const MAX_FACTORIAL = 3_000;
const MAX_LIST_LENGTH = 1_000;
/** Larger powers of ten are infinite: no operation gets slow because of the size of a number. */
const MAX_EXPONENT = 10_000;

const math = mathjs.create({ number: 'BigNumber', precision: PRECISION });
math.BigNumber.config({ maxE: MAX_EXPONENT, minE: -MAX_EXPONENT });

/** The kinds of syntax that are evaluated: no access to properties, no strings, functions, objects or ranges. */
const NODES: ReadonlySet<string> = new Set(
  'Array Assignment Block Conditional Constant Function Operator Parenthesis Relational Symbol'
    .split(' ')
    .map((kind) => `${kind}Node`),
);

/** None of these can run code, keep state, or create a large value from a small one. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'abs add and acos acosh acot acsc asec asin asinh atan atan2 atanh cbrt ceil combinations conj cos cosh cot csc cross ' +
    'cube det divide dot dotDivide dotMultiply dotPow equal exp expm1 factorial fix floor gcd hypot im inv larger largerEq ' +
    'lcm log log10 log1p log2 mad max mean median min mod mode multiply norm not nthRoot number or permutations pow prod ' +
    'quantileSeq re round sec sign sin sinh sqrt square std subtract sum tan tanh to transpose unaryMinus variance xor'
  ).split(' '),
);

/** The largest argument of functions whose cost grows with it. */
const LIMITS: Readonly<Record<string, number>> = {
  ...createLimits('factorial combinations permutations', MAX_FACTORIAL),
  ...createLimits('acosh asinh atanh cos cosh cot coth csc exp expm1 sec sin sinh tan tanh', 1e5),
  // Beyond the precision these would be wrong.
  ...createLimits('gcd lcm mod', 1e60),
};

function createLimits(names: string, most: number): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name) => [name, most]));
}

for (const [name, most] of Object.entries(LIMITS)) limitArguments(name, most);

/**
 * Evaluates an expression, or several lines of which the last is the result. Only arithmetic is possible: the syntax and
 * the functions are those of a list, and nothing of JavaScript can be reached.
 *
 * @throws Error whose message says what is wrong with the expression
 */
export function calculate(expression: string): string {
  const root = math.parse(expression);
  root.traverse(check);
  const value: unknown = root.compile().evaluate(new Map());
  const text = format(getLast(value));
  if (text.length > MAX_RESULT_LENGTH) throw new Error(`The result has ${text.length} characters; shorten it.`);
  return text;
}

/** Integers are exact up to the precision, and shown whole. */
function format(value: unknown): string {
  const isExact = math.isBigNumber(value) && value.isInteger() && value.abs().lessThan(`1e${PRECISION}`);
  const shown = isExact ? ({ notation: 'fixed' } as const) : { precision: SHOWN_DIGITS, lowerExp: -12, upperExp: 30 };
  return math.format(value, shown);
}

function check(node: MathNode): void {
  if (!NODES.has(node.type)) throw new Error(`"${node.toString().slice(0, 100)}" is not supported (${node.type}).`);
  if (math.isConstantNode(node) && typeof node.value === 'string') throw new Error('Text is not supported.');
  if (math.isArrayNode(node) && node.items.length > MAX_LIST_LENGTH) {
    throw new Error(`A list has at most ${MAX_LIST_LENGTH} elements (this one has ${node.items.length}).`);
  }
  if (math.isFunctionNode(node)) {
    const name = math.isSymbolNode(node.fn) ? node.fn.name : '';
    if (!FUNCTIONS.has(name)) throw new Error(`There is no function "${name || node.toString()}".`);
  }
  if (math.isAssignmentNode(node) && !math.isSymbolNode(node.object))
    throw new Error('Only variables can be assigned.');
}

/** Replaces a function of the calculator by one that rejects large arguments. */
function limitArguments(name: string, most: number): void {
  const original: unknown = Reflect.get(math, name);
  if (typeof original !== 'function') return;
  const limited = (...args: MathType[]): unknown => {
    for (const each of args) {
      const isLarge = (math.isBigNumber(each) || typeof each === 'number') && math.larger(math.abs(each), most);
      if (isLarge) throw new Error(`The arguments of "${name}" are limited to ${most}.`);
    }
    return original.apply(math, args);
  };
  math.import({ [name]: limited }, { override: true });
}

/** Several lines give a set of results. */
function getLast(value: unknown): unknown {
  return math.isResultSet(value) ? (value.entries.at(-1) ?? '') : value;
}

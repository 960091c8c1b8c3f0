import type { Rule } from 'eslint';

/** Names of functions: `create…Error` returns an error, `xOf` returns a property of its parameter. */
export const FUNCTION_NAMES = 'function-names';

/** What of a syntax tree the rule reads; ESLint has no types for the nodes of TypeScript. */
type Node = {
  type: string;
  name?: string;
  parent?: Node;
  key?: Node;
  id?: Node | null;
  params?: Node[];
  body?: Node | Node[] | null;
  value?: Node | null;
  init?: Node | null;
  argument?: Node | null;
  arguments?: Node[];
  expression?: Node;
  object?: Node;
  property?: Node;
  callee?: Node;
  returnType?: { typeAnnotation: Node } | null;
  typeName?: Node;
  right?: Node;
};

const ERROR_NAME = /^(?:create|to)\w*Error$/;
const GETTER_NAME = /^[a-z]\w*Of$/;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const WRAPPERS = new Set(['TSAsExpression', 'TSNonNullExpression', 'ChainExpression', 'ParenthesizedExpression']);

export const functionNames: Rule.RuleModule = {
  meta: {
    type: 'suggestion',
    schema: [{ type: 'object', properties: { exported: { type: 'array' } }, additionalProperties: false }],
    messages: {
      error: '{{name}} returns an error: call it create…Error, or to…Error if it converts what was thrown.',
      thrower: '{{name}} always throws: call it throw….',
      getter: '{{name}} does more than return a property of its parameter: call it get…, find…, read…, to… or is….',
    },
  },
  create(context) {
    const [{ exported = [] } = {}] = context.options as { exported?: string[] }[];
    const check = (named: Node | null | undefined, node: Node | null | undefined, isExported = false): void => {
      const name = named?.name;
      if (name === undefined || !node || !FUNCTIONS.has(node.type)) return;
      if (isExported && exported.includes(name)) return;
      const report = (messageId: string): void => context.report({ node: named as never, messageId, data: { name } });
      if (node.returnType?.typeAnnotation.type === 'TSNeverKeyword') {
        if (node.type === 'FunctionDeclaration' && endsThrowing(node) && !name.startsWith('throw')) report('thrower');
      } else if (createsError(node)) {
        if (!ERROR_NAME.test(name)) report('error');
      } else if (GETTER_NAME.test(name) && !isGetter(node)) report('getter');
    };
    return {
      FunctionDeclaration: (node: unknown) =>
        check((node as Node).id, node as Node, (node as Node).parent?.type === 'ExportNamedDeclaration'),
      VariableDeclarator: (node: unknown) =>
        check((node as Node).id, (node as Node).init, (node as Node).parent?.parent?.type === 'ExportNamedDeclaration'),
      MethodDefinition: (node: unknown) => check((node as Node).key, (node as Node).value),
      PropertyDefinition: (node: unknown) => check((node as Node).key, (node as Node).value),
      Property: (node: unknown) => check((node as Node).key, (node as Node).value),
    };
  },
};

/** Whether the return type is an error, or what is returned is a new one. */
function createsError(node: Node): boolean {
  const type = node.returnType?.typeAnnotation;
  if (type !== undefined) return /Error$/.test(lastName(type.typeName) ?? '');
  const { body } = node;
  if (!body || Array.isArray(body)) return false;
  if (body.type !== 'BlockStatement') return isNewError(body);
  return statements(node).some((each) => each.type === 'ReturnStatement' && isNewError(each.argument));
}

function isNewError(node: Node | null | undefined): boolean {
  const value = unwrap(node);
  if (value?.type === 'NewExpression') return /Error$/.test(lastName(value.callee) ?? '');
  const isAssign = value?.type === 'CallExpression' && lastName(value.callee) === 'assign';
  return isAssign && isNewError(value.arguments?.[0]);
}

function endsThrowing(node: Node): boolean {
  return statements(node).at(-1)?.type === 'ThrowStatement';
}

/** Whether it has one parameter and returns this, or a property of it, without computing anything. */
function isGetter(node: Node): boolean {
  const [parameter, ...others] = node.params ?? [];
  const { body } = node;
  if (parameter === undefined || others.length > 0 || !body || Array.isArray(body)) return false;
  const [only, ...more] =
    body.type === 'BlockStatement' ? statements(node) : [{ type: 'ReturnStatement', argument: body }];
  if (only?.type !== 'ReturnStatement' || more.length > 0) return false;
  let value = unwrap(only.argument);
  if (parameter.type === 'ObjectPattern') return value?.type === 'Identifier';
  let isProperty = false;
  for (; value?.type === 'MemberExpression'; value = unwrap(value.object)) isProperty = true;
  return isProperty && value?.type === 'Identifier' && value.name === parameter.name;
}

function statements({ body }: Node): Node[] {
  const inside = Array.isArray(body) ? body : body?.body;
  return Array.isArray(inside) ? inside : [];
}

function unwrap(node: Node | null | undefined): Node | null | undefined {
  let value = node;
  while (value && WRAPPERS.has(value.type)) value = value.expression;
  return value;
}

/** Of `a.b.NameError`, the last part. */
function lastName(node: Node | undefined): string | undefined {
  return node?.name ?? node?.property?.name ?? node?.right?.name;
}

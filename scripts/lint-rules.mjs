// This project's own rules for oxlint (see AGENTS.md, "Code").
const noBooleanParameter = {
  meta: { type: 'suggestion' },
  create(context) {
    /** A positional boolean means nothing at the call site: `close(true)`. */
    const check = (node) => {
      if (node.parent?.type === 'CallExpression' || isSetter(node)) return; // decided by the caller, or already named
      for (const parameter of node.params) {
        const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
        const isTyped = target.typeAnnotation?.typeAnnotation?.type === 'TSBooleanKeyword';
        const isDefault =
          parameter.type === 'AssignmentPattern' && typeof parameter.right.value === 'boolean';
        if (isTyped || isDefault)
          context.report({
            node: parameter,
            message: 'Pass booleans by name, in an options object.',
          });
      }
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

function isSetter(node) {
  return node.parent?.type === 'MethodDefinition' && node.parent.kind === 'set';
}

const maxPositional = {
  meta: { type: 'suggestion' },
  create(context) {
    const check = (node) => {
      // The caller determines a callback's parameters.
      if (node.parent?.type === 'CallExpression' || node.params.length <= 4) return;
      context.report({
        node,
        message: 'Functions take at most four positional parameters; use an options object for more.',
      });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

const castWithReason = {
  meta: { type: 'suggestion' },
  create(context) {
    const lines = context.sourceCode.text.split('\n');
    return {
      TSAsExpression(node) {
        if (node.typeAnnotation.type === 'TSTypeReference' && node.typeAnnotation.typeName.name === 'const')
          return;
        const { start, end } = node.loc;
        for (let line = start.line; line <= end.line; line++)
          if (/\/\/ \S|\/\* \S|^\s*\* \S/.test(lines[line - 1] ?? '')) return;
        context.report({ node, message: 'Give the reason for a cast in a comment on the same line.' });
      },
    };
  },
};

/** Module constants are used far from their declaration, where these names mean nothing. */
const vagueNames = new Set(
  (
    'all alike around atOnce beside chunk deepest endless every few first growth has jump known large largest last latest ' +
    'least longest many more most near newest none nothing page patience rest shortest silence slice slow ' +
    'smallest some special standard taken together used whole widest words'
  ).split(' '),
);

const constantNames = {
  meta: { type: 'suggestion' },
  create(context) {
    const isShown = /[\\/](?:src|demo)[\\/]/.test(context.filename) && !/\.test\./.test(context.filename);
    return {
      VariableDeclarator({ id, init, parent }) {
        if (id.type !== 'Identifier') return;
        const { name } = id;
        if (/^[A-Z][A-Z0-9_]+$/.test(name) && init?.value !== name)
          context.report({ node: id, message: 'Write constants in camelCase.' });
        const isOfModule = /^(?:Program|ExportNamedDeclaration)$/.test(parent.parent?.type ?? '');
        if (isShown && isOfModule && vagueNames.has(name))
          context.report({ node: id, message: 'Name the value: `maxRows`, not `most`.' });
      },
    };
  },
};

const loops = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement']);
const isFunction = (node) => /Function/.test(node?.type ?? '');
/** The function that `setTimeout` calls here: resolving an awaited promise (`sleep(5)`, `new Promise((done) => …)`). */
function waits(node) {
  let outer = node.parent;
  if (outer?.type === 'AwaitExpression') return true;
  while (isFunction(outer) || outer?.type === 'ExpressionStatement' || outer?.type === 'BlockStatement')
    outer = outer.parent;
  return outer?.type === 'NewExpression' && outer.callee.name === 'Promise';
}
function isLooking(node) {
  let outer = node.parent;
  while (outer && !loops.has(outer.type)) {
    // A promise's executor counts as the same place.
    if (isFunction(outer) && outer.parent?.type !== 'NewExpression') return false;
    outer = outer.parent;
  }
  if (outer === null || outer === undefined) return false;
  // A counting loop does not wait for a condition, unless it counts attempts.
  return outer.update?.type !== 'UpdateExpression' || outer.update.argument.name === 'tries';
}

/** A fixed wait is too short on a slow machine and too long everywhere else. */
const noFixedWait = {
  meta: { type: 'suggestion' },
  create(context) {
    const lines = context.sourceCode.text.split('\n');
    const names = new Set(['setTimeout']);
    return {
      ImportSpecifier({ imported, local, parent }) {
        if (imported.name === 'setTimeout' && parent.source.value === 'node:timers/promises')
          names.add(local.name);
      },
      CallExpression(node) {
        if (!names.has(node.callee.name) || !waits(node) || isLooking(node)) return;
        const isStopped = node.arguments.length > 2 && node.callee.name !== 'setTimeout';
        if (isStopped || /\/\/ \S/.test(lines[node.loc.end.line - 1] ?? '')) return;
        context.report({
          node,
          message: 'Wait for a condition (`until`), or give the reason for a fixed wait on the same line.',
        });
      },
    };
  },
};

/** Module state outlives every request: a comment above must justify it, so that no request state ends up there. */
const moduleState = {
  meta: { type: 'suggestion' },
  create(context) {
    const lines = context.sourceCode.text.split('\n');
    const isExplained = (line) =>
      /\/\/ \S/.test(lines[line - 1] ?? '') || /^\s*(?:\/\/|\/?\*)/.test(lines[line - 2] ?? '');
    return {
      VariableDeclarator({ init, parent, loc }) {
        const isOfModule = /^(?:Program|ExportNamedDeclaration)$/.test(parent.parent?.type ?? '');
        const isCollection =
          init?.type === 'NewExpression' &&
          /^(?:Map|Set)$/.test(init.callee.name) &&
          init.arguments.length === 0;
        if (!isOfModule || (parent.kind !== 'let' && !isCollection) || isExplained(loc.start.line)) return;
        context.report({
          node: parent,
          message: 'Explain module state in a comment; request state belongs in the request scope.',
        });
      },
    };
  },
};

export default {
  meta: { name: 'lookback' },
  rules: {
    'constant-names': constantNames,
    'max-positional': maxPositional,
    'no-boolean-parameter': noBooleanParameter,
    'cast-with-reason': castWithReason,
    'module-state': moduleState,
    'no-fixed-wait': noFixedWait,
  },
};

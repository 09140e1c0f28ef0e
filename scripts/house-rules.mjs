// Rules of this project's own for oxlint (see AGENTS.md, "Code").
const noBooleanParameter = {
  meta: { type: 'suggestion' },
  create(context) {
    /** A positional boolean says nothing where the function is called: `close(true)`. */
    const check = (node) => {
      if (node.parent?.type === 'CallExpression' || isSetter(node)) return; // the caller's, or with a name already
      for (const parameter of node.params) {
        const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
        const isTyped = target.typeAnnotation?.typeAnnotation?.type === 'TSBooleanKeyword';
        const isDefault =
          parameter.type === 'AssignmentPattern' && typeof parameter.right.value === 'boolean';
        if (isTyped || isDefault)
          context.report({
            node: parameter,
            message: 'A boolean is passed by its name: take an options object.',
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
      // A callback has the parameters that its caller gives.
      if (node.parent?.type === 'CallExpression' || node.params.length <= 3) return;
      context.report({ node, message: 'From the third argument on, functions take an options object.' });
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
        context.report({ node, message: 'A cast carries its reason in a comment on the line.' });
      },
    };
  },
};

/** A constant of a module is read far from where it stands: these say nothing there. */
const vagueNames = new Set(
  (
    'all alike around atOnce beside chunk deepest endless every few first growth has jump known large largest last latest ' +
    'least longest many more most near newest nobody none nothing page patience rest shortest silence slice slow ' +
    'smallest some special standard taken together told used whole widest words'
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
          context.report({ node: id, message: 'Constants are written in camelCase.' });
        const isOfModule = /^(?:Program|ExportNamedDeclaration)$/.test(parent.parent?.type ?? '');
        if (isShown && isOfModule && vagueNames.has(name))
          context.report({ node: id, message: 'The name says what the value is: `maxRows`, not `most`.' });
      },
    };
  },
};

const isWords = (text) => /\p{L}{2}/u.test(text) && !['lookback', 'UTC', 'URL'].includes(text.trim());
/** Whether it is written down as a name of the catalogue. */
function isPhrase(node, context) {
  let outer = node.parent;
  while (outer !== null && outer !== undefined && outer.type !== 'VariableDeclarator') outer = outer.parent;
  return outer?.type === 'VariableDeclarator' && /Phrase/.test(context.sourceCode.getText(outer.id));
}

const spokenAttributes = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label', 'words']);
const spokenFields = new Set(['label', 'title', 'caption', 'empty', 'text', 'words', 'detail']);

/** What a page says is in the catalogue: `say('…')`. The title of a panel is looked up where it is shown. */
const spokenText = {
  meta: { type: 'suggestion' },
  create(context) {
    const report = (node) =>
      context.report({ node, message: 'A text of the pages comes from the catalogue.' });
    return {
      JSXText: (node) => isWords(node.value) && report(node),
      JSXAttribute(node) {
        const isLiteral = node.value?.type === 'Literal' && isWords(String(node.value.value));
        // Of a query's own language, which is the same for everybody.
        if (isLiteral && spokenAttributes.has(node.name.name) && !/^[a-z]+$|\d/.test(node.value.value))
          report(node);
      },
      Property(node) {
        const { key, value, parent } = node;
        const isText =
          (value.type === 'Literal' && typeof value.value === 'string') || value.type === 'TemplateLiteral';
        const words =
          value.type === 'TemplateLiteral'
            ? value.quasis.map((part) => part.value.raw).join(' ')
            : value.value;
        const isPanel = parent.properties.some((other) => other.key?.name === 'id');
        if (isText && spokenFields.has(key.name) && !isPanel && isWords(words) && !isPhrase(node, context))
          report(node);
      },
    };
  },
};

export default {
  meta: { name: 'house' },
  rules: {
    'constant-names': constantNames,
    'max-positional': maxPositional,
    'spoken-text': spokenText,
    'no-boolean-parameter': noBooleanParameter,
    'cast-with-reason': castWithReason,
  },
};

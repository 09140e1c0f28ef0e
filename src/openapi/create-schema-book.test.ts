import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StandardSchema } from '#controller';
import {
  createSchemaBook,
  referencedNames,
  refersToRoot,
  rewriteReferences,
  type SchemaBook,
} from './create-schema-book.js';
import type { JsonSchema } from './open-api-document.js';
import fc from 'fast-check';

/** A schema that describes itself by the Standard JSON Schema interface. */
function described(input: JsonSchema, output: JsonSchema = input): StandardSchema {
  const standard = {
    version: 1 as const,
    vendor: 'own',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => input, output: () => output },
  };
  return { '~standard': standard };
}

function bookOf(shared: Readonly<Record<string, JsonSchema>> = {}): { book: SchemaBook; problems: string[] } {
  const problems: string[] = [];
  const onProblem = (problem: string): void => void problems.push(problem);
  return { book: createSchemaBook({ shared, jsonSchemaOf: undefined, onProblem }), problems };
}

const input = { direction: 'input', name: 'order.body' } as const;

const output = { direction: 'output', name: 'order.response' } as const;

const text = { type: 'string' };

const number = { type: 'number' };

describe('the schemas of a document', () => {
  it('have their parts as components, and no dialect of their own', () => {
    const { book, problems } = bookOf();
    const schema = described({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { $ref: '#/$defs/Item' },
      $defs: { Item: { type: 'object', properties: { tag: { $ref: '#/$defs/Tag' } } }, Tag: text },
    });
    assert.deepEqual(book.add(schema, input), {
      type: 'array',
      items: { $ref: '#/components/schemas/Item' },
    });
    assert.deepEqual(book.components, {
      Item: { type: 'object', properties: { tag: { $ref: '#/components/schemas/Tag' } } },
      Tag: text,
    });
    assert.deepEqual(problems, []);
  });

  it('share a part that is the same, and name it by its direction where it is not', () => {
    const { book } = bookOf();
    const withItem = (item: JsonSchema): JsonSchema => ({ $ref: '#/$defs/Item', $defs: { Item: item } });
    const schema = described(withItem(text), withItem(number));
    const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
    assert.deepEqual(book.add(schema, output), reference('Item'));
    assert.deepEqual(book.add(schema, output), reference('Item'));
    assert.deepEqual(book.add(schema, input), reference('ItemInput'));
    const third = described(withItem({ type: 'boolean' }));
    assert.deepEqual(book.add(third, input), reference('ItemInput2'));
    assert.deepEqual(book.components, { Item: number, ItemInput: text, ItemInput2: { type: 'boolean' } });
  });

  it('keep parts of one name apart whose own parts differ', () => {
    const { book } = bookOf();
    const nested = (leaf: JsonSchema): StandardSchema =>
      described({ $ref: '#/$defs/Item', $defs: { Item: { items: { $ref: '#/$defs/Leaf' } }, Leaf: leaf } });
    book.add(nested(text), input);
    book.add(nested(number), input);
    assert.deepEqual(book.components['Item'], { items: { $ref: '#/components/schemas/Leaf' } });
    assert.deepEqual(book.components['ItemInput'], { items: { $ref: '#/components/schemas/LeafInput' } });
    assert.deepEqual([book.components['Leaf'], book.components['LeafInput']], [text, number]);
  });

  it('that refer to themselves are components under the name of their place', () => {
    const { book } = bookOf();
    const tree = described({ type: 'object', properties: { children: { items: { $ref: '#' } } } });
    const reference = { $ref: '#/components/schemas/order.body' };
    assert.deepEqual(book.add(tree, input), reference);
    assert.deepEqual(book.components['order.body'], {
      type: 'object',
      properties: { children: { items: reference } },
    });
    assert.deepEqual(book.resolve(reference), book.components['order.body']);
  });

  it('never take the names of those that every document has, nor names that a component may not have', () => {
    const { book } = bookOf({ Problem: { type: 'object' } });
    const schema = described({
      allOf: [{ $ref: '#/$defs/Problem' }, { $ref: '#/$defs/a~1b c' }],
      $defs: { Problem: text, 'a/b c': number },
    });
    assert.deepEqual(book.add(schema, input), {
      allOf: [{ $ref: '#/components/schemas/ProblemInput' }, { $ref: '#/components/schemas/a_b_c' }],
    });
    assert.deepEqual(book.components['Problem'], { type: 'object' });
  });

  it('that cannot be described, or whose description fails, are any value and a problem', () => {
    const { book, problems } = bookOf();
    const plain = {
      '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) },
    };
    assert.deepEqual(book.add(plain, input), {});
    const failing = described({});
    Object.assign(failing['~standard'], {
      jsonSchema: {
        input: () => {
          throw new Error('no transforms');
        },
        output: () => ({}),
      },
    });
    assert.deepEqual(book.add(failing, input), {});
    assert.deepEqual(problems, [
      'order.body: schemas of own have no JSON Schema here. Give openApi a jsonSchemaOf.',
      'order.body: no transforms',
    ]);
  });

  it('are described by the function of the application first', () => {
    const problems: string[] = [];
    const book = createSchemaBook({
      shared: {},
      jsonSchemaOf: (_schema, direction) => ({ title: direction }),
      onProblem: (problem) => void problems.push(problem),
    });
    assert.deepEqual(book.add(described(text), output), { title: 'output' });
    assert.deepEqual(book.add(described(text), input), { title: 'input' });
    assert.deepEqual(problems, []);
  });

  it('resolve what is a component, and leave everything else as it is', () => {
    const { book } = bookOf({ Known: text });
    assert.equal(book.resolve({ $ref: '#/components/schemas/Known' }), book.components['Known']);
    for (const schema of [{ $ref: '#/components/schemas/None' }, { $ref: '#/elsewhere' }, text])
      assert.equal(book.resolve(schema), schema);
  });
});

const schema = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as StandardSchema;

// what a book needs

interface Bench {
  readonly book: SchemaBook;
  readonly problems: string[];
  add(raw: JsonSchema, name: string, direction?: 'input' | 'output'): JsonSchema;
}

function bench(shared: Readonly<Record<string, JsonSchema>> = {}): Bench {
  const problems: string[] = [];
  let next: JsonSchema | undefined;
  const book = createSchemaBook({
    shared,
    jsonSchemaOf: () => next,
    onProblem: (problem) => void problems.push(problem),
  });
  return {
    book,
    problems,
    add(raw, name, direction = 'input') {
      next = raw;
      return book.add(schema, { direction, name });
    },
  };
}

describe('components of a document', () => {
  const part = (title: string): JsonSchema => ({ type: 'object', title });

  it('with a name are components, once for what is the same', () => {
    const { book, add } = bench();
    const raw = { $ref: '#/$defs/Pet', $defs: { Pet: part('one') } };
    for (const name of ['a.body', 'b.body'])
      assert.deepEqual(add(raw, name), { $ref: '#/components/schemas/Pet' });
    assert.deepEqual(book.components, { Pet: part('one') });
    assert.deepEqual(book.resolve({ $ref: '#/components/schemas/Pet' }), part('one'));
  });

  it('of one name that differ get names of their own', () => {
    const { book, add } = bench();
    const refs = [];
    for (const [title, direction] of [
      ['one', 'input'],
      ['two', 'output'],
      ['three', 'output'],
      ['one', 'output'],
    ] as const)
      refs.push(add({ $ref: '#/$defs/Pet', $defs: { Pet: part(title) } }, 'x', direction)['$ref']);
    assert.deepEqual(
      refs.map((ref) => String(ref).replace('#/components/schemas/', '')),
      ['Pet', 'PetOutput', 'PetOutput2', 'Pet'],
    );
    assert.equal(Object.keys(book.components).length, 3);
  });

  it('differ also where only what they refer to differs, by whatever name', () => {
    for (const [inner, written] of [
      ['Owner', 'Owner'],
      ['shop/Owner', 'shop~1Owner'],
      ['Öwner', '%C3%96wner'],
    ] as const) {
      const { book, add } = bench();
      const raw = (title: string): JsonSchema => ({
        $ref: '#/$defs/Pet',
        $defs: { Pet: { properties: { owner: { $ref: `#/$defs/${written}` } } }, [inner]: part(title) },
      });
      const [first, second] = [add(raw('one'), 'a'), add(raw('two'), 'b')];
      assert.notEqual(first['$ref'], second['$ref'], `two owners of the name ${inner} are two`);
      const owners = [first, second].map((ref) => {
        const pet = book.resolve(ref)['properties'] as { owner: JsonSchema }; // as it was given
        return book.resolve(pet.owner)['title'];
      });
      assert.deepEqual(owners, ['one', 'two'], inner);
    }
  });

  it('that refer to themselves are components by their place', () => {
    const { book, add } = bench();
    const tree = { type: 'object', properties: { next: { $ref: '#' } } };
    assert.deepEqual(add(tree, 'node.body'), { $ref: '#/components/schemas/node.body' });
    assert.deepEqual(book.components['node.body'], {
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/node.body' } },
    });
  });

  it('shared ones keep their names; another of that name gives way', () => {
    const { book, add } = bench({ Problem: part('ours') });
    assert.deepEqual(add({ $ref: '#/$defs/Problem', $defs: { Problem: part('theirs') } }, 'x'), {
      $ref: '#/components/schemas/ProblemInput',
    });
    assert.deepEqual(book.components['Problem'], part('ours'));
  });

  it('that cannot be described are any value, and said', () => {
    const { add, problems, book } = bench();
    assert.deepEqual(add({ $ref: '#/$defs/%' }, 'broken.body'), {});
    assert.match(problems.join(), /^broken\.body: /);
    const silent = createSchemaBook({
      shared: {},
      jsonSchemaOf: undefined,
      onProblem: (problem) => void problems.push(problem),
    });
    assert.deepEqual(silent.add(schema, { direction: 'input', name: 'unknown.query' }), {});
    assert.match(problems.at(-1) ?? '', /unknown\.query: schemas of test have no JSON Schema here/);
    assert.deepEqual(book.resolve({ $ref: '#/components/schemas/None' }), {
      $ref: '#/components/schemas/None',
    });
  });
});

const prefix = '#/components/schemas/';

function rewrite(
  schema: JsonSchema,
  names: Readonly<Record<string, string>> = {},
  root = 'Root',
): JsonSchema {
  return rewriteReferences(schema, { names: new Map(Object.entries(names)), root, prefix });
}

describe('references of a JSON Schema', () => {
  it('to a part lead to its component, whichever keyword holds the parts', () => {
    const names = { Item: 'ItemInput', 'a/b': 'a_b' };
    assert.deepEqual(rewrite({ $ref: '#/$defs/Item' }, names), { $ref: `${prefix}ItemInput` });
    assert.deepEqual(rewrite({ $ref: '#/definitions/Item' }, names), { $ref: `${prefix}ItemInput` });
    assert.deepEqual(rewrite({ $ref: '#/$defs/a~1b' }, names), { $ref: `${prefix}a_b` });
    assert.deepEqual(rewrite({ $ref: '#/$defs/a%2Fb' }, names), { $ref: `${prefix}a_b` });
    assert.deepEqual(rewrite({ $ref: '#/$defs/Item/properties/id' }, names), {
      $ref: `${prefix}ItemInput/properties/id`,
    });
  });

  it('to the whole lead to the component of the whole, and those to elsewhere stay', () => {
    assert.deepEqual(rewrite({ items: { $ref: '#' } }), { items: { $ref: `${prefix}Root` } });
    assert.deepEqual(rewrite({ $ref: '#/properties/x' }), { $ref: `${prefix}Root/properties/x` });
    assert.deepEqual(rewrite({ $ref: 'https://example.org/s.json' }), { $ref: 'https://example.org/s.json' });
  });

  it('are found in lists and under names, and not in data', () => {
    const reference = { $ref: '#/$defs/A' };
    const rewritten = { $ref: `${prefix}B` };
    const names = { A: 'B' };
    assert.deepEqual(rewrite({ anyOf: [reference, { not: reference }] }, names), {
      anyOf: [rewritten, { not: rewritten }],
    });
    // The names of properties are the application's: one may be called like a keyword.
    assert.deepEqual(rewrite({ properties: { default: reference, $ref: reference } }, names), {
      properties: { default: rewritten, $ref: rewritten },
    });
    for (const keyword of ['default', 'const', 'example'])
      assert.deepEqual(rewrite({ [keyword]: reference }, names), { [keyword]: reference }, keyword);
    assert.deepEqual(rewrite({ enum: [reference], examples: [reference] }, names), {
      enum: [reference],
      examples: [reference],
    });
  });

  it('to the whole are distinguished from those to parts', () => {
    assert.equal(refersToRoot({ properties: { child: { $ref: '#' } } }), true);
    assert.equal(refersToRoot({ $ref: '#/properties/a' }), true);
    assert.equal(refersToRoot({ $ref: '#/$defs/A' }), false);
    assert.equal(refersToRoot({ default: { $ref: '#' } }), false);
    assert.equal(refersToRoot({ $ref: 'other.json' }), false);
  });

  it('name their parts, each as often as it is referred to', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/definitions/B' }],
      items: { $ref: '#/$defs/A' },
    };
    assert.deepEqual(referencedNames(schema), ['A', 'B', 'A']);
    assert.deepEqual(referencedNames({ $ref: '#' }), []);
  });
});

describe('rewriting references', () => {
  const name = fc.constantFrom('A', 'B', 'C');
  const schema = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.record({
        $ref: fc.oneof(
          name.map((one) => `#/$defs/${one}`),
          fc.constant('#'),
        ),
      }),
      fc.record({ type: fc.constantFrom('string', 'object') }),
      fc.record({ properties: fc.dictionary(fc.string(), tie('schema'), { maxKeys: 3 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.record({ default: fc.jsonValue(), items: tie('schema') }),
    ),
  })).schema;

  it('leaves none into the schema itself, changes nothing else, and takes nothing of what it was given', () => {
    fc.assert(
      fc.property(schema, (given) => {
        const before = JSON.stringify(given);
        const names = { A: 'A1', B: 'B1', C: 'C1' };
        const made = rewrite(given, names);
        assert.equal(JSON.stringify(given), before);
        assert.equal(refersToRoot(made) && !JSON.stringify(made).includes(prefix), false);
        assert.deepEqual(referencedNames(made), []);
        const back = JSON.stringify(made)
          .replaceAll(/"#\/components\/schemas\/([ABC])1"/g, '"#/$defs/$1"')
          .replaceAll(`"${prefix}Root"`, '"#"');
        assert.deepEqual(JSON.parse(back), JSON.parse(before));
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StandardSchema } from '#framework/controller';
import { createSchemaBook, type SchemaBook } from './create-schema-book.js';
import type { JsonSchema } from './open-api-document.js';
import fc from 'fast-check';

/** A schema that describes itself through the Standard JSON Schema interface. */
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

const schema = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as StandardSchema; // only the part that is used

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

describe('schemas in a document', () => {
  it('have their parts as components, without their own dialect', () => {
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

  it('share identical parts, and name different ones by direction', () => {
    const { book } = bookOf();
    const withItem = (item: JsonSchema): JsonSchema => ({ $ref: '#/$defs/Item', $defs: { Item: item } });
    const schema = described(withItem(text), withItem(number));
    const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
    assert.deepEqual(book.add(schema, output), reference('Item'));
    assert.deepEqual(book.add(schema, output), reference('Item'));
    assert.deepEqual(book.add(schema, input), reference('ItemInput'));
    const third = described(withItem({ type: 'boolean' }));
    assert.deepEqual(book.add(third, input), reference('ItemInput2'));
    assert.deepEqual(book.add(described(withItem(number)), input), reference('Item'));
    assert.deepEqual(book.components, { Item: number, ItemInput: text, ItemInput2: { type: 'boolean' } });
  });

  it('keep parts with the same name apart if their own parts differ', () => {
    const { book } = bookOf();
    const nested = (leaf: JsonSchema): StandardSchema =>
      described({ $ref: '#/$defs/Item', $defs: { Item: { items: { $ref: '#/$defs/Leaf' } }, Leaf: leaf } });
    book.add(nested(text), input);
    book.add(nested(number), input);
    assert.deepEqual(book.components['Item'], { items: { $ref: '#/components/schemas/Leaf' } });
    assert.deepEqual(book.components['ItemInput'], { items: { $ref: '#/components/schemas/LeafInput' } });
    assert.deepEqual([book.components['Leaf'], book.components['LeafInput']], [text, number]);
  });

  it('keep parts apart if only the parts that they refer to differ, however the reference is encoded', () => {
    for (const [inner, written] of [
      ['Owner', 'Owner'],
      ['shop/Owner', 'shop~1Owner'],
      ['Öwner', '%C3%96wner'],
    ] as const) {
      const { book, add } = bench();
      const raw = (title: string): JsonSchema => ({
        $ref: '#/$defs/Pet',
        $defs: {
          Pet: { properties: { owner: { $ref: `#/$defs/${written}` } } },
          [inner]: { type: 'object', title },
        },
      });
      const [first, second] = [add(raw('one'), 'a'), add(raw('two'), 'b')];
      assert.notEqual(first['$ref'], second['$ref'], `two owners named ${inner}`);
      const owners = [first, second].map((ref) => {
        const pet = book.resolve(ref)['properties'] as { owner: JsonSchema }; // unchanged
        return book.resolve(pet.owner)['title'];
      });
      assert.deepEqual(owners, ['one', 'two'], inner);
    }
  });

  it('that refer to themselves are components named by their position', () => {
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

  it('never take the names of shared components, or names that are invalid for a component', () => {
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

  it('that cannot be described, or whose description fails, accept any value and are reported', () => {
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
      'order.body: this own schema cannot be converted to JSON Schema. Pass jsonSchemaOf to openApi().',
      'order.body: no transforms',
    ]);
    assert.deepEqual(book.add(described({ $ref: '#/$defs/%' }), input), {});
    assert.match(problems.at(-1) ?? '', /^order\.body: /);
    assert.equal(problems.length, 3);
  });

  it("are described by the application's function first", () => {
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

  it('can be resolved from component references; everything else is left unchanged', () => {
    const { book } = bookOf({ Known: text });
    assert.equal(book.resolve({ $ref: '#/components/schemas/Known' }), book.components['Known']);
    for (const schema of [{ $ref: '#/components/schemas/None' }, { $ref: '#/elsewhere' }, text])
      assert.equal(book.resolve(schema), schema);
  });
});

describe('references in a JSON Schema', () => {
  const prefix = '#/components/schemas/';

  it('lead into a part, to the whole, or elsewhere', () => {
    const { add } = bench();
    const $defs = { Item: { properties: { id: { type: 'string' } } } };
    assert.deepEqual(add({ $ref: '#/$defs/Item/properties/id', $defs }, 'a'), {
      $ref: `${prefix}Item/properties/id`,
    });
    const { book, add: addTo } = bench();
    addTo({ properties: { x: { type: 'string' }, y: { $ref: '#/properties/x' } } }, 'whole');
    assert.deepEqual(book.components['whole']?.['properties'], {
      x: { type: 'string' },
      y: { $ref: `${prefix}whole/properties/x` },
    });
    const elsewhere = { items: { $ref: 'https://example.org/s.json' } };
    assert.deepEqual(add(elsewhere, 'b'), elsewhere);
  });

  it('are found in lists and by name, even for properties named like a keyword', () => {
    const { add } = bench();
    const reference = { $ref: '#/$defs/A' };
    const rewritten = { $ref: `${prefix}A` };
    const $defs = { A: { type: 'string' } };
    assert.deepEqual(add({ anyOf: [reference, { not: reference }], $defs }, 'a'), {
      anyOf: [rewritten, { not: rewritten }],
    });
    assert.deepEqual(add({ properties: { default: reference, $ref: reference }, $defs }, 'b'), {
      properties: { default: rewritten, $ref: rewritten },
    });
  });

  const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.record({ $ref: fc.constantFrom('#/$defs/A', '#/$defs/B', '#/$defs/C', '#') }),
      fc.record({ type: fc.constantFrom('string', 'object') }),
      fc.record({ properties: fc.dictionary(fc.string(), tie('schema'), { maxKeys: 3 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.record({ default: fc.jsonValue(), items: tie('schema') }),
    ),
  })).schema;

  it('all lead to components, nothing else is changed, and the original schema stays unchanged', () => {
    fc.assert(
      fc.property(schemas, (given) => {
        const { book, add } = bench();
        const $defs = { A: { title: 'a' }, B: { title: 'b' }, C: { title: 'c' } };
        const raw = { items: given, $defs };
        const before = JSON.stringify(raw);
        const added = add(raw, 'Root');
        assert.equal(JSON.stringify(raw), before);
        const made = book.resolve(added)['items'];
        const back = JSON.stringify(made)
          .replaceAll(/"#\/components\/schemas\/([ABC])"/g, '"#/$defs/$1"')
          .replaceAll(`"${prefix}Root"`, '"#"');
        assert.deepEqual(JSON.parse(back), JSON.parse(JSON.stringify(given)));
        for (const [, name] of JSON.stringify(made).matchAll(/"#\/components\/schemas\/(\w+)"/g))
          assert.ok(name !== undefined && name in book.components);
      }),
    );
  });
});

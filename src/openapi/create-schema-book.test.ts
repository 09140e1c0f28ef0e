import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StandardSchema } from '#controller';
import { createSchemaBook, type SchemaBook } from './create-schema-book.js';
import type { JsonSchema } from './open-api-document.js';

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
  it('have their parts as components, and no dialect of their own', async () => {
    const { book, problems } = bookOf();
    const schema = described({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { $ref: '#/$defs/Item' },
      $defs: { Item: { type: 'object', properties: { tag: { $ref: '#/$defs/Tag' } } }, Tag: text },
    });
    assert.deepEqual(await book.add(schema, input), {
      type: 'array',
      items: { $ref: '#/components/schemas/Item' },
    });
    assert.deepEqual(book.components, {
      Item: { type: 'object', properties: { tag: { $ref: '#/components/schemas/Tag' } } },
      Tag: text,
    });
    assert.deepEqual(problems, []);
  });

  it('share a part that is the same, and name it by its direction where it is not', async () => {
    const { book } = bookOf();
    const withItem = (item: JsonSchema): JsonSchema => ({ $ref: '#/$defs/Item', $defs: { Item: item } });
    const schema = described(withItem(text), withItem(number));
    const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
    assert.deepEqual(await book.add(schema, output), reference('Item'));
    assert.deepEqual(await book.add(schema, output), reference('Item'));
    assert.deepEqual(await book.add(schema, input), reference('ItemInput'));
    const third = described(withItem({ type: 'boolean' }));
    assert.deepEqual(await book.add(third, input), reference('ItemInput2'));
    assert.deepEqual(book.components, { Item: number, ItemInput: text, ItemInput2: { type: 'boolean' } });
  });

  it('keep parts of one name apart whose own parts differ', async () => {
    const { book } = bookOf();
    const nested = (leaf: JsonSchema): StandardSchema =>
      described({ $ref: '#/$defs/Item', $defs: { Item: { items: { $ref: '#/$defs/Leaf' } }, Leaf: leaf } });
    await book.add(nested(text), input);
    await book.add(nested(number), input);
    assert.deepEqual(book.components['Item'], { items: { $ref: '#/components/schemas/Leaf' } });
    assert.deepEqual(book.components['ItemInput'], { items: { $ref: '#/components/schemas/LeafInput' } });
    assert.deepEqual([book.components['Leaf'], book.components['LeafInput']], [text, number]);
  });

  it('that refer to themselves are components under the name of their place', async () => {
    const { book } = bookOf();
    const tree = described({ type: 'object', properties: { children: { items: { $ref: '#' } } } });
    const reference = { $ref: '#/components/schemas/order.body' };
    assert.deepEqual(await book.add(tree, input), reference);
    assert.deepEqual(book.components['order.body'], {
      type: 'object',
      properties: { children: { items: reference } },
    });
    assert.deepEqual(book.resolve(reference), book.components['order.body']);
  });

  it('never take the names of those that every document has, nor names that a component may not have', async () => {
    const { book } = bookOf({ Problem: { type: 'object' } });
    const schema = described({
      allOf: [{ $ref: '#/$defs/Problem' }, { $ref: '#/$defs/a~1b c' }],
      $defs: { Problem: text, 'a/b c': number },
    });
    assert.deepEqual(await book.add(schema, input), {
      allOf: [{ $ref: '#/components/schemas/ProblemInput' }, { $ref: '#/components/schemas/a_b_c' }],
    });
    assert.deepEqual(book.components['Problem'], { type: 'object' });
  });

  it('that nobody can describe, or whose description fails, are any value and a problem', async () => {
    const { book, problems } = bookOf();
    const plain = {
      '~standard': { version: 1 as const, vendor: 'own', validate: (value: unknown) => ({ value }) },
    };
    assert.deepEqual(await book.add(plain, input), {});
    const failing = described({});
    Object.assign(failing['~standard'], {
      jsonSchema: {
        input: () => {
          throw new Error('no transforms');
        },
        output: () => ({}),
      },
    });
    assert.deepEqual(await book.add(failing, input), {});
    assert.deepEqual(problems, [
      'order.body: schemas of own have no JSON Schema here. Give openApi a jsonSchemaOf.',
      'order.body: no transforms',
    ]);
  });

  it('are described by the function of the application first', async () => {
    const problems: string[] = [];
    const book = createSchemaBook({
      shared: {},
      jsonSchemaOf: (_schema, direction) => ({ title: direction }),
      onProblem: (problem) => void problems.push(problem),
    });
    assert.deepEqual(await book.add(described(text), output), { title: 'output' });
    assert.deepEqual(await book.add(described(text), input), { title: 'input' });
    assert.deepEqual(problems, []);
  });

  it('resolve what is a component, and leave everything else as it is', () => {
    const { book } = bookOf({ Known: text });
    assert.equal(book.resolve({ $ref: '#/components/schemas/Known' }), book.components['Known']);
    for (const schema of [{ $ref: '#/components/schemas/None' }, { $ref: '#/elsewhere' }, text])
      assert.equal(book.resolve(schema), schema);
  });
});

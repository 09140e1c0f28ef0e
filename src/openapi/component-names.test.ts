import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StandardSchema } from '#controller';
import { createSchemaBook, type SchemaBook } from './create-schema-book.js';
import type { JsonSchema } from './open-api-document.js';

const schema = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as StandardSchema; // what a book needs

interface Bench {
  readonly book: SchemaBook;
  readonly problems: string[];
  add(raw: JsonSchema, name: string, direction?: 'input' | 'output'): Promise<JsonSchema>;
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

  it('with a name are components, once for what is the same', async () => {
    const { book, add } = bench();
    const raw = { $ref: '#/$defs/Pet', $defs: { Pet: part('one') } };
    for (const name of ['a.body', 'b.body'])
      assert.deepEqual(await add(raw, name), { $ref: '#/components/schemas/Pet' });
    assert.deepEqual(book.components, { Pet: part('one') });
    assert.deepEqual(book.resolve({ $ref: '#/components/schemas/Pet' }), part('one'));
  });

  it('of one name that differ get names of their own', async () => {
    const { book, add } = bench();
    const refs = [];
    for (const [title, direction] of [
      ['one', 'input'],
      ['two', 'output'],
      ['three', 'output'],
      ['one', 'output'],
    ] as const)
      refs.push((await add({ $ref: '#/$defs/Pet', $defs: { Pet: part(title) } }, 'x', direction))['$ref']);
    assert.deepEqual(
      refs.map((ref) => String(ref).replace('#/components/schemas/', '')),
      ['Pet', 'PetOutput', 'PetOutput2', 'Pet'],
    );
    assert.equal(Object.keys(book.components).length, 3);
  });

  it('differ also where only what they refer to differs, by whatever name', async () => {
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
      const [first, second] = [await add(raw('one'), 'a'), await add(raw('two'), 'b')];
      assert.notEqual(first['$ref'], second['$ref'], `two owners of the name ${inner} are two`);
      const owners = [first, second].map((ref) => {
        const pet = book.resolve(ref)['properties'] as { owner: JsonSchema }; // as it was given
        return book.resolve(pet.owner)['title'];
      });
      assert.deepEqual(owners, ['one', 'two'], inner);
    }
  });

  it('that refer to themselves are components by their place', async () => {
    const { book, add } = bench();
    const tree = { type: 'object', properties: { next: { $ref: '#' } } };
    assert.deepEqual(await add(tree, 'node.body'), { $ref: '#/components/schemas/node.body' });
    assert.deepEqual(book.components['node.body'], {
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/node.body' } },
    });
  });

  it('shared ones keep their names; another of that name gives way', async () => {
    const { book, add } = bench({ Problem: part('ours') });
    assert.deepEqual(await add({ $ref: '#/$defs/Problem', $defs: { Problem: part('theirs') } }, 'x'), {
      $ref: '#/components/schemas/ProblemInput',
    });
    assert.deepEqual(book.components['Problem'], part('ours'));
  });

  it('that cannot be described are any value, and said', async () => {
    const { add, problems, book } = bench();
    assert.deepEqual(await add({ $ref: '#/$defs/%' }, 'broken.body'), {});
    assert.match(problems.join(), /^broken\.body: /);
    const silent = createSchemaBook({
      shared: {},
      jsonSchemaOf: undefined,
      onProblem: (problem) => void problems.push(problem),
    });
    assert.deepEqual(await silent.add(schema, { direction: 'input', name: 'unknown.query' }), {});
    assert.match(problems.at(-1) ?? '', /unknown\.query: schemas of test have no JSON Schema here/);
    assert.deepEqual(book.resolve({ $ref: '#/components/schemas/None' }), {
      $ref: '#/components/schemas/None',
    });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  describeViolation,
  type SchemaIssue,
  type StandardSchema,
  toViolation,
  validateInput,
  validateValue,
  ValidationError,
} from './validation-error.js';

type Rule = (value: unknown) => readonly SchemaIssue[];

const text: Rule = (value) => (typeof value === 'string' ? [] : [{ message: 'no text' }]);
const list =
  (of: Rule, atLeast = 0): Rule =>
  (value) => {
    if (!Array.isArray(value)) return [{ message: 'no list' }];
    if (value.length < atLeast) return [{ message: 'too few' }];
    return value.flatMap((one, at) => below(at, of(one)));
  };
const record =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (value) =>
    Object.entries(rules).flatMap(([key, rule]) =>
      below(key, rule((value as Record<string, unknown> | undefined)?.[key])),
    );

function below(key: PropertyKey, issues: readonly SchemaIssue[]): SchemaIssue[] {
  return issues.map(({ message, path = [] }) => ({ message, path: [{ key }, ...path] }));
}

function schemaOf(rule: Rule): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate(value) {
        const issues = rule(value);
        return issues.length === 0 ? { value: structuredClone(value) } : { issues };
      },
    },
  };
}

/** A form or query as parsed: with null-prototype records. */
function form(fields: Record<string, unknown>): unknown {
  return Object.assign(Object.create(null) as object, fields);
}

async function check(rule: Rule, value: unknown): Promise<unknown> {
  const result = await validateInput(schemaOf(rule), value);
  if (result.issues === undefined) return { ...(result.value as object) };
  return result.issues.map((issue) => describeViolation(toViolation(issue)));
}

describe('the lists of a form', () => {
  const tags = record({ tags: list(text), name: text });

  it('with one value look like a text, and become lists if the schema expects one', async () => {
    assert.deepEqual(await check(tags, form({ tags: 'a', name: 'b' })), { tags: ['a'], name: 'b' });
    assert.deepEqual(await check(tags, form({ tags: ['a', 'b'], name: 'b' })), {
      tags: ['a', 'b'],
      name: 'b',
    });
    const inner = record({ shop: tags });
    assert.deepEqual(await check(inner, form({ shop: form({ tags: 'a', name: 'b' }) })), {
      shop: { tags: ['a'], name: 'b' },
    });
  });

  it('without a value are missing, and become empty lists if the schema expects one', async () => {
    assert.deepEqual(await check(tags, form({ name: 'b' })), { tags: [], name: 'b' });
    assert.deepEqual(await check(record({ tags: list(text, 1) }), form({})), ['tags: too few']);
    const both = record({ tags: list(text), any: list(() => []) });
    assert.deepEqual(await check(both, form({ tags: 'a' })), { tags: ['a'], any: [] });
  });

  it('with one file become lists too', async () => {
    const file = { bytes: new Uint8Array(1) };
    assert.deepEqual(await check(record({ files: list(() => []) }), form({ files: file })), {
      files: [file],
    });
    const other = { bytes: 'text' };
    assert.deepEqual(await check(record({ files: list(() => []) }), form({ files: other })), [
      'files: no list',
    ]);
  });

  it('stay as sent if the schema refuses both forms', async () => {
    const value = form({ tags: 'a', age: 'old' });
    const age: Rule = (one) => (typeof one === 'number' ? [] : [{ message: `${typeof one} is no number` }]);
    const rule = record({ tags: list(text), age, missing: text });
    assert.deepEqual(await check(rule, value), ['age: string is no number', 'missing: no text']);
    assert.deepEqual({ ...(value as object) }, { tags: ['a'], age: 'old' });
    assert.deepEqual(await check(record({ age }), form({ age: 'old' })), ['age: string is no number']);
  });

  it('are not tried for other data, such as JSON', async () => {
    assert.deepEqual(await check(tags, { tags: 'a', name: 'b' }), ['tags: no list']);
    assert.deepEqual(await check(tags, { name: 'b' }), ['tags: no list']);
    assert.deepEqual(await check(() => [{ message: 'never' }], form({})), ['never']);
    assert.deepEqual(await check(record({ list: list(text) }), form({ list: [1] })), ['list[0]: no text']);
    for (const value of [null, undefined, 'a'])
      assert.deepEqual(await check(text, value), value === 'a' ? { 0: 'a' } : ['no text']);
  });
});

describe('validateValue', () => {
  it('returns the output, or throws with all issues', async () => {
    assert.equal(await validateValue(schemaOf(text), 'a'), 'a');
    await assert.rejects(validateValue(schemaOf(record({ a: text, b: list(text) })), { b: [1] }), (error) => {
      assert.ok(error instanceof ValidationError);
      assert.equal(error.message, 'a: no text\nb[0]: no text');
      assert.deepEqual(error.violations[0], { path: 'a', message: 'no text', code: 'invalid' });
      return true;
    });
  });
});

describe('a line about a violation', () => {
  it('names its part, except for the body, and its path', () => {
    const line = (part: 'body' | 'query' | undefined, ...path: PropertyKey[]): string =>
      describeViolation(toViolation({ message: 'no', path }, part));
    assert.deepEqual(
      [line(undefined), line('body', 'a', 0, 'b'), line('query', 'a'), line('query'), line('body')],
      ['no', 'a[0].b: no', 'query a: no', 'query: no', 'no'],
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Form } from '../model/section-part.js';
import { PackReader } from '../pack/pack-reader.js';
import { PackWriter } from '../pack/pack-writer.js';
import { compileAnyForm, compileForm } from './form.js';
import { guardReading } from './guard-reading.js';
import { formErrors } from './error-codes.js';
import { kinds, type KindTypes } from './kinds.js';
import { readSpanWord, registerSpan, spanCategoryOf, spanNameOf, spanWord } from './span-registry.js';
import { eventsOf, numbersOfSpan, readSpans, spanCode, spanEnd, timelineOf, writeSpans } from './spans.js';
import { fromTicks, toTicks } from './ticks.js';

/** Halves of surrogate pairs among them; made faster than the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

type Write = (out: PackWriter) => void;

function pieceOf(write: Write): ReturnType<PackReader['open']> {
  const out = new PackWriter();
  write(out);
  out.end();
  return new PackReader(out.seal()).open(0);
}

/** What a form gives back of a value, and that nothing is left behind it. */
function through(form: Form, value: unknown): unknown {
  const kind = compileAnyForm(form);
  const from = pieceOf((out) => {
    kind.write(out, value);
    out.number(77);
  });
  const read = kind.read(from);
  assert.deepEqual([from.number(), from.left], [77, 0], JSON.stringify(form));
  return read;
}

const anyText = fc.string({ unit: anyCharacter, maxLength: 20 });
const ms = fc.nat(10 ** 9).map(fromTicks);
const values: { readonly [Name in keyof KindTypes]: fc.Arbitrary<unknown> } = {
  flag: fc.boolean(),
  count: fc.maxSafeNat(),
  'count?': fc.option(fc.nat()),
  ms,
  offset: ms.map((value) => -value || 0),
  text: anyText,
  'text?': fc.option(anyText),
  word: anyText,
  'word?': fc.option(anyText),
  value: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  terms: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  taken: anyText.map((text) => ({ type: 'string', text })),
  'taken?': fc.option(anyText.map((text) => ({ type: 'string', text }))),
  headers: fc.array(fc.tuple(anyText, anyText), { maxLength: 5 }).map((pairs) => pairs.flat()),
  spans: fc.constant([]),
};

/** A form and a value of it: kinds, lists, what may be missing, fields. */
const formed: fc.Arbitrary<readonly [Form, unknown]> = fc.letrec<{ any: readonly [Form, unknown] }>(
  (tie) => ({
    any: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc
        .constantFrom(...Object.keys(kinds).filter((name) => name !== 'spans'))
        .chain((name) => values[name as keyof KindTypes].map((value) => [name, value] as const)), // a name of theirs
      tie('any').map(([form, value]) => [[form], [value, value]] as const),
      fc
        .tuple(tie('any'), fc.boolean())
        .map(([[form, value], isThere]) => [['?', form], isThere ? value : null] as const),
      fc
        .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('any')), {
          minLength: 1,
          maxLength: 3,
          selector: ([name]) => name,
        })
        .map((fields) => {
          const form = Object.fromEntries(fields.map(([name, [one]]) => [name, one]));
          const value = Object.fromEntries(fields.map(([name, [, one]]) => [name, one]));
          return [form, value] as const;
        }),
    ),
  }),
).any;

describe('each kind of field', () => {
  for (const [name, arbitrary] of Object.entries(values))
    if (name !== 'spans')
      it(`${name} comes back as it was given`, () => {
        fc.assert(
          fc.property(arbitrary, (value) => {
            assert.deepEqual(through(name, value), value);
          }),
          { numRuns: 30 },
        );
      });

  it('given something of another type keeps nothing of its kind', () => {
    const empty: Partial<Record<keyof KindTypes, unknown>> = {
      flag: false,
      count: 0,
      'count?': null,
      ms: 0,
      offset: 0,
      text: '',
      'text?': null,
      word: '',
      'word?': null,
      'taken?': null,
    };
    for (const [name, nothing] of Object.entries(empty))
      for (const value of [undefined, {}, [], () => 1]) {
        if (name === 'taken?' && value !== undefined) continue;
        assert.deepEqual(through(name, value), nothing, `${name} of ${typeof value}`);
      }
    for (const name of ['count', 'ms', 'offset']) assert.equal(through(name, Number.NaN), 0);
    assert.equal(through('count?', -1), null);
    assert.equal(through('count?', 0), 0);
  });

  it('times are kept to a tenth of a microsecond', () => {
    assert.equal(through('ms', 1.23456789), 1.2346);
    assert.equal(through('offset', -0.00004), 0);
    assert.equal(through('offset', -0.0001), -0.0001);
    assert.equal(fromTicks(toTicks(12.3456)), 12.3456);
  });

  it('headers with names that no header may have come back as well', () => {
    for (const flat of [['a\nb', '1', 'c', '2'], ['', ''], ['__proto__', 'x', '\ud800', '\udfff'], []])
      assert.deepEqual(through('headers', flat), flat);
  });
});

describe('forms of forms', () => {
  it('give back every value of theirs, and end where they should', () => {
    fc.assert(
      fc.property(formed, ([form, value]) => {
        assert.deepEqual(through(form, value), value);
      }),
      { numRuns: 100 },
    );
  });

  it('that end early at any byte are refused, never read beyond', () => {
    fc.assert(
      fc.property(formed, ([form, value]) => {
        const kind = compileAnyForm(form);
        const out = new PackWriter();
        kind.write(out, value);
        out.end();
        const whole = out.seal();
        for (let end = 0; end < whole.length; end++) {
          assert.throws(() => guardReading(() => kind.read(new PackReader(whole.subarray(0, end)).open(0))), {
            code: 'PROFILER_RECORD_DAMAGED',
          });
        }
      }),
      { numRuns: 15 },
    );
  });

  it('fields that are missing are nothing of their kind', () => {
    const form = { a: 'count', b: 'text', c: ['word'], d: ['?', 'value'], e: 'flag' } as const;
    const nothing = { a: 0, b: '', c: [], d: null, e: false };
    for (const value of [undefined, null, {}, 5, 'text']) assert.deepEqual(through(form, value), nothing);
  });

  it('deeper than 16 are refused, and those of 16 are not', () => {
    const nested = (depth: number): Form => (depth === 0 ? 'count' : [nested(depth - 1)]);
    assert.throws(() => compileAnyForm(nested(17)), { name: 'RangeError', message: 'A form is too deep.' });
    assert.deepEqual(through(nested(2), [[1, 2], []]), [[1, 2], []]);
    compileAnyForm(nested(16));
  });

  it('without a field are refused: a list of them could not be distinguished from damage', () => {
    for (const form of [{}, [{}], { a: { b: {} } }] as const)
      assert.throws(() => compileAnyForm(form), {
        name: 'RangeError',
        message: 'A form needs at least one field.',
      });
  });

  it('have their types where they are declared', () => {
    const kind = compileForm({ name: 'word', at: ['?', 'ms'], list: ['count'] });
    const from = pieceOf((out) => kind.write(out, { name: 'n', at: null, list: [3] }));
    const read: { name: string; at: number | null; list: readonly number[] } = kind.read(from);
    assert.deepEqual(read, { name: 'n', at: null, list: [3] });
  });
});

describe('reading what may be damaged', () => {
  it('gives one code for whatever is thrown, with its reason cut', () => {
    const thrown = (error: unknown): unknown => {
      try {
        return guardReading(() => {
          throw error;
        });
      } catch (caught) {
        return caught;
      }
    };
    const of = (error: unknown) => thrown(error) as Error & { code: string }; // each is one of ours
    assert.match(of(new RangeError('The bytes end early.')).message, /cannot be read: The bytes end early\./);
    assert.equal(of(new TypeError('x')).code, 'PROFILER_RECORD_DAMAGED');
    assert.match(of('a text').message, /unknown/);
    assert.match(of(null).message, /unknown/);
    assert.ok(of(new Error('y'.repeat(5000))).message.length < 600);
    const cause = new Error('below');
    assert.equal(of(cause).cause, cause);
  });

  it('leaves a newer record a newer record', () => {
    const newer = formErrors.create('PROFILER_RECORD_NEWER', { found: 9, known: 5 });
    assert.throws(
      () =>
        guardReading(() => {
          throw newer;
        }),
      newer,
    );
  });
});

describe('kinds of spans', () => {
  it('have one number each, whatever their names hold', () => {
    const kind = { name: 'a\0b', category: 'listener', event: 'request', priority: -5 };
    const id = registerSpan(kind);
    assert.equal(registerSpan({ ...kind }), id);
    assert.notEqual(registerSpan({ ...kind, priority: 5 }), id);
    assert.deepEqual(readSpanWord(spanWord(id)), kind);
    assert.deepEqual([spanNameOf(id), spanCategoryOf(id)], ['a\0b', 'listener']);
  });

  it('are cut to 300 characters, and then the same', () => {
    const id = registerSpan({ name: `${'n'.repeat(300)}first`, category: 'test' });
    assert.equal(registerSpan({ name: `${'n'.repeat(300)}second`, category: 'test' }), id);
    assert.equal(spanNameOf(id).length, 300);
  });

  it('unknown ones are further kinds', () => {
    assert.deepEqual([spanNameOf(999_999), spanCategoryOf(999_999)], ['further kinds', 'other']);
    assert.deepEqual(readSpanWord(''), { category: '', event: '', priority: 0, name: '' });
    assert.equal(readSpanWord(spanWord(-1)).name, 'further kinds');
  });
});

describe('spans of a record', () => {
  const [first, second] = ['one', 'two'].map((name) =>
    registerSpan({ name: `spans ${name}`, category: 'test' }),
  );
  const span = fc.record({
    id: fc.constantFrom(first ?? 0, second ?? 0),
    end: fc.constantFrom(...Object.values(spanEnd)),
    begin: fc.nat(10 ** 8),
    length: fc.nat(10 ** 8),
  });

  it('come back in their order with begin, duration and how they ended', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 20 }), (all) => {
        const numbers = all.flatMap(({ id, end, begin, length }) => [
          spanCode(id, end),
          begin,
          begin + length,
        ]);
        const read = readSpans(pieceOf((out) => writeSpans(out, { numbers, length: numbers.length })));
        assert.deepEqual(
          read.map(({ name, startMs, durationMs, end, open }) => ({ name, startMs, durationMs, end, open })),
          all.map(({ id, end, begin, length }) => ({
            name: spanNameOf(id),
            startMs: fromTicks(begin),
            durationMs: fromTicks(length),
            end,
            open: end === spanEnd.open ? true : undefined,
          })),
        );
      }),
    );
  });

  it('are only so many as the length says: the rest is of an earlier request', () => {
    const numbers = [spanCode(first ?? 0, 0), 1, 2, spanCode(second ?? 0, 0), 3, 4];
    const read = readSpans(pieceOf((out) => writeSpans(out, { numbers, length: numbersOfSpan })));
    assert.deepEqual(
      read.map(({ name }) => name),
      ['spans one'],
    );
  });

  it('show in a timeline nothing of what belongs to listeners alone', () => {
    const [read] = readSpans(
      pieceOf((out) => writeSpans(out, { numbers: [spanCode(first ?? 0, 0), 1, 2], length: 3 })),
    );
    assert.ok(read !== undefined);
    assert.deepEqual(Object.keys(timelineOf([read])[0] ?? {}).toSorted(), [
      'category',
      'durationMs',
      'name',
      'startMs',
    ]);
  });
});

describe('events of a record', () => {
  const base = { durationMs: 1, event: '', priority: 0, end: spanEnd.plain };
  const stage = (name: string, startMs: number, durationMs: number) => ({
    ...base,
    name,
    category: 'stage',
    startMs,
    durationMs,
  });
  const listener = (event: string, name: string, startMs: number, end: number = spanEnd.plain) => ({
    ...base,
    name,
    category: 'listener',
    event,
    startMs,
    end,
    priority: 10,
  });

  it('have the listeners that ran under the stage of their name', () => {
    const events = eventsOf([
      stage('request', 0, 5),
      listener('request', 'a', 0),
      listener('request', 'b', 1, spanEnd.stopped),
      stage('response', 6, 2),
      listener('response', 'c', 6, spanEnd.failed),
      { ...base, name: 'own', category: 'app', startMs: 3 },
    ]);
    assert.deepEqual(
      events.map(({ event, durationMs, listeners }) => [
        event,
        durationMs,
        listeners.map(({ name }) => name),
      ]),
      [
        ['request', 5, ['a', 'b']],
        ['response', 2, ['c']],
      ],
    );
    assert.deepEqual(
      events.flatMap(({ listeners }) => listeners.map(({ stopped, failed }) => [stopped, failed])),
      [
        [false, false],
        [true, false],
        [false, true],
      ],
    );
  });

  it('without a stage take as long as their listeners', () => {
    const [event] = eventsOf([listener('terminate', 'a', 10), listener('terminate', 'b', 14)]);
    assert.deepEqual([event?.event, event?.startMs, event?.durationMs], ['terminate', 10, 5]);
  });

  it('that came twice keep their listeners apart', () => {
    const events = eventsOf([
      stage('exception', 0, 1),
      listener('exception', 'a', 0),
      stage('exception', 5, 1),
      listener('exception', 'b', 5),
    ]);
    assert.deepEqual(
      events.map(({ listeners }) => listeners.map(({ name }) => name)),
      [['a'], ['b']],
    );
    assert.deepEqual(eventsOf([stage('response', 0, 0)])[0]?.durationMs, 0);
  });
});

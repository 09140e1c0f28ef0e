import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProfileCondition, ProfileTest } from '../model/profile-query.js';
import { formatTerm, parseQuery } from './parse-query.js';
import { findQueryField, hasWords, queryFields } from './query-fields.js';

/** Includes lone surrogates; generated faster than by the library's own unit. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const now = Date.UTC(2026, 10, 22, 12);

const collected = [
  { column: 'db.queries', kind: 'count' },
  { column: 'db.durationMs', kind: 'ms' },
  { column: 'db.repeated', kind: 'count', finding: 'N+1' },
] as const;

function testOf(query: string): ProfileTest | undefined {
  const { where, problems } = parseQuery(query, { now, collected });
  assert.deepEqual(problems, [], query);
  assert.equal(where.length, 1, query);
  return where[0]?.test;
}

describe('parseQuery', () => {
  it('parses fields, negations and texts', () => {
    const { where, terms, problems } = parseQuery('status:>=500 -path:/health* "full text" café', { now });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      where.map(({ columns, test, isNegated }) => [columns.length > 1 ? 'any' : columns[0], test, isNegated]),
      [
        ['status', { kind: 'numbers', ranges: [[500, null]] }, false],
        ['path', { kind: 'starts', texts: ['/health'] }, true],
        ['any', { kind: 'contains', texts: ['full text'] }, false],
        ['any', { kind: 'contains', texts: ['café'] }, false],
      ],
    );
    assert.deepEqual(
      terms.map(({ from, to, field }) => [from, to, field]),
      [
        [0, 12, 'status'],
        [13, 27, 'path'],
        [28, 39, ''],
        [40, 44, ''],
      ],
    );
  });

  it('parses numbers, with units, comparisons, ranges and alternatives', () => {
    for (const [query, ...ranges] of [
      ['status:404', [404, 404]],
      ['status:4xx,50x,0', [400, 499], [500, 509], [0, 0]],
      ['status:>499', [500, null]],
      ['status:<300', [null, 299]],
      ['logs:3..5', [3, 5]],
      ['logs:3..', [3, null]],
      ['logs:..5', [null, 5]],
      ['duration:200', [200, null]],
      ['time:>=1.5s', [1500, null]],
      ['TIME:<=2m', [null, 120_000]],
      ['duration:100us..1ms', [0.1, 1]],
      ['duration:=5ms', [5, 5]],
      ['queries:>10', [11, null]],
      ['db.queries:10', [10, 10]],
      ['durationMs:5', [5, null]],
      ['mail.sent:2', [2, 2]],
      ['after:10m', [now - 600_000, null]],
      ['before:1764000000000', [null, 1_764_000_000_000]],
      ['after:2026-01-31T10:00Z', [Date.UTC(2026, 0, 31, 10), null]],
      ['after:2026-01-31', [new Date(2026, 0, 31).getTime(), null]],
      ['before:"2026-01-31 10:00:05"', [null, new Date(2026, 0, 31, 10, 0, 5).getTime()]],
    ] as const)
      assert.deepEqual(testOf(query), { kind: 'numbers', ranges }, query);
  });

  it('parses names and texts, quoted if they contain special characters', () => {
    for (const [query, expected] of [
      ['route:blog_*', { kind: 'starts', texts: ['blog_'] }],
      ['route:a,b', { kind: 'is', texts: ['a', 'b'] }],
      ['route:"a,b"', { kind: 'is', texts: ['a,b'] }],
      ['route:"*"', { kind: 'is', texts: ['*'] }],
      ['route:*log*', { kind: 'contains', texts: ['log'] }],
      ['route:*', { kind: 'missing' }],
      ['path:=/a', { kind: 'is', texts: ['/a'] }],
      ['error:"say \\"no\\""', { kind: 'contains', texts: ['say "no"'] }],
      ['http://localhost/a,b', { kind: 'contains', texts: ['http://localhost/a,b'] }],
      ['"a:b"', { kind: 'contains', texts: ['a:b'] }],
      ['has:n+1', { kind: 'numbers', ranges: [[1, null]] }],
    ] as const)
      assert.deepEqual(testOf(query), expected, query);
    assert.equal(parseQuery('-user:!reader').where[0]?.isNegated, false);
    assert.equal(parseQuery('-has:error').where[0]?.isNegated, false);
  });

  it('reports what it does not understand, with its position and the alternatives', () => {
    for (const [query, at, words] of [
      ['a staus:404', [2, 7], /Did you mean “status”\?/],
      ['a rout:b', [2, 6], /Did you mean “route”\?/],
      ['zzz:1', [0, 3], /There is no field “zzz”. Fields: status, method/],
      ['status:4o4', [7, 10], /Use a code \(404\)/],
      ['x duration:soon', [11, 15], /Use a duration \(200ms, 1.5s\)/],
      ['status:', [6, 7], /Use a code/],
      ['logs:1.5', [5, 8], /Use a number/],
      ['has:luck', [4, 8], /Use one of error, log.*n\+1/],
      ['has:error,log', [4, 13], /has:a has:b/],
      ['route:a*b', [6, 9], /Use a name/],
      ['route:a,b*', [6, 10], /Use a name/],
      ['after:2026-02-31T99:00', [6, 22], /Use a period/],
      ['a "never ends', [2, 13], /never closed/],
      ['user:"never', [5, 11], /never closed/],
    ] as const) {
      const { problems } = parseQuery(query, { now, collected });
      assert.equal(problems.length, 1, query);
      assert.deepEqual([problems[0]?.from, problems[0]?.to], at, query);
      assert.match(problems[0]?.words ?? '', words);
    }
    assert.match(parseQuery('a '.repeat(60)).problems[0]?.words ?? '', /at most 50 parts/);
    assert.match(parseQuery('a'.repeat(2001)).problems[0]?.words ?? '', /at most 2,000 characters/);
  });

  it('accepts any text: each part is a condition or a problem, and positions are within the text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...queryFields(collected).map(({ example }) => example)),
      fc.constantFrom('-', ':', '"', '\\', ',', '*', 'status:', 'has:', '..', '>=', ' '),
      fc.string({ unit: anyCharacter, maxLength: 10 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom('', ' '), (pieces, space) => {
        const text = pieces.join(space);
        const { where, terms, problems } = parseQuery(text, { now, collected });
        assert.equal(where.length + problems.length, terms.length);
        for (const { from, to } of [...terms, ...problems])
          assert.ok(from >= 0 && from < to && to <= text.length, text);
        let end = 0;
        for (const term of terms) {
          assert.equal(text.slice(end, term.from).trim(), '');
          end = term.to;
        }
        assert.equal(text.slice(end).trim(), '');
        assert.deepEqual(JSON.parse(JSON.stringify(where)), where);
      }),
    );
  });

  it('gives a formatted part exactly its value', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 }), (value) => {
        const { where, problems } = parseQuery(`${formatTerm('user', value)} rest`);
        assert.deepEqual(problems, []);
        assert.deepEqual(where[0]?.test, { kind: 'is', texts: [value] });
        assert.equal(where.length, 2);
      }),
    );
  });

  it('understands every example', () => {
    for (const { example } of queryFields(collected)) testOf(example);
  });
});

const ownFields = [
  { column: 'db.queries', kind: 'count' },
  { column: 'db.durationMs', kind: 'ms' },
  { column: 'mail.sent', kind: 'count' },
  { column: 'sms.sent', kind: 'count', finding: 'Too many SMS' },
] as const;

const options = { now, collected: ownFields };

/** A value as it may be written, and its meaning. */
interface WrittenValue<Meaning> {
  readonly text: string;
  readonly means: Meaning;
}

type Range = readonly [number | null, number | null];

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

const count = fc.nat(999_999);

const countValue: fc.Arbitrary<WrittenValue<Range>> = fc.oneof(
  count.map((n) => ({ text: `${n}`, means: [n, n] as const })),
  count.map((n) => ({ text: `=${n}`, means: [n, n] as const })),
  count.map((n) => ({ text: `>${n}`, means: [n + 1, null] as const })),
  count.map((n) => ({ text: `>=${n}`, means: [n, null] as const })),
  count.map((n) => ({ text: `<${n}`, means: [null, n - 1] as const })),
  count.map((n) => ({ text: `<=${n}`, means: [null, n] as const })),
  fc.tuple(count, count).map(([a, b]) => ({ text: `${a}..${b}`, means: [a, b] as const })),
  count.map((n) => ({ text: `${n}..`, means: [n, null] as const })),
  count.map((n) => ({ text: `..${n}`, means: [null, n] as const })),
);

const units = { '': 1, us: 0.001, ms: 1, s: 1000, m: 60_000, MS: 1 } as const;

const duration = fc
  .tuple(fc.nat(99_999), fc.constantFrom(...Object.entries(units)))
  .map(([n, [unit, ms]]) => ({ text: `${n}${unit}`, ms: n * ms }));

const msValue: fc.Arbitrary<WrittenValue<Range>> = fc.oneof(
  duration.map(({ text, ms }) => ({ text, means: [ms, null] as const })),
  duration.map(({ text, ms }) => ({ text: `<${text}`, means: [null, ms - 0.0001] as const })),
  duration.map(({ text, ms }) => ({ text: `>${text}`, means: [ms + 0.0001, null] as const })),
  fc
    .tuple(duration, duration)
    .map(([a, b]) => ({ text: `${a.text}..${b.text}`, means: [a.ms, b.ms] as const })),
);

const statusValue: fc.Arbitrary<WrittenValue<Range>> = fc.oneof(
  countValue,
  fc.integer({ min: 1, max: 9 }).map((n) => ({ text: `${n}xx`, means: [n * 100, n * 100 + 99] as const })),
  fc.integer({ min: 10, max: 99 }).map((n) => ({ text: `${n}X`, means: [n * 10, n * 10 + 9] as const })),
);

const periods = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

const period = fc
  .tuple(fc.nat(9999), fc.constantFrom(...Object.entries(periods)))
  .map(([n, [unit, seconds]]) => ({ text: `${n}${unit}`, moment: now - n * seconds * 1000 }));

const numberFields: readonly (readonly [
  name: string,
  column: string,
  value: fc.Arbitrary<WrittenValue<Range>>,
])[] = [
  ['status', 'status', statusValue],
  ['logs', 'logs', countValue],
  ['errors', 'errors', countValue],
  ['duration', 'durationMs', msValue],
  ['time', 'durationMs', msValue],
  ['queries', 'db.queries', countValue],
  ['db.queries', 'db.queries', countValue],
  ['mail.sent', 'mail.sent', countValue],
  ['unknown.thingMs', 'unknown.thingMs', msValue],
  ['unknown.thing', 'unknown.thing', countValue],
  ['after', 'startedAt', period.map(({ text, moment }) => ({ text, means: [moment, null] as const }))],
  ['before', 'startedAt', period.map(({ text, moment }) => ({ text, means: [null, moment] as const }))],
];

const numbers = fc.constantFrom(...numberFields).chain(([name, column, value]) =>
  fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => ({
    name,
    columns: [column],
    text: values.map(({ text }) => text).join(','),
    test: { kind: 'numbers', ranges: values.map(({ means }) => means) } as ProfileTest,
  })),
);

const textFields = [
  ['route', ['route'], 'is'],
  ['user', ['user'], 'is'],
  ['method', ['method'], 'is'],
  ['path', ['path'], 'contains'],
  ['ERROR', ['errorClass', 'exception', 'errorLocation'], 'contains'],
  ['address', ['clientAddress'], 'contains'],
] as const;

const bare = fc.stringMatching(/^[a-z0-9_/.:é-]{1,8}$/).filter((text) => !/^(?:[=!<>*-]|\/\/)/.test(text));

const any = fc.string({ unit: anyCharacter, maxLength: 8 });

const textual = fc
  .tuple(fc.constantFrom(...textFields), fc.constantFrom('usual', 'starts', 'contains', 'is'))
  .chain(([[name, columns, usual], form]) =>
    fc.array(form === 'usual' ? fc.oneof(bare, any) : bare, { minLength: 1, maxLength: 3 }).map((texts) => {
      const kind = form === 'usual' ? usual : form;
      const write = (text: string): string => {
        if (form === 'starts') return `${text}*`;
        if (form === 'contains') return `*${text}*`;
        if (form === 'is') return `=${text}`;
        return quoted(text);
      };
      return {
        name,
        columns: [...columns],
        text: texts.map(write).join(','),
        test: { kind, texts } as ProfileTest,
      };
    }),
  );

const term = fc
  .tuple(fc.oneof(numbers, textual), fc.boolean(), fc.boolean())
  .map(([{ name, columns, text, test }, isNegated, isTurned]) => {
    const turned = isTurned && !text.startsWith('"');
    return {
      text: `${isNegated ? '-' : ''}${name}:${turned ? '!' : ''}${text}`,
      means: { columns, test, isNegated: isNegated !== turned } satisfies ProfileCondition,
    };
  });

describe('a query', () => {
  it('means what its parts mean, with anything between them', () => {
    const space = fc.stringMatching(/^[ \t\n]{1,3}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(term, space), { maxLength: 6 }), (parts) => {
        const text = parts.map(([{ text: one }, gap]) => `${one}${gap}`).join('');
        const { where, problems, terms } = parseQuery(text, options);
        assert.deepEqual(problems, [], text);
        assert.deepEqual(
          where,
          parts.map(([{ means }]) => means),
          text,
        );
        assert.deepEqual(
          terms.map(({ from, to }) => text.slice(from, to)),
          parts.map(([{ text: one }]) => one),
        );
        assert.deepEqual(
          terms.map(({ field }) => findQueryField(field, queryFields(ownFields))?.columns),
          where.map(({ columns }) => columns),
        );
      }),
      { numRuns: 120 },
    );
  });

  it('with one invalid part points at it, and keeps the others', () => {
    const wrong = fc.constantFrom<readonly [text: string, from: number, to: number]>(
      ['status:abc', 7, 10],
      ['duration:10parsec', 9, 17],
      ['after:yesterday', 6, 15],
      ['nofield:5', 0, 7],
      ['-sttus:404', 1, 6],
      ['route:"never ends', 6, 17],
      ['has:nothing', 4, 11],
      ['logs:', 4, 5],
      ['logs:,', 5, 6],
      ['route:a*b', 6, 9],
      ['route:a,b*', 6, 10],
      ['status:1..2..3', 7, 14],
    );
    fc.assert(
      fc.property(term, wrong, term, (first, [text, from, to], last) => {
        const before = `${first.text} `;
        const isOpen = text.includes('"');
        const { where, problems } = parseQuery(`${before}${text}${isOpen ? '' : ` ${last.text}`}`, options);
        assert.deepEqual(where, isOpen ? [first.means] : [first.means, last.means]);
        assert.deepEqual(
          problems.map((one) => [one.from - before.length, one.to - before.length]),
          [[from, to]],
          text,
        );
        assert.ok((problems[0]?.words.length ?? 0) > 10);
      }),
      { numRuns: 60 },
    );
  });

  it('beyond 2,000 characters, 50 parts or 50 values is rejected with a reason', () => {
    const long = parseQuery(`${'a '.repeat(10)}${'b'.repeat(2100)}`, options);
    assert.match(long.problems[0]?.words ?? '', /2,000/);
    assert.deepEqual([long.problems[0]?.from, long.problems[0]?.to], [2000, 2120]);
    const many = parseQuery('a '.repeat(60), options);
    assert.deepEqual([many.where.length, many.terms.length, many.problems.length], [50, 50, 1]);
    assert.match(many.problems[0]?.words ?? '', /50/);
    const values = parseQuery(`status:${Array.from({ length: 51 }, (_, at) => at).join(',')}`, options);
    assert.deepEqual([values.where.length, values.problems.length], [0, 1]);
  });

  it('finds a text with a colon that is not a known field only in quotation marks, and a URL as it is', () => {
    assert.equal(parseQuery('http://a.test/x', options).where[0]?.test.kind, 'contains');
    assert.equal(parseQuery('12:30', options).problems.length, 0);
    assert.equal(parseQuery('foo:bar', options).problems.length, 1);
    assert.equal(parseQuery('"foo:bar"', options).problems.length, 0);
    assert.deepEqual(parseQuery('-', options).where[0]?.test, { kind: 'contains', texts: ['-'] });
  });
});

describe('query values', () => {
  const testOf = (text: string): unknown => parseQuery(text, options).where[0]?.test;

  it('may be fractional for times, and nowhere else', () => {
    assert.deepEqual(testOf('duration:1.5s'), { kind: 'numbers', ranges: [[1500, null]] });
    assert.deepEqual(testOf('duration:..0.25ms'), { kind: 'numbers', ranges: [[null, 0.25]] });
    assert.equal(testOf('logs:1.5'), undefined);
    assert.equal(testOf('duration:1.2345678ms'), undefined);
  });

  it('are rejected for a range with an invalid end', () => {
    for (const text of ['status:1..x', 'status:x..1', 'duration:..', 'logs:..x'])
      assert.equal(testOf(text), undefined, text);
  });

  it('may be anything for a single star', () => {
    const [any] = parseQuery('user:*', options).where;
    assert.deepEqual(any, { columns: ['user'], test: { kind: 'missing' }, isNegated: true });
    assert.deepEqual(testOf('user:"*"'), { kind: 'is', texts: ['*'] });
    for (const text of ['user:*,a', 'user:a,*', 'user:**']) assert.equal(testOf(text), undefined, text);
  });

  it('without a field form one text, including commas and quotation marks', () => {
    assert.deepEqual(testOf('a,b'), { kind: 'contains', texts: ['a,b'] });
    assert.deepEqual(testOf('"a","b"'), { kind: 'contains', texts: ['"a","b"'] });
    assert.deepEqual(testOf('"a, b"'), { kind: 'contains', texts: ['a, b'] });
  });
});

describe('query fields', () => {
  it('are suggested for a misspelt name', () => {
    const suggestion = (name: string): string | undefined =>
      /“(\w+)”\?$/.exec(parseQuery(`${name}:5`, options).problems[0]?.words ?? '')?.[1];
    assert.deepEqual(
      ['statu', 'sttaus', 'sta', 'rout', 'roote', 'routes', 'vroute', 'stotuss', 'xyz', 'q'].map(suggestion),
      ['status', 'status', 'status', 'route', 'route', 'route', 'route', 'status', undefined, undefined],
    );
  });

  it('of sections are named by their last word if it is unambiguous', () => {
    const names = queryFields(ownFields)
      .slice(-4)
      .map(({ name }) => name);
    assert.deepEqual(names, ['queries', 'durationMs', 'mail.sent', 'sms.sent']);
    assert.equal(queryFields([{ column: 'own.status', kind: 'count' }]).at(-1)?.name, 'own.status');
  });

  it('are found by name, alias or column, in any case', () => {
    const fields = queryFields(ownFields);
    const columns = (name: string): unknown => findQueryField(name, fields)?.columns;
    assert.deepEqual(columns('Exception'), ['errorClass', 'exception', 'errorLocation']);
    assert.deepEqual(columns('durationMs'), ['durationMs']);
    assert.deepEqual(columns('db.durationMs'), ['db.durationMs']);
    assert.deepEqual(columns('QUERIES'), ['db.queries']);
    assert.deepEqual(columns('DURATIONMS'), ['db.durationMs']);
    for (const none of ['toString', '__proto__', 'constructor', '', '.', 'a.', '.b', 'a b.c'])
      assert.equal(columns(none), undefined, none);
  });

  it('`has` accepts section findings as one word', () => {
    assert.deepEqual(hasWords(ownFields).get('too-many-sms'), {
      columns: ['sms.sent'],
      test: { kind: 'numbers', ranges: [[1, null]] },
    });
    assert.deepEqual(parseQuery('-has:too-many-SMS', options).where[0]?.isNegated, true);
    assert.deepEqual(parseQuery('has:slow', options).where[0]?.test, {
      kind: 'numbers',
      ranges: [[1000, null]],
    });
    assert.equal(parseQuery('has:slow,error', options).problems.length, 1);
    assert.deepEqual(parseQuery('-has:error', options).where[0], {
      columns: ['errorClass'],
      test: { kind: 'missing' },
      isNegated: false,
    });
  });
});

describe('times in a query', () => {
  const moment = (text: string): number | null | undefined => {
    const test = parseQuery(`after:${/\s/.test(text) ? quoted(text) : text}`, options).where[0]?.test;
    return test?.kind === 'numbers' ? test.ranges[0]?.[0] : undefined;
  };

  it('are dates and times in the local time zone, or in the zone they name', () => {
    assert.equal(moment('2026-01-31'), new Date(2026, 0, 31).getTime());
    assert.equal(moment('2026-01-31T14:30'), new Date(2026, 0, 31, 14, 30).getTime());
    assert.equal(moment('2026-01-31 14:30:05'), new Date(2026, 0, 31, 14, 30, 5).getTime());
    assert.equal(moment('2026-01-31T14:30Z'), Date.UTC(2026, 0, 31, 14, 30));
    assert.equal(moment('2026-01-31T14:30:00.250+02:00'), Date.UTC(2026, 0, 31, 12, 30, 0, 250));
    assert.equal(moment('1767225600000'), 1_767_225_600_000);
    const today = new Date(now);
    assert.equal(
      moment('14:30'),
      new Date(today.getFullYear(), today.getMonth(), today.getDate(), 14, 30).getTime(),
    );
  });

  it('that do not exist are rejected', () => {
    for (const text of [
      '2026-13-01',
      '2026-01-32',
      '25:00',
      '10',
      '1e3',
      '5 minutes',
      '-5m',
      '2026-1-1',
      '14:3',
    ])
      assert.equal(moment(text), undefined, text);
  });
});

describe('a formatted part', () => {
  it('is parsed as its value for names and texts, and never as a comparison', () => {
    const value = fc.oneof(
      fc.constantFrom(
        '*',
        '!a',
        '=a',
        '>5',
        'a,b',
        'a"b',
        '\\',
        'a\\',
        '"',
        '-x',
        '//x',
        ' ',
        'a b',
        '4xx',
        'a*',
      ),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.constantFrom('route', 'path', 'error', 'note'), value, (field, text) => {
        const { where, problems } = parseQuery(formatTerm(field, text), options);
        assert.deepEqual(problems, []);
        const [{ test } = assert.fail('no condition')] = where;
        assert.deepEqual(test.kind !== 'numbers' && test.kind !== 'missing' && test.texts, [text]);
        assert.match(test.kind, /^(?:is|contains)$/);
      }),
    );
  });

  it('has quotation marks only if necessary', () => {
    assert.equal(formatTerm('route', 'blog_show'), 'route:blog_show');
    assert.equal(formatTerm('url', 'http://a.test/?a-b'), 'url:http://a.test/?a-b');
    assert.equal(formatTerm('route', 'a b'), 'route:"a b"');
    assert.equal(formatTerm('route', ''), 'route:""');
  });
});

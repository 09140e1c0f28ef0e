import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '../../../../test/without-marks.js';
import { redactJson } from './redact-json.js';
import { isPlainValue, labelTextOf } from './secret-names.js';

const redactor = {
  isSecretName: (name: string) => name === 'secret',
  text: (text: string) => text.replaceAll('GEHEIM', '[redacted]'),
};
const clean = (json: string): string => redactJson(json, redactor);

/** Redaction applied to the data itself, as a reference. */
function expected(value: unknown): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const isPair =
      value.length === 2 && value[0] === 'secret' && typeof value[1] === 'string' && value[1] !== '';
    return isPair ? ['secret', '[redacted]'] : value.map(expected);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [
      key,
      key === 'secret' && tells(member) ? '[redacted]' : key === 'secret' ? member : expected(member),
    ]),
  );
}

function tells(member: unknown): boolean {
  if (isPlainValue('secret', member)) return false;
  return !/^(?:null|true|false|""|\[\]|\{\})$/.test(JSON.stringify(member));
}

const leaf = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constant('a GEHEIM b'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom('secret', 'open'), fc.string({ maxLength: 4 })), tie('tree'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

describe('JSON without secrets', () => {
  it('has the same meaning except for the secrets, in any notation', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(0, 2), (value, indent) => {
        assert.deepEqual(
          JSON.parse(clean(JSON.stringify(value, null, indent))),
          JSON.parse(JSON.stringify(expected(value))),
        );
      }),
    );
  });

  it('contains no secret value, wherever it is truncated', () => {
    const json = JSON.stringify({
      open: [{ secret: 'GEHEIM-1', more: { secret: ['GEHEIM-2', { a: 'GEHEIM-3' }] } }],
    });
    for (let end = 0; end <= json.length; end++)
      assert.doesNotMatch(clean(json.slice(0, end)), /GEHEIM-?\d?/, json.slice(0, end));
  });

  it('stays byte for byte if there is nothing to hide', () => {
    for (const json of [
      '{ "a" : 1.50e3 , "b":"\\u0041\\/" }',
      '[]',
      '',
      '"open"',
      '{"secret": null}',
      '{"secret":""}',
      '{"a":"\\ud800"}',
      '{"a',
    ])
      assert.equal(clean(json), json);
  });

  it('hides a value whose label is a sibling, before or after it', () => {
    for (const [json, expected] of [
      ['[{"name":"secret","value":"x"}]', '[{"name":"secret","value":"[redacted]"}]'],
      [
        '{"value":12,"in":{"value":1},"key":"secret"}',
        '{"value":"[redacted]","in":{"value":1},"key":"secret"}',
      ],
      ['{"field" : "secret" , "val":"x', '{"field" : "secret" , "val":"[redacted]"'],
      ['{"name":"open","value":"x"},{"value":"y"}', '{"name":"open","value":"x"},{"value":"y"}'],
      ['["--secret","x","y"]', '["--secret","[redacted]","y"]'],
      ['["secret","x"]', '["secret","[redacted]"]'],
      ['["secret","x","y"]', '["secret","x","y"]'],
      ['["secret",1,"y"]', '["secret",1,"y"]'],
    ])
      assert.equal(clean(json ?? ''), expected);
  });

  it('hides GraphQL variables, default values and block strings, and keeps the document', () => {
    const { json } = createRedactor();
    const block = '"""';
    for (const [query, variables, expected] of [
      [
        'mutation L($p:String!){login(password:$p){t}}',
        { p: 'c4n4ry99' },
        'mutation L($p:String!){login(password:$p){t}}',
      ],
      ['query($t:String="c4n4ry99"){a(token:$t){b}}', {}, 'query($t:String="[redacted]"){a(token:$t){b}}'],
      [
        `mutation{login(password:${block}c4n4ry99${block}){t}}`,
        {},
        `mutation{login(password:${block}[redacted]${block}){t}}`,
      ],
    ] as const) {
      const answer = JSON.parse(json(JSON.stringify({ query, variables }))) as { query: string }; // same shape as the input
      assert.equal(answer.query, expected);
      assert.doesNotMatch(JSON.stringify(answer), /c4n4ry99/);
    }
  });

  it('hides values labelled as secret by a sibling and private members of web keys, and keeps harmless ones', () => {
    const { json } = createRedactor();
    for (const data of [
      [{ op: 'replace', path: '/user/password', value: 'c4n4ry' }],
      { field: 'password', old: 'c4n4ry', new: 'c4n4ry' },
      { field: 'token', from: 'c4n4ry', to: 'c4n4ry' },
      { type: 'password', value: 'c4n4ry' },
      { kty: 'EC', crv: 'P-256', d: 'c4n4ry' },
      { k: 'c4n4ry', kty: 'oct' },
      { headers: [['authorization', 'c4n4ry']] },
    ])
      assert.doesNotMatch(json(JSON.stringify(data)), /c4n4ry/, JSON.stringify(data));
    const open =
      '{"prompt_tokens":12,"max_tokens":50,"auth":"none","seed":7,"session":true,"type":"token","value":"x"}';
    assert.equal(json(open), open);
    assert.equal(
      json('{"pin":1234,"cvv":123,"otp":1}'),
      '{"pin":"[redacted]","cvv":"[redacted]","otp":"[redacted]"}',
    );
  });

  it('hides a token used as a name', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    assert.equal(
      createRedactor().json(`{"${token}":1,"b":{"${token}":"x"}}`),
      '{"[redacted]":1,"b":{"[redacted]":"x"}}',
    );
  });

  it('also redacts invalid JSON as text', () => {
    const { json } = createRedactor();
    for (const text of ["{'password':'c4n4ry'}", '{password: "c4n4ry"}', '{"a":1, token: c4n4ry1}'])
      assert.doesNotMatch(json(text), /c4n4ry/);
    assert.equal(json('[1.5e3, true, {"a": nul'), '[1.5e3, true, {"a": nul');
  });

  it('recognises a name in any escaping', () => {
    assert.equal(clean('{"\\u0073ecret" : "x"}'), '{"\\u0073ecret" : "[redacted]"}');
    assert.equal(clean('{"secret"\n:\t[1, [2]] , "a": 1}'), '{"secret"\n:\t"[redacted]" , "a": 1}');
  });
});

it('hides what is secret by its context in JSON within JSON', () => {
  const { json } = createRedactor();
  for (const data of [
    { kty: 'oct', k: 'CANARY1' },
    [{ name: 'password', value: 'CANARY1' }],
    [{ op: 'add', path: '/user/token', value: 'CANARY1' }],
    { headers: [['authorization', 'CANARY1']] },
  ])
    for (const outer of [{ data: JSON.stringify(data) }, [JSON.stringify(JSON.stringify(data))]])
      assert.doesNotMatch(json(JSON.stringify(outer)), /CANARY/, JSON.stringify(outer));
  const plain = JSON.stringify({
    data: JSON.stringify({ name: 'city', value: 'Zürich', k: 'v' }),
    text: '[see above]',
  });
  assert.equal(json(plain), plain);
});

it('hides what is secret by its context in JSON within free text', () => {
  const { text } = createRedactor();
  for (const data of [
    { kty: 'oct', k: 'CANARY1' },
    [{ name: 'password', value: 'CANARY1' }],
    [{ op: 'add', path: '/user/token', value: 'CANARY1' }],
    { headers: [['authorization', 'CANARY1']] },
  ])
    for (const space of [0, 2])
      for (const written of [
        `got ${JSON.stringify(data, null, space)} from "there"`,
        JSON.stringify(data, null, space),
      ])
        assert.doesNotMatch(text(written), /CANARY/, written);
  const plain = `the row {"name":"city","value":"Zürich"} of ["a","b"], it's "new": 5`;
  assert.equal(text(plain), plain);
});

it('hides members that a JSON Patch names by index, and values of alternating headers', () => {
  const { json } = createRedactor();
  for (const path of ['/passwords/0', '/user/token/-', '/credentials/0/value', '/a/password'])
    assert.doesNotMatch(json(`[{"op":"add","path":"${path}","value":"CANARY1a2b"}]`), /CANARY/, path);
  const plain =
    '[{"op":"add","path":"/names/0","value":"Ada"},{"rawHeaders":["Accept","text/html","Host","a.test"]}]';
  assert.equal(json(plain), plain);
  const headers = json(
    '{"rawHeaders":["Accept","text/html","Authorization","CANARY1","X-Api-Key","CANARY2"]}',
  );
  assert.equal(
    headers,
    '{"rawHeaders":["Accept","text/html","Authorization","[redacted]","X-Api-Key","[redacted]"]}',
  );
});

describe('the text of a label', () => {
  it('is a text or the names of a path, at most 300 characters', () => {
    assert.equal(labelTextOf('password'), 'password');
    assert.equal(labelTextOf(['users', 0, 'password']), 'users/0/password');
    assert.equal(labelTextOf('x'.repeat(301)), 'x'.repeat(300));
    assert.equal(labelTextOf(['x'.repeat(299), 'y']), `${'x'.repeat(299)}/`);
  });

  it('is undefined for a path of more than 20 names, and for anything that is not a name', () => {
    const names = Array.from({ length: 21 }, () => 'a');
    assert.equal(labelTextOf(names.slice(1)), names.slice(1).join('/'));
    for (const value of [names, ['a', {}], [['a']], { length: 0 }, 5, null])
      assert.equal(labelTextOf(value), undefined);
  });

  it('is undefined for a proxy, without a call of its traps', () => {
    const { proxy, revoke } = Proxy.revocable(['password'], {});
    const traps = { get: () => assert.fail('a trap was called') };
    assert.equal(labelTextOf(new Proxy(['password'], traps)), undefined);
    revoke();
    assert.equal(labelTextOf(proxy), undefined);
  });
});

describe('the rejected value in a validation error', () => {
  const { json, text } = createRedactor();
  for (const [what, error] of Object.entries({
    'Zod 3': { code: 'invalid_literal', path: ['user', 'password'], received: 'hunter2x' },
    'Zod 4': { code: 'custom', path: ['passwords', 0], input: 'hunter2x' },
    Ajv: { instancePath: '/user/password', keyword: 'minLength', data: 'hunter2x' },
    Yup: { path: 'user.password', originalValue: 'hunter2x', errors: [] },
    Joi: { path: ['password'], context: { value: 'hunter2x', key: 'password', label: 'password' } },
    FastAPI: { loc: ['body', 'password'], input: 'hunter2x', type: 'string_too_short' },
    'express-validator': { type: 'field', path: 'password', value: 'hunter2x', location: 'body' },
  }))
    it(`is hidden as ${what} reports it`, () => {
      for (const written of [JSON.stringify([error]), JSON.stringify(error, null, 2)]) {
        assert.doesNotMatch(json(written), /hunter2x/);
        assert.doesNotMatch(text(`invalid: ${written}`), /hunter2x/);
      }
    });

  it('is shown for another path', () => {
    const written = JSON.stringify({ path: ['user', 'name'], received: 'ada', list: ['password'] });
    assert.equal(json(written), written);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpRequest } from '#core/http';
import { z } from 'zod';
import { emptyForm, readForm } from './read-content.js';

const Registration = z
  .object({
    name: z.string().trim().min(1, 'Enter your name.').max(5, 'At most 5 characters.'),
    age: z.coerce.number('A number, please.').int(),
    address: z.object({ city: z.string().min(1, 'Enter a city.') }),
    tags: z.array(z.string().min(2, 'Too short.')).default([]),
  })
  .refine(({ name, tags }) => name !== tags[0], 'The name is taken.');

function post(body: string): HttpRequest {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(body);
  };
  return new HttpRequest({
    method: 'POST',
    target: '/',
    rawHeaders: ['Host', 'localhost', 'Content-Type', 'application/x-www-form-urlencoded'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
    body: { chunks },
  });
}

const plain = <Value extends object>(value: Value): Value => ({ ...value });

describe('readForm', () => {
  it("returns the schema's output and the submitted values", async () => {
    const form = await readForm(post('name=+ada+&age=36&address[city]=London&tags[]=ab'), Registration);
    assert.deepEqual(form.data, { name: 'ada', age: 36, address: { city: 'London' }, tags: ['ab'] });
    assert.deepEqual(plain(form.values), {
      name: ' ada ',
      age: '36',
      'address[city]': 'London',
      'tags[]': ['ab'],
    });
    assert.deepEqual(plain(form.errors), {});
  });

  it("returns each field's first problem by field name, and keeps the submitted values", async () => {
    const form = await readForm(post('name=&age=x&address[city]=&tags[]=ab&tags[]=c'), Registration);
    assert.equal(form.data, undefined);
    assert.deepEqual(plain(form.errors), {
      name: 'Enter your name.',
      age: 'A number, please.',
      'address[city]': 'Enter a city.',
      'tags[]': 'Too short.',
    });
    assert.equal(form.values['age'], 'x');
  });

  it("returns a problem with the whole form under an empty name, and a missing field's under its own", async () => {
    const taken = await readForm(post('name=ada&age=1&address[city]=x&tags[]=ada'), Registration);
    assert.deepEqual(plain(taken.errors), { '': 'The name is taken.' });
    const missing = await readForm(
      post('name=ada&age=1&address[city]=x'),
      z.object({ email: z.string('Missing.') }),
    );
    assert.deepEqual(plain(missing.errors), { email: 'Missing.' });
    assert.deepEqual(emptyForm({ name: 'x' }).values, { name: 'x' });
  });

  it('treats prototype names as fields', async () => {
    const form = await readForm(post('toString=x'), z.object({ name: z.string('Missing.') }));
    assert.equal(form.values['toString'], 'x');
    assert.equal(form.errors['constructor'], undefined);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import { z } from 'zod';
import { defineConfiguration, flag, text, url, wholeNumber } from '#configuration';

const read = (
  name: string,
  schema: Parameters<typeof defineConfiguration>[0][string],
  value?: string,
): unknown => defineConfiguration({ [name]: schema }, { variables: { [name]: value } })[name];

describe('defineConfiguration', () => {
  it('gives typed values, and defaults for what is not set', () => {
    const settings = defineConfiguration(
      {
        MAIL_URL: url({ schemes: ['smtp', 'smtps'] }),
        WORKERS: wholeNumber({ min: 1, max: 8, default: 2 }),
        DEBUG_MAIL: flag({ default: false }),
        LEVEL: z.enum(['low', 'high']).default('low'),
        TITLE: text({ optional: true }),
        SIZE: z.coerce.number().int().default(3),
        HOST_NAME: v.optional(v.string(), 'here'),
      },
      {
        variables: {
          MAIL_URL: 'smtp://mail:25',
          DEBUG_MAIL: 'Yes',
          TITLE: '  ',
        },
      },
    );
    const typed: {
      readonly MAIL_URL: string;
      readonly WORKERS: number;
      readonly LEVEL: 'low' | 'high';
      readonly SIZE: number;
    } = settings;
    assert.deepEqual(
      { ...typed },
      {
        MAIL_URL: 'smtp://mail:25',
        WORKERS: 2,
        DEBUG_MAIL: true,
        LEVEL: 'low',
        TITLE: undefined,
        SIZE: 3,
        HOST_NAME: 'here',
      },
    );
    assert.ok(Object.isFrozen(settings));
  });

  it('says of every variable what is wrong with it and what it takes', () => {
    assert.throws(
      () =>
        defineConfiguration(
          {
            PORT: wholeNumber({ min: 1, max: 9 }),
            MAIL_URL: url(),
            COUNT: z.string().min(5),
          },
          { variables: { PORT: 'abc', COUNT: 'abc' } },
        ),
      (error: Error & { code?: string; fix?: string }) => {
        assert.equal(error.code, 'CONFIGURATION_INVALID');
        assert.match(error.message, /PORT is "abc"\. Accepted: a whole number from 1 up to 9\./);
        assert.match(error.message, /MAIL_URL is not set\. Accepted: an absolute URL\./);
        assert.match(error.message, /COUNT is "abc"\. .*5/);
        return error.fix !== undefined;
      },
    );
  });

  it('shows no secret, whoever speaks of it', () => {
    const secret = 'hunter2-hunter2';
    for (const [name, schema, value] of [
      ['API_TOKEN', wholeNumber(), secret],
      ['PIECE', wholeNumber({ secret: true }), secret],
      ['DB_PASSWORD', v.picklist(['x']), secret], // Valibot repeats what it was given
      ['DATABASE_URL', url({ schemes: ['postgres'] }), `mysql://root:${secret}@db/x`],
    ] as const)
      assert.throws(
        () => read(name, schema, value),
        (error: Error) => error.message.includes(name) && !error.message.includes(secret),
        name,
      );
  });

  it('refuses a schema that would have to be waited for', () => {
    assert.throws(
      () =>
        read(
          'A',
          z.string().refine(() => Promise.resolve(true)),
          'a',
        ),
      { code: 'CONFIGURATION_ASYNC_SCHEMA' },
    );
  });

  it('numbers are what they are written as, or refused', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => read('N', wholeNumber(), String(value)) === value),
      { examples: [[0], [-1]] },
    );
    for (const value of ['1e3', '0x10', ' ', '1.5', '١', '1_000', '9'.repeat(40), '+1'])
      assert.throws(() => read('N', wholeNumber(), value), { code: 'CONFIGURATION_INVALID' }, value);
    fc.assert(
      fc.property(fc.string(), (value) => {
        try {
          return ['string', 'undefined'].includes(typeof read('T', text({ optional: true }), value));
        } catch (error) {
          return (error as { code?: string }).code === 'CONFIGURATION_INVALID'; // ours
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  createRecoveryCodes,
  hashRecoveryCode,
  createTotpSecret,
  findTotpStep,
  toBase32,
  totpCode,
  totpUri,
} from './totp-factor.js';

/** The key of the test vectors of RFC 6238, appendix B: `12345678901234567890`. */
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('time-based codes', () => {
  it('are those of RFC 6238, appendix B (the last six digits of its eight)', () => {
    const rows: [seconds: number, code: string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ];
    for (const [seconds, code] of rows) assert.equal(totpCode(rfcSecret, seconds * 1000), code.slice(2));
  });

  it('are good in their step, the one before and the one after, and in no other', () => {
    const time = 1_700_000_000_000;
    const step = Math.floor(time / 30_000);
    for (const [late, expected] of [
      [-2, undefined],
      [-1, step - 1],
      [0, step],
      [1, step + 1],
      [2, undefined],
    ] as const)
      assert.equal(
        findTotpStep(rfcSecret, totpCode(rfcSecret, time + late * 30_000), time),
        expected,
        `${late}`,
      );
  });

  it('change exactly every thirty seconds, and are always six digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 4_000_000_000 }), (seconds) => {
        const begin = Math.floor(seconds / 30) * 30_000;
        const code = totpCode(rfcSecret, begin);
        assert.match(code, /^\d{6}$/);
        assert.equal(totpCode(rfcSecret, begin + 29_999), code);
        assert.equal(findTotpStep(rfcSecret, code, begin), begin / 30_000);
      }),
    );
  });

  it('do not depend on how the secret is written', () => {
    const expected = totpCode(rfcSecret, 59_000);
    for (const text of [
      rfcSecret.toLowerCase(),
      rfcSecret.replace(/.{4}/g, '$& '),
      rfcSecret.replace(/.{4}(?=.)/g, '$&-'),
      `${rfcSecret}======`,
    ])
      assert.equal(totpCode(text, 59_000), expected, text);
  });

  it('of a secret that is none are refused, not computed', () => {
    for (const bad of ['', 'ABC', 'A'.repeat(15), 'A'.repeat(201), '1'.repeat(32), 'ÄÖÜ'.repeat(10)])
      assert.throws(() => totpCode(bad), { code: 'SECURITY_BAD_OPTION' }, bad);
  });

  it('have secrets of 160 bits, each of its own', () => {
    const secrets = new Set(Array.from({ length: 50 }, createTotpSecret));
    assert.equal(secrets.size, 50);
    for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/);
  });

  it('base32 is that of RFC 4648, section 10, without padding', () => {
    const rows = {
      '': '',
      f: 'MY',
      fo: 'MZXQ',
      foo: 'MZXW6',
      foob: 'MZXW6YQ',
      fooba: 'MZXW6YTB',
      foobar: 'MZXW6YTBOI',
    };
    for (const [text, encoded] of Object.entries(rows)) assert.equal(toBase32(Buffer.from(text)), encoded);
  });

  it('the URI carries any name, and reads back', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        (account, issuer) => {
          const uri = totpUri({ secret: rfcSecret, account, issuer });
          const read = new URL(uri);
          assert.equal(read.protocol, 'otpauth:');
          assert.equal(read.searchParams.get('secret'), rfcSecret);
          assert.equal(read.searchParams.get('issuer'), issuer);
          const [, label = ''] = /^otpauth:\/\/totp\/([^?]*)\?/.exec(uri) ?? [];
          assert.deepEqual(label.split(':').map(decodeURIComponent), [issuer, account]);
        },
      ),
    );
  });
});

describe('recovery codes', () => {
  it('are shown once, and stored as hashes of what someone types', () => {
    const { codes, hashes } = createRecoveryCodes();
    assert.equal(new Set(codes).size, 10);
    for (const [index, code] of codes.entries()) {
      assert.match(code, /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/);
      for (const typed of [
        code,
        code.toLowerCase(),
        code.replaceAll('-', ''),
        ` ${code.replaceAll('-', ' ')} `,
      ])
        assert.equal(hashRecoveryCode(typed), hashes[index]);
      assert.ok(!hashes.some((hash) => hash.includes(code.slice(0, 4))));
    }
    assert.equal(createRecoveryCodes(3).codes.length, 3);
  });
});

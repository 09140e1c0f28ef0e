import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from './create-redactor.js';

const redactor = createRedactor();
const secret = 'c4n4ry';
const part = (disposition: string, value = secret, more = ''): string =>
  `--b\r\n${more}${disposition}\r\n\r\n${value}\r\n`;
const named = (name: string): string => `Content-Disposition: form-data; ${name}`;
const whole = (...parts: readonly string[]): string => `${parts.join('')}--b--\r\n`;

describe('multipart bodies', () => {
  it('keep everything but the content of secret parts', () => {
    const text = whole(part(named('name="password"')), part(named('name="title"'), 'A day'));
    assert.equal(
      redactor.multipart(text, 'b'),
      whole(part(named('name="password"'), '[redacted]'), part(named('name="title"'), 'A day')),
    );
  });

  it('hide secret parts in every spelling that a parser takes', () => {
    const dispositions = [
      named('name="password"'),
      named('NAME="password"'),
      named('name = "password"'),
      named('name=password'),
      named('\tname="password"'),
      named("name*=utf-8''password"),
      named("name*=utf-8'en'p%61ssword"),
      named("name*=utf-16le''p%00a%00s%00s%00w%00o%00r%00d%00"),
      named('name="p%61ssword"'),
      named('name="a\\"password"'),
      named('name="user[password]"'),
      named('name=pass"word"'),
      named('name="password"x; a=b'),
      named('name="x"; name="password"'),
      named('filename="a" "; name="password"'),
      named('name*0=pass; name*1=word'),
      named(`filename="${'x'.repeat(2000)}"; name="password"`),
      named('a="b";\r\n name="password"'),
      'content-disposition:form-data; name="password"',
      'CONTENT-DISPOSITION: form-data; name="password"',
      'Content-Disposition: form-data',
      'Content-Type: text/plain',
      'nothing that is a head',
    ];
    for (const disposition of dispositions) {
      const text = whole(part(named('name="a"'), 'kept'), part(disposition), part(named('name="z"'), 'last'));
      const clean = redactor.multipart(text, 'b');
      assert.doesNotMatch(clean, /c4n4ry/, disposition);
      assert.match(clean, /kept[^]*last/, disposition);
    }
  });

  it('hide them below many head lines, with line ends and dashes in the value, cut off, and without a boundary', () => {
    const many = 'X-A: b\r\n'.repeat(19);
    const texts = [
      whole(part(named('name="password"'), secret, many)),
      whole(part(named('name="password"'), `a\r\n--${secret}\r\n--\r\n${secret}`)),
      whole(part(named('name="password"'), `a\n--b\n${secret}\r\n\r\n--a\r\n${secret}`)),
      part(named('name="password"')).trimEnd(),
      `preamble\r\n${whole(part(named('name="password"')))}`,
      whole(part(named('name="password"'))).replaceAll('\r\n', '\n'),
      `--b\r\n${named('name="password"')}\r\n${secret}`,
    ];
    for (const text of texts) assert.doesNotMatch(redactor.multipart(text, 'b'), /c4n4ry/, text);
    for (const boundary of [undefined, '', 'other'])
      assert.doesNotMatch(redactor.multipart(whole(part(named('name="password"'))), boundary), /c4n4ry/);
  });

  it('look into the content of other parts', () => {
    const json = '{"password":"c4n4ry","a":1}';
    const text = whole(part(named('name="data"'), json), part(named('name="note"'), 'token=c4n4ry'));
    const clean = redactor.multipart(text, 'b');
    assert.doesNotMatch(clean, /c4n4ry/);
    assert.match(clean, /"a":1/);
  });

  it('are never longer in work than in text, whatever they are made of', () => {
    const units = [
      'name=',
      '--b\r\n',
      '\r\n--b',
      'name="',
      '\r\n\t',
      ';',
      '\\"',
      ': ',
      '\r\n\r\n',
      "name*=a'b'",
    ];
    for (const start of ['', `--b\r\n${named('')}`])
      for (const some of units)
        for (const other of units) {
          const text = start + (some + other).repeat(65_536 / (some.length + other.length));
          // Of the processor, which is less than what passes where something else runs beside.
          const begun = process.cpuUsage();
          redactor.multipart(text, 'b');
          const took = process.cpuUsage(begun).user / 1000;
          assert.ok(took < 250, `${JSON.stringify(some + other)}: ${took} ms`);
        }
  });

  it('any text: no secret value comes through under its name', () => {
    const filler = fc.stringMatching(/^[a-z :;="\\\r\n-]{0,40}$/);
    fc.assert(
      fc.property(filler, filler, (before, value) => {
        fc.pre(!before.includes('--b') && !value.includes('\r\n--b'));
        const text = whole(
          part(named(`x="${before.replaceAll(/["\r\n\\]/g, '')}"; name="token"`), value + secret),
        );
        assert.doesNotMatch(redactor.multipart(text, 'b'), /c4n4ry/);
      }),
    );
  });
});

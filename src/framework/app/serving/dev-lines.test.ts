import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { flattenError } from '#core/errors';
import { type DevEntry, renderDevLines } from './dev-lines.js';

const entry: DevEntry = {
  method: 'GET',
  target: '/orders',
  status: 200,
  milliseconds: 15.2,
  completed: true,
  link: 'http://127.0.0.1:8000/_profiler/9d5400',
  report: undefined,
};

const settings = new Error('The settings cannot be read', { cause: new SyntaxError('Expected a property') });

describe('the lines for developers', () => {
  it('have columns, and end in the token, in an 80-column terminal', () => {
    const lines = [
      entry,
      {
        ...entry,
        status: 404,
        target: '/a/very/long/path/that/has/no/room/in/its/column',
        milliseconds: 1203,
      },
      { ...entry, status: 422, method: 'DELETE', report: flattenError(new Error('Not a date'), {}) },
    ].map((one) => stripVTControlCharacters(renderDevLines(one, 80)).trimEnd());
    for (const line of lines) assert.ok(line.length <= 80, line);
    assert.match(lines[0] ?? '', /^200 GET {3}\/orders +15\.2 ms +9d5400$/);
    assert.match(lines[1] ?? '', /^404 GET {3}\/a\/very\S*…\S*column +1203 ms +9d5400$/);
    assert.match(lines[2] ?? '', /^422 DELETE \/orders +15\.2 ms +Not a date +9d5400$/);
    assert.equal(new Set(lines.slice(0, 2).map((line) => line.indexOf('9d5400'))).size, 1);
  });

  it('suggest a similar route for an unmatched path, or say that no route matches', () => {
    const miss = { ...entry, status: 404, target: '/helo/x' };
    const textOf = (nearest: string, columns?: number): string =>
      stripVTControlCharacters(renderDevLines({ ...miss, nearest }, columns));
    assert.match(
      textOf('/hello/{name}', 80),
      /^404 GET {3}\/helo\/x +15\.2 ms {2}did you mean \/hello\/\{name\}\? +9d5400\n$/,
    );
    assert.match(textOf('', 80), /15\.2 ms {2}no route matches +9d5400\n$/);
    assert.match(textOf('/hello/{name}'), /9d5400\n {9}did you mean \/hello\/\{name\}\?\n$/);
    assert.match(textOf(''), /9d5400\n$/);
  });

  it('name what a controller did not find, unless the status already says it', () => {
    const lines = ['No such product', 'Not Found'].map((message) =>
      renderDevLines({ ...entry, status: 404, report: flattenError(new Error(message), {}) }, 80),
    );
    assert.match(lines[0] ?? '', /No such product/);
    assert.doesNotMatch(lines[1] ?? '', /Not Found/);
  });

  it("explain a slow request below its line, within the terminal's width", () => {
    const finding =
      '“takeTime” waited 1.20 s of 1.24 s for something that lookback does not watch, from shop.mjs:4';
    const slow = { ...entry, milliseconds: 1240, finding };
    const lines = renderDevLines(slow, 80).trimEnd().split('\n');
    assert.deepEqual(
      lines
        .slice(1)
        .map((line) => stripVTControlCharacters(line).trim())
        .join(' '),
      finding,
    );
    for (const line of lines) assert.ok(stripVTControlCharacters(line).length < 80, line);
    assert.equal(renderDevLines(slow).split('\n')[1], `         ${finding}`);
    assert.ok(!renderDevLines({ ...slow, finding: 'a\u001b[2J' }, 80).includes('\u001b[2J'));
  });

  it('have the status colour, and a link to the record behind its token', () => {
    const codes = [200, 404, 500].map((status) => /\d+/.exec(renderDevLines({ ...entry, status }, 80))?.[0]);
    assert.deepEqual(codes, ['32', '33', '31']);
    assert.ok(renderDevLines(entry, 80).includes(`\u001b]8;;${entry.link}\u001b\\9d5400\u001b]8;;\u001b\\`));
    const wrong = { ...entry, link: 'http://a\u001b]0;x\u0007/_profiler/9d5400' };
    assert.ok(!renderDevLines(wrong, 80).includes('\u0007'));
  });

  it('name the innermost error first, then the one that the client received', () => {
    const report = { ...flattenError(settings, {}), status: 500 };
    const text = stripVTControlCharacters(renderDevLines({ ...entry, status: 500, report }, 80));
    assert.match(text, /\n {4}SyntaxError: Expected a property\n/);
    assert.match(text, /\n {4}as Error: The settings cannot be read {2}what the client got\n$/);
    const plain = renderDevLines({ ...entry, status: 500, report });
    assert.equal(stripVTControlCharacters(plain), plain);
    assert.match(plain, /^GET {5}\/orders {2}500 {2}15\.2 ms {2}http:\S+\/9d5400\n {9}SyntaxError: /);
  });
});

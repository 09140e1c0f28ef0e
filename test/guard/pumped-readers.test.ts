import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDump, createRedactor } from '#core/dump';
import { flattenError, parseStack, pathOfFile, renderErrorAnswer } from '#core/errors';
import { HttpRequest, parseCookies, parseHost, parseMediaType } from '#core/http';
import { createLogger, createStreamLogHandler } from '#core/log';
import { negotiateType, parseQualityValues } from '#core/negotiation';
import { parseQuery, parseSort } from '#profiler';
import { say } from '#core/phrases';
import { createCatalogue } from '#framework/locale';
import { shapeOf } from '../../src/profiler/sections/database/repeated.js';
import { readParsed, fieldsOfHead, typeOfHead } from '../../src/profiler/encoding/read-message.js';
import { formatSql } from '../../src/profiler/sections/database/format-sql.js';
import { renderCurl } from '../../src/profiler/web/reports/render-curl.js';
import { parseTraceparent } from '../../src/profiler/model/request-trace.js';
import { parseByteRange, contentDisposition } from '../../src/framework/web/file-content.js';
import { parseTargetPath } from '../../src/framework/security/login/target-path.js';
import {
  assertLinear,
  atomsOfFiles,
  compiledFiles,
  createRandom,
  findGrowth,
  patternsIn,
  pumpOf,
  pumpsOfPattern,
  searchPumps,
} from '../pumps.js';

/** Patterns that never see unbounded foreign text, each with the reason. */
const bounded: Readonly<Record<string, string>> = {
  'core/routing/pattern/requirement.js': "the requirements in the application's own routes",
  'core/routing/define/route-collection.js': "the paths of the application's own routes",
  'core/html/safe-html.js': 'markup rendered here, in which text from outside is escaped',
  'profiler/web/toolbar/add-toolbar.js': 'the last 4 KB of a page',
};

const redactor = createRedactor();
const dumpValue = createDump({ redactor });
const redaction = compiledFiles('core/dump/redaction');

const posted = {
  method: 'POST',
  httpVersion: '1.1',
  peer: { address: '127.0.0.1', port: 1, encrypted: false },
};

function ask(name: string, value: string): void {
  const rawHeaders = ['Host', 'a', name, value];
  const trust = { isTrustedProxy: () => true, namesHosts: true, isAllowedHost: () => true };
  const request = new HttpRequest({ ...posted, target: '/', rawHeaders }, { trust });
  for (const read of [
    () => request.clientAddress,
    () => request.mediaType,
    () => request.cookies,
    () => request.origin,
  ])
    try {
      read();
    } catch {
      // Most of the repeated text is refused.
    }
}

const logged = createStreamLogHandler({ write: () => true }, { redactor });
const logger = createLogger({ handlers: [logged] }).channel('app');

interface Reader {
  readonly read: (text: string) => unknown;
  /** Compiled sources with the characters that matter to the parser. */
  readonly files: readonly string[];
}

const headers = compiledFiles('core/http/headers');
const stacks = compiledFiles('core/errors/source');

const readers: Readonly<Record<string, Reader>> = {
  'redaction of text': { read: (text) => redactor.text(text), files: redaction },
  'redaction of statements': {
    read: (text) => redactor.text(`insert into t (password) values (${text}`, { statements: 'named' }),
    files: ['core/dump/redaction/redact-sql.js'],
  },
  'redaction of URLs': { read: (text) => redactor.url(`/${text}`), files: redaction },
  'redaction of queries': { read: (text) => redactor.query(text), files: redaction },
  'redaction of JSON': {
    read: (text) => redactor.json(text),
    files: ['core/dump/redaction/redact-json.js', 'core/dump/redaction/secret-names.js'],
  },
  'redaction of strings in JSON': {
    read: (text) => redactor.json(JSON.stringify({ a: text })),
    files: redaction,
  },
  'redaction of headers': {
    read: (text) =>
      redactor.headers(
        [
          'Cookie',
          'Set-Cookie',
          'Authorization',
          'WWW-Authenticate',
          'Sec-WebSocket-Protocol',
          'X-A',
          'Referer',
        ].flatMap((name) => [name, name.startsWith('Sec') ? `bearer${text}` : text]),
      ),
    files: ['core/dump/redaction/redact-url.js', 'core/dump/redaction/create-redactor.js'],
  },
  'names of secrets': {
    read: (text) => redactor.isSecretName(text),
    files: ['core/dump/redaction/secret-names.js'],
  },
  snapshots: {
    read: (text) => dumpValue({ sql: text, list: [text], text }),
    files: compiledFiles('core/dump'),
  },
  'log lines': { read: (text) => logger.error(text), files: [...compiledFiles('core/log'), ...redaction] },
  'messages of errors': {
    read: (text) =>
      renderErrorAnswer(flattenError(new Error(text), { redactor }), {
        debug: true,
        accept: 'text/markdown',
      }),
    files: [...compiledFiles('core/errors/present'), ...compiledFiles('core/errors/thrown')],
  },
  'errors with their stack': {
    read: (text) => {
      const error = new Error(text);
      error.stack = `Error: ${text}\n    at a (/x.js:1:2)\n    at ${text}`;
      flattenError(error, { redactor });
    },
    files: [...stacks, ...compiledFiles('core/errors/thrown')],
  },
  'stacks of errors': {
    read: (text) => {
      parseStack(`Error: x\n    at ${text}\n    at f (${text})\n    at async ${text}:1:2`, 'x', 50);
      pathOfFile(text);
    },
    files: stacks,
  },
  'the query language': {
    read: (text) => [parseQuery(text), parseSort(text)],
    files: compiledFiles('profiler/search'),
  },
  'texts with values': { read: (text) => say(text, { n: 1 }), files: compiledFiles('core/phrases') },
  'messages of a catalogue': {
    read: (text) => createCatalogue({ messages: { en: { a: text } }, fallback: 'en' }).text('a'),
    files: [...compiledFiles('framework/locale'), ...compiledFiles('core/phrases')],
  },
  'quality values': {
    read: (text) => [parseQualityValues(text), negotiateType(text, ['text/html', 'application/json'])],
    files: compiledFiles('core/negotiation.js'),
  },
  cookies: { read: (text) => parseCookies(text), files: ['core/http/headers/cookies.js'] },
  'media types': { read: (text) => parseMediaType(text), files: headers },
  'hosts and addresses': { read: (text) => parseHost(text), files: compiledFiles('core/http/trust') },
  Forwarded: {
    read: (text) => ask('Forwarded', text),
    files: [...headers, ...compiledFiles('core/http/trust')],
  },
  'X-Forwarded-For': {
    read: (text) => ask('X-Forwarded-For', text),
    files: compiledFiles('core/http/trust'),
  },
  'the target of a request': {
    read: (text) => [...new HttpRequest({ ...posted, target: `/${text}`, rawHeaders: ['Host', 'a'] }).query],
    files: compiledFiles('core/http/request'),
  },
  'Content-Type of a request': { read: (text) => ask('Content-Type', text), files: headers },
  ranges: { read: (text) => parseByteRange(text, 10), files: ['framework/web/file-content.js'] },
  'file names': { read: (text) => contentDisposition(text), files: ['framework/web/file-content.js'] },
  traceparent: { read: (text) => parseTraceparent(text), files: ['profiler/model/request-trace.js'] },
  'targets after a login': {
    read: (text) => parseTargetPath(`/${text}`),
    files: compiledFiles('framework/security/login'),
  },
  'shapes of statements': {
    read: (text) => shapeOf(text),
    files: ['profiler/sections/database/repeated.js'],
  },
  'formatted statements': {
    read: (text) => formatSql(text),
    files: compiledFiles('profiler/sections/database'),
  },
  'heads of messages': {
    read: (text) => [fieldsOfHead(`HTTP/1.1 200 OK\r\n${text}`), typeOfHead(text)],
    files: ['profiler/encoding/read-message.js'],
  },
  'parsed bodies': {
    read: (content) =>
      readParsed({
        content,
        contentType: 'application/x-www-form-urlencoded',
        encoding: 'text',
        cut: false,
      } as Parameters<typeof readParsed>[0]), // the properties of a body that it reads
    files: ['profiler/encoding/read-message.js'],
  },
  'commands of curl': {
    read: (text) =>
      renderCurl({
        method: 'POST',
        url: `http://a/${text}`,
        headers: [['X-A', text]],
        body: { content: text, encoding: 'text' },
        missing: [],
        isWhole: true,
      } as Parameters<typeof renderCurl>[0]), // the properties of a request that it reads
    files: ['profiler/web/reports/render-curl.js'],
  },
};

const seed =
  process.env['PROPERTY_SEED'] === 'random' ? Date.now() : Number(process.env['PROPERTY_SEED'] ?? 7);

describe('inputs of 4 to 32 KB that repeat parts of patterns and parsers', () => {
  it('take no regular expression in the sources superlinear time', () => {
    const patterns = compiledFiles()
      .flatMap(patternsIn)
      .filter(({ file }) => !(file in bounded));
    assert.ok(patterns.length > 400, `only ${patterns.length} were found`);
    const seen = new Set<string>();
    const slow: string[] = [];
    for (const { file, pattern, flags } of patterns) {
      const key = `${pattern}/${flags}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const isSticky = flags.includes('y');
      const expression = new RegExp(
        isSticky ? `^(?:${pattern})` : pattern,
        isSticky ? flags.replace(/[gy]/g, '') : `${flags.replace('g', '')}g`,
      );
      for (const [unit, pump] of pumpsOfPattern(pattern)) {
        const costs = findGrowth((text) => text.replace(expression, ''), pump);
        if (costs === undefined) continue;
        slow.push(`${file}: /${pattern}/${flags}, repeated ${unit}: ${costs.join(', ')} ms`);
        break;
      }
    }
    assert.deepEqual(slow, []);
  });

  for (const [name, { read, files }] of Object.entries(readers))
    it(`take ${name} no superlinear time`, () => {
      const atoms = atomsOfFiles(files);
      const pumps = searchPumps(read, atoms, { tries: 8000, random: createRandom(seed) });
      assertLinear(name, read, pumps);
    });

  it('take the redactor no superlinear time where a reader was once quadratic', () => {
    const known = [
      '=//@',
      '(//@/',
      ',//@/',
      'cookie:=x y= ',
      '{"value":',
      '{"val":[',
      '=//x:yy@',
      '"=//x:y',
      'token:{',
    ];
    for (const unit of known)
      for (const method of ['text', 'url', 'query', 'json'] as const)
        assertLinear(method, (text) => redactor[method](text), [
          [unit, pumpOf(unit)],
          [unit, pumpOf(unit, '', '@?')],
          [unit, pumpOf(unit, '}')],
        ]);
  });

  it('are detected if they take too long', () => {
    const slow: Readonly<Record<string, (text: string) => unknown>> = {
      'a pattern that searches for its end from each position': (text) => text.replace(/<[^>]*>/g, ''),
      'a parser that reads to the end for each character': (text) => {
        let at = -1;
        while ((at = text.indexOf('<', at + 1)) !== -1)
          for (let to = at; to < text.length; to++) text.charCodeAt(to);
      },
    };
    for (const [name, read] of Object.entries(slow))
      assert.throws(
        () =>
          assertLinear(name, read, [
            ['"<"', pumpOf('<')],
            ['" "', pumpOf(' ')],
          ]),
        /4 KB: [\d.]+ ms, 32 KB: [\d.]+ ms/,
      );
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { createApp, type RunningServer } from '#framework/app';
import { HttpResponse } from '#core/http';
import { recordJsonSchema } from '#profiler';
import { createOpenPage } from './open-page.js';
import { createSampleReader } from './sample-reader.js';
import { sampleRecords } from './sample-records.js';

const run = promisify(execFile);
const hostileText = `it's "quoted" $(touch x) \`id\` \\ %s !! é 日本 \t| & ; < > * ? [a]{b} ~ #`;

const app = createApp({
  configuration: { debug: true, profilerStore: 'memory:' },
  profiler: { bodyTypes: ['application/octet-stream'] },
});
let server: RunningServer;
let echo: { readonly origin: string; close(): void };
/** The last request received by a server that accepts anything. */
let arrived = { method: '', target: '', headers: [] as string[], body: '' };

app.any('/echo/{rest<.*>}', async ({ request }) => {
  const body = Buffer.from(await request.bytes()).toString('base64');
  return { body };
});
app.get('/articles', () => ({ articles: [{ id: 1, title: hostileText }] }));
app.get('/page', () =>
  HttpResponse.html(`<!doctype html><style>${'.a{color:red}'.repeat(5_000)}</style><body>text</body>`),
);
app.get('/boom', () => {
  throw new Error('out of paper');
});

before(async () => {
  server = await app.listen({ host: '127.0.0.1', port: 0 });
  const other = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      arrived = { method, target: url, headers: rawHeaders, body: Buffer.concat(chunks).toString('base64') };
      response.end('taken');
    });
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo; // it listens on a port
  echo = { origin: `http://127.0.0.1:${port}`, close: () => other.close() };
});
after(async () => {
  echo.close();
  await app.close();
});

const fetchText = async (path: string): Promise<string> => (await fetch(server.url + path)).text();

async function tokenOf(path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(server.url + path, init);
  await response.arrayBuffer();
  return response.headers.get('x-debug-token') ?? '';
}

const fieldOf = (name: string): string[] =>
  arrived.headers.filter((_, at) => at % 2 === 1 && arrived.headers[at - 1]?.toLowerCase() === name);

describe('a recorded request as a curl command', () => {
  const bodies: readonly (readonly [string, BodyInit, string])[] = [
    ['text of every kind', hostileText, 'text/plain; charset=utf-8'],
    ['text that begins like a file name', '@/etc/passwd', 'application/x-www-form-urlencoded'],
    ['lines', 'a\nb\r\n\tc\n', 'text/plain'],
    ['JSON', JSON.stringify({ title: hostileText, deep: [{ a: "'" }] }), 'application/json'],
    ['bytes', new Uint8Array([0, 1, 2, 255, 254, 39, 10]), 'application/octet-stream'],
  ];
  for (const [what, body, type] of bodies)
    it(`sends the original request: ${what}`, async () => {
      const target = `/echo/a'b;c/(x)/[1]/{a,b}?q=${encodeURIComponent(hostileText)}&x=a'b`;
      const token = await tokenOf(target, {
        method: 'PUT',
        body,
        headers: { 'Content-Type': type, 'X-Note': `a'b "c" $HOME \`id\` \\`, 'X-Empty': '' },
      });
      const record = JSON.parse(await fetchText(`/_profiler/${token}.json`)) as {
        request: { target: string };
      };
      const text = await fetchText(`/_profiler/${token}.curl`);
      await run('bash', ['-c', text.replaceAll(server.url, echo.origin)]);
      assert.equal(arrived.method, 'PUT');
      assert.equal(arrived.target, record.request.target);
      assert.deepEqual(fieldOf('x-note'), [`a'b "c" $HOME \`id\` \\`]);
      assert.deepEqual(fieldOf('x-empty'), ['']);
      assert.deepEqual(fieldOf('content-type'), [type]);
      assert.equal(arrived.body, Buffer.from(body as string).toString('base64'));
    });

  it('omits secrets and says so', async () => {
    const token = await tokenOf('/articles', {
      headers: { Cookie: 'sid=hunter2', Authorization: 'Bearer hunter2' },
    });
    const text = await fetchText(`/_profiler/${token}.curl`);
    assert.match(
      text,
      /^# Omitted, because the record does not contain it: (?=.*Cookie)(?=.*Authorization)/i,
    );
    assert.doesNotMatch(text, /hunter2|redacted/);
    await run('bash', ['-c', text.replaceAll(server.url, echo.origin)]);
    assert.deepEqual([fieldOf('cookie'), fieldOf('authorization')], [[], []]);
  });
});

/** Parses a JSON Schema. */
function schemaOf(schema: object): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]); // the same shape
}

describe('records as data', () => {
  it('actual records and lists match the schema, and lists continue after their last row', async () => {
    const schema = JSON.parse(await fetchText('/_profiler/schema.json')) as typeof recordJsonSchema;
    assert.deepEqual(schema, recordJsonSchema);
    const records = schemaOf(schema);
    const lists = schemaOf({ $schema: schema['$schema'], $defs: schema['$defs'], $ref: '#/$defs/list' });
    const tokens = [await tokenOf('/articles'), await tokenOf('/boom'), await tokenOf('/nowhere')];
    tokens.push(
      await tokenOf('/echo/x', {
        method: 'POST',
        body: 'a=b',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      }),
    );
    for (const token of tokens) {
      const record: unknown = JSON.parse(await fetchText(`/_profiler/${token}.json`));
      records.parse(record);
    }
    for (const record of await sampleRecords(Date.now())) records.parse(JSON.parse(JSON.stringify(record)));
    const list = JSON.parse(await fetchText('/_profiler/search.json?limit=3')) as {
      rows: unknown[];
      next: string;
    };
    lists.parse(list);
    assert.equal(list.rows.length, 3);
    const next = JSON.parse(
      await fetchText(`/_profiler/search.json?limit=3&page=${list.next}`),
    ) as typeof list;
    assert.ok(next.rows.length > 0);
    const tokensIn = ({ rows }: typeof list): string[] => rows.map((row) => (row as { token: string }).token); // according to the schema
    assert.deepEqual(
      tokensIn(next).filter((token) => tokensIn(list).includes(token)),
      [],
    );
    assert.equal(records.safeParse(list.rows[0]).success, false, 'the schema refuses other data');
  });

  it('an invalid filter is refused with the reason', async () => {
    const response = await fetch(`${server.url}/_profiler/search.json?status=high`);
    assert.equal(response.status, 400);
    const problem = (await response.json()) as { problems: { name: string; words: string }[] };
    assert.deepEqual(
      problem.problems.map(({ name }) => name),
      ['q'],
    );
    assert.match(problem.problems[0]?.words ?? '', /^Use a code \(404\)/);
  });

  it('a record in an older version can still be opened in every form', async () => {
    const old = JSON.parse(readFileSync('test/fixtures/record-2.json', 'utf8')) as Awaited<
      ReturnType<typeof sampleRecords>
    >[number];
    const open = createOpenPage({ reader: createSampleReader([old]) });
    for (const form of ['', '.json', '.md', '.har', '.curl', '/toolbar'])
      assert.equal((await open(`/_profiler/${old.token}${form}`))?.status, 200, form);
  });

  it('an archive of one record or a list has every field that HAR 1.2 requires', async () => {
    const token = await tokenOf('/echo/x', { method: 'POST', body: 'text' });
    for (const path of [`/_profiler/${token}.har`, '/_profiler/search.har?limit=20']) {
      const { log } = JSON.parse(await fetchText(path)) as { log: { version: string; entries: unknown[] } };
      assert.equal(log.version, '1.2');
      assert.ok(log.entries.length > 0);
      for (const entry of log.entries) harEntry.parse(entry);
    }
  });

  it('the report is short, begins with the exception and contains no style sheet', async () => {
    const page = await fetchText(`/_profiler/${await tokenOf('/page')}.md`);
    assert.doesNotMatch(page, /color:red/);
    const failed = await fetchText(
      `/_profiler/${await tokenOf('/boom', { headers: { accept: 'text/html' } })}.md`,
    );
    assert.match(failed, /^# 500 GET [^]*?\n## Exception/);
    assert.equal(/^## .*$/m.exec(failed)?.[0], '## Exception');
    assert.match(failed, /^## Left out$/m);
    for (const text of [page, failed]) assert.ok(text.length < 20_000, String(text.length));
  });
});

const pairs = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'value'],
    properties: { name: { type: 'string' }, value: { type: 'string' } },
  },
};
const harEntry = schemaOf({
  type: 'object',
  required: ['startedDateTime', 'time', 'request', 'response', 'cache', 'timings'],
  properties: {
    startedDateTime: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' },
    time: { type: 'number', minimum: 0 },
    request: {
      type: 'object',
      required: 'method url httpVersion cookies headers queryString headersSize bodySize'.split(' '),
      properties: {
        cookies: pairs,
        headers: pairs,
        queryString: pairs,
        headersSize: { type: 'integer' },
        bodySize: { type: 'integer' },
        postData: { type: 'object', required: ['mimeType', 'text'] },
      },
    },
    response: {
      type: 'object',
      required:
        'status statusText httpVersion cookies headers content redirectURL headersSize bodySize'.split(' '),
      properties: {
        status: { type: 'integer' },
        cookies: pairs,
        headers: pairs,
        content: {
          type: 'object',
          required: ['size', 'mimeType'],
          properties: { size: { type: 'integer' } },
        },
        redirectURL: { type: 'string' },
      },
    },
    cache: { type: 'object' },
    timings: {
      type: 'object',
      required: ['send', 'wait', 'receive'],
      additionalProperties: { type: 'number' },
    },
  },
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromWebRequest } from '../request/from-web-request.js';

/** The field name and file name read from a part with these parameters. */
async function namesOf(parameters: string): Promise<readonly [field: string, filename: string | undefined]> {
  const head = `--b\r\nContent-Disposition: form-data; ${parameters}\r\nContent-Type: text/plain\r\n\r\n`;
  const request = fromWebRequest(
    new Request('http://a.example/', {
      method: 'POST',
      body: Buffer.from(`${head}x\r\n--b--\r\n`),
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    }),
  );
  const [[field, value] = ['', '']] = (await request.form()).entries;
  return [field, typeof value === 'string' ? undefined : value.filename];
}

describe('the name of an uploaded file', () => {
  const cases: readonly (readonly [parameters: string, filename: string | undefined])[] = [
    [`filename="plain.txt"; filename*=UTF-8''f%C3%BC.txt`, 'fü.txt'],
    [`filename*=UTF-8''f%C3%BC.txt; filename="plain.txt"`, 'fü.txt'],
    [`filename*=UTF-8''f%C3%BC.txt`, 'fü.txt'],
    [`FileName="c"; FILENAME*=utf-8'en'a%20b.txt`, 'a b.txt'],
    [`filename=x; filename*=iso-8859-1''f%FC.txt`, 'fü.txt'],
    [`filename=""; filename*=UTF-8''x.txt`, 'x.txt'],
    [`filename="a; filename*=UTF-8''b.txt"`, "a; filename*=UTF-8''b.txt"],
    [`filename="c"; filename*=UTF-8''bad%ZZ`, 'c'],
    [`filename="c"; filename*=UTF-8''%FF`, 'c'],
    [`filename="c"; filename*=shift_jis''a`, 'c'],
    [`filename="a%22b.txt"`, 'a"b.txt'],
    [`filename="a\\"b%22.txt"`, 'a"b".txt'],
    [`filename="100%25 ü.txt"`, '100%25 ü.txt'],
    [`filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`, 'passwd'],
  ];
  for (const [parameters, filename] of cases)
    it(`is ${filename} for ${parameters}`, async () => {
      assert.deepEqual(await namesOf(`name="f"; ${parameters}`), ['f', filename]);
    });

  it('has the quotation marks that browsers encode, and so do field names', async () => {
    assert.deepEqual(await namesOf('name="a%22b"; filename="c"'), ['a"b', 'c']);
  });

  it('is read in linear time', async () => {
    const { disposition } = await import('./part-names.js');
    for (const pump of ['; ', ';a', ';filename*=', '; a = "', '\\"', ';a="\\', "filename*=UTF-8''%41"]) {
      const start = process.cpuUsage();
      disposition(`form-data; name="f"; ${pump.repeat(64_000 / pump.length)}`);
      assert.ok(process.cpuUsage(start).user < 500_000, pump);
    }
  });
});

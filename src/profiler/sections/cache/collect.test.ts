import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactSecret } from '#core/dump';
import { badgeOf, type Message, published, shown, htmlOf } from '../../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../view/block.js';
import { type CacheSection } from './section.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

const site = [{ name: 'send', file: '/srv/app/src/mail.ts', line: 3, column: 5 }];

describe('cache commands', () => {
  const command = (fields: Readonly<Record<string, unknown>>): Message => [
    'cache:command',
    {
      system: 'redis',
      command: 'GET',
      args: ['a'],
      hit: true,
      startedAt: performance.now(),
      durationMs: 2,
      ...fields,
    },
  ];
  const sectionOf = ({ sections }: ProfileRecord): CacheSection => sections['cache'] as CacheSection; // the type that the collector stores

  it('are counted by hits and failures', async () => {
    const record = await published([
      command({}),
      command({ hit: false, args: ['b', 7, null] }),
      command({
        command: 'SET',
        hit: null,
        error: new Error('no memory: password=hunter22'),
        callSite: site,
      }),
    ]);
    const { totals, commands } = sectionOf(record);
    assert.deepEqual(totals, { commands: 3, failed: 1, hits: 1, misses: 1, durationMs: 6 });
    assert.deepEqual(
      commands.map(({ args, hit }) => [args, hit]),
      [
        ['a', 1],
        ['b 7 ?', 0],
        ['a', null],
      ],
    );
    assert.deepEqual(badgeOf('cache', record), [3, 'warn', '1 failed cache command']);
    const text = textOf(shown('cache', record));
    assert.match(text, /Sent from.*send/);
    assert.doesNotMatch(text, /hunter22/);
  });

  it('show no secret values, neither from secret commands nor after a secret name in a key', async () => {
    const args = (given: readonly unknown[], name = 'GET'): Message =>
      command({ command: name, args: given });
    const record = await published([
      args(['s3cr3tAA'], 'AUTH'),
      args(['3', 'AUTH', 'default', 's3cr3tBB'], 'HELLO'),
      args(['session:s3cr3tCC']),
      args(['app/token/s3cr3tDD|x']),
      args(['return redis.call("set", KEYS[1], "s3cr3tEE")', '1', 'a', 's3cr3tFF'], 'EVAL'),
      args(['user:5:name']),
    ]);
    assert.deepEqual(
      sectionOf(record).commands.map((one) => one.args),
      ['[redacted]', '[redacted]', 'session:[redacted]', 'app/token/[redacted]', '[redacted]', 'user:5:name'],
    );
  });

  it('have the same mark for a secret in a key as everywhere else', async () => {
    const secret = '4f1c9a7e55d2c0ffee8b31a6';
    const record = await published([command({ command: 'GET', args: [`session:${secret}`] })]);
    const mark = redactSecret(secret);
    assert.match(mark, /^\[redacted-[0-9a-f]{4}\]$/);
    assert.equal(sectionOf(record).commands[0]?.args, `session:${mark}`);
  });

  it('beyond 200 are counted, and the page says what it shows', async () => {
    const record = await published(Array.from({ length: 205 }, () => command({})));
    assert.equal(sectionOf(record).totals.commands, 205);
    assert.match(htmlOf(shown('cache', record)), /the first 200 of 205/);
  });
});

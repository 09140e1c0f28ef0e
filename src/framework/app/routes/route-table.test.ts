import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger } from '#core/log';
import { createRoutes } from '#core/routing';
import { warnAboutRoutes } from './route-table.js';

describe('warnAboutRoutes', () => {
  it('logs each finding, and how many more there are', () => {
    const lines: string[] = [];
    const log = createLogger({ handlers: [{ handle: (record) => void lines.push(record.message) }] });
    const target = (): string => 'ok';
    const routes = createRoutes([{ name: 'first', path: '/{any}', target }]);
    for (let index = 0; index < 22; index += 1)
      routes.add({ name: `late${index}`, path: `/page${index}`, target });
    warnAboutRoutes(routes, log);
    assert.equal(lines.length, 21);
    assert.match(
      lines[0] ?? '',
      /^Route "late0" \(\/page0\): never matches: "first" \(\/\{any\}\) comes first/,
    );
    assert.match(lines[20] ?? '', /^2 more findings/);
  });
});

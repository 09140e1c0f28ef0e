import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

describe('the decisions', () => {
  it('are all in their index (`node scripts/decision-index.mjs` rewrites it)', () => {
    const printed = execFileSync(process.execPath, ['scripts/decision-index.mjs', '--print'], {
      encoding: 'utf8',
    });
    assert.deepEqual(printed.split('\n'), readFileSync('decisions/README.md', 'utf8').split(/\r?\n/));
  });

  it('have index titles without markup or numbers', () => {
    const index = readFileSync('decisions/README.md', 'utf8');
    assert.match(index, /^\| \d{3} \| \[\w/m);
    assert.doesNotMatch(index, /^\| \d{3} \| \[(?:#|\d{3}\. )/m);
  });

  it('exist if the documents name them', () => {
    const numbers = new Set(
      [...readFileSync('decisions/README.md', 'utf8').matchAll(/^\| (\d{3}) \|/gm)].map((match) => match[1]),
    );
    for (const page of [
      'README.md',
      'AGENTS.md',
      'ARCHITECTURE.md',
      'docs/explanation/performance.md',
      'docs/reference/routing.md',
    ])
      for (const [, number] of readFileSync(page, 'utf8').matchAll(/\bdecisions? (\d{3})\b/gi))
        assert.ok(numbers.has(number), `${page} names decision ${number}, which is not there`);
  });
});

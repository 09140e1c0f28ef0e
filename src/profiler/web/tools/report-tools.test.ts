import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reportTools } from './report-tools.js';
import type { KnownApplication, ToolContext } from './tool.js';

/** The lines of the tool `applications` about these, at 1,000,000 ms. */
async function linesOf(...applications: readonly Partial<KnownApplication>[]): Promise<readonly string[]> {
  const unused = { isChosen: false, url: null, process: null, isRunning: null, problem: null };
  const all = applications.map((one): KnownApplication => ({
    ...unused,
    name: 'shop',
    store: 'sqlite:a.db',
    records: 0,
    lastAt: null,
    ...one,
  }));
  const tool = reportTools.find(({ name }) => name === 'applications') ?? assert.fail('no such tool');
  const context = { source: { applications: async () => all }, now: () => 1_000_000 };
  const { rows = [] } = await tool.run({}, context as unknown as ToolContext); // it reads nothing else
  return rows.map(({ line }) => line);
}

describe('the tool applications', () => {
  it('has the age of the newest record in seconds, or why there is none', async () => {
    assert.deepEqual(
      await linesOf(
        { records: 3, lastAt: 940_000, isChosen: true },
        { records: 3, lastAt: 1_000_500 },
        {},
        { records: null, problem: 'no such file' },
      ),
      [
        '* shop 3 records last 60 s ago sqlite:a.db',
        '- shop 3 records last 0 s ago sqlite:a.db',
        '- shop 0 records no record yet sqlite:a.db',
        '- shop cannot be read: no such file sqlite:a.db',
      ],
    );
  });

  it('has the origin and the process of an application', async () => {
    const served = { url: 'http://a.test', process: 'vm:7', lastAt: 1_000_000 };
    assert.deepEqual(
      await linesOf(
        { ...served, isRunning: true },
        { ...served, isRunning: false },
        { ...served, isRunning: null },
      ),
      ['vm:7 running', 'vm:7 stopped', 'vm:7'].map(
        (process) => `- shop http://a.test ${process} 0 records last 0 s ago sqlite:a.db`,
      ),
    );
  });
});

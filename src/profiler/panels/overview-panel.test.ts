import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { body, plain, shown, textOf } from '../../../test/profiler/plain-record.js';
import { overviewPanel } from './overview-panel.js';

describe('the overview', () => {
  it('says that nothing stands out, and shows the last lines of the log', () => {
    const logs = Array.from({ length: 6 }, (_, at) => ({
      time: 0,
      offsetMs: at,
      level: 'info',
      channel: 'app',
      message: `line ${at}`,
    }));
    const text = textOf(overviewPanel, { logs, logTotals: { ...plain.logTotals, total: 6 } });
    assert.match(text, /Nothing stands out/);
    assert.match(text, /line 3[^]*line 4[^]*line 5/);
    assert.doesNotMatch(text, /line 2/);
    assert.match(textOf(overviewPanel, { response: null }), /No response was sent/);
  });

  it('shows the beginning of a long body and says so', () => {
    const long = { ...body, content: 'y'.repeat(900), bytes: 900 };
    const text = textOf(overviewPanel, { request: { ...plain.request, body: long } });
    assert.match(text, /its beginning/);
    assert.equal(/y{2,}/.exec(text)?.[0].length, 400);
  });

  it('folds the bars of a long timeline until there are few', () => {
    const timeline = Array.from({ length: 300 }, (_, at) => ({
      name: `q${at}`,
      category: 'database',
      startMs: at * 0.5,
      durationMs: 0.4,
    }));
    const [block] = shown(overviewPanel, { timeline }).filter(({ kind }) => kind === 'timeline');
    assert.ok(block?.kind === 'timeline' && block.spans.length <= 12);
  });
});

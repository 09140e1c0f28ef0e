import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contextWith, plain } from '../../../../test/profiler/plain-record.js';
import { renderBlocksMarkdown } from '../../api/render-blocks-markdown.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { tracePanel } from './outgoing-panels.js';

describe('the panel of a trace', () => {
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: null };
  const row = (token: string, startedAt: number): ProfileSummary =>
    ({
      token,
      startedAt,
      durationMs: 1,
      status: 200,
      exception: null,
      method: 'GET',
      url: 'http://b.test/',
    }) as ProfileSummary; // what is shown of it

  it('selects the records of the trace, also of one that was not continued', () => {
    const wanted = (section: unknown): unknown =>
      tracePanel.related?.({ ...plain, sections: { trace: section } });
    assert.deepEqual(wanted({ trace, received: null }), {
      where: [{ columns: ['trace'], test: { kind: 'is', texts: [trace.traceId] } }],
    });
    assert.deepEqual(wanted({ trace: null, received: 'c'.repeat(32) }), {
      where: [{ columns: ['trace'], test: { kind: 'is', texts: ['c'.repeat(32)] } }],
    });
    assert.equal(wanted({ trace: null, received: null }), undefined);
    assert.equal(wanted(5), undefined);
  });

  it('shows them in their order, with this one among them', () => {
    const related = [row('zzz999', 1500), row('abcdef', 1000), row('aaa111', 900)];
    const blocks = tracePanel.show(
      { ...plain, sections: { trace: { trace, received: 'c'.repeat(32) } } },
      contextWith({}, { related }),
    );
    const text = renderBlocksMarkdown(blocks, 2);
    assert.match(text, /-100\.00 ms.*aaa111[^]*this one[^]*500 ms.*zzz999/);
    assert.match(text, /not continued: `?c{32}/);
  });
});

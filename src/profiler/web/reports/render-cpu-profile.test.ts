import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderCpuProfile } from './render-cpu-profile.js';

describe('a CPU profile as a file', () => {
  it('has the tree, the times before each sample, and zero-based lines', () => {
    const file = JSON.parse(
      renderCpuProfile({
        refusal: '',
        durationMs: 1.5,
        isCut: false,
        others: 0,
        functions: [
          { name: '(root)', file: '', line: 0, column: 0 },
          { name: 'work', file: 'file:///a.js', line: 3, column: 5 },
        ],
        nodes: [
          { call: 0, parent: 0 },
          { call: 1, parent: 1 },
          { call: 1, parent: 2 },
        ],
        samples: [
          { node: 1, us: 100 },
          { node: 2, us: 250 },
          { node: 1, us: 50 },
        ],
      }),
    ) as { nodes: { id: number; hitCount: number; children: number[]; callFrame: object }[] } & Record<
      string,
      unknown
    >; // as it is read
    assert.deepEqual(
      [file['samples'], file['timeDeltas'], file['endTime']],
      [[2, 3, 2], [0, 100, 250], 1500],
    );
    assert.deepEqual(
      file.nodes.map(({ id, hitCount, children }) => [id, hitCount, children]),
      [
        [1, 0, [2]],
        [2, 2, [3]],
        [3, 1, []],
      ],
    );
    assert.deepEqual(file.nodes[1]?.callFrame, {
      functionName: 'work',
      scriptId: '0',
      url: 'file:///a.js',
      lineNumber: 2,
      columnNumber: 4,
    });
  });
});

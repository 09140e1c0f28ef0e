import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain, shown } from '../../../../test/profiler/plain-record.js';
import type { Block } from '../../view/block.js';
import { type CpuSection, unseenCall } from '../../recording/cpu-profiler.js';
import { cpuPanel } from './panel.js';

const at = (name: string, line: number, file = '/app/a.js'): CpuSection['functions'][number] => ({
  name,
  file,
  line,
  column: 1,
});

/** (root) → list (1 ms) → row (3 ms), of 5 ms in which nothing else was sampled. */
const section: CpuSection = {
  refusal: '',
  durationMs: 5,
  isCut: false,
  others: 0,
  functions: [at('(root)', 0, ''), at('list', 10), at('row', 20, '/app/node_modules/rows/index.js')],
  nodes: [
    { call: 0, parent: 0 },
    { call: 1, parent: 1 },
    { call: 2, parent: 2 },
  ],
  samples: [
    { node: 1, us: 1000 },
    { node: 2, us: 3000 },
  ],
};

const blocksOf = (changes: Partial<CpuSection> = {}, query = {}): readonly Block[] =>
  shown(cpuPanel, { sections: { cpu: { ...section, ...changes } } }, query);

describe('the CPU profile panel', () => {
  it('lists functions by self time, with their share of the whole, and mutes those from packages', () => {
    const table = blocksOf().find((block) => block.kind === 'table');
    assert.deepEqual(
      table?.columns.map(({ label, minor = false }) => [label, minor]),
      [
        ['Function', false],
        ['Self', false],
        ['Total', false],
        ['Share', true],
        ['Place', false],
      ],
    );
    const text = (cell: unknown): unknown =>
      typeof cell === 'object' && cell !== null && 'text' in cell ? cell.text : cell;
    assert.deepEqual(
      table?.rows.map(({ cells }) => cells.slice(0, 4).map(text)),
      [
        ['row', '3.00 ms', '3.00 ms', '75.0 %'],
        ['list', '1.00 ms', '4.00 ms', '100.0 %'],
      ],
    );
    assert.deepEqual(
      table?.rows.map(({ cells: [name] }) => typeof name === 'object' && 'muted' in name && name.muted),
      [true, false],
    );
  });

  it('links to each call around the selected one, and to the profile file', () => {
    const linksOf = (query?: object): unknown => {
      const found = blocksOf({}, query).find((block) => block.kind === 'filters');
      return found?.filters.map(({ label, href, chosen }) => [label, href, chosen]);
    };
    const file = ['Download .cpuprofile', '/r/abcdef.cpuprofile', false];
    assert.deepEqual(linksOf(), [['all', '?panel=cpu&{}', true], file]);
    assert.deepEqual(linksOf({ frame: '2' }), [
      ['all', '?panel=cpu&{}', false],
      ['list', '?panel=cpu&{"frame":"1"}', false],
      ['row', '?panel=cpu&{"frame":"2"}', true],
      file,
    ]);
  });

  it('says whose work may be included, and warns if a tenth of the time was not sampled', () => {
    const notes = (changes: Partial<CpuSection>): unknown =>
      blocksOf(changes).flatMap((block) =>
        block.kind === 'note' ? [[block.tone, block.text.slice(0, 30)]] : [],
      );
    assert.deepEqual(notes({}), [['info', 'V8 profiles the whole process;']]);
    assert.deepEqual(notes({ others: 1 }), [['warn', 'V8 profiles the whole process,']]);
    const unseen = {
      functions: [...section.functions, at(unseenCall, 0, '')],
      nodes: [...section.nodes, { call: 3, parent: 1 }],
      samples: [...section.samples, { node: 3, us: 1000 }],
    };
    const counts = [10, 11].map((durationMs) => blocksOf({ ...unseen, durationMs }).length);
    assert.deepEqual(counts, [blocksOf().length + 1, blocksOf().length]);
  });

  it('opens if a profile was taken and nothing was thrown, and otherwise says why there is none', () => {
    const opens = (changes: object, exception: unknown = null): unknown =>
      cpuPanel.opens?.({
        ...plain,
        exception: exception as null,
        sections: { cpu: { ...section, ...changes } },
      }); // present or not
    assert.deepEqual([opens({}), opens({ nodes: [] }), opens({}, {})], [true, false, false]);
    assert.deepEqual(blocksOf({ nodes: [], refusal: 'Another one was running.' }), [
      { kind: 'note', text: 'Another one was running.', tone: 'warn' },
    ]);
  });

  it('shows the busy time, and the unsampled time if there was any', () => {
    const metricsOf = (changes: Partial<CpuSection>): unknown => {
      const [block] = blocksOf(changes);
      return block?.kind === 'metrics' && block.metrics.map(({ label, value }) => [label, value]);
    };
    const busy = [
      ['profiled', '5.00 ms'],
      ['on the CPU', '4.00 ms'],
      ['waiting', '0.00 ms'],
      ['garbage collection', '0.00 ms'],
    ];
    assert.deepEqual(metricsOf({}), busy);
    const functions = [
      ...section.functions,
      at('(idle)', 0, ''),
      at('(garbage collector)', 0, ''),
      at(unseenCall, 0, ''),
    ];
    const nodes = [...section.nodes, { call: 3, parent: 1 }, { call: 4, parent: 1 }, { call: 5, parent: 1 }];
    const samples = [...section.samples, { node: 3, us: 2000 }, { node: 4, us: 500 }, { node: 5, us: 250 }];
    assert.deepEqual(metricsOf({ functions, nodes, samples }), [
      ['profiled', '5.00 ms'],
      ['on the CPU', '4.50 ms'],
      ['waiting', '2.00 ms'],
      ['garbage collection', '0.50 ms'],
      ['not sampled', '0.25 ms'],
    ]);
  });

  it("draws each call below its caller, widest first, within the figure's limits", () => {
    const flamesOf = (changes: Partial<CpuSection>): Extract<Block, { kind: 'flames' }>['flames'] => {
      const found = blocksOf(changes).find((block) => block.kind === 'flames');
      return found?.flames ?? [];
    };
    assert.deepEqual(
      flamesOf({}).map(({ label, depth, start, width, isOwn, href }) => [
        label,
        depth,
        start,
        width,
        isOwn,
        href,
      ]),
      [
        ['all', 0, 0, 1, false, '?panel=cpu'],
        ['list', 1, 0, 1, true, '?panel=cpu&frame=1'],
        ['row', 2, 0, 0.75, false, '?panel=cpu&frame=2'],
      ],
    );
    assert.equal(flamesOf({})[2]?.title, 'row 3.00 ms, 75.0 % /app/node_modules/rows/index.js:20');
    const beside = {
      nodes: [
        { call: 0, parent: 0 },
        { call: 1, parent: 1 },
        { call: 2, parent: 1 },
      ],
      samples: [
        { node: 1, us: 1000 },
        { node: 2, us: 3000 },
      ],
    };
    assert.deepEqual(
      flamesOf(beside).map(({ label, start }) => [label, start]),
      [
        ['all', 0],
        ['row', 0],
        ['list', 0.75],
      ],
    );
    const chain = Array.from({ length: 70 }, (_, index) => ({ call: index === 0 ? 0 : 1, parent: index }));
    assert.equal(flamesOf({ nodes: chain, samples: [{ node: 69, us: 1000 }] }).length, 60);
    const wide = [{ call: 0, parent: 0 }, ...Array.from({ length: 200 }, () => ({ call: 1, parent: 1 }))];
    assert.equal(
      flamesOf({ nodes: wide, samples: wide.slice(1).map((_, index) => ({ node: index + 1, us: 1 })) })
        .length,
      150,
    );
    const narrow = [
      { node: 1, us: 996 },
      { node: 2, us: 4 },
    ];
    assert.equal(flamesOf({ ...beside, samples: narrow }).length, 3);
    assert.equal(
      flamesOf({
        ...beside,
        samples: [
          { node: 1, us: 997 },
          { node: 2, us: 3 },
        ],
      }).length,
      2,
    );
  });

  it('names the path to the selected call by its first and last five calls', () => {
    const nodes = Array.from({ length: 10 }, (_, index) => ({ call: index === 0 ? 0 : 1, parent: index }));
    const samples = [{ node: 9, us: 1000 }];
    const found = blocksOf({ nodes, samples }, { frame: '8' }).find((block) => block.kind === 'filters');
    assert.deepEqual(
      found?.filters.map(({ label, chosen }) => [label, chosen]),
      [
        ['all', false],
        ['list', false],
        ['list', false],
        ['list', false],
        ['list', false],
        ['list', true],
        ['Download .cpuprofile', false],
      ],
    );
    for (const frame of ['99', 'x', '']) {
      const other = blocksOf({ nodes, samples }, { frame }).find((block) => block.kind === 'filters');
      assert.deepEqual(other?.filters[0], { label: 'all', href: '?panel=cpu&{}', chosen: true });
    }
  });
});

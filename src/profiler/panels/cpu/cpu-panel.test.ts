import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shown } from '../../../../test/profiler/plain-record.js';
import type { Block } from '../blocks/block.js';
import { type CpuSection, unseenCall } from '../../tape/cpu-profiler.js';
import { cpuPanel } from './cpu-panel.js';

const at = (name: string, line: number, file = '/app/a.js'): CpuSection['functions'][number] => ({
  name,
  file,
  line,
  column: 1,
});

/** (root) → list (1 ms) → row (3 ms), of 5 ms, in which nothing else was seen. */
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

describe('the panel of a CPU profile', () => {
  it('lists the functions by their own time, with the share of all, and those of packages muted', () => {
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

  it('leads to each call around the chosen one, and to the file', () => {
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

  it('says whose work may be in it, and warns where a tenth of the time was not sampled', () => {
    const notes = (changes: Partial<CpuSection>): unknown =>
      blocksOf(changes).flatMap((block) =>
        block.kind === 'note' ? [[block.tone, block.text.slice(0, 30)]] : [],
      );
    assert.deepEqual(notes({}), [['info', 'V8 profiles the process; no ot']]);
    assert.deepEqual(notes({ others: 1 }), [['warn', 'V8 profiles the process: the w']]);
    const unseen = {
      functions: [...section.functions, at(unseenCall, 0, '')],
      nodes: [...section.nodes, { call: 3, parent: 1 }],
      samples: [...section.samples, { node: 3, us: 1000 }],
    };
    const counts = [10, 11].map((durationMs) => blocksOf({ ...unseen, durationMs }).length);
    assert.deepEqual(counts, [blocksOf().length + 1, blocksOf().length]);
  });
});

import { furtherItems, muted } from '../blocks/make-blocks.js';
import { renderPictureText } from '#dump';
import type { Block, Row, Value } from '../blocks/block.js';
import { formatMilliseconds } from '../../words/format.js';
import { diffLines } from './diff-lines.js';
import { say } from '#phrases';

/** Maximum rows of one difference. */
const maxRows = 30;
/** Maximum characters of one value. */
const maxTextLength = 300;
/** Two bars that differ by less than this many milliseconds count as equal. */
const similarMs = 0.05;
/** Facts that differ for every request and are not compared. */
const perRequestHeaders: ReadonlySet<string> = new Set([
  'Peer',
  'Date',
  'X-Request-Id',
  'X-Debug-Token',
  'X-Debug-Token-Link',
]);
/** Measured times, which always differ, are ignored in text; bars are compared with a tolerance instead. */
const measuredPattern = /\d[\d.,]* (?:ms|s)\b|(?<![\w.])\d+\.\d{2,}(?![\w.])/g;

/**
 * Returns the differences between the blocks of a panel for two records, as blocks; empty if nothing differs. Blocks are
 * matched by kind and name, so it works for any panel.
 */
export function compareBlocks(first: readonly Block[], second: readonly Block[]): readonly Block[] {
  const [left, right] = [namedBlocks(first), namedBlocks(second)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].flatMap((name) => compareTwo(left.get(name), right.get(name)));
}

/** Collects blocks by kind and name, including those inside sections and columns. */
function namedBlocks(
  blocks: readonly Block[],
  into: Map<string, Block> = new Map(),
  within = '',
): Map<string, Block> {
  for (const block of blocks) {
    if (block.kind === 'columns') namedBlocks(block.columns.flat(), into, within);
    else if (block.kind === 'section')
      namedBlocks(block.blocks, into, `${within}${block.title.replace(/\d+/g, '')} · `);
    else if (block.kind !== 'filters') {
      let name = `${within}${block.kind}:${nameOf(block)}`;
      while (into.has(name)) name += '′';
      into.set(name, block);
    }
  }
  return into;
}

function titleOf(block: Block): string {
  if (block.kind === 'table') return block.caption.replace(/\d+/g, '');
  return 'label' in block ? block.label : '';
}

/** Returns the title without the size after the name of a body. */
function nameOf(block: Block): string {
  return titleOf(block).replace(/, [\d.,]+ [KMG]?i?B$/, '');
}

function compareTwo(first: Block | undefined, second: Block | undefined): readonly Block[] {
  const block = first ?? second;
  if (block === undefined) return [];
  const caption = titleOf(block) || kindTitles[block.kind];
  if (block.kind === 'pairs' || block.kind === 'metrics' || block.kind === 'timeline')
    return factTable(caption, factsOf(first), factsOf(second));
  return lineTable(caption, linesOf(first), linesOf(second));
}

const kindTitles: Readonly<Record<Block['kind'], string>> = {
  answer: 'Answer',
  metrics: 'Figures',
  findings: 'Findings',
  note: 'Notes',
  text: 'Text',
  section: 'Section',
  columns: 'Columns',
  table: 'Table',
  pairs: 'Facts',
  code: 'Text',
  timeline: 'Timeline',
  flames: 'Flame graph',
  picture: 'Data',
  filters: 'Filters',
  document: 'Document',
  form: 'Text',
  errors: 'Errors',
};

/** A value as text, and in milliseconds if it is a duration. */
interface Fact {
  readonly text: string;
  readonly ms?: number;
}

function factsOf(block: Block | undefined): Map<string, Fact> {
  const facts = new Map<string, Fact>();
  const add = (key: string, fact: Fact): void => {
    let name = key;
    for (let count = 2; facts.has(name); count++) name = `${key} (${count})`;
    facts.set(name, fact);
  };
  if (block?.kind === 'pairs') for (const [key, value] of block.pairs) add(key, { text: textOf(value) });
  if (block?.kind === 'metrics')
    for (const { label, value, unit } of block.metrics) add(label, { text: `${value}${unit ?? ''}` });
  if (block?.kind === 'timeline')
    for (const { label, busy, duration } of block.spans) {
      const ms = busy ?? duration;
      add(label, { text: formatMilliseconds(ms), ms });
    }
  return facts;
}

function factTable(caption: string, first: Map<string, Fact>, second: Map<string, Fact>): readonly Block[] {
  const rows = [...new Set([...first.keys(), ...second.keys()])].flatMap((key): Row[] => {
    const [a, b] = [first.get(key), second.get(key)];
    if (
      a?.text === b?.text ||
      perRequestHeaders.has(key) ||
      Math.abs((a?.ms ?? 0) - (b?.ms ?? Number.NaN)) < similarMs
    )
      return [];
    return [{ cells: [key, a?.text ?? absent, b?.text ?? absent] }];
  });
  return tableOf(caption, rows);
}

const absent: Value = muted('–');
/** An empty cell; an empty text would be rendered with a placeholder. */
const blank: Value = { text: '\u00a0' };

/** Compares lines; a line that only one side has is in the column of that side. */
function lineTable(caption: string, first: readonly string[], second: readonly string[]): readonly Block[] {
  const lines = diffLines(first, second);
  const rows: Row[] = [];
  let alikeLines = 0;
  const skip = (): void => {
    if (alikeLines > 0)
      rows.push({
        cells: [muted(say('{n} line alike|{n} lines alike', { n: alikeLines })), blank, blank],
      });
    alikeLines = 0;
  };
  for (const { text, side } of lines) {
    if (side === 'both') {
      alikeLines++;
      continue;
    }
    skip();
    const cell = text === '' ? blank : text.slice(0, maxTextLength);
    rows.push({ cells: side === 'first' ? ['only A', cell, blank] : ['only B', blank, cell] });
  }
  return rows.length === 0 ? [] : tableOf(caption, rows);
}

function tableOf(caption: string, rows: readonly Row[]): readonly Block[] {
  if (rows.length === 0) return [];
  const rest = rows.length - maxRows;
  return [
    {
      kind: 'table',
      caption,
      columns: [{ label: caption }, { label: 'A' }, { label: 'B' }],
      rows: rows.slice(0, maxRows),
    },
    ...furtherItems(rest, '{n} further difference left out.|{n} further differences left out.'),
  ];
}

function linesOf(block: Block | undefined): readonly string[] {
  switch (block?.kind) {
    case 'table':
      return block.rows.map(({ cells }) => withoutMeasurements(cells.map(textOf)).join(' · '));
    case 'code':
    case 'note':
    case 'text':
      return withoutMeasurements(block.text.split('\n'));
    case 'picture':
      return renderPictureText(block.picture).split('\n');
    case 'findings':
      return withoutMeasurements(block.findings.map(({ title }) => title));
    case 'errors':
      return block.report.errors.map(({ class: name, message }) => `${name}: ${message}`);
    default:
      return [];
  }
}

function withoutMeasurements(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.replace(measuredPattern, '…').trim()).filter((text) => text !== '…');
}

/** Returns a value as text; empty for clock times, which always differ between requests. */
function textOf(value: Value): string {
  if (typeof value !== 'object') return String(value);
  if (value.time !== undefined) return '';
  return value.picture === undefined ? value.text : renderPictureText(value.picture);
}

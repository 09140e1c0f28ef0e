import { renderSnapshotText } from '#core/dump';
import type { Block, Value } from '../../view/block.js';
import { blocksOf, furtherItems } from '../../view/make-blocks.js';
import { table } from '../../view/make-tables.js';
import { muted } from '../../view/make-values.js';

/** Maximum rows of the differences of a panel, and characters of one value. */
const maxRows = 30;
const maxTextLength = 300;
/** Facts that differ for every request and are not compared. */
const perRequestNames = /(?:^|· )(?:Peer|Date|X-Request-Id|X-Debug-Token(?:-Link)?)$/;
/** Measured times, which always differ; the page shows those of the kinds of work. */
const measuredPattern = /\d[\d.,]{0,30} (?:ms|s)\b|(?<![\w.])\d{1,30}\.\d{2,}(?![\w.])/g;

/** A fact of a panel: a value with its name, or a line, whose name is empty. */
interface Fact {
  readonly name: string;
  readonly text: string;
}

/** Returns the differences between the blocks of a panel for two records, as a table; nothing if nothing differs. */
export function compareBlocks(first: readonly Block[], second: readonly Block[]): readonly Block[] {
  const [before, after] = [factsOf(first), factsOf(second)];
  const [onlyBefore, onlyAfter] = [without(before, after), without(after, before)];
  const names = new Set([...onlyBefore, ...onlyAfter].map(({ name }) => name).filter((name) => name !== ''));
  const rows = [
    ...[...names].map((name) => [
      name,
      textsOf(onlyBefore, name).join(', '),
      textsOf(onlyAfter, name).join(', '),
    ]),
    ...textsOf(onlyBefore, '').map((text) => ['only before', text, '']),
    ...textsOf(onlyAfter, '').map((text) => ['only after', '', text]),
  ];
  if (rows.length === 0) return [];
  const cell = (text = ''): Value => (text === '' ? muted('–') : text.slice(0, maxTextLength));
  return blocksOf(
    table('Differences', rows.slice(0, maxRows), {
      columns: [
        { label: 'What', cell: ([name = '']) => name },
        { label: 'Before', cell: ([, text]) => cell(text) },
        { label: 'After', cell: ([, , text]) => cell(text) },
      ],
    }),
    furtherItems(rows.length - maxRows, '{n} further difference left out.|{n} further differences left out.'),
  );
}

function without(facts: readonly Fact[], others: readonly Fact[]): readonly Fact[] {
  const known = new Set(others.map(({ name, text }) => `${name}\n${text}`));
  return facts.filter(({ name, text }) => !known.has(`${name}\n${text}`) && !perRequestNames.test(name));
}

function textsOf(facts: readonly Fact[], wanted: string): readonly string[] {
  return facts.flatMap(({ name, text }) => (name === wanted ? [text] : []));
}

/** Returns what blocks say, without what was measured. `within` names the sections around them. */
function factsOf(blocks: readonly Block[], within = ''): readonly Fact[] {
  return blocks.flatMap((block): readonly Fact[] => {
    const line = (text: string): Fact => ({ name: '', text });
    switch (block.kind) {
      case 'section':
        return factsOf(block.blocks, `${within}${block.title.replace(/\d+/g, '')} · `);
      case 'columns':
        return factsOf(block.columns.flat(), within);
      case 'pairs':
        return block.pairs.map(([key, value]) => ({ name: within + key, text: textOf(value) }));
      case 'metrics':
        return block.metrics.map(({ label, value }) => ({
          name: within + label,
          text: unmeasured(String(value)),
        }));
      case 'timeline':
        return block.spans.map(({ label, repeats = 1 }) =>
          line(repeats > 1 ? `${repeats} × ${label}` : label),
        );
      case 'table':
        return block.rows.map(({ cells }) => line(unmeasured(cells.map(textOf).join(' · '))));
      case 'findings':
        return block.findings.map(({ title }) => line(unmeasured(title)));
      case 'errors':
        return block.report.errors.map(({ class: name, message }) => line(`${name}: ${message}`));
      case 'snapshot':
        return renderSnapshotText(block.snapshot).split('\n').map(line);
      case 'code':
      case 'note':
      case 'text':
        return block.text.split('\n').map((text) => line(unmeasured(text)));
      default:
        return [];
    }
  });
}

function unmeasured(text: string): string {
  return text.replace(measuredPattern, '…').trim();
}

/** Returns a value as text; empty for clock times, which always differ between requests. */
function textOf(value: Value): string {
  if (typeof value !== 'object') return String(value);
  if (value.time !== undefined) return '';
  return value.snapshot === undefined ? value.text : renderSnapshotText(value.snapshot);
}

import { renderSnapshotText } from '#core/dump';
import type { Block, Value } from '../../view/block.js';
import { blocksOf, furtherItems } from '../../view/make-blocks.js';
import { table } from '../../view/make-tables.js';
import { muted } from '../../view/make-values.js';
import { isNoise } from './noise.js';

/** Maximum rows in a panel's differences, and characters in one value. */
const maxRows = 30;
const maxTextLength = 300;
/** Measured times, which always differ; the page compares time by kind of work instead. */
const measuredPattern = /\d[\d.,]{0,30} (?:ms|s)\b|(?<![\w.])\d{1,30}\.\d{2,}(?![\w.])/g;

/** A named value in a panel. A row is named by its beginning, which is used to pair rows. */
interface Fact {
  readonly name: string;
  /** `yes` for a line that only one of the records has. */
  readonly text: string;
}

/** Compares a panel's blocks in two records. Returns the differences as a table; empty if there are none. */
export function compareBlocks(
  first: readonly Block[],
  second: readonly Block[],
  names: readonly [before: string, after: string] = ['Before', 'After'],
): readonly Block[] {
  const [before, after] = [factsOf(first), factsOf(second)];
  const [onlyBefore, onlyAfter] = [without(before, after), without(after, before)];
  const differing = new Set([...onlyBefore, ...onlyAfter].map(({ name }) => name));
  const rows = [...differing].map((name) => [name, textOf(onlyBefore, name), textOf(onlyAfter, name)]);
  if (rows.length === 0) return [];
  const cell = (text = ''): Value => (text === '' ? muted('–') : text.slice(0, maxTextLength));
  return blocksOf(
    table('Differences', rows.slice(0, maxRows), {
      columns: [
        { label: 'Name', cell: ([name = '']) => name.slice(0, maxTextLength) },
        { label: names[0], cell: ([, text]) => cell(text) },
        { label: names[1], cell: ([, , text]) => cell(text) },
      ],
    }),
    furtherItems(rows.length - maxRows, '{n} further difference left out.|{n} further differences left out.'),
  );
}

function without(facts: readonly Fact[], others: readonly Fact[]): readonly Fact[] {
  const known = new Set(others.map(({ name, text }) => `${name}\n${text}`));
  return facts.filter(
    ({ name, text }) => !known.has(`${name}\n${text}`) && !isNoise(name.split(' · ').at(-1) ?? ''),
  );
}

function textOf(facts: readonly Fact[], wanted: string): string {
  const texts = facts.flatMap(({ name, text }) => (name === wanted ? [text] : []));
  const [first = ''] = texts;
  return texts.length > 1 && texts.every((text) => text === first)
    ? `${first} ×${texts.length}`
    : texts.join(', ');
}

/** Returns the facts in blocks, without measurements. `within` names the enclosing sections. */
function factsOf(blocks: readonly Block[], within = ''): readonly Fact[] {
  return blocks.flatMap((block): readonly Fact[] => {
    switch (block.kind) {
      case 'section':
        return factsOf(block.blocks, `${within}${block.title.replace(/\d+/g, '')} · `);
      case 'columns':
        return factsOf(block.columns.flat(), within);
      case 'pairs':
        return block.pairs.map(([key, value]) => ({ name: within + key, text: valueText(value) }));
      case 'metrics':
        return block.metrics.map(({ label, value }) => ({
          name: within + label,
          text: unmeasured(String(value)),
        }));
      case 'timeline':
        return block.spans.map(({ label, repeats = 1 }) =>
          whole(repeats > 1 ? `${repeats} × ${label}` : label),
        );
      case 'table':
        return block.rows.map(({ cells }) => rowFact(cells));
      case 'findings':
        return block.findings.map(({ title }) => whole(unmeasured(title)));
      case 'errors':
        return [
          ...factsOf(block.lead ?? [], within),
          ...block.report.errors.map(({ class: name, message }) => whole(`${name}: ${message}`)),
        ];
      case 'snapshot':
        return renderSnapshotText(block.snapshot).split('\n').map(memberFact);
      case 'code':
      case 'note':
      case 'text':
        return block.text.split('\n').map((text) => memberFact(unmeasured(text)));
      default:
        return [];
    }
  });
}

/** Makes a fact from a whole line. */
function whole(text: string): Fact {
  return { name: text, text: 'yes' };
}

/** Makes a fact from a dump or JSON line: `card: "good",` is named `card`. */
function memberFact(text: string): Fact {
  const [, name = '', value = ''] = /^\s*"?([\w$-]{1,80})"?: (.*?),?$/.exec(text) ?? [];
  return name === '' || value === '' ? whole(text.trim()) : { name, text: value };
}

/** Makes a fact from a row, named by its first cell with text that is not a measurement. */
function rowFact(cells: readonly Value[]): Fact {
  const texts = cells.map((cell) => unmeasured(valueText(cell)));
  const at = texts.findIndex((text) => /\p{L}/u.test(text));
  const others = texts.filter((_, index) => index !== at && texts[index] !== '…');
  return at === -1 ? whole(texts.join(' · ')) : { name: texts[at] ?? '', text: others.join(' · ') || 'yes' };
}

function unmeasured(text: string): string {
  return text.replace(measuredPattern, '…').trim();
}

/** Returns a value as text; empty for clock times, which always differ between requests. */
function valueText(value: Value): string {
  if (typeof value !== 'object') return String(value);
  if (value.time !== undefined) return '';
  return value.snapshot === undefined ? value.text : renderSnapshotText(value.snapshot);
}

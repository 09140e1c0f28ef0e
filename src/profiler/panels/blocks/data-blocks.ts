import { say } from '../../words/say.js';
import type { Block, Value } from './block.js';
import { captionOf, line, mono, pairsOf, compact, section, table } from './make-blocks.js';

const maxRows = 200;
const maxColumns = 8;

/** Converts JSON data to blocks: a list becomes a table, an object becomes pairs, anything else text. */
export function dataBlocks(label: string, data: unknown): readonly Block[] {
  if (Array.isArray(data)) return [listBlock(label, data)];
  if (isObject(data)) return objectBlocks(label, data);
  return [line(textOf(data))];
}

function objectBlocks(label: string, data: Readonly<Record<string, unknown>>): readonly Block[] {
  const entries = Object.entries(data);
  const nested = entries.filter(([, value]) => Array.isArray(value) && value.length > 0);
  const plain = entries.filter(([, value]) => !(Array.isArray(value) && value.length > 0));
  return [
    ...compact(
      (plain.length > 0 || nested.length === 0) &&
        pairsOf(
          label,
          plain.map(([key, value]) => [key, valueOf(value)] as const),
          say('Nothing was collected.'),
        ),
    ),
    ...nested.map(([key, value]) => {
      const list: readonly unknown[] = Array.isArray(value) ? value : [];
      return section(key, listBlock(key, list), { count: list.length });
    }),
  ];
}

function listBlock(label: string, list: readonly unknown[]): Block {
  const shown = list.slice(0, maxRows);
  const names = [...new Set(shown.flatMap((item) => (isObject(item) ? Object.keys(item) : [])))].slice(
    0,
    maxColumns,
  );
  const columns =
    names.length === 0
      ? [{ label: say('Value'), cell: valueOf }]
      : names.map((label, at) => ({ label, cell: (item: unknown) => valueOf(fieldOf(item, label, at)) }));
  return table(captionOf(label, { shown: maxRows, more: list.length - maxRows }), shown, {
    columns,
    empty: say('Nothing was collected.'),
  });
}

/** Returns a field of an item; an item that is not an object is shown in the first column. */
function fieldOf(item: unknown, name: string, at: number): unknown {
  if (!isObject(item)) return at === 0 ? item : '';
  return Object.hasOwn(item, name) ? item[name] : '';
}

function valueOf(value: unknown): Value {
  return mono(textOf(value));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

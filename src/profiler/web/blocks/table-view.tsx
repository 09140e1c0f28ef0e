import type { ComponentChildren, VNode } from 'preact';
import type { Block, TableColumn, Row, Value } from '../../view/block.js';
import { classes, ValueView } from './value-view.js';

export interface TableViewProps {
  readonly block: Extract<Block, { kind: 'table' }>;
  readonly showDetail: (blocks: readonly Block[]) => ComponentChildren;
}

/** A table with a caption; row details are folded inside the main cell. */
export function TableView({ block, showDetail }: TableViewProps): VNode {
  const { caption, columns, rows } = block;
  if (rows.length === 0) return <p class="empty">{block.empty}</p>;
  const grown = columns.findIndex(({ grow }) => grow === true);
  const main = grown === -1 ? columns.length - 1 : grown;
  return (
    <div class="scroll" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class={block.isCut === true ? 'cut' : 'visually-hidden'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={columnClass(column)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              class={row.tone === undefined || row.tone === 'neutral' ? undefined : `row-${row.tone}`}
              id={row.anchor}
            >
              {row.cells.map((cell, index) => (
                <td class={columnClass(columns[index])}>
                  {index === main ? mainCell(row, cell, showDetail) : <ValueView value={cell} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The cell with its row's details: folded, or shown below the value if the row is `open`. */
function mainCell(row: Row, cell: Value, showDetail: TableViewProps['showDetail']): VNode {
  const { detail = [] } = row;
  const value = <ValueView value={cell} />;
  if (detail.length === 0) return value;
  if (row.open === true)
    return (
      <>
        {value}
        <div class="below">{showDetail(detail)}</div>
      </>
    );
  const head = headOf(cell);
  return (
    <details class="opens" open={row.isUnfolded}>
      <summary>
        <ValueView value={head} />
      </summary>
      {head === cell ? null : value}
      {showDetail(detail)}
    </details>
  );
}

const maxHeadLength = 300;

/** Returns the beginning of a value for a `summary` element, which must not contain folds or buttons. */
function headOf(cell: Value): Value {
  const whole = typeof cell === 'object' ? cell.text : String(cell);
  const line = whole.split('\n', 1).join('').slice(0, maxHeadLength);
  const text = line === whole ? line : `${line}…`;
  if (typeof cell !== 'object') return line === whole ? cell : text;
  const { copy, snapshot, ...rest } = cell;
  return copy !== true && snapshot === undefined && line === whole ? cell : { ...rest, text };
}

function columnClass({ align, minor, grow }: Partial<TableColumn> = {}): string | undefined {
  return classes(align === 'end' && 'end', minor === true && 'minor', grow === true && 'grow');
}

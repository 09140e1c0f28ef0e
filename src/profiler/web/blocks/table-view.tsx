import type { ComponentChildren, VNode } from 'preact';
import type { Block, TableColumn, Row, Value } from '../../panels/blocks/block.js';
import { classes, ValueView } from './value-view.js';

export interface TableViewProps {
  readonly block: Extract<Block, { kind: 'table' }>;
  /** Renders the detail of a row. */
  readonly showDetail: (blocks: readonly Block[]) => ComponentChildren;
}

/** A table with a caption; the detail of a row is folded inside its main cell. */
export function TableView({ block, showDetail }: TableViewProps): VNode {
  if (block.rows.length === 0) return <p class="empty">{block.empty}</p>;
  return (
    <div class="scroll" role="group" aria-label={block.caption} tabIndex={0}>
      <table>
        <caption class={block.isCut === true ? 'cut' : 'visually-hidden'}>{block.caption}</caption>
        <thead>
          <tr>
            {block.columns.map((column) => (
              <th scope="col" class={columnClass(column)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row) => (
            <TableRow row={row} columns={block.columns} showDetail={showDetail} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TableRow({ row, columns, showDetail }: RowProps): VNode {
  const tone = row.tone === undefined || row.tone === 'neutral' ? undefined : `row-${row.tone}`;
  const grown = columns.findIndex(({ grow }) => grow === true);
  const main = grown === -1 ? columns.length - 1 : grown;
  return (
    <tr class={tone} id={row.anchor}>
      {row.cells.map((cell, index) => (
        <td class={columnClass(columns[index])}>
          {index === main ? (
            <MainCell row={row} cell={cell} showDetail={showDetail} />
          ) : (
            <ValueView value={cell} />
          )}
        </td>
      ))}
    </tr>
  );
}

interface RowProps {
  readonly row: Row;
  readonly columns: readonly TableColumn[];
  readonly showDetail: TableViewProps['showDetail'];
}

/** The cell with the detail of its row: folded, or below the value if the row is `open`. */
function MainCell(props: Omit<RowProps, 'columns'> & { readonly cell: Value }): VNode {
  const { row, cell, showDetail } = props;
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
  return (
    <details class="opens" open={row.isUnfolded}>
      <summary>
        <ValueView value={headOf(cell)} />
      </summary>
      {headOf(cell) === cell ? null : value}
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
  const { copy, picture, ...rest } = cell;
  return copy !== true && picture === undefined && line === whole ? cell : { ...rest, text };
}

function columnClass({ align, minor, grow }: Partial<TableColumn> = {}): string | undefined {
  return classes(align === 'end' && 'end', minor === true && 'minor', grow === true && 'grow');
}

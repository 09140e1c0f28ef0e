import type { ComponentChildren, VNode } from 'preact';
import type { Block, Column, Row } from '../../panels/blocks/block.js';
import { ValueView } from './value-view.js';

export interface TableViewProps {
  readonly block: Extract<Block, { kind: 'table' }>;
  /** Shows what stands in the fold of a row. */
  readonly showDetail: (blocks: readonly Block[]) => ComponentChildren;
}

/** A table with its caption; what a row has to add stands in a fold below it. */
export function TableView({ block, showDetail }: TableViewProps): VNode {
  if (block.rows.length === 0) return <p class="empty">{block.empty}</p>;
  return (
    <div class="scroll" role="group" aria-label={block.caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{block.caption}</caption>
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

function TableRow(props: {
  row: Row;
  columns: readonly Column[];
  showDetail: TableViewProps['showDetail'];
}): VNode {
  const { row, columns, showDetail } = props;
  const tone = row.tone === undefined || row.tone === 'neutral' ? undefined : `row-${row.tone}`;
  return (
    <>
      <tr class={tone}>
        {row.cells.map((cell, index) => (
          <td class={columnClass(columns[index])}>
            <ValueView value={cell} />
          </td>
        ))}
      </tr>
      {row.detail !== undefined && row.detail.length > 0 && (
        <tr class={tone === undefined ? 'detail' : `detail ${tone}`}>
          <td colSpan={columns.length}>
            <details>
              <summary>Details</summary>
              {showDetail(row.detail)}
            </details>
          </td>
        </tr>
      )}
    </>
  );
}

function columnClass(column: Column | undefined): string | undefined {
  const names = [
    column?.align === 'end' ? 'end' : '',
    column?.minor === true ? 'minor' : '',
    column?.grow === true ? 'grow' : '',
  ].filter((name) => name !== '');
  return names.length === 0 ? undefined : names.join(' ');
}

import type { ComponentChildren, VNode } from 'preact';
import { renderSnapshotLine, SnapshotView } from '#core/dump';
import { safeUrl, visibleText } from '#core/html';
import type { ErrorHistory, FailedCall, FailedStatement, InputDifference } from '../report/error-report.js';
import { listWhatDiffers } from '../present/render-report.js';
import type { EditorLinker } from '../present/editor-link.js';
import { PageSection } from './page-parts.js';

/** How often the error occurred, the last successful request to the route, and the differences between the two. */
export function HistoryFacts({ history: { seen, counts, lastGood } }: { history: ErrorHistory }): VNode {
  return (
    <dl class="history" aria-label="Earlier requests">
      <Fact name="This error">
        {seen}
        {counts !== undefined && <CountBars counts={counts} label={describeCounts(counts)} />}
      </Fact>
      {lastGood !== undefined && (
        <Fact name="When the route worked">
          {lastGood === null ? (
            'never before, in this store'
          ) : (
            <a href={safeUrl(lastGood.href)}>{visibleText(lastGood.text)}</a>
          )}
        </Fact>
      )}
      {lastGood && (
        <Fact name="What is different">
          <span class="mono">
            <Differences differences={listWhatDiffers(lastGood)} />
          </span>{' '}
          <a href={safeUrl(lastGood.comparison)}>compare both</a>
        </Fact>
      )}
    </dl>
  );
}

/** Lines with the two sides of each difference, in the colours of what worked and what failed. Needs `chainStyles`. */
export function Differences({ differences }: { differences: readonly InputDifference[] }): VNode {
  return (
    <>
      {differences.map(({ text, sides }, at) => (
        <>
          {at > 0 && '\n'}
          {visibleText(text)}
          {sides !== undefined && (
            <>
              : <span class="worked">{visibleText(sides[0])}</span> →{' '}
              <span class="failed">{visibleText(sides[1])}</span>
            </>
          )}
        </>
      ))}
    </>
  );
}

/** Describes the columns of `CountBars` for those who do not see them. */
export function describeCounts(counts: readonly number[]): string {
  return `in equal parts of the time since the first: ${counts.join(', ')}`;
}

/** A column for each number, on one scale; its label describes them. Needs `chainStyles` on the page. */
export function CountBars({ counts, label }: { counts: readonly number[]; label: string }): VNode {
  const highest = Math.max(...counts, 1);
  const [width, height] = [11, 26];
  const columns = counts.map((count, at) => {
    // A single occurrence among many is still visible.
    const size = count === 0 ? 0 : Math.max(3, Math.round((count / highest) * height));
    return size === 0 ? '' : `M${at * width} ${height - size}h9v${size}h-9z`;
  });
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${counts.length * width} ${height + 1}`}
      width={counts.length * width}
      height={height + 1}
      role="img"
      aria-label={visibleText(label)}
    >
      <path class="base" d={`M0 ${height}h${counts.length * width}v1H0z`} />
      <path d={columns.join('')} />
    </svg>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const statementTitle = 'The statement that failed';

interface StatementPart {
  readonly text: string;
  readonly kind?: 'mark' | 'keyword';
}

/** Splits a statement at the part that the database names, and at its keywords. */
function markedParts(
  sql: string,
  { mark, keywords = [] }: { readonly [Name in 'mark' | 'keywords']: FailedStatement[Name] | undefined },
): readonly StatementPart[] {
  const parts: StatementPart[] = [];
  const [from, to] = mark ?? [sql.length, sql.length];
  let at = 0;
  const add = (end: number, kind?: StatementPart['kind']): void => {
    if (end <= at) return;
    const text = sql.slice(at, end);
    parts.push(kind === undefined ? { text } : { text, kind });
    at = end;
  };
  for (const [start, end] of keywords) {
    if (start >= from) break;
    add(start);
    add(Math.min(end, from), 'keyword');
  }
  add(from);
  add(to, 'mark');
  for (const [start, end] of keywords) {
    if (start < to) continue;
    add(start);
    add(end, 'keyword');
  }
  add(sql.length);
  return parts;
}

/** Returns the value of the placeholder that a statement's mark names: `$1 = "abc"`; undefined if it names another part. */
export function valueOfMark({
  sql,
  mark,
  values,
}: Pick<FailedStatement, 'sql' | 'mark' | 'values'>): string | undefined {
  const [, number] = /^\$(\d{1,5})$/.exec(mark === undefined ? '' : sql.slice(...mark)) ?? [];
  const [, value] = values[Number(number) - 1] ?? [];
  return value === undefined ? undefined : `$${number} = ${renderSnapshotLine(value, maxValueLength)}`;
}

const maxValueLength = 60;

/** The part of a statement at fault, with its value below it, which is no part of the text that is copied. */
export function MarkedPart({ text, value }: { text: string; value: string | undefined }): VNode {
  if (value === undefined) return <mark>{visibleText(text)}</mark>;
  return (
    <mark data-value={visibleText(value)}>
      <span>{visibleText(text)}</span>
    </mark>
  );
}

/** The failed statement, with the part that the database names, and its values. */
export function StatementSection({ statement }: { statement: FailedStatement }): VNode {
  const { sql, mark, keywords, title = statementTitle, before } = statement;
  const { label, values, place, href } = statement;
  return (
    <PageSection id="statement" title="The statement that failed" isHidden>
      <div class="card">
        <div class="frame-head">
          <b>{title}</b> <span class="muted">{visibleText(label)}</span>
          <span class="frame-place">{href === undefined ? place : <a href={safeUrl(href)}>{place}</a>}</span>
        </div>
        <pre class="code pad" tabIndex={0} role="group" aria-label="The statement that failed">
          {markedParts(sql, { mark, keywords }).map(({ text, kind }) =>
            kind === 'mark' ? (
              <MarkedPart text={text} value={valueOfMark(statement)} />
            ) : kind === 'keyword' ? (
              <span class="ck">{visibleText(text)}</span>
            ) : (
              visibleText(text)
            ),
          )}
        </pre>
        {(values.length > 0 || before !== undefined) && (
          <dl class="vars" aria-label="Values of the statement">
            {values.map(([name, value]) => (
              <>
                <dt>{visibleText(name)}</dt>
                <dd>
                  <SnapshotView snapshot={value} open={0} />
                </dd>
              </>
            ))}
            {before !== undefined && (
              <>
                <dt>Before it</dt>
                <dd>{before}</dd>
              </>
            )}
          </dl>
        )}
      </div>
    </PageSection>
  );
}

/** The failed outgoing call, and where the application made it. */
export function CallSection({ call, editor }: { call: FailedCall; editor: EditorLinker }): VNode {
  const { request, site, place, href } = call;
  const link = editor(site.file, site.line, site.column);
  const text = visibleText(site.text);
  return (
    <PageSection id="call" title="The call that failed" isHidden>
      <div class="card">
        <div class="frame-head">
          <b>The call that failed</b>
          <span class="frame-place">{href === undefined ? place : <a href={safeUrl(href)}>{place}</a>}</span>
        </div>
        <dl class="vars" aria-label="The call">
          <dt>Request</dt>
          <dd>{visibleText(request)}</dd>
          <dt>Sent from</dt>
          <dd>{link === undefined ? text : <a href={safeUrl(link.href, [link.scheme])}>{text}</a>}</dd>
        </dl>
      </div>
    </PageSection>
  );
}

import type { ComponentChildren, VNode } from 'preact';
import { SnapshotView } from '#core/dump';
import { safeUrl, visibleText } from '#core/html';
import type { ErrorHistory, FailedStatement } from '../report/error-report.js';
import { describeWhatDiffers } from '../present/render-report.js';
import { PageSection } from './page-parts.js';

/** How often the error occurred, the last successful request to the route, and the differences between the two. */
export function HistoryFacts({ history: { seen, lastGood } }: { history: ErrorHistory }): VNode {
  return (
    <dl class="history" aria-label="Earlier requests">
      <Fact name="This error">{seen}</Fact>
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
          <span class="mono">{visibleText(describeWhatDiffers(lastGood).join('\n'))}</span>{' '}
          <a href={safeUrl(lastGood.comparison)}>compare both</a>
        </Fact>
      )}
    </dl>
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

/** The failed statement, with the part that the database names, and its values. */
export function StatementSection({ statement }: { statement: FailedStatement }): VNode {
  const { sql, mark = [0, 0], label, values, place, href } = statement;
  return (
    <PageSection id="statement" title="The statement that failed" isHidden>
      <div class="card">
        <div class="frame-head">
          <b>The statement that failed</b> <span class="muted">{visibleText(label)}</span>
          <span class="frame-place">{href === undefined ? place : <a href={safeUrl(href)}>{place}</a>}</span>
        </div>
        <pre class="code pad" tabIndex={0} role="group" aria-label="The statement that failed">
          {visibleText(sql.slice(0, mark[0]))}
          <mark>{visibleText(sql.slice(...mark))}</mark>
          {visibleText(sql.slice(mark[1]))}
        </pre>
        {values.length > 0 && (
          <dl class="vars" aria-label="Values of the statement">
            {values.map(([name, value]) => (
              <>
                <dt>{visibleText(name)}</dt>
                <dd>
                  <SnapshotView snapshot={value} open={0} />
                </dd>
              </>
            ))}
          </dl>
        )}
      </div>
    </PageSection>
  );
}

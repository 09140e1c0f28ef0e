import type { ComponentChildren, VNode } from 'preact';
import { safeUrl, visibleText } from '#html';
import type { ErrorPageContext, PageRouteTrace } from '../report/error-page-context.js';
import { pageText, knownText } from './error-page-text.js';
import { OmittedNote, PageSection } from './page-parts.js';

type Routing = NonNullable<ErrorPageContext['routing']>;

const maxRoutes = 100;

/** The routing hints at the top of the page: similar routes ("Did you mean") and the allowed methods. */
export function RoutingHints({ routing }: { routing: Routing }): ComponentChildren {
  const { didYouMean = [], allow = [] } = routing;
  return (
    <>
      {didYouMean.length > 0 && (
        <div class="hint-block">
          <h2>{pageText('Did you mean')}</h2>
          <ul>
            {didYouMean.slice(0, 8).map(({ name, path }) => (
              <li>
                <Path path={path} /> <span class="muted">{visibleText(name)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {allow.length > 0 && (
        <div class="hint-block">
          <h2>{pageText('Allowed here')}</h2>
          <p>
            {allow.map((method) => (
              <code class="chip">{visibleText(method)}</code>
            ))}
          </p>
        </div>
      )}
    </>
  );
}

/** A path of a route; a link if the path has no parameters. */
function Path({ path }: { path: string }): VNode {
  const isLink = path.startsWith('/') && !path.startsWith('//') && !/[{}:*\\]/.test(path);
  const text = visibleText(path);
  return isLink ? (
    <a class="mono" href={safeUrl(path)}>
      {text}
    </a>
  ) : (
    <code>{text}</code>
  );
}

/** Every route that was tried, with the reason why it did not match: near misses first, the others folded. */
export function RoutingSection({ trace }: { trace: readonly PageRouteTrace[] }): VNode {
  const near = trace.filter((row) => row.near === true);
  const others = trace.filter((row) => row.near !== true);
  const reasons = [...new Set(others.map(({ reason }) => reason))];
  const words =
    reasons.length === 1 && reasons[0] !== undefined ? `: ${visibleText(knownText(reasons[0]))}` : '';
  return (
    <PageSection id="routing" title={pageText('Routes that were tried')} count={trace.length}>
      {near.length > 0 && <RouteTable rows={near} name={pageText('Routes that came near')} />}
      {others.length > 0 && (
        <details class="others" open={near.length === 0 && others.length <= maxUnfoldedRoutes}>
          <summary>
            {pageText(near.length > 0 ? '{n} others' : '{n} routes', { n: others.length })}
            {words}
          </summary>
          <RouteTable rows={others} name={pageText('Other routes')} />
        </details>
      )}
    </PageSection>
  );
}

/** Largest number of other routes that is shown unfolded. */
const maxUnfoldedRoutes = 8;

function RouteTable({ rows, name }: { rows: readonly PageRouteTrace[]; name: string }): VNode {
  const hasMethods = rows.some((row) => row.methods.length > 0);
  return (
    <>
      <div class="card scroll" tabIndex={0} role="region" aria-label={name}>
        <table>
          <thead>
            <tr>
              <th scope="col">{pageText('Route')}</th>
              <th scope="col">{pageText('Path')}</th>
              {hasMethods && <th scope="col">{pageText('Methods')}</th>}
              <th scope="col">{pageText('Why not')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, maxRoutes).map((row) => (
              <TraceRow row={row} hasMethods={hasMethods} />
            ))}
          </tbody>
        </table>
      </div>
      <OmittedNote n={rows.length - maxRoutes} phrase="… {n} more routes, left out" />
    </>
  );
}

function TraceRow({ row, hasMethods }: { row: PageRouteTrace; hasMethods: boolean }): VNode {
  const near = row.near === true;
  return (
    <tr class={near ? 'near' : ''}>
      <th scope="row">{visibleText(row.name)}</th>
      <td class="mono">{visibleText(row.path)}</td>
      {hasMethods && <td class="mono">{visibleText(row.methods.join(', ')) || pageText('any')}</td>}
      <td>
        {near && <span class="chip warn">{pageText('near')}</span>} {visibleText(knownText(row.reason))}
      </td>
    </tr>
  );
}

import type { ComponentChildren, VNode } from 'preact';
import { safeUrl, visibleText } from '#html';
import type { ErrorPageContext, PageRouteTrace } from '../report/error-page-context.js';

type Routing = NonNullable<ErrorPageContext['routing']>;

const maxRoutes = 100;

/** "Did you mean", the allowed methods: what the reader most likely came for, above everything else. */
export function RoutingHints({ routing }: { routing: Routing }): ComponentChildren {
  const { didYouMean = [], allow = [] } = routing;
  return (
    <>
      {didYouMean.length > 0 && (
        <div class="hint-block">
          <h2>Did you mean</h2>
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
          <h2>Allowed here</h2>
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

/** A path without parameters can be followed. */
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

/** Every route that was tried and why it did not match; those that came near first. */
export function RoutingSection({ trace }: { trace: readonly PageRouteTrace[] }): VNode {
  const sorted = [...trace].sort((one, other) => Number(other.near === true) - Number(one.near === true));
  const hasMethods = sorted.some((row) => row.methods.length > 0);
  const rest = sorted.length - maxRoutes;
  return (
    <section id="routing" aria-labelledby="routing-title">
      <h2 id="routing-title">
        Routes that were tried <span class="count">{trace.length}</span>
      </h2>
      <div class="card scroll" tabIndex={0} role="region" aria-label="Table of the routes that were tried">
        <table>
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col">Path</th>
              {hasMethods && <th scope="col">Methods</th>}
              <th scope="col">Why not</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, maxRoutes).map((row) => (
              <TraceRow row={row} hasMethods={hasMethods} />
            ))}
          </tbody>
        </table>
      </div>
      {rest > 0 && <p class="frame-note">… {rest} more routes, left out</p>}
    </section>
  );
}

function TraceRow({ row, hasMethods }: { row: PageRouteTrace; hasMethods: boolean }): VNode {
  const near = row.near === true;
  return (
    <tr class={near ? 'near' : ''}>
      <th scope="row">{visibleText(row.name)}</th>
      <td class="mono">{visibleText(row.path)}</td>
      {hasMethods && <td class="mono">{visibleText(row.methods.join(', ')) || 'any'}</td>}
      <td>
        {near && <span class="chip warn">near</span>} {visibleText(row.reason)}
      </td>
    </tr>
  );
}

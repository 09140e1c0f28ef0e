import type { ComponentChildren, VNode } from 'preact';
import { createRedactor } from '#core/dump';
import { safeUrl, visibleText } from '#core/html';
import { say } from '#core/phrases';
import type { ErrorPageContext, PageLogEntry, PageRouteTrace } from '../report/error-report.js';
import { ForeignText, OmittedNote, PageSection } from './page-parts.js';

const redactor = createRedactor();

type Routing = NonNullable<ErrorPageContext['routing']>;

/** The routing hints at the top of the page: similar routes ("Did you mean") and the allowed methods. */
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

/** A route's path; a link if the path has no parameters. */
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

/** The routes that nearly matched, each with the reason why it did not, and the number of routes tried. */
export function RoutingSection({ near, tried }: { near: readonly PageRouteTrace[]; tried: number }): VNode {
  if (near.length === 0)
    return <p class="frame-note">{say('The path matches none of {n} routes.', { n: tried })}</p>;
  const others = tried - near.length;
  return (
    <PageSection id="routing" title="Closest routes" count={near.length}>
      <div class="card scroll" tabIndex={0} role="region" aria-label="Closest routes">
        <table>
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col">Path</th>
              <th scope="col">Why not</th>
            </tr>
          </thead>
          <tbody>
            {near.map((row) => (
              <tr class="near">
                <th scope="row">{visibleText(row.name)}</th>
                <td class="mono">{visibleText(row.path)}</td>
                <td>{visibleText(row.reason)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {others > 0 && (
        <p class="frame-note">
          {say('The other route has a different path.|The other {n} routes have different paths.', {
            n: others,
          })}
        </p>
      )}
    </PageSection>
  );
}

const errorLevels = new Set(['error', 'critical', 'alert', 'emergency', 'fatal']);
const warningLevels = new Set(['warning', 'warn']);

/** The request's log entries, oldest first; `more` is the number of entries the caller has already omitted. */
export function LogSection(props: { logs: readonly PageLogEntry[]; more: number | undefined }): VNode {
  const { logs, more = 0 } = props;
  return (
    <PageSection id="log" title="Log" count={logs.length + more}>
      {logs.length === 0 ? (
        <p class="empty">Nothing was logged during this request.</p>
      ) : (
        <ol>
          {logs.map((entry) => (
            <Entry entry={entry} />
          ))}
        </ol>
      )}
      <OmittedNote n={more} phrase="… {n} more entries omitted" />
    </PageSection>
  );
}

function Entry({ entry }: { entry: PageLogEntry }): VNode {
  const level = entry.level.toLowerCase();
  const tone = errorLevels.has(level) ? 'err' : warningLevels.has(level) ? 'warn' : '';
  const { context = '' } = entry;
  return (
    <li class={`log ${tone}`}>
      <span class="log-time">
        {typeof entry.time === 'number' ? `${Math.round(entry.time)} ms` : visibleText(entry.time)}
      </span>
      <span class="log-level">{visibleText(entry.level)}</span>
      <div class="log-text">
        <span class="log-channel">{visibleText(entry.channel)}</span> {visibleText(entry.message)}
        {context !== '' && (
          <details>
            <summary>data</summary>
            <ForeignText name="Data of the log entry">{visibleText(context)}</ForeignText>
          </details>
        )}
      </div>
    </li>
  );
}

/** Method and redacted URL, in a different form if `url` is given; white space is preserved. */
export function RequestLine({ request, url = request.url }: { request: Request; url?: string }): VNode {
  return (
    <p class="request-line">
      {visibleText(request.method)} {visibleText(redactor.url(url))}
    </p>
  );
}

type Request = NonNullable<ErrorPageContext['request']>;

/** Header fields or query parameters. */
type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * The request as received, with secrets redacted. Whether a parameter is secret may depend on its URL and on other
 * parameters.
 */
export function RequestSection({ request }: { request: Request }): VNode {
  const { headers, url } = request;
  const [, query = ''] = redactor.url(url).split(/\?(.*)/s);
  return (
    <PageSection id="request" title="Request">
      <div>
        <RequestLine request={request} />
        <Part title="Query" pairs={[...new URLSearchParams(query)]} />
        <Part title="Headers" pairs={headers} />
      </div>
    </PageSection>
  );
}

function Part({ title, pairs }: { title: string; pairs: Pairs }): VNode | null {
  if (pairs.length === 0) return null;
  return (
    <>
      <h3>
        {title} <span class="count">{pairs.length}</span>
      </h3>
      <dl class="facts">
        {pairs.map(([name, value]) => (
          <div>
            <dt>{visibleText(name)}</dt>
            <dd>{visibleText(redactor.value(name, value))}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

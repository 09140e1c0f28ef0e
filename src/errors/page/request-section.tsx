import type { ComponentChildren, VNode } from 'preact';
import { createRedactor } from '#dump';
import { visibleText } from '#html';
import type { ErrorPageContext } from '../report/error-page-context.js';
import { RequestLine } from './hero.js';
import { pageText } from './error-page-text.js';
import { ForeignText, OmittedNote, PageSection } from './page-parts.js';

type Request = NonNullable<ErrorPageContext['request']>;

/** Header fields, query parameters or cookies. */
type Pairs = readonly (readonly [name: string, value: string])[];

const redactor = createRedactor();
const maxPairs = 200;

/** The request as received, with secrets redacted. */
export function RequestSection({ request }: { request: Request }): VNode {
  const { headers, query = [], cookies = [], body = '' } = request;
  return (
    <PageSection id="request" title={pageText('Request')}>
      <div class="card pad">
        <RequestLine request={request} />
        <Part
          title={pageText('Query')}
          pairs={redactPairs(request.url, query)}
          empty={pageText('No query parameters.')}
        />
        <Part
          title={pageText('Cookies')}
          pairs={cookies.map(([name]) => [name, '[redacted]'])}
          empty={pageText('No cookies.')}
        />
        <Part title={pageText('Headers')} pairs={headers} empty={pageText('No headers.')} />
        <h3>{pageText('Body')}</h3>
        {body === '' ? (
          <p class="empty">{pageText('No body.')}</p>
        ) : (
          <ForeignText name={pageText('Body of the request')}>{visibleText(redactBody(body))}</ForeignText>
        )}
      </div>
    </PageSection>
  );
}

function Part({ title, pairs, empty }: { title: string; pairs: Pairs; empty: string }): ComponentChildren {
  return (
    <>
      <h3>
        {title} {pairs.length > 0 && <span class="count">{pairs.length}</span>}
      </h3>
      {pairs.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        <dl class="facts">
          {pairs.slice(0, maxPairs).map(([name, value]) => (
            <div>
              <dt>{visibleText(name)}</dt>
              <dd>{visibleText(redactor.value(name, value))}</dd>
            </div>
          ))}
        </dl>
      )}
      <OmittedNote n={pairs.length - maxPairs} phrase="… {n} more, left out" />
    </>
  );
}

/** Redacts parameters as part of their URL: whether one is secret can depend on the path and the other parameters. */
function redactPairs(url: string, pairs: Pairs): Pairs {
  if (pairs.length === 0) return pairs;
  const path = url.split('?', 1)[0] ?? '';
  const clean = redactor.url(`${path}?${new URLSearchParams(pairs.map(([name, value]) => [name, value]))}`);
  return [...new URLSearchParams(clean.slice(clean.lastIndexOf('?') + 1))];
}

/** Redacts a body as JSON, form or text, whichever it looks like. */
export function redactBody(body: string): string {
  const start = body.trimStart();
  if (start.startsWith('{') || start.startsWith('[')) return redactor.json(body);
  return /^[^\s=&]+=[^\s]*$/.test(body) ? redactor.query(body) : redactor.text(body);
}

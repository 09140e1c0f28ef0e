import type { App } from 'lookback';
import { HttpResponse, requestRoute, responseEvent } from 'lookback';
import type { VNode } from 'preact';
import { text } from '../languages.js';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';
import type { Failure } from './failure.js';
import { queryFailures } from './query-failures.js';
import { refusals } from './refusals.js';
import { thrownFailures } from './thrown-failures.js';

/**
 * The failures below /failures, and a list of them in the reader's language. Error messages are in English, for
 * developers.
 */
export function addFailures(app: App, services: Services): void {
  const failures = [...thrownFailures, ...refusals, ...queryFailures(services)];
  app.get('/failures', (context) => showList(context, failures, services), { name: 'failures' });
  app.get('/failure', ({ url }) => HttpResponse.redirect(url('failure_chain')), { name: 'failure' });
  app.group({ path: '/failures', name: 'failure_' }, (group) => {
    for (const { name, run, methods = ['GET'] } of failures) group.any(`/${name}`, run, { name, methods });
  });
  app.on(
    responseEvent,
    ({ request }) => {
      if (request.scope.get(requestRoute)?.name === 'failure_listener')
        throw new Error('This listener cannot bear the response');
    },
    { name: 'failing listener' },
  );
}

function showList(context: Context, failures: readonly Failure[], { site }: Services): Promise<HttpResponse> {
  return site.page(context, () => ({
    title: text('failures'),
    content: FailureList({ failures, url: context.url }),
  }));
}

interface FailureListProps {
  readonly failures: readonly Failure[];
  readonly url: Context['url'];
}

function FailureList({ failures, url }: FailureListProps): VNode {
  return (
    <>
      <h1>{text('failuresHint')}</h1>
      <ul class="teasers">
        {failures.map(({ name }) => (
          <li>
            <a href={url(`failure_${name}`)}>{text(`failure_${name}`)}</a>
            <p class="meta">{text(`failure_${name}_look`)}</p>
          </li>
        ))}
        <li>
          <a href="/failures/chian">{text('failure_router')}</a>
          <p class="meta">{text('failure_router_look')}</p>
        </li>
      </ul>
    </>
  );
}

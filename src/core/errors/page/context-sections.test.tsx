import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderFragment, type VNode } from '#core/html';
import type { PageLogEntry } from '../report/error-report.js';
import { LogSection, RequestSection, RoutingHints, RoutingSection } from './context-sections.js';

const markup = (part: VNode): string => renderFragment(part).toString();
/** The text only, on one line. */
const text = (part: VNode): string =>
  markup(part)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('the log on the error page', () => {
  const entry: PageLogEntry = { time: 1.6, level: 'info', channel: 'app', message: 'said' };

  it('has time, level, channel and message for each line, and its data if any', () => {
    const logs = [entry, { ...entry, time: '12:00:00.000', context: 'a: 1' }, { ...entry, context: '' }];
    assert.equal(
      text(<LogSection logs={logs} more={undefined} />),
      'Log 3 2 ms info app said 12:00:00.000 info app said data a: 1 2 ms info app said',
    );
    assert.equal(markup(<LogSection logs={logs} more={undefined} />).match(/<details/g)?.length, 1);
  });

  it('marks warnings and errors by level, in any spelling', () => {
    const levels = ['debug', 'notice', 'warn', 'Warning', 'ERROR', 'critical', 'alert', 'emergency', 'fatal'];
    const page = markup(<LogSection logs={levels.map((level) => ({ ...entry, level }))} more={0} />);
    const tones = [...page.matchAll(/class="log ([a-z]*)"/g)].map(([, tone]) => tone);
    assert.deepEqual(tones, ['', '', 'warn', 'warn', 'err', 'err', 'err', 'err', 'err']);
  });

  it('says that nothing was logged, or how many lines were omitted', () => {
    assert.equal(
      text(<LogSection logs={[]} more={undefined} />),
      'Log 0 Nothing was logged during this request.',
    );
    assert.equal(
      text(<LogSection logs={[entry]} more={1200} />),
      'Log 1201 2 ms info app said … 1,200 more entries omitted',
    );
  });
});

describe('the request on the error page', () => {
  it('is shown with query and fields, without secrets; empty parts are omitted', () => {
    const section = (url: string, headers: readonly (readonly [string, string])[]): string =>
      text(<RequestSection request={{ method: 'GET', url, headers }} />);
    assert.equal(section('http://a.example/x', []), 'Request GET http://a.example/x');
    const shown = section('http://a.example/x?page=2&token=s3cr3t&q=a?b', [
      ['Accept', 'text/html'],
      ['Cookie', 'id=s3cr3t'],
    ]);
    assert.match(shown, /^Request GET http:\/\/a\.example\/x\?page=2/);
    assert.match(shown, / Query 3 page 2 token \S.* q a\?b Headers 2 Accept text\/html Cookie /);
    assert.doesNotMatch(shown, /s3cr3t/);
  });
});

describe('the hints after an unmatched request', () => {
  it('are links to paths without parameters, and the allowed methods', () => {
    const named = (path: string): { name: string; path: string } => ({ name: 'n', path });
    const paths = ['/about', '/a/{id}', '//other.example', '/x*', '/a:b', '/a\\b', 'about'];
    const page = markup(
      <div>
        <RoutingHints routing={{ near: [], tried: 1, didYouMean: paths.map(named), allow: ['GET', 'PUT'] }} />
      </div>,
    );
    assert.deepEqual(
      [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href),
      ['/about'],
    );
    assert.match(page, /<code class="chip">GET<\/code><code class="chip">PUT<\/code>/);
  });

  it('are at most eight suggestions, and empty if there are none', () => {
    const didYouMean = Array.from({ length: 9 }, (_, at) => ({ name: 'n', path: `/p${at}` }));
    const hints = (routing: { didYouMean?: typeof didYouMean; allow?: string[] }): string =>
      text(
        <div>
          <RoutingHints routing={{ near: [], tried: 9, ...routing }} />
        </div>,
      );
    assert.match(hints({ didYouMean }), /\/p7 n$/);
    assert.equal(hints({}), '');
    assert.equal(hints({ allow: ['GET'] }), 'Allowed here GET');
  });

  it('are the nearly matching routes with the reason, and the number of routes tried', () => {
    const near = [{ name: 'show', path: '/a/{id}', reason: 'id is no number' }];
    assert.equal(
      text(<RoutingSection near={near} tried={1200} />),
      'Closest routes 1 Route Path Why not show /a/{id} id is no number The other 1,199 routes have different paths.',
    );
    assert.equal(text(<RoutingSection near={[]} tried={1} />), 'The path matches none of 1 routes.');
  });
});

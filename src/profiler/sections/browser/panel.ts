import { formatMilliseconds } from '../../model/formatting.js';
import { line, note } from '../../view/make-blocks.js';
import { badgeOf, pairSection } from '../../view/make-facts.js';
import { column, tableSection } from '../../view/make-tables.js';
import { mono } from '../../view/make-values.js';
import type { Panel } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { pageTime } from './findings.js';
import type { BrowserSection } from './section.js';

/** The browser's report on the page: times, script errors, files that failed to load. */
export const browserPanel: Panel = createSectionPanel<BrowserSection>({
  id: 'browser',
  title: 'Browser',
  fields: ['timing', 'errors', 'failed'],
  badge({ errors, moreErrors, failed, moreFailed }) {
    const problems = errors.length + moreErrors + failed.length + moreFailed;
    return (
      badgeOf(problems, '{n} problem in the browser|{n} problems in the browser', { tone: 'warn' }) ?? 'plain'
    );
  },
  none: 'No browser report. A few seconds after a page has loaded, its toolbar reports here what the browser saw.',
  show: ({ timing, errors, moreErrors, failed, moreFailed }, record) => {
    const { firstByteMs, interactiveMs, loadMs, largestPaintMs, largestPaint } = timing;
    const time = (ms: number | undefined): string | undefined =>
      ms === undefined ? undefined : formatMilliseconds(ms);
    const sentence = pageTime(record, timing);
    return [
      sentence !== undefined && line(`${sentence}.`),
      pairSection('Times since the navigation began', [
        ['First byte', time(firstByteMs)],
        ['Document ready', time(interactiveMs)],
        ['Largest paint', time(largestPaintMs)],
        ['Largest element painted', largestPaint === undefined ? undefined : mono(largestPaint)],
        ['Loaded', time(loadMs)],
      ]),
      errors.length > 0 &&
        tableSection('Errors', errors, {
          columns: [
            column.wide('Message', ({ message }) => message),
            column.plain('Location', ({ location }) => (location === '' ? '' : mono(location))),
            column.number('Times', ({ count }) => count),
          ],
          more: moreErrors,
        }),
      failed.length > 0 &&
        tableSection('Files that were not loaded', failed, {
          columns: [
            column.wide('URL', ({ url }) => mono(url)),
            column.plain('Kind', ({ kind }) => kind),
            column.number('Status', ({ status }) => (status === 0 ? '' : status)),
          ],
          more: moreFailed,
        }),
      note('Errors before the toolbar’s script ran, at the end of the page, were not seen.'),
    ];
  },
});

import { formatBytes, formatCount } from '../../model/formatting.js';
import { blocksOf, furtherItems } from '../../view/make-blocks.js';
import { badgeOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, locationValue } from '../../view/make-values.js';
import type { Panel } from '../panel.js';
import type { ViewSection } from './section.js';
import { createSectionPanel } from '../section-panel.js';

/** Rendered pages and fragments with their durations, and the `html` templates with their uses. */
export const viewPanel: Panel = createSectionPanel<ViewSection>({
  id: 'view',
  title: 'Templates',
  fields: ['renders', 'more'],
  badge: ({ renders, more, templates = [] }) =>
    badgeOf(renders.length + more + templates.length, '{n} template|{n} templates'),
  none: 'Nothing was rendered. Components rendered by lookback, and templates of html, are observed without setup.',
  show: ({ renders, more, templates = [], moreTemplates = 0 }, _record, { editor }) =>
    blocksOf(
      (renders.length + more > 0 || templates.length === 0) &&
        table('Templates, in their order', renders, {
          more,
          columns: [
            column.wide('Component', ({ name }) => mono(name || '–')),
            column.number('Size', ({ length }) => formatBytes(length)),
            column.duration(),
            column.start(({ startMs }) => startMs, { minor: true }),
          ],
          row: (_render, index) => ({ anchor: `render-${index + 1}` }),
        }),
      templates.length > 0 &&
        table('Templates of html, inner ones first', templates, {
          columns: [
            column.wide('Template', (template) => locationValue(template, editor)),
            column.number('Times', ({ count }) => formatCount(count)),
            column.number('Size', ({ length }) => formatBytes(length)),
            column.start(({ startMs }) => startMs, { minor: true }),
          ],
        }),
      furtherItems(
        moreTemplates,
        '{n} use of further templates was left out.|{n} uses of further templates were left out.',
      ),
    ),
});

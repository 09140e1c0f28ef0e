// The site of the documentation. scripts/docs.mjs collects its pages in .pages/ and builds it; the order of the menu is here.
import { defineConfig } from 'vitepress';
import { apiPages } from '../.pages/api/pages.mjs';

/** Anchors like GitHub's, so that links work in both places. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const page = (text, name) => ({ text, link: `/${name}` });

const menu = [
  {
    text: 'Start',
    items: [
      page('Installation', 'start/installation'),
      page('Five questions in five minutes', 'start/five-questions'),
      page('Tutorial: a tested API', 'start/tutorial'),
      page('Coming from another framework', 'start/coming-from'),
      page('Record any Node application', 'start/attach'),
      page('Troubleshooting', 'guides/troubleshooting'),
    ],
  },
  {
    text: 'Build',
    items: [
      page('The application', 'guides/application'),
      page('Routing', 'reference/routing'),
      page('JSON APIs', 'guides/json-apis'),
      page('OpenAPI and a typed client', 'guides/openapi'),
      page('HTML', 'guides/html'),
      page('Forms and flash messages', 'guides/forms'),
      page('Pagination and search', 'guides/pagination'),
      page('Files and images', 'guides/files'),
      page('Mail, queues and schedules', 'guides/mail-and-jobs'),
      page('Webhooks', 'guides/webhooks'),
      page('Event streams, WebSockets, uploads', 'guides/live'),
      page('Live updates across processes', 'guides/live-several-processes'),
      page('Vite, Turbo and htmx', 'guides/front-end'),
      page('CORS, static files, limits', 'guides/web'),
      page('Locale', 'guides/locale'),
      page('Database', 'guides/persistence'),
      page('SQLite and PostgreSQL', 'guides/two-databases'),
      page('MikroORM 7 and 6', 'guides/mikro-orm-7'),
      page('Tenants and reports', 'guides/tenants-and-reports'),
      page('A container', 'guides/container'),
      page('Testing', 'guides/testing'),
    ],
  },
  {
    text: 'Users',
    items: [
      page('Security', 'guides/security'),
      page('Logins, tokens and keys', 'guides/accounts'),
      page('E-mail verification', 'guides/email-verification'),
      page('Forgotten password', 'guides/forgotten-password'),
      page('Logins in several languages', 'guides/localised-login'),
    ],
  },
  {
    text: 'Look',
    items: [
      page('The profiler', 'guides/profiler'),
      page('Find records', 'reference/find-records'),
      page('Extend the profiler', 'guides/extend-profiler'),
      page('Instrumentation of libraries', 'guides/instrumentation'),
      page('Command line', 'reference/cli'),
      page('Assistants (MCP)', 'guides/assistants'),
      page('Stores', 'reference/stores'),
    ],
  },
  {
    text: 'Run',
    items: [
      page('Deployment', 'guides/deployment'),
      page('Environment variables', 'reference/configuration'),
      page('Performance', 'explanation/performance'),
    ],
  },
  {
    text: 'Reference',
    items: [
      // With a link, the item is not a button nested around the expand button.
      { text: 'API', link: '/api/', collapsed: true, items: apiPages },
      page('Error codes', 'reference/errors'),
      page('Glossary', 'reference/glossary'),
      page('Changelog', 'changelog'),
      page('What we promise', 'security-policy'),
    ],
  },
];

export default defineConfig({
  title: 'lookback',
  description: 'A TypeScript web framework that keeps a record of every request.',
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.cache',
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4000 } },
  transformPageData(data) {
    if (data.relativePath === 'start/coming-from.md') data.frontmatter['aside'] = false; // contains a wide table
  },
  themeConfig: {
    sidebar: menu,
    nav: [
      page('Start', 'start/five-questions'),
      page('API', 'api/'),
      page('Error codes', 'reference/errors'),
    ],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            fuzzy: 0.2,
            prefix: true,
            boost: { title: 4, text: 2, titles: 1 },
            // Runs in the browser. Guides come first: API members and error codes contain common words, but should match only by name.
            boostDocument(id, term, stored) {
              if (!id.includes('/api/') && !id.includes('/reference/errors')) return 1;
              const name = String(stored?.title ?? '').replace(/\(.*/, '');
              const isIdentifier = name !== name.toLowerCase(); // not a plain word, such as “query”
              return isIdentifier && name.toLowerCase() === term ? 0.8 : 0.05;
            },
          },
        },
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});

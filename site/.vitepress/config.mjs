// The site of the documentation. scripts/docs.mjs collects its pages in .pages/ and builds it; the order of the menu is here.
import { defineConfig } from 'vitepress';
import { apiPages } from '../.pages/api/pages.mjs';

/** Anchors as GitHub makes them, so that links work in both places. */
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
      page('Five questions in five minutes', 'five-questions'),
      page('Tutorial: a tested API', 'tutorial'),
      page('Coming from another framework', 'coming-from'),
      page('Record any Node application', 'attach'),
      page('Troubleshooting', 'troubleshooting'),
    ],
  },
  {
    text: 'Build',
    items: [
      page('The application', 'application'),
      page('Routing', 'routing'),
      page('JSON APIs', 'json-apis'),
      page('OpenAPI and a typed client', 'openapi'),
      page('HTML', 'html'),
      page('Forms and flash messages', 'forms'),
      page('Pagination and search', 'pagination'),
      page('Files and images', 'files'),
      page('Mail, queues and schedules', 'mail-and-jobs'),
      page('Event streams, WebSockets, uploads', 'live'),
      page('CORS, static files, limits', 'web'),
      page('Locale', 'locale'),
      page('Database', 'persistence'),
      page('Tenants and reports', 'tenants-and-reports'),
      page('Testing', 'testing'),
    ],
  },
  {
    text: 'Users',
    items: [
      page('Security', 'security'),
      page('Logins, tokens and keys', 'accounts'),
      page('Forgotten password', 'forgotten-password'),
      page('Logins in several languages', 'localised-login'),
    ],
  },
  {
    text: 'Look',
    items: [
      page('The profiler', 'profiler'),
      page('Find records', 'find-records'),
      page('Extend the profiler', 'extend-profiler'),
      page('Instrumentation of libraries', 'instrumentation'),
      page('Command line', 'cli'),
      page('Assistants (MCP)', 'assistants'),
      page('Stores', 'stores'),
    ],
  },
  {
    text: 'Run',
    items: [
      page('Deployment', 'deployment'),
      page('Environment variables', 'configuration'),
      page('Performance', 'performance'),
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'API', collapsed: true, items: apiPages },
      page('Error codes', 'errors'),
      page('Glossary', 'glossary'),
      page('Changelog', 'changelog'),
      page('What we promise', 'security-policy'),
    ],
  },
];

export default defineConfig({
  title: 'lookback',
  description: 'A TypeScript web framework whose every request leaves a record that you can open.',
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.cache',
  markdown: { anchor: { slugify: anchorOf } },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4000 } },
  transformPageData(data) {
    if (data.relativePath === 'coming-from.md') data.frontmatter['aside'] = false; // its table is wide
  },
  themeConfig: {
    sidebar: menu,
    nav: [page('Start', 'five-questions'), page('API', 'api/'), page('Error codes', 'errors')],
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});

import { readdirSync } from 'node:fs';

/** File names in a bench folder, without their extension. */
export function namesIn(folder) {
  return readdirSync(new URL(`${folder}/`, import.meta.url))
    .filter((name) => name.endsWith('.mjs') && name !== 'attached.mjs')
    .map((name) => name.slice(0, -'.mjs'.length))
    .sort();
}

export const fileOf = (folder, name) =>
  new URL(`${folder}/${isAttached(name) ? attachedFile(name) : `${name}.mjs`}`, import.meta.url).href;

/** Applications on other frameworks, each compared with itself uninstrumented: attach-express-lookback. */
export const attachedFrameworks = ['plain', 'express', 'fastify'];
export const attachedNames = attachedFrameworks.flatMap((framework) =>
  ['lookback', 'development', 'otlp', 'opentelemetry', 'sentrysent', 'sentry'].map(
    (agent) => `attach-${framework}-${agent}`,
  ),
);
export const isAttached = (name) => name.startsWith('attach-');
const attachedFile = (name) => `attached.mjs?${name.slice('attach-'.length)}`;

export const baseline = 'plain';

/** Servers with an asynchronous handler are compared with this one, whose handler is asynchronous too. */
export const asyncBaseline = 'plain-async';
export const isAsync = (name) => name.endsWith('-async');

/** Whole applications are compared with this one. */
export const applicationBaseline = 'fastify-application';
export const isApplication = (name) => name.includes('application');

/** The default selection of a quick run. */
export const quickServers = [
  'fastify',
  'fastify-async',
  'hono',
  'lookback-application-sqlite',
  'lookback-off',
  'lookback-off-async',
  'lookback-sqlite',
  'lookback-sqlite-identical',
  'lookback-sqlite-production',
  'lookback-sqlite-two-cores',
  'lookback-production',
  'plain-context-async',
];
export const quickPieces = ['dispatch', 'record', 'error-page'];

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type CodedError, defineErrorCodes, type ErrorCodes, isCodedError } from '#core/coded-error';

/** A package that the application must install for a feature. */
interface NeededPackage {
  /** The feature, at the beginning of a sentence: `A WebSocket route`. */
  readonly feature: string;
  /** Supported version lines, oldest first: majors, or `6.6` for 6.6 and later releases of 6. */
  readonly versions: readonly string[];
}

/** The optional packages that this one uses or adapts to. */
export type PackageName =
  | '@hono/node-server'
  | '@mikro-orm/core'
  | '@modelcontextprotocol/server'
  | 'h3'
  | 'hono'
  | 'koa'
  | 'openid-client'
  | 'pg'
  | 'ws';

/** The feature that needs each package. */
export const supportedPackages: Readonly<Record<PackageName, NeededPackage>> = {
  '@hono/node-server': { feature: 'lookback/hono', versions: ['1.8', '2'] },
  '@mikro-orm/core': { feature: 'lookback/persistence', versions: ['6.6', '7.2'] },
  '@modelcontextprotocol/server': { feature: 'The MCP server', versions: ['2'] },
  h3: { feature: 'lookback/h3', versions: ['2'] },
  hono: { feature: 'lookback/hono', versions: ['3', '4'] },
  koa: { feature: 'lookback/koa', versions: ['2', '3'] },
  'openid-client': { feature: 'createOAuthLogin', versions: ['6.8'] },
  pg: { feature: 'The PostgreSQL store', versions: ['8.11'] },
  ws: { feature: 'A WebSocket route', versions: ['8'] },
};

const table = {
  PATCHES_PACKAGE_VERSION: {
    message: '{feature} works with {name} {versions}, but {found} is installed.',
    fix: 'Run "npm install {name}@{version}".',
  },
} as const;

export const packageErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Throws `PATCHES_PACKAGE_VERSION` for an unsupported version. A package without one (missing, or bundled) passes. */
export function checkPackage(name: PackageName): void {
  const { feature, versions } = supportedPackages[name];
  const found = findVersion(name);
  if (found === undefined) return;
  if (versions.some((version) => isVersionIn(found, version))) return;
  const list = versions.map((version) =>
    version.replace(/^(\d+)\..*$/, (line, major) => `>=${line} <${Number(major) + 1}`),
  );
  throw packageErrors.create('PATCHES_PACKAGE_VERSION', {
    feature,
    name,
    versions: list.join(' or '),
    found,
    // An earlier release of a supported major needs no step to another major.
    version: versions.find((line) => majorOf(line) === majorOf(found)) ?? versions.at(-1) ?? 'latest',
  });
}

function majorOf(version: string): string | undefined {
  return version.split('.', 1)[0];
}

/** Returns a function that loads on its first call, and again after a failure; all other calls share the result. */
export function loadOnce<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let loading: Promise<Result> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}

/** Checks all optional packages: returns the names of the installed ones, and the errors for unsupported versions. */
export function checkAllPackages(): {
  readonly installed: readonly string[];
  readonly problems: readonly CodedError[];
} {
  const names = Object.keys(supportedPackages) as PackageName[]; // an object literal's keys
  const installed = names.filter((name) => findVersion(name) !== undefined);
  const problems = installed.flatMap((name): CodedError[] => {
    try {
      checkPackage(name);
      return [];
    } catch (error) {
      if (isCodedError(error)) return [error];
      throw error;
    }
  });
  return { installed: installed.map((name) => `${name} ${findVersion(name) ?? ''}`), problems };
}

/** Whether a version belongs to a line: `8`, or `8.11` for 8.11 and later releases of 8. */
export function isVersionIn(found: string, line: string): boolean {
  const [major, minor = '0'] = line.split('.');
  const [foundMajor, foundMinor = '0'] = found.split('.');
  return foundMajor === major && Number(foundMinor) >= Number(minor);
}

/** Renders supported version lines as text: `8.x, 9.7 and later 9.x`. */
export function describeVersions(versions: readonly string[]): string {
  return versions
    .map((line) => (line.includes('.') ? `${line} and later ${line.split('.', 1).join()}.x` : `${line}.x`))
    .join(', ');
}

/** Reads the version that an import from this package, or from a file, resolves to. */
export function findVersion(name: string, from: string = import.meta.url): string | undefined {
  try {
    const { resolve } = createRequire(from);
    for (const folder of resolve.paths(name) ?? []) {
      const manifest = join(folder, name, 'package.json');
      if (existsSync(manifest))
        return (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string }).version; // a package's manifest
    }
  } catch {
    // An unreadable manifest has no version.
  }
  return undefined;
}

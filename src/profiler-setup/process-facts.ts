import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { safely } from '#coded-error';

/** Facts about the process that records show in their configuration: versions, and what dates and texts depend on. */
export function processFacts(): Readonly<Record<string, string>> {
  const { icu, unicode, tz } = process.versions;
  const { timeZone, locale } = safely(() => Intl.DateTimeFormat().resolvedOptions(), noFormat);
  const facts: Record<string, string | undefined> = {
    lookback: ownVersion(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    'time zone': timeZone,
    'process locale': locale,
    ICU: icu,
    Unicode: unicode,
    'time zone data': tz,
  };
  return Object.fromEntries(
    Object.entries(facts).filter((fact): fact is [string, string] => (fact[1] ?? '') !== ''),
  );
}

const noFormat: { readonly timeZone?: string; readonly locale?: string } = {};

/** The version of this package; undefined where it is not known, as in an application that is bundled with it. */
function ownVersion(): string | undefined {
  return safely(() => {
    let folder = dirname(fileURLToPath(import.meta.url));
    while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name?: unknown;
      readonly version?: unknown;
    }; // a manifest, of which each field is checked
    return manifest.name === 'lookback' && typeof manifest.version === 'string'
      ? manifest.version
      : undefined;
  }, undefined);
}

import { readlinkSync } from 'node:fs';
import { storeNameOf } from '#profiler';
import type { RecordingSettings } from './recording-settings.js';

/** Describes the process and its profiler for records, without secrets. */
export function describeProcess({
  store,
  retention,
}: Pick<RecordingSettings, 'store' | 'retention'>): Readonly<Record<string, string | number | boolean>> {
  return {
    store: storeNameOf(store),
    'retention count': retention.count,
    'retention age (s)': retention.age,
    'retention bytes': retention.bytes,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    timezone: timeZone(),
  };
}

/**
 * Reads the time zone from the same sources as Node. Loading the data of Intl only for this would be the slowest part of
 * the start.
 */
function timeZone(): string {
  if (process.env['TZ']) return process.env['TZ'];
  try {
    const zone = readlinkSync('/etc/localtime').split('/zoneinfo/')[1];
    if (zone !== undefined) return zone;
  } catch {
    // This system has no such link.
  }
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

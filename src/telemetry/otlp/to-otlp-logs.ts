import { renderPictureText } from '#dump';
import type { ProfileRecord } from '#profiler';
import { hrTime, type Attributes, type OtlpLog } from './otlp-items.js';
import { contextOf, sourceOf } from './record-context.js';
import type { OtlpOptions } from './to-otlp-spans.js';

/** Severity numbers of the log data model. */
const severities: Readonly<Record<string, number>> = {
  debug: 5,
  info: 9,
  notice: 10,
  warning: 13,
  error: 17,
  critical: 18,
  alert: 19,
  emergency: 21,
};

/** Converts the log lines of a record, linked to its span. */
export function toOtlpLogs(record: ProfileRecord, options: OtlpOptions = {}): readonly OtlpLog[] {
  if (record.logs.length === 0) return [];
  const { own, link } = contextOf(record, options);
  const source = sourceOf(record, options.resource);
  return record.logs.map(({ time, level, channel, message, context }) => {
    const attributes: Attributes = { ...link, 'lookback.log.channel': channel };
    for (const { key, value } of context?.entries ?? [])
      attributes[key] = value.entries === undefined ? (value.text ?? '') : renderPictureText(value);
    return {
      ...source,
      hrTime: hrTime(time),
      hrTimeObserved: hrTime(time),
      spanContext: own,
      severityText: level.toUpperCase(),
      severityNumber: severities[level] ?? 9,
      body: message,
      attributes,
      droppedAttributesCount: context?.more ?? 0,
    };
  });
}

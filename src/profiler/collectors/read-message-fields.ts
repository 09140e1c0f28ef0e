import type { ChannelMessage } from './create-channel-collector.js';

const TEXT = 500;
const LIST = 50;

/** A field's text, cut; empty where it is none. */
export function messageText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, TEXT) : '';
}

/** A field's list of objects, cut. */
export function messagesOf(value: unknown): readonly ChannelMessage[] {
  return listOf(value).flatMap((item) => (typeof item === 'object' && item !== null ? [{ ...item }] : []));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, LIST) : [];
}

import type { JsonObject } from '@toolyard/protocol';
import { readText } from '../wire/json-values.ts';

/** An item of a response, as its events describe it. */
export type ResponseItem = {
  /** Identifies it among the items of the answer. */
  readonly key: number;
  readonly type: string;
  index: number | null;
  /** Its own ids: servers change them from event to event. */
  readonly ids: Set<string>;
  callId: string;
  isClosed: boolean;
  isPhased: boolean;
  /** What was emitted of it, and of each of its contents. */
  text: string;
  readonly contents: Map<string, string>;
};

/**
 * The items of one answer.
 *
 * Rule: an event belongs to the item with its item id or call id, otherwise to the one at its position, otherwise to the
 * last open one of its type. A call with another call id is another call.
 */
export class ResponseItems {
  readonly #items: ResponseItem[] = [];

  /** The item at whose start or end an event was sent. */
  ofItem(value: JsonObject, event: JsonObject, isStart: boolean): ResponseItem {
    const type = readText(value['type']);
    const callId = readText(value['call_id']);
    const ids = [readText(value['id']), readText(event['item_id'])].filter((id) => id !== '');
    const index = readIndex(event);
    const fitting = this.#items.filter((each) => each.type === type && !isOther(each, callId));
    const isNext = (each: ResponseItem): boolean => each.isClosed && isStart && !ids.some((id) => each.ids.has(id));
    const found =
      fitting.findLast((each) => callId !== '' && each.callId === callId) ??
      fitting.findLast((each) => ids.some((id) => each.ids.has(id))) ??
      fitting.findLast((each) => index !== null && each.index === index && !isNext(each)) ??
      fitting.findLast((each) => index === null && !each.isClosed && (ids.length === 0 || each.ids.size === 0));
    return merged(found ?? this.#add(type, index), ids, callId);
  }

  /** The item that a piece of an event belongs to. */
  ofPiece(event: JsonObject, type: string): ResponseItem {
    const ids = [readText(event['item_id']), readText(event['call_id'])].filter((id) => id !== '');
    const index = readIndex(event);
    const fitting = this.#items.filter((each) => each.type === type);
    const open = fitting.filter(({ isClosed }) => !isClosed);
    const isUnnamed =
      ids.length === 0 || open.at(-1)?.ids.size === 0 || (type === 'function_call' && open.length === 1);
    const found =
      fitting.findLast((each) => ids.some((id) => each.ids.has(id) || each.callId === id)) ??
      fitting.findLast((each) => index !== null && each.index === index) ??
      (index === null && isUnnamed ? open.at(-1) : undefined);
    return merged(found ?? this.#add(type, index), ids, '');
  }

  /** An item of the whole response, whose position may differ from that in the events. */
  inWhole(value: JsonObject, used: ReadonlySet<ResponseItem>): ResponseItem {
    const [type, id, callId] = [value['type'], value['id'], value['call_id']].map(readText);
    const known = this.#items.filter((each) => each.type === type && !used.has(each));
    const found =
      known.find((each) => callId !== '' && each.callId === callId) ??
      known.find((each) => each.ids.has(id ?? '') && !isOther(each, callId ?? '')) ??
      known.find((each) => type !== 'function_call' || callId === '' || each.callId === '');
    return found ?? merged(this.#add(type ?? '', null), id === undefined || id === '' ? [] : [id], callId ?? '');
  }

  #add(type: string, index: number | null): ResponseItem {
    const item: ResponseItem = {
      key: this.#items.length,
      type,
      index,
      ids: new Set(),
      callId: '',
      isClosed: false,
      isPhased: false,
      text: '',
      contents: new Map(),
    };
    this.#items.push(item);
    return item;
  }
}

function isOther({ callId: known }: ResponseItem, callId: string): boolean {
  return known !== '' && callId !== '' && known !== callId;
}

function merged(item: ResponseItem, ids: readonly string[], callId: string): ResponseItem {
  for (const id of ids) item.ids.add(id);
  if (item.callId === '') item.callId = callId;
  return item;
}

function readIndex({ output_index: index }: JsonObject): number | null {
  return typeof index === 'number' ? index : null;
}

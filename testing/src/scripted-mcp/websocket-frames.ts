/** A frame that a client sent. */
export type ClientFrame = { kind: 'text'; text: string } | { kind: 'ping'; payload: Buffer } | { kind: 'close' };

const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

/** Parses the frames of a client (RFC 6455); accepts unfragmented messages only, in any chunks. */
export function createFrameReader(): (chunk: Buffer) => ClientFrame[] {
  let rest: Buffer = Buffer.alloc(0);
  let pieces: Buffer[] = [];

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const frames: ClientFrame[] = [];
    for (let read = readFrame(rest); read !== null; read = readFrame(rest)) {
      rest = rest.subarray(read.size);
      const { opcode, isLast, payload } = read;
      if (opcode === CLOSE) frames.push({ kind: 'close' });
      else if (opcode === PING) frames.push({ kind: 'ping', payload });
      else if (opcode !== PONG) {
        pieces.push(payload);
        if (!isLast) continue;
        frames.push({ kind: 'text', text: Buffer.concat(pieces).toString('utf8') });
        pieces = [];
      }
    }
    return frames;
  };
}

function readFrame(bytes: Buffer): { opcode: number; isLast: boolean; payload: Buffer; size: number } | null {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return null;
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const head = 2 + lengthBytes + 4;
  if (bytes.length < head) return null;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const size = head + length;
  if (bytes.length < size) return null;
  const mask = bytes.subarray(head - 4, head);
  const payload = Buffer.from(bytes.subarray(head, size));
  for (let at = 0; at < payload.length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload, size };
}

export function textFrame(text: string): Buffer {
  return frame(TEXT, Buffer.from(text, 'utf8'));
}

export function pongFrame(payload: Buffer): Buffer {
  return frame(PONG, payload);
}

export function closeFrame(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return frame(CLOSE, payload);
}

function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = length < 126 ? Buffer.alloc(2) : length < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

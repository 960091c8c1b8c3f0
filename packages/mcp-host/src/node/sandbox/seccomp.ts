/** Numbers of the system calls that are refused, and of the machine (AUDIT_ARCH), by `process.arch`. */
const MACHINES: Readonly<Record<string, { audit: number; socket: number; refused: number[] }>> = {
  x64: { audit: 0xc000003e, socket: 41, refused: [248, 249, 250, 425, 426, 427] },
  arm64: { audit: 0xc00000b7, socket: 198, refused: [217, 218, 219, 425, 426, 427] },
};

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K
const NUMBER_AT = 0;
const MACHINE_AT = 4;
const FIRST_ARGUMENT_AT = 16;
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050001; // SECCOMP_RET_ERRNO with EPERM
const AF_UNIX = 1;
/** Calls of the x32 interface carry this bit. */
const X32 = 0x40000000;

/**
 * A filter for a sandbox that shares the network of the machine (classic BPF, see `seccomp(2)`). Such a sandbox also
 * shares its abstract unix sockets, which no mount hides: D-Bus and X11 listen there. So no unix socket can be made
 * (`socketpair`, which pipes between processes use, still works); nor can io_uring, which makes sockets past the
 * filter, nor the keyrings of the kernel, which belong to the user and not to a namespace. Undefined for machines whose
 * numbers are not known here.
 */
export function unixSocketFilter(arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (machine === undefined) return undefined;
  const { audit, socket, refused } = machine;
  // Jumps count the instructions that are skipped. REFUSE follows the checks; the check of the family comes last.
  const checks = refused.length + 1;
  const program: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [LOAD, 0, 0, MACHINE_AT],
    [IF_EQUAL, 0, checks + 3, audit],
    [LOAD, 0, 0, NUMBER_AT],
    [IF_AT_LEAST, checks + 1, 0, X32],
    ...refused.map((number, at): [number, number, number, number] => [IF_EQUAL, checks - at, 0, number]),
    [IF_EQUAL, 2, 0, socket],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE],
    [LOAD, 0, 0, FIRST_ARGUMENT_AT],
    [IF_EQUAL, 0, 1, AF_UNIX],
    [RETURN, 0, 0, REFUSE],
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], at) => {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  });
  return bytes;
}

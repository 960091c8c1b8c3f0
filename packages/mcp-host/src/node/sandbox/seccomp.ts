/** A denied system call: always, or if each of these arguments has one of these bits, or this value. */
type Rule = { call: number; if?: { argument: number; bits?: number; value?: number }[]; error?: number };

type Machine = { audit: number; always: Rule[]; unixSockets: Rule };

const EPERM = 1;
const ENOSYS = 38;
const AF_UNIX = 1;
const SET_ID = 0o6000;
const O_CREAT = 0o100;

const setIdAt = (call: number, argument: number): Rule => ({ call, if: [{ argument, bits: SET_ID }] });
const setIdIfCreated = (call: number, flags: number, mode: number): Rule => ({
  call,
  if: [
    { argument: flags, bits: O_CREAT },
    { argument: mode, bits: SET_ID },
  ],
});
const refused = (calls: readonly number[]): Rule[] => calls.map((call) => ({ call }));

/** The same numbers on every architecture: io_uring_setup, io_uring_enter, io_uring_register, fchmodat2; openat2. */
const EVERYWHERE: Rule[] = [...refused([425, 426, 427]), setIdAt(452, 2), { call: 437, error: ENOSYS }];

/** By `process.arch`; `audit` is AUDIT_ARCH. */
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    always: [
      // add_key, request_key, keyctl; perf_event_open, bpf, userfaultfd
      ...refused([248, 249, 250, 298, 321, 323]),
      // chmod, fchmod, fchmodat, creat, mknod, mknodat
      ...[setIdAt(90, 1), setIdAt(91, 1), setIdAt(268, 2), setIdAt(85, 1), setIdAt(133, 1), setIdAt(259, 2)],
      // open, openat
      ...[setIdIfCreated(2, 1, 2), setIdIfCreated(257, 2, 3)],
      ...EVERYWHERE,
    ],
    unixSockets: { call: 41, if: [{ argument: 0, value: AF_UNIX }] },
  },
  arm64: {
    audit: 0xc00000b7,
    always: [
      ...refused([217, 218, 219, 241, 280, 282]),
      // fchmod, fchmodat, mknodat
      ...[setIdAt(52, 1), setIdAt(53, 2), setIdAt(33, 2)],
      setIdIfCreated(56, 2, 3),
      ...EVERYWHERE,
    ],
    unixSockets: { call: 198, if: [{ argument: 0, value: AF_UNIX }] },
  },
};

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IF_BITS = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K
const NUMBER_AT = 0;
const MACHINE_AT = 4;
const ARGUMENTS_AT = 16;
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000; // SECCOMP_RET_ERRNO
/** System calls of the x32 ABI have this bit set. */
const X32 = 0x40000000;

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * The system call filter of every sandbox (classic BPF, see `seccomp(2)`), for what namespaces and mounts do not
 * contain. Kernel keyrings belong to the user; files with the set-user-ID bit would give every account of the machine
 * the rights of this one; io_uring and openat2 bypass the filter; userfaultfd, bpf and perf_event_open help to attack
 * the kernel.
 *
 * Without `unixSockets` no unix socket can be created (`socketpair`, which pipes between processes use, still works): a
 * shared network has abstract sockets that no mount hides, such as those of D-Bus and X11, and an approved folder may
 * contain the socket of an agent. Undefined for architectures whose numbers are unknown here.
 */
export function systemCallFilter(unixSockets: boolean, arch: string = process.arch): Buffer | undefined {
  const machine = MACHINES[arch];
  if (machine === undefined) return undefined;
  const rules = unixSockets ? machine.always : [...machine.always, machine.unixSockets];
  const program: Instruction[] = [
    [LOAD, 0, 0, MACHINE_AT],
    [IF_EQUAL, 1, 0, machine.audit],
    [RETURN, 0, 0, REFUSE | EPERM],
    [LOAD, 0, 0, NUMBER_AT],
    [IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, REFUSE | EPERM],
    ...rules.flatMap(toInstructions),
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

/** A jump counts the skipped instructions; a mismatch continues after this rule. */
function toInstructions({ call, if: conditions = [], error = EPERM }: Rule): Instruction[] {
  const tests = conditions.flatMap(({ argument, bits, value = 0 }, index): Instruction[] => {
    const toReload = 2 * (conditions.length - 1 - index) + 1;
    const test: Instruction = bits === undefined ? [IF_EQUAL, 0, toReload, value] : [IF_BITS, 0, toReload, bits];
    return [[LOAD, 0, 0, ARGUMENTS_AT + 8 * argument], test];
  });
  const reload: Instruction[] = conditions.length === 0 ? [] : [[LOAD, 0, 0, NUMBER_AT]];
  const length = tests.length + 1 + reload.length;
  return [[IF_EQUAL, 0, length, call], ...tests, [RETURN, 0, 0, REFUSE | error], ...reload];
}

/** The time in milliseconds, updated each second while `isRunning` says so. Call it while a component is created. */
export function secondClock(isRunning: () => boolean): { readonly now: number } {
  let now = $state(Date.now());
  const runs = $derived(isRunning());
  $effect(() => {
    if (!runs) return undefined;
    now = Date.now();
    const timer = setInterval(() => (now = Date.now()), 1000);
    return () => clearInterval(timer);
  });
  return {
    get now() {
      return now;
    },
  };
}

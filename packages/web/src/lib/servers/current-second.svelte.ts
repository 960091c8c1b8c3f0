import { createSubscriber } from 'svelte/reactivity';

const tick = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** The current time, reactive every second. */
export function currentSecond(): number {
  tick();
  return Date.now();
}
